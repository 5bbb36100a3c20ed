// SPDX-License-Identifier: Apache-2.0
#include <apps/filter/program/verify.hpp>

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>

#include <libscan/buffer.cuh>
#include <libscan/simt/cuda/check.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps {
namespace {

/// Whether a flag is set.
struct is_set {
  __host__ __device__ bool operator()(std::uint8_t flag) const { return flag != 0; }
};

/// The first `count` positions.
std::vector<index_t> first_of(device::buffer<index_t> const& positions, index_t count) {
  std::vector<index_t> result(static_cast<std::size_t>(count));
  positions.read_sync(result.data(), count);
  return result;
}

}  // namespace

std::vector<index_t> positions_by_cub(std::span<std::uint8_t const> flags) {
  if (flags.empty()) return {};
  auto const n = static_cast<index_t>(flags.size());
  device::buffer<std::uint8_t> const d_flags(flags);
  device::buffer<index_t> const out(n);
  device::buffer<index_t> const d_count(1);
  workspace ws;
  auto const select = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<index_t>(0),
                                      static_cast<std::uint8_t const*>(d_flags.data()), out.data(),
                                      d_count.data(), n);
  };
  std::size_t bytes = 0;  // the first call of CUB says how much memory the second needs
  LIBSCAN_CHECK(select(nullptr, bytes));
  LIBSCAN_CHECK(select(ws.reserve(bytes + 1), bytes));
  index_t count = 0;
  d_count.read_sync(&count, 1);
  return first_of(out, count);
}

std::vector<index_t> positions_by_thrust(std::span<std::uint8_t const> flags) {
  device::buffer<std::uint8_t> const stencil(flags);
  device::buffer<index_t> const out(stencil.size());
  thrust::counting_iterator<index_t> const positions(0);
  index_t* const end = thrust::copy_if(thrust::device, positions, positions + stencil.size(),
                                       stencil.data(), out.data(), is_set{});
  return first_of(out, end - out.data());
}

}  // namespace libscan::apps
