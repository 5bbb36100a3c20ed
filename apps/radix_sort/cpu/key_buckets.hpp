// SPDX-License-Identifier: Apache-2.0
// The buckets of keys, up to 256, on a CPU thread: computed for many keys at once, and counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <apps/radix_sort/cpu/split.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

inline constexpr int max_buckets = 256;

/// The number of keys whose buckets are computed together, by vector instructions, before any of
/// them is moved.
inline constexpr index_t bucket_block = 256;

/// The next place of each bucket.
struct bucket_places {
  index_t next[max_buckets];
};

/// Sets found[k] to the bucket of keys[k], for count <= bucket_block keys; false if one has none.
template <class Key, class BucketOf>
bool find_buckets(Key const* keys, index_t count, BucketOf const& bucket_of, int buckets,
                  std::uint32_t* found) {
  auto const past = static_cast<std::uint32_t>(buckets);
  std::uint32_t beyond = 0;  // a word, not a bool, for vector instructions
  for (index_t k = 0; k < count; ++k) {
    auto const bucket = bucket_of(keys[k]);
    auto word = static_cast<std::uint32_t>(bucket);
    if constexpr (sizeof(bucket) > sizeof(word)) {
      if (static_cast<std::uint64_t>(bucket) >> 32 != 0) word = ~std::uint32_t{0};
    }
    found[k] = word;
    beyond |= word >= past ? 1u : 0u;
  }
  return beyond == 0;
}

/// Throws `invalid_argument` about the first key in no bucket, which exists.
template <class Key, class BucketOf>
[[noreturn]] void refuse_keys(Key const* keys, index_t n, BucketOf const& bucket_of, int buckets) {
  for (index_t i = 0; i < n; ++i) {
    std::uint32_t found;
    if (detail::find_buckets(keys + i, 1, bucket_of, buckets, &found)) continue;
    throw invalid_argument("split by key: key " + std::to_string(i) + " is in bucket " +
                           std::to_string(bucket_of(keys[i])) + "; expected 0 to " +
                           std::to_string(buckets - 1));
  }
  throw invalid_argument("split by key: keys changed while they were read");
}

/// Sets counts[b] to the number of keys in bucket b; false if a key is in none.
template <class Key, class BucketOf>
bool count_buckets(Key const* keys, index_t n, BucketOf const& bucket_of, int buckets,
                   index_t* counts) {
  std::fill_n(counts, buckets, index_t{0});
  bool all_have_one = true;
  detail::count_parts(0, n, buckets, counts, [&](index_t i, index_t count, std::uint32_t* found) {
    bool const have_one = detail::find_buckets(keys + i, count, bucket_of, buckets, found);
    if (!have_one) std::fill_n(found, count, 0U);
    all_have_one = all_have_one && have_one;
  });
  return all_have_one;
}

}  // namespace libscan::inline v1::cpu::detail
