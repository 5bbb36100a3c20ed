// SPDX-License-Identifier: Apache-2.0
// Reading flags and bits.
#include <apps/filter/program/mask_file.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <apps/common/counted_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/gzip.hpp>
#include <apps/common/npy.hpp>

namespace libscan::apps {
namespace {

/// The mask's items: npy may be of several types; other formats are uint8. `bytes`: the file's
/// bytes are added to it.
array read_mask(std::string const& path, progress* meter, std::uint64_t& bytes) {
  file_format format = format_of_name(path);
  byte_reader in =
      plain_content(byte_reader(std::make_unique<counted_source>(open_file(path, meter), bytes),
                                input_name(path)),
                    format == file_format::raw);
  if (format == file_format::automatic && starts_npy(in)) format = file_format::npy;
  read_options options;
  if (format != file_format::npy) options.type = dtype::u8;
  array const items = read_content(in, format, options);
  say_notes(items);
  return items;
}

[[noreturn]] void refuse(std::string const& path, array const& items, index_t n) {
  std::string const type(items.truth_values ? "bool" : name_of(items.type));
  std::string const all = std::to_string(n);
  std::string words =
      "holds " + std::to_string(items.count()) + " items of " + type + ", expected ";
  if (items.truth_values || items.format == file_format::text) {
    words += all + ": one for each item of the input, as " +
             (items.truth_values ? "bools are" : "text is") + " never packed bits";
  } else {
    words += "a mask of the input's " + all + " items: " + all +
             " bools or uint8, or bits packed into " + std::to_string(ceil_div(n, index_t{8})) +
             " uint8 or " + std::to_string(ceil_div(n, index_t{32})) + " uint32";
  }
  throw file_error(input_name(path), words);
}

}  // namespace

mask_file::mask_file(std::string const& path, index_t n, progress* meter) : size_(n) {
  array mask = read_mask(path, meter, bytes_read_);
  auto const bytes = static_cast<index_t>(mask.bytes.size());
  index_t const in_words = ceil_div(n, index_t{32}) * 4;
  bool const of_bytes = mask.type == dtype::u8;
  bool const of_words = mask.type == dtype::u32;
  bool const may_be_bits = !mask.truth_values && mask.format != file_format::text;
  bool const flags = of_bytes && bytes == n;
  bool const bits = may_be_bits && ((of_bytes && bytes == ceil_div(n, index_t{8})) ||
                                    ((of_bytes || of_words) && bytes == in_words));
  if (!flags && !bits) refuse(path, mask, n);
  packed_ = !flags;
  file_ = std::move(mask);
  if (!packed_) return;
  words_.assign(static_cast<std::size_t>(in_words / 4), 0);
  if (bytes > 0) std::memcpy(words_.data(), file_.bytes.data(), static_cast<std::size_t>(bytes));
}

item_mask mask_file::mask() const {
  if (packed_) return item_mask::of_bits(words_, size_);
  return item_mask::of_flags(
      {reinterpret_cast<std::uint8_t const*>(file_.bytes.data()), static_cast<std::size_t>(size_)});
}

}  // namespace libscan::apps
