// SPDX-License-Identifier: Apache-2.0
// The file that says where segments begin, checked against the number of items.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apps/common/data_file.hpp>
#include <apps/prefix/prefix_call.hpp>

namespace libscan::apps {

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
  /// offsets, and no keys. Of text the first column is read. Throws `file_error`, or `usage_error`
  /// for raw keys.
  segment_file(segmentation::form how, std::string const& path, index_t n, progress* meter);

  /// Where segments begin; valid while this object lives.
  segmentation const& segments() const { return segments_; }

  /// Bytes of the segments' description.
  std::uint64_t bytes() const { return file_.bytes.size(); }

  /// Bytes of the file, as stored.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  void check_count(std::string const& name, index_t n, char const* what) const;
  void take_bits(std::string const& name, index_t n);
  void take_offsets(std::string const& name, index_t n);

  std::uint64_t bytes_read_ = 0;
  array file_;
  std::vector<std::uint32_t> words_;  // if the file's bits are no whole or aligned words
  std::vector<index_t> offsets_;      // if the file's offsets are of another type
  segmentation segments_;
};

}  // namespace libscan::apps
