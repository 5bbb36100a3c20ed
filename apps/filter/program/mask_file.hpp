// SPDX-License-Identifier: Apache-2.0
// The mask of scan-filter in a file: flags or packed bits, distinguished by type and number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apps/common/data_file.hpp>
#include <apps/filter/host/item_mask.hpp>

namespace libscan::apps {

class progress;

/// A mask for n items, read from the file `path` ("-" is standard input): .npy, raw or text, each
/// plain or gzip-compressed, as `read_array` detects them.
///
/// If there are as many bools or bytes as items they are flags; nonzero keeps the item.
/// ceil(n / 8) bytes of npy or raw are bits, as numpy.packbits(bitorder="little") packs them; so
/// are ceil(n / 32) uint32 of npy, and as many bytes as those take: bit i of word w is item 32 w +
/// i. What can be flags or bits is read as flags. Bits after the last item are ignored.
///
/// Throws: `file_error` if the file is none of these, and as `read_array`.
class mask_file {
 public:
  mask_file(std::string const& path, index_t n, progress* meter);
  mask_file(mask_file&&) = default;

  /// Bytes of the file, as stored.
  std::uint64_t bytes_read() const { return bytes_read_; }

  /// The mask, valid while this object lives.
  item_mask mask() const;

  /// Whether item i is marked, read from the bytes of the file.
  bool marks(index_t i) const {
    auto const at = static_cast<std::size_t>(i);
    if (!packed_) return file_.bytes[at] != std::byte{0};
    return (file_.bytes[at / 8] >> (at % 8) & std::byte{1}) != std::byte{0};
  }

 private:
  std::uint64_t bytes_read_ = 0;
  array file_;
  index_t size_;
  bool packed_ = false;
  std::vector<std::uint32_t> words_;
};

}  // namespace libscan::apps
