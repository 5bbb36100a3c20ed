// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/program/verify_cub.hpp>

#include <numeric>

#include <cub/device/device_radix_sort.cuh>

#include <libscan/buffer.cuh>
#include <libscan/simt/cuda/check.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps {

std::vector<index_t> positions_by_cub(std::span<std::uint64_t const> words, int first_bit,
                                      int end_bit) {
  std::vector<index_t> positions(words.size());
  std::iota(positions.begin(), positions.end(), index_t{0});
  auto const n = static_cast<index_t>(words.size());
  device::buffer<std::uint64_t> const in(words);
  device::buffer<std::uint64_t> const out(n);
  device::buffer<index_t> const places{std::span<index_t const>(positions)};
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
  moved.read_sync(positions.data(), n);
  return positions;
}

}  // namespace libscan::apps
