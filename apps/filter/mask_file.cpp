// SPDX-License-Identifier: Apache-2.0
// Reading flags and bits.
#include <apps/filter/mask_file.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <apps/common/counted_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/gzip.hpp>
#include <apps/common/npy.hpp>
#include <apps/common/raw.hpp>
#include <apps/common/text.hpp>

namespace libscan::apps {
namespace {

/// Whether an npy file holds truth values, which are read as bytes when that is asked for.
bool holds_truth_values(byte_reader& in) {
  constexpr std::size_t header = 256;
  auto const head = in.peek(header);
  std::string_view const text(reinterpret_cast<char const*>(head.data()),
                              std::min(head.size(), header));
  return text.find("'|b1'") != std::string_view::npos;
}

/// The items of a mask's file, and what they are.
struct mask_items {
  array items;
  bool truth_values = false;
};

/// `bytes`: those of the file are added to it.
mask_items read_mask(std::string const& path, progress* meter, std::uint64_t& bytes) {
  file_format const named = format_of_name(path);
  byte_reader in(std::make_unique<counted_source>(open_file(path, meter), bytes), input_name(path));
  // Any bytes may begin a raw file, those of gzip too.
  if (starts_gzip(in) && (named != file_format::raw || named_gzip(path))) {
    in = byte_reader(decompressed(std::move(in)), input_name(path));
  }
  if (named == file_format::raw) return {read_raw(in, dtype::u8)};
  if (named == file_format::npy || (named == file_format::automatic && starts_npy(in))) {
    bool const truth_values = holds_truth_values(in);
    std::optional<dtype> const wanted =
        truth_values ? std::optional<dtype>(dtype::u8) : std::nullopt;
    return {read_npy(in, {.type = wanted}), truth_values};
  }
  return {read_text(in, dtype::u8, 1)};
}

[[noreturn]] void refuse(std::string const& path, mask_items const& mask, index_t n) {
  array const& items = mask.items;
  std::string const type(mask.truth_values ? "bool" : name_of(items.type));
  std::string const all = std::to_string(n);
  std::string words =
      "holds " + std::to_string(items.count()) + " items of " + type + ", expected ";
  if (mask.truth_values || items.format == file_format::text) {
    words += all + ": one for each item of the input, as " +
             (mask.truth_values ? "truth values are" : "text is") + " never packed bits";
  } else {
    words += "a mask of the input's " + all + " items: " + all +
             " truth values or uint8, or bits packed into " +
             std::to_string(ceil_div(n, index_t{8})) + " uint8 or " +
             std::to_string(ceil_div(n, index_t{32})) + " uint32";
  }
  throw file_error(input_name(path), words);
}

}  // namespace

mask_file::mask_file(std::string const& path, index_t n, progress* meter) : size_(n) {
  mask_items mask = read_mask(path, meter, bytes_read_);
  auto const bytes = static_cast<index_t>(mask.items.bytes.size());
  index_t const in_words = ceil_div(n, index_t{32}) * 4;
  bool const of_bytes = mask.items.type == dtype::u8;
  bool const of_words = mask.items.type == dtype::u32;
  bool const may_be_bits = !mask.truth_values && mask.items.format != file_format::text;
  bool const flags = of_bytes && bytes == n;
  bool const bits = may_be_bits && ((of_bytes && bytes == ceil_div(n, index_t{8})) ||
                                    ((of_bytes || of_words) && bytes == in_words));
  if (!flags && !bits) refuse(path, mask, n);
  packed_ = !flags;
  file_ = std::move(mask.items);
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
