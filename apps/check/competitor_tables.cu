// SPDX-License-Identifier: Apache-2.0
// Histograms by CUB, weighted ones by Thrust; sparse products by cuSPARSE where it is there and by
// Thrust; matrices by rows from lists by CUB.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include <cmath>
#include <limits>
#include <vector>

#include <apps/check/competitor_parts_cuda.cuh>
#include <apps/histogram/program/verify.hpp>
#include <apps/spmv/core/semiring.hpp>
#include <apps/spmv/program/cusparse.cuh>
#include <libscan/buffer.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

/// Where a sample is, of a range whose ends are in it.
struct is_below_range {
  double lo;
  LIBSCAN_HOST_DEVICE bool operator()(double x) const { return x < lo; }
};
struct is_above_range {
  double hi;
  LIBSCAN_HOST_DEVICE bool operator()(double x) const { return x > hi; }
};
struct is_no_number {
  LIBSCAN_HOST_DEVICE bool operator()(double x) const { return x != x; }
};

/// The edges of the bins of a case as doubles, which can represent all of its samples and edges.
template <class T>
std::vector<double> edges_of(device_case const& one) {
  check_case const& c = one.c;
  std::vector<double> edges;
  if (c.what == task::edge_histogram) {
    std::vector<T> given(static_cast<std::size_t>(c.bins) + 1);
    simt::copy_async(given.data(), one.in.at<T>(slot::edges), given.size() * sizeof(T),
                     one.ws.stream());
    simt::synchronize(one.ws.stream());
    edges.assign(given.begin(), given.end());
  } else if (c.type == dtype::f32) {
    auto const [lo, hi] = range_of(c);
    auto const exact = edges_to_verify(lo, hi, c.bins);
    edges.assign(exact.begin(), exact.end());
  } else {
    for (int k = 0; k < c.bins; ++k) edges.push_back(static_cast<double>(first_bin<T>(c)) + k);
    edges.push_back(edges.back());  // the last bin of integers is closed
  }
  return edges;
}

/// CUB's last bin is open, libscan's closed: it ends after the last edge instead.
device::buffer<double> levels_of(std::vector<double> edges) {
  edges.back() = std::nextafter(edges.back(), std::numeric_limits<double>::infinity());
  device::buffer<double> levels{std::span<double const>(edges)};
  simt::synchronize();
  return levels;
}

/// The four totals, one count each.
template <class T>
void tell_totals(device_case const& one, double lo, double hi) {
  T const* const in = one.items<T>();
  auto const count = [&](auto which) {
    return static_cast<index_t>(thrust::count_if(thrust_policy(one), in, in + one.c.n, which));
  };
  index_t const below = count(is_below_range{lo});
  index_t const above = count(is_above_range{hi});
  index_t const nan = count(is_no_number{});
  index_t const totals[] = {below, one.c.n - below - above - nan, above, nan};
  tell_counts(one, totals, 4);
}

template <class T>
void count_by_cub(device_case const& one) {
  auto const edges = edges_of<T>(one);
  auto const levels = levels_of(edges);
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramRange(
        memory, bytes, one.items<T>(), one.out.at<unsigned long long>(slot::counts),
        static_cast<int>(edges.size()), static_cast<double const*>(levels.data()), one.c.n,
        one.ws.stream());
  });
  tell_totals<T>(one, edges.front(), edges.back());
}

/// The bin of a sample from the number of levels that are not above it; -1 beside the range.
struct bin_of_rank {
  int bins;
  LIBSCAN_HOST_DEVICE int operator()(int rank) const { return rank > bins ? -1 : rank - 1; }
};

/// Weights sorted by the bins of their samples, and reduced by them.
void add_weights_by_thrust(device_case const& one) {
  check_case const& c = one.c;
  auto const policy = thrust_policy(one);
  auto const edges = edges_of<float>(one);
  auto const levels = levels_of(edges);
  float const* const in = one.items<float>();
  auto const* const weights = one.in.at<double>(slot::values);
  auto* const sums = one.out.at<double>(slot::sums);
  device::buffer<int> const bins(c.n), found_bins(c.n);
  device::buffer<double> const moved(c.n), found_sums(c.n);
  thrust::upper_bound(policy, levels.data(), levels.data() + c.bins + 1, in, in + c.n, bins.data());
  thrust::transform(policy, bins.data(), bins.data() + c.n, bins.data(), bin_of_rank{c.bins});
  thrust::copy(policy, weights, weights + c.n, moved.data());
  thrust::stable_sort_by_key(policy, bins.data(), bins.data() + c.n, moved.data());
  int* const inside = thrust::lower_bound(policy, bins.data(), bins.data() + c.n, 0);
  auto const ends = thrust::reduce_by_key(policy, inside, bins.data() + c.n,
                                          moved.data() + (inside - bins.data()), found_bins.data(),
                                          found_sums.data());
  thrust::fill(policy, sums, sums + c.bins, 0.0);
  thrust::scatter(policy, found_sums.data(), ends.second, found_bins.data(), sums);
  tell_totals<float>(one, edges.front(), edges.back());
}

/// The product of entry k and its component.
template <class S>
struct product_at {
  using T = typename S::value_type;
  T const* values;
  T const* x;
  std::int32_t const* columns;
  LIBSCAN_HOST_DEVICE T operator()(index_t k) const {
    return S{}.multiply(values[k], x[columns[k]]);
  }
};

/// y by the semiring S: products reduced by the numbers of their rows.
template <class S>
void multiply_by_thrust(device_case const& one) {
  using T = typename S::value_type;
  check_case const& c = one.c;
  auto const policy = thrust_policy(one);
  auto const* const offsets = one.in.at<index_t>(slot::places);
  index_t const rows = one.in.size(slot::places) - 1;
  thrust::counting_iterator<index_t> const entries(0);
  device::buffer<index_t> const row(c.n), found_rows(c.n);
  device::buffer<T> const found_sums(c.n);
  thrust::upper_bound(policy, offsets + 1, offsets + rows + 1, entries, entries + c.n, row.data());
  auto const products = thrust::make_transform_iterator(
      entries, product_at<S>{one.items<T>(), one.in.at<T>(slot::vector),
                             one.in.at<std::int32_t>(slot::keys)});
  auto const ends =
      thrust::reduce_by_key(policy, row.data(), row.data() + c.n, products, found_rows.data(),
                            found_sums.data(), thrust::equal_to<index_t>{}, typename S::sum_type{});
  T* const y = one.result<T>();
  thrust::fill(policy, y, y + rows, S::zero());
  thrust::scatter(policy, found_sums.data(), ends.second, found_rows.data(), y);
  simt::synchronize(one.ws.stream());
}

void multiply_by_cusparse([[maybe_unused]] device_case const& one) {
#if LIBSCAN_HAS_CUSPARSE
  auto const* const offsets = one.in.at<index_t>(slot::places);
  index_t const rows = one.in.size(slot::places) - 1;
  device::buffer<std::int32_t> const narrow(rows + 1);
  thrust::copy(thrust_policy(one), offsets, offsets + rows + 1, narrow.data());
  simt::synchronize(one.ws.stream());  // cuSPARSE works on the default stream
  cusparse_product const product(
      {false, rows, one.c.columns, one.c.n, narrow.data(), one.in.at<std::int32_t>(slot::keys),
       one.items<float>(), one.in.at<float>(slot::vector), one.result<float>()},
      CUSPARSE_SPMV_ALG_DEFAULT);
  product.run();
  simt::synchronize();
#endif
}

/// A place as one number, and parts of it.
struct pack_place {
  LIBSCAN_HOST_DEVICE std::uint64_t operator()(std::int32_t row, std::int32_t column) const {
    return static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint32_t>(column);
  }
};
struct column_of_place {
  LIBSCAN_HOST_DEVICE std::int32_t operator()(std::uint64_t place) const {
    return static_cast<std::int32_t>(place & 0xffffffff);
  }
};
struct first_place_of_row {
  LIBSCAN_HOST_DEVICE std::uint64_t operator()(index_t row) const {
    return static_cast<std::uint64_t>(row) << 32;
  }
};

/// Places sorted with their values, equal ones added up, and the first place of each row searched.
void compress_by_cub(device_case const& one) {
  check_case const& c = one.c;
  auto const policy = thrust_policy(one);
  auto const* const rows = one.in.at<std::int32_t>(slot::rows);
  device::buffer<std::uint64_t> const places(c.n), sorted(c.n), found(c.n);
  device::buffer<float> const moved(c.n);
  device::buffer<index_t> const found_count(1);
  thrust::transform(policy, rows, rows + c.n, one.in.at<std::int32_t>(slot::keys), places.data(),
                    pack_place{});
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        memory, bytes, static_cast<std::uint64_t const*>(places.data()), sorted.data(),
        one.items<float>(), moved.data(), c.n, 0, 64, one.ws.stream());
  });
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(memory, bytes, sorted.data(), found.data(), moved.data(),
                                          one.result<float>(), found_count.data(), plus<float>{},
                                          c.n, one.ws.stream());
  });
  simt::synchronize(one.ws.stream());
  index_t count = 0;
  found_count.read_sync(&count, 1);
  thrust::transform(policy, found.data(), found.data() + count,
                    one.out.at<std::int32_t>(slot::keys), column_of_place{});
  auto const firsts =
      thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), first_place_of_row{});
  thrust::lower_bound(policy, found.data(), found.data() + count, firsts, firsts + c.columns + 1,
                      one.out.at<index_t>(slot::places));
  simt::synchronize(one.ws.stream());
}

}  // namespace

bool has_competing_table(check_case const& c) {
  if (c.n > 0x7fffffff) return false;
  return family_of(c.what) == family::histogram || !c.has_init;
}

void make_table_again(device_case const& one) {
  check_case const& c = one.c;
  switch (c.what) {
    case task::weighted_histogram:
      return add_weights_by_thrust(one);
    case task::rows_of_list:
      return compress_by_cub(one);
    case task::product:
    case task::segmented_product:
      if (c.type == dtype::i64) return multiply_by_thrust<min_plus<std::int64_t>>(one);
      if (has_cusparse() && suits_cusparse(one.in.size(slot::places) - 1, c.columns, c.n)) {
        return multiply_by_cusparse(one);
      }
      return multiply_by_thrust<plus_times<float>>(one);
    default:
      if (c.type == dtype::u8) return count_by_cub<std::uint8_t>(one);
      if (c.type == dtype::i32) return count_by_cub<std::int32_t>(one);
      return count_by_cub<float>(one);
  }
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
