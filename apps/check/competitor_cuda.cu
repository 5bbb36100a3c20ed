// SPDX-License-Identifier: Apache-2.0
// Scans, filters and sorts by CUB; scans within segments by keys, splits, and filters with
// positions, by Thrust.
#include <apps/check/competitor_cuda.cuh>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
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

/// CUB's two calls: first the size of the memory, then the work.
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
  typename scan_operator<T>::type const op;
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    return c.kind == scan_kind::inclusive
               ? cub::DeviceScan::InclusiveScan(memory, bytes, one.items<T>(), one.result<T>(), op,
                                                c.n)
               : cub::DeviceScan::ExclusiveScan(memory, bytes, one.items<T>(), one.result<T>(), op,
                                                init_of<T>(c), c.n);
  });
}

template <class T>
void filter_by_cub(device_case const& one) {
  check_case const& c = one.c;
  T const* const in = one.items<T>();
  T* const out = one.result<T>();
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
  T* const out = one.result<T>();
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

/// Stores the number of items where the library does.
void tell_count(device_case const& one, index_t kept) {
  simt::copy_async(one.out.at<index_t>(slot::count), &kept, sizeof kept, one.ws.stream());
  simt::synchronize(one.ws.stream());
}

template <class T>
void scan_segments_by_thrust(device_case const& one) {
  check_case const& c = one.c;
  auto const* const keys = one.in.at<std::int32_t>(slot::keys);
  typename segment_operator<T>::type const op;
  equal_values const equal;
  if (c.kind == scan_kind::inclusive) {
    thrust::inclusive_scan_by_key(thrust_policy(one), keys, keys + c.n, one.items<T>(),
                                  one.result<T>(), equal, op);
  } else {
    thrust::exclusive_scan_by_key(thrust_policy(one), keys, keys + c.n, one.items<T>(),
                                  one.result<T>(), init_of<T>(c), equal, op);
  }
}

template <class T>
void split_by_thrust(device_case const& one) {
  check_case const& c = one.c;
  T const* const in = one.items<T>();
  T* const out = one.result<T>();
  T* const others = one.out.at<T>(slot::others);
  auto const* const flags = one.in.at<std::uint8_t>(slot::flags);
  auto const ends = c.what == task::split_if
                        ? thrust::stable_partition_copy(thrust_policy(one), in, in + c.n, out,
                                                        others, is_below<T>{threshold_of<T>(c)})
                        : thrust::stable_partition_copy(thrust_policy(one), in, in + c.n, flags,
                                                        out, others, is_set{});
  tell_count(one, ends.first - out);
}

/// Positions of kept items, and the items if they are wanted; `stencil` decides.
template <class T, class Stencil, class Keep>
index_t filter_positions(device_case const& one, Stencil const* stencil, Keep keep) {
  index_t const n = one.c.n;
  thrust::counting_iterator<index_t> const positions(0);
  auto* const places = one.out.at<index_t>(slot::places);
  auto const policy = thrust_policy(one);
  if (one.result<T>() == nullptr) {
    return thrust::copy_if(policy, positions, positions + n, stencil, places, keep) - places;
  }
  auto const in = thrust::make_zip_iterator(one.items<T>(), positions);
  auto const out = thrust::make_zip_iterator(one.result<T>(), places);
  return thrust::copy_if(policy, in, in + n, stencil, out, keep) - out;
}

template <class T>
void filter_by_thrust(device_case const& one) {
  auto const* const flags = one.in.at<std::uint8_t>(slot::flags);
  is_below<T> const below{threshold_of<T>(one.c)};
  if (one.c.what == task::count_if) {
    T const* const in = one.items<T>();
    tell_count(one, thrust::count_if(thrust_policy(one), in, in + one.c.n, below));
  } else if (flags != nullptr) {
    tell_count(one, filter_positions<T>(one, flags, is_set{}));
  } else {
    tell_count(one, filter_positions<T>(one, one.items<T>(), below));
  }
}

template <class T>
void filter_by_either(device_case const& one) {
  switch (one.c.what) {
    case task::filter_if:
    case task::filter_flagged:
    case task::unique:
      return filter_by_cub<T>(one);
    default:
      return filter_by_thrust<T>(one);
  }
}

/// Whether CUB orders such keys as libscan does: integers, and floats without NaN, by all their
/// bits. (By a part of the bits, descending, CUB 3 gives +0 the bits of -0.)
bool has_sort(check_case const& c) {
  if (c.type == dtype::f64)
    return c.values != distribution::special && c.first_bit == 0 && c.end_bit < 0;
  return c.type == dtype::i32 || c.type == dtype::u64;
}

}  // namespace

bool has_competitor(check_case const& c) {
  if (c.n == 0 || c.in_place) return false;
  bool const inits_inclusive = c.kind == scan_kind::inclusive && c.has_init;
  switch (c.what) {
    case task::scan:
      return !inits_inclusive && c.type != dtype::f64;
    case task::segmented_by_keys:
      return !inits_inclusive;
    case task::filter_if:
    case task::filter_flagged:
    case task::positions_if:
    case task::positions_flagged:
    case task::indexed_if:
    case task::indexed_flagged:
    case task::count_if:
    case task::unique:
    case task::split_if:
    case task::split_flagged:
      return true;
    case task::sort_keys:
    case task::sort_pairs:
      return has_sort(c) && c.first_bit != c.end_bit;
    default:
      return false;
  }
}

void run_competitor(device_case const& one) {
  dtype const type = one.c.type;
  switch (family_of(one.c.what)) {
    case family::scan:
      if (type == dtype::u8) return scan_by_cub<std::uint8_t>(one);
      if (type == dtype::i16) return scan_by_cub<std::int16_t>(one);
      if (type == dtype::i32) return scan_by_cub<std::int32_t>(one);
      if (type == dtype::u64) return scan_by_cub<std::uint64_t>(one);
      return scan_by_cub<float>(one);
    case family::segmented:
      if (type == dtype::i16) return scan_segments_by_thrust<std::int16_t>(one);
      if (type == dtype::u64) return scan_segments_by_thrust<std::uint64_t>(one);
      return scan_segments_by_thrust<float>(one);
    case family::filter:
      if (type == dtype::u8) return filter_by_either<std::uint8_t>(one);
      if (type == dtype::f64) return filter_by_either<double>(one);
      return filter_by_either<std::int32_t>(one);
    case family::split:
      if (type == dtype::i16) return split_by_thrust<std::int16_t>(one);
      if (type == dtype::u64) return split_by_thrust<std::uint64_t>(one);
      return split_by_thrust<std::int32_t>(one);
    default:
      if (type == dtype::u64) return sort_by_cub<std::uint64_t>(one);
      if (type == dtype::f64) return sort_by_cub<double>(one);
      return sort_by_cub<std::int32_t>(one);
  }
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
