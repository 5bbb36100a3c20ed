// SPDX-License-Identifier: Apache-2.0
// The file that says where segments begin, checked against the number of items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apps/common/data_file.hpp>
#include <apps/common/item_stream.hpp>
#include <apps/prefix/prefix_scan.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::apps {

/// The type that a file of segments must have; none if several are allowed. Throws `usage_error`
/// for raw keys.
std::optional<dtype> type_of_segments(segmentation::form how, std::string const& path);

/// Throws `file_error` unless a file has as many flags, bits or keys as fit n items. Not for
/// offsets.
void check_segment_count(segmentation::form how, std::string const& name, dtype type, index_t count,
                         index_t n);

/// The offsets of a file, of any integer type, as index_t; -1 for values that it cannot hold.
/// Throws `file_error` for other types.
std::vector<index_t> offsets_as_index(array const& file, std::string const& name);

/// Throws `file_error` unless offsets ascend from 0 to n. They are `count` consecutive ones of the
/// `all` in the file, from number `first` on; `before` is the offset before them.
void check_segment_offsets(std::string const& name, index_t const* offsets, index_t count,
                           index_t first, index_t before, index_t all, index_t n);

/// Where segments begin, read from a file and kept in memory.
class segment_file {
 public:
  /// No segments.
  segment_file() = default;

  /// Reads `path` as `how` (not `none`) for an input of `n` items; `meter` as in `read_options`.
  ///
  /// Flags: uint8 or bools, one for each item. Bits: packed as numpy.packbits with
  /// bitorder='little' does, in unsigned integers of any size; the last may be cut short or filled
  /// up to 32 bits. Offsets: integers from 0 to n, ascending, one more than there are segments.
  /// Keys: one for each item, of any type. Raw binary holds uint8 flags, bits of any size, int64
  /// offsets, and no keys. A text's first column is read. Throws `file_error`, or `usage_error`
  /// for raw keys.
  segment_file(segmentation::form how, std::string const& path, index_t n, progress* meter);

  /// Where segments begin; valid while this object lives.
  segmentation const& segments() const { return segments_; }

  /// Bytes of the segments' description.
  std::uint64_t bytes() const { return file_.bytes.size(); }

  /// Bytes of the file, as stored.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  void take_bits(index_t n);
  void take_offsets(std::string const& name, index_t n);

  std::uint64_t bytes_read_ = 0;
  array file_;
  std::vector<std::uint32_t> words_;  // if the file's bits are no whole or aligned words
  std::vector<index_t> offsets_;      // if the file's offsets are of another type
  segmentation segments_;
};

/// Where the segments of consecutive pieces of an input begin. Flags, keys and, forwards, bits are
/// streamed beside it; all others are in memory.
class segment_stream {
 public:
  /// For an input of `n` items in pieces of `piece`, from either end. Adds the bytes that are read
  /// to `bytes_read`. Otherwise as `segment_file`.
  segment_stream(segmentation::form how, std::string const& path, index_t n, index_t piece,
                 scan_direction direction, progress* meter, std::uint64_t& bytes_read);

  /// The segments of the next piece, items [first, first + count), valid until the next call. What
  /// they say of the first item in the direction does not matter, but see `begins`.
  segmentation next(index_t first, index_t count);

  /// Whether a segment begins at the first item, in the direction, of that piece.
  bool begins() const { return begins_; }

  /// Bytes of the segments' description so far.
  std::uint64_t bytes() const { return bytes_; }

 private:
  segmentation next_streamed(index_t count);
  segmentation next_offsets(index_t first, index_t count);
  segmentation next_bits(index_t first, index_t count);
  bool changes(std::byte const* key, std::byte const* other) const;

  segmentation::form how_;
  index_t n_;
  bool reverse_;
  std::optional<item_stream> in_;
  segment_file all_;  // if not streamed
  std::vector<cpu::head_word> marks_;
  std::vector<std::uint32_t> words_;
  std::vector<index_t> offsets_;
  bool first_piece_ = true;
  bool begins_ = true;
  bool edge_is_head_ = false;              // of the last piece: its first item
  alignas(8) std::byte edge_key_[8] = {};  // of the last piece: the key next to this one
  std::uint64_t bytes_ = 0;
};

}  // namespace libscan::apps
