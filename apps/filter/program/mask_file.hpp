// SPDX-License-Identifier: Apache-2.0
// The mask of scan-filter in a file: flags or packed bits, distinguished by type and number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <apps/common/item_stream.hpp>
#include <libscan/core/item_mask.hpp>

namespace libscan::apps {

class progress;

/// Whether a mask of `count` items of `type` for n items holds packed bits; see `mask_file`. Throws
/// `file_error` if it is no mask for n items.
bool is_packed_mask(std::string const& name, dtype type, bool truth_values, file_format format,
                    index_t count, index_t n);

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
  /// `whole`: all of the mask comes at once, else as many items at a time as `piece`, a multiple of
  /// 32. Adds the bytes that are read to `bytes_read`.
  mask_file(std::string const& path, index_t n, bool whole, index_t piece, progress* meter,
            std::uint64_t& bytes_read);

  /// The mask of the next `items` items, valid until the next call: a piece, or all of them.
  item_mask next(index_t items);

  /// Whether item i of that mask is marked, read from the bytes of the file.
  bool marks(std::size_t i) const {
    if (!packed_) return bytes_[i] != std::byte{0};
    return (bytes_[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0};
  }

 private:
  item_stream in_;
  bool packed_ = false;
  std::span<std::byte const> bytes_;
  std::vector<std::uint32_t> words_;
};

}  // namespace libscan::apps
