// SPDX-License-Identifier: Apache-2.0
// Scans, filters and sorts of integers by CUB; scans within segments by keys, and splits, by
// Thrust.
#include <apps/check/rival_cuda.cuh>

#include <thrust/execution_policy.h>
#include <thrust/partition.h>
#include <thrust/scan.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <apps/check/case_items.hpp>
#include <apps/check/device_operators.cuh>
#include <libscan/device/segments.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

/// CUB's two calls: how much memory, then the work.
template <class Call>
void with_memory(workspace& ws, Call call) {
  std::size_t bytes = 0;
  LIBSCAN_CHECK(call(nullptr, bytes));
  void* const memory = ws.reserve(bytes + 1);
  LIBSCAN_CHECK(call(memory, bytes));
}

template <class T>
void scan_by_cub(device_case const& one) {
  check_case const& c = one.c;
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  T const init = init_of<T>(c);
  typename scan_operator<T>::type const op;
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    return c.kind == scan_kind::inclusive
               ? cub::DeviceScan::InclusiveScan(memory, bytes, in, out, op, c.n)
               : cub::DeviceScan::ExclusiveScan(memory, bytes, in, out, op, init, c.n);
  });
}

template <class T>
void filter_by_cub(device_case const& one) {
  check_case const& c = one.c;
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  auto* const kept = one.out.at<index_t>(slot::count);
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    switch (c.what) {
      case task::filter_flagged:
        return cub::DeviceSelect::Flagged(memory, bytes, in, one.in.at<std::uint8_t>(slot::flags),
                                          out, kept, c.n);
      case task::unique:
        return cub::DeviceSelect::Unique(memory, bytes, in, out, kept, c.n);
      default:
        return cub::DeviceSelect::If(memory, bytes, in, out, kept, c.n,
                                     is_below<T>{threshold_of<T>(c)});
    }
  });
}

template <class T>
void sort_by_cub(device_case const& one) {
  check_case const& c = one.c;
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  using value = value_of<value_bytes_with<T>()>;
  value const* const values = one.values<value>();
  auto* const moved = one.out.at<value>(slot::values);
  int const end = c.end_bit < 0 ? 8 * static_cast<int>(sizeof(T)) : c.end_bit;
  using sort = cub::DeviceRadixSort;
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    if (c.what == task::sort_keys) {
      return c.descending ? sort::SortKeysDescending(memory, bytes, in, out, c.n, c.first_bit, end)
                          : sort::SortKeys(memory, bytes, in, out, c.n, c.first_bit, end);
    }
    return c.descending
               ? sort::SortPairsDescending(memory, bytes, in, out, values, moved, c.n, c.first_bit,
                                           end)
               : sort::SortPairs(memory, bytes, in, out, values, moved, c.n, c.first_bit, end);
  });
}

/// A flag.
struct is_set {
  LIBSCAN_HOST_DEVICE bool operator()(std::uint8_t flag) const { return flag != 0; }
};

/// On the stream of the case.
auto thrust_policy(device_case const& one) { return thrust::cuda::par_nosync.on(one.ws.stream()); }

template <class T>
void scan_segments_by_thrust(device_case const& one) {
  check_case const& c = one.c;
  auto const* const keys = one.in.at<std::int32_t>(slot::keys);
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  typename segment_operator<T>::type const op;
  equal_values const equal;
  if (c.kind == scan_kind::inclusive) {
    thrust::inclusive_scan_by_key(thrust_policy(one), keys, keys + c.n, in, out, equal, op);
  } else {
    thrust::exclusive_scan_by_key(thrust_policy(one), keys, keys + c.n, in, out, init_of<T>(c),
                                  equal, op);
  }
}

template <class T>
void split_by_thrust(device_case const& one) {
  check_case const& c = one.c;
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  T* const others = one.out.at<T>(slot::others);
  auto const* const flags = one.in.at<std::uint8_t>(slot::flags);
  auto const ends = c.what == task::split_if
                        ? thrust::stable_partition_copy(thrust_policy(one), in, in + c.n, out,
                                                        others, is_below<T>{threshold_of<T>(c)})
                        : thrust::stable_partition_copy(thrust_policy(one), in, in + c.n, flags,
                                                        out, others, is_set{});
  index_t const kept = ends.first - out;
  simt::copy_async(one.out.at<index_t>(slot::count), &kept, sizeof kept, one.ws.stream());
  simt::synchronize(one.ws.stream());
}

/// Whether CUB orders such keys as libscan does: integers.
bool has_sort(dtype type) { return type == dtype::i32 || type == dtype::u64; }

}  // namespace

bool has_rival(check_case const& c) {
  if (c.n == 0 || c.in_place) return false;
  bool const inits_inclusive = c.kind == scan_kind::inclusive && c.has_init;
  switch (c.what) {
    case task::scan:
      return !inits_inclusive && c.type != dtype::f64;
    case task::segmented_by_keys:
      return !inits_inclusive;
    case task::filter_if:
    case task::filter_flagged:
    case task::unique:
    case task::split_if:
    case task::split_flagged:
      return true;
    case task::sort_keys:
    case task::sort_pairs:
      return has_sort(c.type) && c.first_bit != c.end_bit;
    default:
      return false;
  }
}

void run_rival(device_case const& one) {
  dtype const type = one.c.type;
  switch (family_of(one.c.what)) {
    case family::scan:
      if (type == dtype::u8) return scan_by_cub<std::uint8_t>(one);
      if (type == dtype::i32) return scan_by_cub<std::int32_t>(one);
      if (type == dtype::u64) return scan_by_cub<std::uint64_t>(one);
      return scan_by_cub<float>(one);
    case family::segmented:
      if (type == dtype::u64) return scan_segments_by_thrust<std::uint64_t>(one);
      return scan_segments_by_thrust<float>(one);
    case family::filter:
      if (type == dtype::u8) return filter_by_cub<std::uint8_t>(one);
      return filter_by_cub<std::int32_t>(one);
    case family::split:
      if (type == dtype::u64) return split_by_thrust<std::uint64_t>(one);
      return split_by_thrust<std::int32_t>(one);
    default:
      if (type == dtype::u64) return sort_by_cub<std::uint64_t>(one);
      return sort_by_cub<std::int32_t>(one);
  }
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
