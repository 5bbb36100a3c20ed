// SPDX-License-Identifier: Apache-2.0
#include <apps/histogram/program/verify.hpp>

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include <numeric>

#include <libscan/buffer.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/simt/cuda/check.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps {
namespace {

/// CUB's two calls: the first says how much memory the second needs.
template <class Call>
void with_memory(Call call) {
  workspace ws;
  std::size_t bytes = 0;
  LIBSCAN_CHECK(call(nullptr, bytes));
  LIBSCAN_CHECK(call(ws.reserve(bytes + 1), bytes));
}

template <class T>
std::vector<T> on_host(device::buffer<T> const& items, index_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  items.read_sync(result.data(), count);
  return result;
}

/// One sum per bin, from the sums of the bins that have samples.
std::vector<double> spread(device::buffer<std::int32_t> const& bins_found,
                           device::buffer<double> const& sums_found, index_t found, int bins) {
  auto const places = on_host(bins_found, found);
  auto const values = on_host(sums_found, found);
  std::vector<double> sums(static_cast<std::size_t>(bins));
  for (std::size_t k = 0; k < places.size(); ++k) {
    sums[static_cast<std::size_t>(places[k])] = values[k];
  }
  return sums;
}

}  // namespace

std::vector<index_t> counts_by_cub(std::span<std::int32_t const> places, int bins) {
  if (places.empty()) return std::vector<index_t>(static_cast<std::size_t>(bins));
  device::buffer<std::int32_t> const in(places);
  device::buffer<unsigned long long> const counts(bins);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(
        memory, bytes, static_cast<std::int32_t const*>(in.data()), counts.data(), bins + 1,
        std::int32_t{0}, static_cast<std::int32_t>(bins), in.size());
  });
  auto const found = on_host(counts, bins);
  return {found.begin(), found.end()};
}

std::vector<index_t> counts_by_thrust(std::span<std::int32_t const> places, int bins) {
  device::buffer<std::int32_t> const in(places);
  thrust::sort(thrust::device, in.data(), in.data() + in.size());
  device::buffer<index_t> const ends(bins);
  thrust::counting_iterator<std::int32_t> const numbers(0);
  thrust::upper_bound(thrust::device, in.data(), in.data() + in.size(), numbers, numbers + bins,
                      ends.data());
  std::vector<index_t> counts = on_host(ends, bins);
  std::adjacent_difference(counts.begin(), counts.end(), counts.begin());
  return counts;
}

std::vector<double> sums_by_cub(std::span<std::int32_t const> places,
                                std::span<double const> weights, int bins) {
  if (places.empty()) return std::vector<double>(static_cast<std::size_t>(bins));
  device::buffer<std::int32_t> const keys(places);
  device::buffer<double> const values(weights);
  index_t const n = keys.size();
  device::buffer<std::int32_t> const sorted(n), found_bins(n);
  device::buffer<double> const moved(n), found_sums(n);
  device::buffer<index_t> const found(1);
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        memory, bytes, static_cast<std::int32_t const*>(keys.data()), sorted.data(),
        static_cast<double const*>(values.data()), moved.data(), n);
  });
  with_memory([&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(memory, bytes, sorted.data(), found_bins.data(),
                                          moved.data(), found_sums.data(), found.data(),
                                          plus<double>{}, n);
  });
  return spread(found_bins, found_sums, on_host(found, 1).front(), bins);
}

std::vector<double> sums_by_thrust(std::span<std::int32_t const> places,
                                   std::span<double const> weights, int bins) {
  device::buffer<std::int32_t> const keys(places);
  device::buffer<double> const values(weights);
  index_t const n = keys.size();
  thrust::stable_sort_by_key(thrust::device, keys.data(), keys.data() + n, values.data());
  device::buffer<std::int32_t> const found_bins(n);
  device::buffer<double> const found_sums(n);
  auto const ends = thrust::reduce_by_key(thrust::device, keys.data(), keys.data() + n,
                                          values.data(), found_bins.data(), found_sums.data());
  return spread(found_bins, found_sums, ends.first - found_bins.data(), bins);
}

}  // namespace libscan::apps
