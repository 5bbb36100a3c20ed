// SPDX-License-Identifier: Apache-2.0
// Keys and their values in files, for sorts of more than fits in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apps/common/block_file.hpp>
#include <apps/common/temporary_file.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// Keys, and a value of each.
struct record_piece {
  std::span<std::byte const> keys;
  std::span<std::byte const> values;  ///< empty if there are none
};

/// A part of the records: offsets in the files of keys and of values.
struct record_extent {
  std::uint64_t keys = 0;
  std::uint64_t values = 0;
  index_t count = 0;
};

/// Records, in order.
struct record_list {
  std::shared_ptr<descriptor const> keys;
  std::shared_ptr<descriptor const> values;  ///< null: there are none
  std::string name;                          ///< of the file, in messages
  std::vector<record_extent> extents = {};
  index_t count = 0;

  void add(record_extent const& more) {
    extents.push_back(more);
    count += more.count;
  }

  /// Appends records of the same files.
  void add(record_list const& more) {
    for (record_extent const& extent : more.extents) add(extent);
  }

  /// The same records as up to `parts` lists, of about as many extents each.
  std::vector<record_list> in_parts(std::size_t parts) const;
};

/// Reads the records of a list, which must outlive it, extent by extent.
class record_reader {
 public:
  record_reader(record_list const& from, std::size_t key_bytes, std::size_t value_bytes);

  /// The records of the next extent, valid until the next call; nothing at the end. Throws
  /// `file_error`.
  std::optional<record_piece> next();

 private:
  block_reader keys_;
  std::optional<block_reader> values_;
};

/// A temporary file of records, to which threads append.
class record_file {
 public:
  /// Throws `file_error` if the disk cannot hold so many records.
  record_file(index_t records, std::size_t key_bytes, std::size_t value_bytes,
              std::string const& directory);

  std::size_t key_bytes() const { return key_bytes_; }
  std::size_t value_bytes() const { return value_bytes_; }

  /// Appends `count` records. Several threads may call it. Throws `file_error`.
  record_extent append(std::byte const* keys, std::byte const* values, std::size_t count);

  /// Ends the file. Call it once, last. Throws `file_error`.
  void finish() { file_.finish(); }

  /// A list of records of this file, without any.
  record_list list() const;

 private:
  std::size_t key_bytes_, value_bytes_;
  temporary_file file_;
  std::mutex mutex_;
};

/// Distributes records over buckets, for one thread. A bucket keeps the order of its records.
class bucket_writer {
 public:
  /// Each bucket has memory for `extent` records, a multiple of 4096. `to` must outlive this
  /// object.
  bucket_writer(record_file& to, std::size_t buckets, std::size_t extent);

  /// The memory of the bucket's next records.
  std::byte* keys(std::size_t bucket) const { return memory_[bucket].data(); }
  std::byte* values(std::size_t bucket) const { return keys(bucket) + extent_ * to_.key_bytes(); }

  std::size_t extent() const { return extent_; }

  /// Writes the first `count` records in the memory of a bucket.
  void flush(std::size_t bucket, std::size_t count);

  /// The records of each bucket; they live as long as the lists.
  std::vector<record_list> const& buckets() const { return buckets_; }

 private:
  record_file& to_;
  std::size_t extent_;
  block_pool memory_;
  std::vector<record_list> buckets_;
};

}  // namespace libscan::apps
