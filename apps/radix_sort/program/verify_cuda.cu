// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/program/verify.hpp>

#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cub/device/device_radix_sort.cuh>

#include <numeric>

#include <libscan/buffer.cuh>
#include <libscan/simt/cuda/check.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps {
namespace {

/// The positions 0, 1, ... of as many words, on the device.
device::buffer<index_t> positions_of(std::span<std::uint64_t const> words) {
  std::vector<index_t> positions(words.size());
  std::iota(positions.begin(), positions.end(), index_t{0});
  device::buffer<index_t> result{std::span<index_t const>(positions)};
  simt::synchronize();
  return result;
}

std::vector<index_t> on_host(device::buffer<index_t> const& positions) {
  std::vector<index_t> result(static_cast<std::size_t>(positions.size()));
  positions.read_sync(result.data(), positions.size());
  return result;
}

/// Orders words by some of their bits.
struct bits_before {
  int first;
  std::uint64_t mask;
  __host__ __device__ bool operator()(std::uint64_t a, std::uint64_t b) const {
    return (a >> first & mask) < (b >> first & mask);
  }
};

}  // namespace

std::vector<index_t> positions_by_cub(std::span<std::uint64_t const> words, int first_bit,
                                      int end_bit) {
  auto const n = static_cast<index_t>(words.size());
  device::buffer<std::uint64_t> const in(words);
  device::buffer<std::uint64_t> const out(n);
  device::buffer<index_t> const places = positions_of(words);
  device::buffer<index_t> const moved(n);
  workspace ws;
  auto const sort = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        memory, bytes, static_cast<std::uint64_t const*>(in.data()), out.data(),
        static_cast<index_t const*>(places.data()), moved.data(), n, first_bit, end_bit);
  };
  std::size_t bytes = 0;  // the first call of CUB says how much memory the second needs
  LIBSCAN_CHECK(sort(nullptr, bytes));
  LIBSCAN_CHECK(sort(ws.reserve(bytes + 1), bytes));
  return on_host(moved);
}

std::vector<index_t> positions_by_thrust(std::span<std::uint64_t const> words, int first_bit,
                                         int end_bit) {
  device::buffer<std::uint64_t> const keys(words);
  device::buffer<index_t> const places = positions_of(words);
  std::uint64_t const mask = ~std::uint64_t{0} >> (64 - (end_bit - first_bit));
  thrust::stable_sort_by_key(thrust::device, keys.data(), keys.data() + keys.size(), places.data(),
                             bits_before{first_bit, mask});
  return on_host(places);
}

}  // namespace libscan::apps
