// SPDX-License-Identifier: Apache-2.0
// The way from a path to an array: which format, compressed or not, and the reader for it.
#include <apps/common/data_file.hpp>

#include <cstring>
#include <iterator>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/gzip.hpp>
#include <apps/common/halves.hpp>
#include <apps/common/npy.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/raw.hpp>
#include <apps/common/text.hpp>

namespace libscan::apps {
namespace {

constexpr std::string_view format_names[] = {"auto", "npy", "raw", "text"};

constexpr std::pair<std::string_view, file_format> endings[] = {
    {".npy", file_format::npy},  {".raw", file_format::raw},  {".bin", file_format::raw},
    {".txt", file_format::text}, {".csv", file_format::text}, {".tsv", file_format::text}};

/// Opens the compressed content where there is some.
byte_reader decompressed_if_needed(byte_reader in, file_format format) {
  bool const named = named_gzip(in.name());
  bool const has_name = in.name() != input_name("-");
  bool const content = starts_gzip(in);
  if (named && !content) {
    throw file_error::at_byte(in.name(), 0, "no gzip data: expected it to begin with \\x1f\\x8b");
  }
  // Any bytes may begin a raw file, those of gzip too.
  if (!content || (format == file_format::raw && has_name && !named)) return in;
  std::string const name = in.name();
  return byte_reader(decompressed(std::move(in)), name);
}

array read_as(byte_reader& in, file_format format, read_options const& options) {
  if (options.column < 1) throw usage_error("--column counts from 1");
  if (format != file_format::text && options.column != 1) {
    throw usage_error("--column is for text, but " + in.name() + " is read as " +
                      std::string(name_of(format)));
  }
  if (format != file_format::text && options.header != header_rule::automatic) {
    throw usage_error("--header is for text, but " + in.name() + " is read as " +
                      std::string(name_of(format)));
  }
  if (format == file_format::npy) return read_npy(in, options);
  if (format == file_format::text) {
    if (options.half) {
      throw usage_error("--dtype " + std::string(name_of(*options.half)) + " is for npy and raw, " +
                        "but " + in.name() + " is read as text");
    }
    return read_text(in, options.type, options.column, options.header);
  }
  if (options.half) return widened(read_raw(in, dtype::u16), *options.half);
  if (!options.type) {
    throw usage_error("--dtype is needed to read " + in.name() +
                      " as raw: it does not say its type");
  }
  return read_raw(in, *options.type);
}

/// Items in a mapped file may lie at any byte.
void align(array& data) {
  auto const address = reinterpret_cast<std::uintptr_t>(data.bytes.data());
  if (address % size_of(data.type) == 0) return;
  if (data.bytes.empty()) {
    data.bytes = {};
    return;
  }
  byte_buffer copy;
  std::memcpy(copy.grow(data.bytes.size()).data(), data.bytes.data(), data.bytes.size());
  kept_bytes aligned = copy.release();
  data.bytes = aligned.bytes;
  data.owner = std::move(aligned.owner);
}

}  // namespace

std::string_view name_of(file_format format) {
  return format_names[static_cast<std::size_t>(format)];
}

file_format format_from_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(format_names); ++i) {
    if (name == format_names[i]) return static_cast<file_format>(i);
  }
  if (name == "csv") return file_format::text;
  throw usage_error("'" + std::string(name) +
                    "' is no file format, expected auto, npy, raw or text");
}

header_rule header_rule_from_name(std::string_view name) {
  if (name == "auto") return header_rule::automatic;
  if (name == "yes") return header_rule::present;
  if (name == "no") return header_rule::absent;
  throw usage_error("'" + std::string(name) + "' is no answer, expected yes, no or auto");
}

bool named_gzip(std::string_view path) { return path.ends_with(".gz"); }

file_format format_of_name(std::string_view path) {
  if (named_gzip(path)) path.remove_suffix(3);
  for (auto const& [ending, format] : endings) {
    if (path.ends_with(ending)) return format;
  }
  return file_format::automatic;
}

array read_array(std::unique_ptr<byte_source> source, std::string const& name,
                 read_options const& options) {
  file_format format = options.format;
  if (format == file_format::automatic) format = format_of_name(name);
  byte_reader in = decompressed_if_needed(byte_reader(std::move(source), name), format);
  if (format == file_format::automatic) {
    format = starts_npy(in) ? file_format::npy : file_format::text;
  }
  array data = read_as(in, format, options);
  align(data);
  if (options.meter) options.meter->finish();
  return data;
}

array read_array(std::string const& path, read_options const& options) {
  return read_array(open_file(path, options.meter), input_name(path), options);
}

}  // namespace libscan::apps
