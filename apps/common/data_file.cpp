// SPDX-License-Identifier: Apache-2.0
// From a path to an array: finds the format and the compression, and calls the reader.
#include <apps/common/data_file.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <apps/common/compression.hpp>
#include <apps/common/dtype.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/foreign_format.hpp>
#include <apps/common/npy.hpp>
#include <apps/common/program.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/table.hpp>
#include <apps/common/text.hpp>
#include <libscan/core/half.hpp>

namespace libscan::apps {

static_assert(std::endian::native == std::endian::little,
              "files are read and written without conversion");

namespace {

constexpr std::string_view format_names[] = {"auto", "npy", "raw", "text"};

constexpr std::pair<std::string_view, file_format> endings[] = {
    {".npy", file_format::npy},  {".raw", file_format::raw},  {".bin", file_format::raw},
    {".txt", file_format::text}, {".csv", file_format::text}, {".tsv", file_format::text}};

std::string_view without_compression(std::string_view path) {
  if (named_gzip(path)) {
    path.remove_suffix(3);
  } else if (named_zstd(path)) {
    path.remove_suffix(4);
  }
  return path;
}

/// Refuses an option of text for other formats.
void refuse_of_text(bool given, char const* option, std::string const& name, file_format format) {
  if (!given) return;
  throw usage_error(std::string(option) + " is for text, but " + name + " is read as " +
                    std::string(name_of(format)));
}

/// All of the input as little-endian items of `type`. Throws `file_error` if that is no whole
/// number of items.
array read_raw(byte_reader& in, dtype type, read_options const& options) {
  std::optional<std::uint64_t> const known = in.bytes_left();
  if (known && options.before_items) options.before_items(type, *known / size_of(type));
  std::optional<kept_bytes> all = in.rest();
  bool const mapped = all.has_value();
  if (!all) all = read_up_to(in, std::numeric_limits<std::uint64_t>::max());
  std::size_t const size = all->bytes.size();
  std::size_t const item = size_of(type);
  check_raw_size(in.name(), type, size);
  array data{type,
             {static_cast<index_t>(size / item)},
             file_format::raw,
             all->bytes,
             std::move(all->owner)};
  data.mapped = mapped;
  return data;
}

array read_as(byte_reader& in, file_format format, read_options const& options) {
  check_options(in.name(), format, options);
  if (format == file_format::npy) return read_npy(in, options);
  if (format == file_format::text) return read_text(in, options);
  if (options.half) {
    read_options of_bits = options;
    of_bits.before_items = {};
    return widened(read_raw(in, dtype::u16, of_bits), *options.half);
  }
  return read_raw(in, *options.type, options);
}

template <class Half>
void widen(std::byte const* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Half half;
    std::memcpy(&half, from + i * sizeof half, sizeof half);
    auto const number = static_cast<float>(half);
    std::memcpy(to + i * sizeof number, &number, sizeof number);
  }
}

}  // namespace

bool ends_in(std::string_view path, std::string_view ending) {
  if (path.size() < ending.size()) return false;
  path.remove_prefix(path.size() - ending.size());
  return std::equal(path.begin(), path.end(), ending.begin(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

void check_raw_size(std::string const& name, dtype type, std::uint64_t size) {
  std::size_t const item = size_of(type);
  if (size % item == 0) return;
  throw file_error::at_byte(name, size - size % item,
                            "the file ends within an item: " + std::to_string(size) +
                                " bytes are no multiple of " + std::to_string(item) +
                                ", the size of " + std::string(name_of(type)));
}

std::string_view name_of(file_format format) {
  return format_names[static_cast<std::size_t>(format)];
}

file_format format_from_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(format_names); ++i) {
    if (name == format_names[i]) return static_cast<file_format>(i);
  }
  if (name == "csv") return file_format::text;
  throw usage_error(for_people(name) + " is no file format, expected auto, npy, raw or text");
}

header_rule header_rule_from_name(std::string_view name) {
  if (name == "auto") return header_rule::automatic;
  if (name == "yes") return header_rule::present;
  if (name == "no") return header_rule::absent;
  throw usage_error(for_people(name) + " is no answer, expected yes, no or auto");
}

comment_rule comment_rule_from_name(std::string_view name) {
  if (name == "leading") return comment_rule::leading;
  if (name == "all") return comment_rule::all;
  if (name == "none") return comment_rule::none;
  throw usage_error(for_people(name) + " is no such rule, expected leading, all or none");
}

bool named_gzip(std::string_view path) { return ends_in(path, ".gz"); }

bool named_zstd(std::string_view path) { return ends_in(path, ".zst"); }

file_format format_of_name(std::string_view path) {
  path = without_compression(path);
  for (auto const& [ending, format] : endings) {
    if (ends_in(path, ending)) return format;
  }
  return file_format::automatic;
}

file_format format_to_write(std::string_view path) {
  refuse_foreign_ending(path, ".npy .raw .bin .txt .csv .tsv .gz");
  refuse_foreign_ending(without_compression(path), ".npy .raw .bin .txt .csv .tsv", path);
  return format_of_name(path);
}

void check_options(std::string const& name, file_format format, read_options const& options) {
  if (options.column && options.column->number < 1 && options.column->name.empty()) {
    throw usage_error("--column counts from 1");
  }
  if (format != file_format::text) {
    bool const first = !options.column || options.column->number == 1;
    refuse_of_text(!first, "--column", name, format);
    refuse_of_text(options.header != header_rule::automatic, "--header", name, format);
    refuse_of_text(options.comments != comment_rule::leading, "--comments", name, format);
    refuse_of_text(options.delimiter != '\0', "--delimiter", name, format);
    refuse_of_text(options.missing.what != missing_rule::choice::fail, "--missing", name, format);
    refuse_of_text(options.decimal_comma, "--decimal-comma", name, format);
  } else if (options.half) {
    throw usage_error("--dtype " + std::string(name_of(*options.half)) +
                      " is for npy and raw, but " + name + " is read as text");
  }
  if (format == file_format::raw && !options.type && !options.half) {
    throw usage_error("--dtype is needed to read " + name + " as raw: it does not say its type");
  }
}

array aligned(array data) {
  auto const address = reinterpret_cast<std::uintptr_t>(data.bytes.data());
  if (address % size_of(data.type) == 0) return data;
  if (data.bytes.empty()) {
    data.bytes = {};
    return data;
  }
  byte_buffer copy;
  std::memcpy(copy.grow(data.bytes.size()).data(), data.bytes.data(), data.bytes.size());
  kept_bytes copied = copy.release();
  data.bytes = copied.bytes;
  data.owner = std::move(copied.owner);
  data.mapped = false;
  return data;
}

array read_content(byte_reader& in, file_format format, read_options const& options) {
  if (format == file_format::automatic) {
    format = starts_npy(in) ? file_format::npy : file_format::text;
  }
  array data = aligned(read_as(in, format, options));
  if (options.meter) options.meter->finish();
  return data;
}

array read_array(std::unique_ptr<byte_source> source, std::string const& name,
                 read_options const& options) {
  file_format format = options.format;
  if (format == file_format::automatic) format = format_of_name(name);
  byte_reader in = plain_content(byte_reader(std::move(source), name), format == file_format::raw);
  return read_content(in, format, options);
}

array read_array(std::string const& path, read_options const& options) {
  array data = read_array(open_file(path, options.meter), input_name(path), options);
  say_notes(data);
  return data;
}

array read_counted(std::string const& path, read_options const& options, std::uint64_t& bytes) {
  array data = read_array(std::make_unique<counted_source>(open_file(path, options.meter), bytes),
                          input_name(path), options);
  say_notes(data);
  return data;
}

void say_notes(array const& data) {
  for (std::string const& note : data.notes) say("note: " + note);
}

array widened(array const& bits, half_dtype type) {
  std::size_t const count = bits.bytes.size() / sizeof(std::uint16_t);
  array result{dtype::f32, bits.shape, bits.format, {}, nullptr};
  if (count == 0) return result;
  byte_buffer buffer;
  std::byte* const to = buffer.grow(count * sizeof(float)).data();
  auto const widen_all = type == half_dtype::f16 ? widen<float16> : widen<bfloat16>;
  widen_all(bits.bytes.data(), to, count);
  kept_bytes floats = buffer.release();
  result.bytes = floats.bytes;
  result.owner = std::move(floats.owner);
  return result;
}

}  // namespace libscan::apps
