// SPDX-License-Identifier: Apache-2.0
#include <apps/filter/program/verify_cub.hpp>

#include <numeric>

#include <cub/device/device_select.cuh>

#include <libscan/buffer.cuh>
#include <libscan/simt/cuda/check.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps {

std::vector<index_t> positions_by_cub(std::span<std::uint8_t const> flags) {
  std::vector<index_t> positions(flags.size());
  if (flags.empty()) return positions;
  std::iota(positions.begin(), positions.end(), index_t{0});
  auto const n = static_cast<index_t>(flags.size());
  device::buffer<std::uint8_t> const d_flags(flags);
  device::buffer<index_t> const in{std::span<index_t const>(positions)};
  device::buffer<index_t> const out(n);
  device::buffer<index_t> const d_count(1);
  workspace ws;
  auto const select = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, static_cast<index_t const*>(in.data()),
                                      static_cast<std::uint8_t const*>(d_flags.data()), out.data(),
                                      d_count.data(), n);
  };
  std::size_t bytes = 0;  // the first call of CUB says how much memory the second needs
  LIBSCAN_CHECK(select(nullptr, bytes));
  LIBSCAN_CHECK(select(ws.reserve(bytes + 1), bytes));
  index_t count = 0;
  d_count.read_sync(&count, 1);
  out.read_sync(positions.data(), count);
  positions.resize(static_cast<std::size_t>(count));
  return positions;
}

}  // namespace libscan::apps
