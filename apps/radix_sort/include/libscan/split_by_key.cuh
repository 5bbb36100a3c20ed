// SPDX-License-Identifier: Apache-2.0
// The stable split into up to 256 buckets by a small key: what "group by expert" needs. One count
// of the buckets, one pass over the items; of few items, both in one launch.
#pragma once

#include <libscan/radix_sort.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// A bucket function as a decomposition: buckets are numbers below 256.
template <class BucketOf>
struct bucket_word {
  BucketOf bucket_of;
  template <class Key>
  LIBSCAN_HOST_DEVICE std::uint8_t operator()(Key const& key) const {
    return static_cast<std::uint8_t>(bucket_of(key));
  }
};

/// The bucket of a key that is a bucket number.
struct its_bucket {
  template <class Key>
  LIBSCAN_HOST_DEVICE Key operator()(Key const& key) const {
    return key;
  }
};

/// The order of keys by their buckets.
template <class Key, class BucketOf>
using bucket_order = sort_order<Key, bucket_word<BucketOf>>;

/// Splits keys and their values.
template <class Tuning, class Key, class Value, class BucketOf>
void split_by_key(workspace& ws, sort_buffers<Key> keys, sort_buffers<Value> values,
                  index_t* offsets, item_count n, int buckets, BucketOf bucket_of) {
  using order_type = bucket_order<Key, BucketOf>;
  using tuning = sort_tuning_or<order_type, Value, Tuning>;
  if (buckets < 1 || buckets > digit_values) {
    throw invalid_argument("split into " + std::to_string(buckets) + " buckets; expected 1 to 256");
  }
  order_type const order{.decompose = {bucket_of}};
  auto const items = device::memory_of(keys, values, n.at_most());
  items.require_no_overlap("split by key", false);
  items.require_no_overlap_with("split by key", "items and offsets",
                                memory_of(offsets, buckets + 1), true);
  sort_layout const layout = device::layout_of<order_type, Value, tuning>(n.at_most(), 0, 0);
  std::byte* const memory = ws.reserve(layout.bytes);
  int bits = 1;
  while (1 << bits < buckets) ++bits;
  std::vector<digit_place> const places{{0, 0, bits}};
  if (device::sort_at_once<Tuning>(ws, memory, keys, values, n, order, places, {offsets, buckets}))
    return;
  device::sort_in_passes<tuning>(ws, memory, layout, keys, values, n, order, places,
                                 pass_count::any, {offsets, buckets});
}

}  // namespace device

/// Bytes of workspace to split up to n keys of type Key, with values of type Value unless that is
/// void.
template <class Key, class Value = void>
constexpr std::size_t split_by_key_workspace_bytes(index_t n) {
  using order_type = device::bucket_order<Key, device::its_bucket>;
  using tuning = device::sort_tuning_or<order_type, Value, void>;
  return device::layout_of<order_type, Value, tuning>(n, 0, 0).bytes;
}

/// Groups keys and values by bucket: those of bucket 0 first, then those of 1, ..., each in their
/// order; offsets[b] = where bucket b begins, for 0 <= b <= buckets (offsets[buckets] = n).
///
/// Types: bucket_of(key) is a copyable functor that returns a number in [0, buckets), 1 <= buckets
/// <= 256; it is called more than once for each key. Values: any trivially copyable type. offsets:
/// buckets + 1 numbers in device memory, or null. n: any size >= 0, also read from device memory.
/// Aliasing: outputs must overlap neither inputs nor each other.
/// Synchronization: asynchronous on the workspace's stream.
/// Workspace: `split_by_key_workspace_bytes`.
/// Traffic: reads the keys twice, but few keys once; reads the values once; writes both once.
/// Progress: as `sort_keys`.
/// Throws: `invalid_argument`, `device_error`.
template <class Tuning = void, class Key, class Value, class BucketOf = device::its_bucket>
void split_by_key(workspace& ws, Key const* keys_in, Key* keys_out, Value const* values_in,
                  Value* values_out, index_t* offsets, item_count n, int buckets,
                  BucketOf bucket_of = {}) {
  device::refuse_moved<Key>();
  device::refuse_moved<Value>();
  device::split_by_key<Tuning, Key, Value>(ws, {keys_in, keys_out}, {values_in, values_out},
                                           offsets, n, buckets, bucket_of);
}

/// The same for keys without values.
template <class Tuning = void, class Key, class BucketOf = device::its_bucket>
void split_by_key(workspace& ws, Key const* keys_in, Key* keys_out, index_t* offsets, item_count n,
                  int buckets, BucketOf bucket_of = {}) {
  device::refuse_moved<Key>();
  device::split_by_key<Tuning, Key, void>(ws, {keys_in, keys_out}, {}, offsets, n, buckets,
                                          bucket_of);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
