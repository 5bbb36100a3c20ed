// SPDX-License-Identifier: Apache-2.0
// Reading flags and bits.
#include <apps/filter/mask_file.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <apps/common/byte_source.hpp>
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

array read_mask(std::string const& path, progress* meter) {
  file_format const named = format_of_name(path);
  byte_reader in(open_file(path, meter), input_name(path));
  // Any bytes may begin a raw file, those of gzip too.
  if (starts_gzip(in) && (named != file_format::raw || named_gzip(path))) {
    in = byte_reader(decompressed(std::move(in)), input_name(path));
  }
  if (named == file_format::raw) return read_raw(in, dtype::u8);
  if (named == file_format::npy || (named == file_format::automatic && starts_npy(in))) {
    std::optional<dtype> const wanted =
        holds_truth_values(in) ? std::optional<dtype>(dtype::u8) : std::nullopt;
    return read_npy(in, wanted);
  }
  return read_text(in, dtype::u8, 1);
}

}  // namespace

mask_file::mask_file(std::string const& path, index_t n, progress* meter)
    : file_(read_mask(path, meter)), size_(n) {
  auto const bytes = static_cast<index_t>(file_.bytes.size());
  index_t const in_words = ceil_div(n, index_t{32}) * 4;
  bool const of_bytes = file_.type == dtype::u8;
  bool const of_words = file_.type == dtype::u32;
  packed_ = of_words || bytes != n;
  bool const right = (of_bytes && (bytes == n || bytes == ceil_div(n, index_t{8}))) ||
                     ((of_bytes || of_words) && bytes == in_words);
  if (!right) {
    throw file_error(input_name(path), "holds " + std::to_string(file_.count()) + " items of " +
                                           std::string(name_of(file_.type)) +
                                           ", expected a mask of the input's " + std::to_string(n) +
                                           " items: " + std::to_string(n) +
                                           " truth values or uint8, or bits packed into " +
                                           std::to_string(ceil_div(n, index_t{8})) + " uint8 or " +
                                           std::to_string(in_words / 4) + " uint32");
  }
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
