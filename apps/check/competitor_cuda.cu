// SPDX-License-Identifier: Apache-2.0
// Which cases have a counterpart in CUB, Thrust or cuSPARSE; and scans, filters, runs and splits.
#include <apps/check/competitor_parts_cuda.cuh>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>

#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <apps/check/case_items.hpp>
#include <apps/check/device_operators.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

/// CUB passes the later item first.
struct less_the_earlier {
  template <class T>
  LIBSCAN_HOST_DEVICE T operator()(T const& later, T const& earlier) const {
    return later_minus_earlier{}(earlier, later);
  }
};

template <class T>
void scan_by_cub(device_case const& one) {
  check_case const& c = one.c;
  if (c.what == task::difference) {
    return with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
      return cub::DeviceAdjacentDifference::SubtractLeftCopy(
          memory, bytes, one.items<T>(), one.result<T>(), c.n, less_the_earlier{}, one.ws.stream());
    });
  }
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

/// Stores the number of items where the library does.
void tell_count(device_case const& one, index_t kept) { tell_counts(one, &kept, 1); }

/// An item of type T that has a bit clear.
template <class T>
struct has_clear_bit {
  int bit;
  LIBSCAN_HOST_DEVICE bool operator()(T x) const {
    return (static_cast<std::uint64_t>(x) >> bit & 1) == 0;
  }
};

/// Kept items at the beginning of the output, then the others.
template <class T, class Keep>
void split_into_one(device_case const& one, Keep keep) {
  T const* const in = one.items<T>();
  T* const out = one.result<T>();
  index_t const kept = thrust::count_if(thrust_policy(one), in, in + one.c.n, keep);
  thrust::stable_partition_copy(thrust_policy(one), in, in + one.c.n, out, out + kept, keep);
  tell_count(one, kept);
}

template <class T>
void split_by_thrust(device_case const& one) {
  check_case const& c = one.c;
  is_below<T> const below{threshold_of<T>(c)};
  if (c.what == task::split_into_one) return split_into_one<T>(one, below);
  if (c.what == task::split_by_bit) return split_into_one<T>(one, has_clear_bit<T>{split_bit(c)});
  T const* const in = one.items<T>();
  T* const out = one.result<T>();
  T* const others = one.out.at<T>(slot::others);
  auto const split = [&](auto stencil, auto keep) {
    auto const ends =
        thrust::stable_partition_copy(thrust_policy(one), in, in + c.n, stencil, out, others, keep);
    tell_count(one, ends.first - out);
  };
  if (c.what == task::split_if) return split(in, below);
  if (c.what == task::split_flagged) return split(one.in.at<std::uint8_t>(slot::flags), is_set{});
  split(thrust::counting_iterator<index_t>(0), is_marked{one.in.at<std::uint32_t>(slot::bits)});
}

/// Kept items, or positions, or both: whatever the case has outputs for; `stencil` decides.
template <class T, class Stencil, class Keep>
index_t filter_by_stencil(device_case const& one, Stencil stencil, Keep keep) {
  index_t const n = one.c.n;
  thrust::counting_iterator<index_t> const positions(0);
  auto* const places = one.out.at<index_t>(slot::places);
  auto const policy = thrust_policy(one);
  if (places == nullptr) {
    T const* const in = one.items<T>();
    return thrust::copy_if(policy, in, in + n, stencil, one.result<T>(), keep) - one.result<T>();
  }
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
  auto const* const words = one.in.at<std::uint32_t>(slot::bits);
  is_below<T> const below{threshold_of<T>(one.c)};
  if (one.c.what == task::count_if) {
    T const* const in = one.items<T>();
    tell_count(one, thrust::count_if(thrust_policy(one), in, in + one.c.n, below));
  } else if (flags != nullptr) {
    tell_count(one, filter_by_stencil<T>(one, flags, is_set{}));
  } else if (words != nullptr) {
    thrust::counting_iterator<index_t> const positions(0);
    tell_count(one, filter_by_stencil<T>(one, positions, is_marked{words}));
  } else {
    tell_count(one, filter_by_stencil<T>(one, one.items<T>(), below));
  }
}

/// Runs with their lengths, whose sums are where they begin.
template <class T>
void encode_runs_by_cub(device_case const& one) {
  auto* const lengths = one.out.at<index_t>(slot::lengths);
  auto* const runs = one.out.at<index_t>(slot::count);
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(memory, bytes, one.items<T>(), one.result<T>(),
                                              lengths, runs, one.c.n, one.ws.stream());
  });
  index_t count = 0;
  simt::copy_async(&count, runs, sizeof count, one.ws.stream());
  simt::synchronize(one.ws.stream());
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, lengths, one.out.at<index_t>(slot::places),
                                         count, one.ws.stream());
  });
}

template <class T>
void filter_by_either(device_case const& one) {
  switch (one.c.what) {
    case task::filter_if:
    case task::filter_flagged:
    case task::unique:
      return filter_by_cub<T>(one);
    case task::run_lengths:
      return encode_runs_by_cub<T>(one);
    default:
      return filter_by_thrust<T>(one);
  }
}

}  // namespace

bool has_competitor(check_case const& c) {
  if (c.n == 0 || c.in_place) return false;
  bool const inits_inclusive = c.kind == scan_kind::inclusive && c.has_init;
  switch (family_of(c.what)) {
    case family::scan:
      if (c.what == task::difference) return c.type != dtype::f64;
      return !inits_inclusive && c.type != dtype::f64;
    case family::segmented:
      return !inits_inclusive && !c.reverse;
    case family::filter:
      return true;
    case family::split:
      return c.what != task::split_by_number;
    case family::sort:
      return has_competing_sort(c);
    default:
      return has_competing_table(c);
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
      return scan_segments_by_thrust(one);
    case family::filter:
      if (type == dtype::u8) return filter_by_either<std::uint8_t>(one);
      if (type == dtype::f64) return filter_by_either<double>(one);
      return filter_by_either<std::int32_t>(one);
    case family::split:
      if (by_buckets(one.c.what)) return sort_by_cub(one);
      if (type == dtype::i16) return split_by_thrust<std::int16_t>(one);
      if (type == dtype::u64) return split_by_thrust<std::uint64_t>(one);
      return split_by_thrust<std::int32_t>(one);
    case family::sort:
      return sort_by_cub(one);
    default:
      return make_table_again(one);
  }
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
