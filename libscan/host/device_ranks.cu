// SPDX-License-Identifier: Apache-2.0
// The binary scan of the host API on a machine with kernels. Internal.
#include <cstddef>
#include <cstdint>
#include <span>

#include <libscan/binary_scan.cuh>
#include <libscan/host/host_call.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>

namespace libscan::inline v1::detail {

inline namespace LIBSCAN_MACHINE {

/// The ranks of n items of a mask in device memory.
template <class Mask, class Rank>
void rank(workspace& ws, scan_kind kind, Mask const& mask, Rank* ranks, index_t n,
          index_t* d_total) {
  if (kind == scan_kind::inclusive) {
    inclusive_binary_scan(ws, mask, ranks, n, d_total);
  } else {
    exclusive_binary_scan(ws, mask, ranks, n, d_total);
  }
}

/// Calls body(mask) with flags or, if there are words, bits in device memory.
template <class Body>
auto with_mask(std::uint8_t const* flags, std::uint32_t const* words, Body const& body) {
  if (words != nullptr) return body(bit_mask{words});
  return body(byte_mask{flags});
}

/// The ranks of a call on host memory.
template <class Rank, class Mask>
index_t rank_on_device(host_binary_scan const& call, Mask const& mask) {
  index_t const n = call.mask.size();
  device::transfer_buffer<Rank> const ranks(n);
  device::transfer_buffer<index_t> const total(1);
  workspace ws;
  rank(ws, call.kind, mask, ranks.data(), n, total.data());
  ranks.read_sync(static_cast<Rank*>(call.ranks), n);
  index_t set = 0;
  total.read_sync(&set, 1);
  return set;
}

}  // namespace LIBSCAN_MACHINE

template <class Machine>
index_t device_ranks<Machine>::scan(Machine on, host_binary_scan const& call) {
  device::on_machine const here(on);
  auto const n = static_cast<std::size_t>(call.mask.size());
  bool const bits = call.mask.words() != nullptr;
  device::transfer_buffer<std::uint32_t> const words(
      std::span(call.mask.words(), bits ? ceil_div(n, std::size_t{32}) : 0));
  device::transfer_buffer<std::uint8_t> const flags(std::span(call.mask.flags(), bits ? 0 : n));
  return with_mask(flags.data(), bits ? words.data() : nullptr, [&](auto const& mask) {
    return call.rank_bytes == 4 ? rank_on_device<std::uint32_t>(call, mask)
                                : rank_on_device<std::uint64_t>(call, mask);
  });
}

template <class Machine>
void device_ranks<Machine>::enqueue(Machine on, queue_place const& place,
                                    device_binary_scan const& call) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  with_mask(call.mask.flags(), call.mask.words(), [&](auto const& mask) {
    if (call.rank_bytes == 4) {
      rank(ws, call.kind, mask, static_cast<std::uint32_t*>(call.ranks), call.mask.size(),
           call.d_total);
    } else {
      rank(ws, call.kind, mask, static_cast<std::uint64_t*>(call.ranks), call.mask.size(),
           call.d_total);
    }
  });
}

template <class Machine>
std::size_t device_ranks<Machine>::workspace_bytes(index_t n) {
  return binary_scan_workspace_bytes(n);
}

template struct device_ranks<device::this_machine>;

}  // namespace libscan::inline v1::detail
