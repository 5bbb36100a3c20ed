// SPDX-License-Identifier: Apache-2.0
// How an external sort shares out its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <apps/common/dtype.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// Sizes that follow from the memory bound and the records.
struct external_plan {
  std::size_t record_bytes = 0;
  index_t bucket_items = 0;       ///< the most that are sorted at once
  std::size_t staging_bytes = 0;  ///< for all buckets together while records are distributed
  std::size_t sampled_keys = 0;   ///< of a block of 4096 bytes
  int threads = 1;                ///< that may distribute records

  /// For keys of `type` with values of `value_bytes` (0: none), on `threads` threads. Throws
  /// `error` if the bound is too small for any sort; `what` is being done.
  static external_plan of(dtype type, std::size_t value_bytes, int threads,
                          std::string const& what);

  /// How many buckets n records are distributed over.
  std::size_t buckets(index_t n) const;

  /// How many blocks are sampled for so many buckets: of sorted keys, all of a block are alike.
  static std::size_t sampled_blocks(std::size_t buckets);

  /// How many threads distribute records over so many buckets. Each stages records of all of them.
  std::size_t splitting_threads(std::size_t buckets) const;

  /// How many records of each of so many buckets are staged.
  std::size_t extent_items(std::size_t buckets) const;
};

}  // namespace libscan::apps
