// SPDX-License-Identifier: Apache-2.0
// The binary scan of the host API on a machine with kernels. Internal.
#include <cstddef>
#include <cstdint>
#include <span>

#include <libscan/binary_scan.cuh>
#include <libscan/buffer.cuh>
#include <libscan/host/host_call.hpp>
#include <libscan/host/this_machine.cuh>

namespace libscan::inline v1::detail {

/// The ranks by one form of mask in device memory.
template <class Rank, class Mask>
index_t rank_on_device(host_binary_scan const& call, Mask const& mask) {
  index_t const n = call.mask.size();
  device::buffer<Rank> const ranks(n);
  device::buffer<index_t> const total(1);
  workspace ws;
  if (call.kind == scan_kind::inclusive) {
    inclusive_binary_scan(ws, mask, ranks.data(), n, total.data());
  } else {
    exclusive_binary_scan(ws, mask, ranks.data(), n, total.data());
  }
  ranks.read_sync(static_cast<Rank*>(call.ranks), n);
  index_t set = 0;
  total.read_sync(&set, 1);
  return set;
}

template <class Machine>
index_t device_ranks<Machine>::scan(Machine on, host_binary_scan const& call) {
  device::on_machine const here(on);
  auto const n = static_cast<std::size_t>(call.mask.size());
  auto const with_mask = [&](auto const& mask) {
    return call.rank_bytes == 4 ? rank_on_device<std::uint32_t>(call, mask)
                                : rank_on_device<std::uint64_t>(call, mask);
  };
  if (call.mask.words() != nullptr) {
    device::buffer<std::uint32_t> const words(
        std::span(call.mask.words(), ceil_div(n, std::size_t{32})));
    return with_mask(bit_mask{words.data()});
  }
  device::buffer<std::uint8_t> const flags(std::span(call.mask.flags(), n));
  return with_mask(byte_mask{flags.data()});
}

template struct device_ranks<device::this_machine>;

}  // namespace libscan::inline v1::detail
