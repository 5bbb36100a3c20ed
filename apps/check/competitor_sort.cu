// SPDX-License-Identifier: Apache-2.0
// Sorts of keys, pairs and positions, within segments too, and splits by a key: by CUB.
#include <thrust/binary_search.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include <apps/check/case_items.hpp>
#include <apps/check/competitor_parts_cuda.cuh>
#include <libscan/buffer.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

/// One direction of a sort of pairs, or of keys if `values` is null.
template <class Key, class Value>
void sort_pairs_by_cub(device_case const& one, Key* out, Value const* values, Value* moved) {
  check_case const& c = one.c;
  Key const* const in = one.items<Key>();
  int const end = c.end_bit < 0 ? 8 * static_cast<int>(sizeof(Key)) : c.end_bit;
  using sort = cub::DeviceRadixSort;
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    if (values == nullptr) {
      return c.descending ? sort::SortKeysDescending(memory, bytes, in, out, c.n, c.first_bit, end)
                          : sort::SortKeys(memory, bytes, in, out, c.n, c.first_bit, end);
    }
    return c.descending
               ? sort::SortPairsDescending(memory, bytes, in, out, values, moved, c.n, c.first_bit,
                                           end)
               : sort::SortPairs(memory, bytes, in, out, values, moved, c.n, c.first_bit, end);
  });
}

/// The same within segments.
template <class Key, class Value>
void sort_segments_by_cub(device_case const& one, Key* out, Value const* values, Value* moved) {
  check_case const& c = one.c;
  Key const* const in = one.items<Key>();
  index_t const* const begins = one.in.at<index_t>(slot::places);
  index_t const* const ends = begins + 1;
  auto const n = static_cast<int>(c.n);
  auto const segments = static_cast<int>(one.in.size(slot::places) - 1);
  int const end = c.end_bit < 0 ? 8 * static_cast<int>(sizeof(Key)) : c.end_bit;
  using sort = cub::DeviceSegmentedRadixSort;
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    if (values == nullptr) {
      return c.descending ? sort::SortKeysDescending(memory, bytes, in, out, n, segments, begins,
                                                     ends, c.first_bit, end)
                          : sort::SortKeys(memory, bytes, in, out, n, segments, begins, ends,
                                           c.first_bit, end);
    }
    return c.descending ? sort::SortPairsDescending(memory, bytes, in, out, values, moved, n,
                                                    segments, begins, ends, c.first_bit, end)
                        : sort::SortPairs(memory, bytes, in, out, values, moved, n, segments,
                                          begins, ends, c.first_bit, end);
  });
}

template <class Key>
void sort_items_by_cub(device_case const& one) {
  using value = value_of<value_bytes_with<Key>()>;
  Key* const out = one.result<Key>();
  value const* const values = with_values(one.c.what) ? one.values<value>() : nullptr;
  value* const moved = one.out.at<value>(slot::values);
  if (in_segments(one.c.what)) return sort_segments_by_cub(one, out, values, moved);
  if (one.c.what != task::argsort) return sort_pairs_by_cub(one, out, values, moved);
  device::buffer<Key> const sorted(one.c.n);
  device::buffer<index_t> const positions(one.c.n);
  thrust::sequence(thrust_policy(one), positions.data(), positions.data() + one.c.n);
  sort_pairs_by_cub(one, sorted.data(), static_cast<index_t const*>(positions.data()),
                    one.out.at<index_t>(slot::places));
  simt::synchronize(one.ws.stream());  // before the buffers are freed
}

/// Positions in the order of the buckets, which are sorted; then keys and values by position.
template <class Key>
void group_by_cub(device_case const& one) {
  using value = value_of<value_bytes_with<Key>()>;
  check_case const& c = one.c;
  auto const policy = thrust_policy(one);
  device::buffer<unsigned> const buckets(c.n), sorted(c.n);
  device::buffer<index_t> const positions(c.n), order(c.n);
  thrust::transform(policy, one.items<Key>(), one.items<Key>() + c.n, buckets.data(),
                    bucket_by_value<Key>{static_cast<unsigned>(c.buckets)});
  thrust::sequence(policy, positions.data(), positions.data() + c.n);
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        memory, bytes, static_cast<unsigned const*>(buckets.data()), sorted.data(),
        static_cast<index_t const*>(positions.data()), order.data(), c.n);
  });
  thrust::gather(policy, order.data(), order.data() + c.n, one.items<Key>(), one.result<Key>());
  thrust::gather(policy, order.data(), order.data() + c.n, one.values<value>(),
                 one.out.at<value>(slot::values));
  thrust::counting_iterator<unsigned> const numbers(0);
  thrust::lower_bound(policy, sorted.data(), sorted.data() + c.n, numbers, numbers + c.buckets + 1,
                      one.out.at<index_t>(slot::places));
  simt::synchronize(one.ws.stream());
}

}  // namespace

bool has_competing_sort(check_case const& c) {
  if (c.keys != key_kind::number || c.first_bit == c.end_bit || c.n > 0x7fffffff) return false;
  if (c.type == dtype::f64)
    return c.values != distribution::special && c.first_bit == 0 && c.end_bit < 0;
  return c.type == dtype::i32 || c.type == dtype::u64;
}

void sort_by_cub(device_case const& one) {
  dtype const type = one.c.type;
  if (by_buckets(one.c.what)) {
    if (type == dtype::u64) return group_by_cub<std::uint64_t>(one);
    return group_by_cub<std::int32_t>(one);
  }
  if (type == dtype::u64) return sort_items_by_cub<std::uint64_t>(one);
  if (type == dtype::f64) return sort_items_by_cub<double>(one);
  sort_items_by_cub<std::int32_t>(one);
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
