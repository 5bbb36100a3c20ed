// SPDX-License-Identifier: Apache-2.0
// Reading flags and bits.
#include <apps/filter/program/mask_file.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <apps/common/compression.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/npy.hpp>

namespace libscan::apps {
namespace {

/// Npy may be of several types; other formats are uint8.
read_options reading(progress* meter) {
  read_options options = read_options::beside_input(meter);
  options.type = dtype::u8;
  return options;
}

}  // namespace

bool is_packed_mask(std::string const& name, dtype type, bool truth_values, file_format format,
                    index_t count, index_t n) {
  index_t const bytes = count * static_cast<index_t>(size_of(type));
  index_t const in_words = ceil_div(n, index_t{32}) * 4;
  bool const of_bytes = type == dtype::u8, of_words = type == dtype::u32;
  bool const may_be_bits = !truth_values && format != file_format::text;
  if (of_bytes && bytes == n) return false;
  if (may_be_bits && ((of_bytes && bytes == ceil_div(n, index_t{8})) ||
                      ((of_bytes || of_words) && bytes == in_words))) {
    return true;
  }
  std::string const all = std::to_string(n);
  std::string words = "holds " + std::to_string(count) + " items of " +
                      std::string(truth_values ? "bool" : name_of(type)) + ", expected ";
  if (may_be_bits) {
    words += "a mask of the input's " + all + " items: " + all +
             " bools or uint8, or bits packed into " + std::to_string(ceil_div(n, index_t{8})) +
             " uint8 or " + std::to_string(ceil_div(n, index_t{32})) + " uint32";
  } else {
    words += all + ": one for each item of the input, as " +
             (truth_values ? "bools are" : "text is") + " never packed bits";
  }
  throw file_error(name, words);
}

mask_file::mask_file(std::string const& path, index_t n, bool whole, index_t piece, progress* meter,
                     std::uint64_t& bytes_read)
    : in_(path, reading(meter), {.whole = whole, .known_count = true, .any_npy = true},
          bytes_read) {
  packed_ =
      is_packed_mask(in_.name(), in_.type(), in_.truth_values(), in_.format(), *in_.count(), n);
  auto const item = static_cast<index_t>(size_of(in_.type()));
  index_t const items = packed_ ? piece / 8 / item : piece;
  in_.begin(items, items);
}

item_mask mask_file::next(index_t items) {
  bytes_ = in_.next().value_or(std::span<std::byte const>{});
  if (!packed_) {
    return item_mask::of_flags(
        {reinterpret_cast<std::uint8_t const*>(bytes_.data()), static_cast<std::size_t>(items)});
  }
  words_.assign(static_cast<std::size_t>(ceil_div(items, index_t{32})), 0);
  std::size_t const size = std::min(bytes_.size(), words_.size() * sizeof(words_[0]));
  if (size > 0) std::memcpy(words_.data(), bytes_.data(), size);
  return item_mask::of_bits(words_, items);
}

}  // namespace libscan::apps
