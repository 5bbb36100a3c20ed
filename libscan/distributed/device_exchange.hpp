// SPDX-License-Identifier: Apache-2.0
// Moving items in device memory between ranks. Otherwise as exchange.hpp. Between GPUs of one
// process (threads.hpp), items take their own link; NCCL moves them between processes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/distributed/device_scan.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/host/device_memory.hpp>

namespace libscan::inline v1 {

namespace detail {

/// `exchange_pieces` in memory of the engine's machine.
template <class T>
void exchange_device_pieces(collective_call& call, ranks const& on, char const* step, T const* in,
                            std::span<index_t const> send, T* out,
                            std::span<index_t const> receive) {
  constexpr int no_rank = -1;  // the transport also moves what stays here
  detail::with_messages<T>(
      no_rank, in, send, out, receive, [](T const*, T*, index_t) {},
      [&](std::span<outgoing const> sends, std::span<incoming const> receives) {
        call.through().exchange_on(on.queue(), call.at(step), sends, receives);
      });
}

template <class T>
void check_apart(char const* name, device_span<T const> in, device_span<T> out) {
  memory_span const read = detail::device_bytes(in.data, in.size);
  if (!read.overlaps(detail::device_bytes(out.data, out.size))) return;
  throw invalid_argument(std::string(name) + ": out overlaps the input; expected other memory");
}

}  // namespace detail

/// Spreads items in device memory over the ranks anew, in the same order: each rank gets `out.size`
/// of them. Otherwise as `rebalance` of exchange.hpp.
/// Synchronization: collective, on the queue's stream; returns when `out` is complete.
template <class T>
void rebalance(ranks const& on, device_span<T> in, device_span<std::remove_const_t<T>> out) {
  using item = std::remove_const_t<T>;
  detail::collective(on.comm(), "rebalance", [&](detail::collective_call& call) {
    auto const d = detail::lengths_of(call, static_cast<std::size_t>(in.size),
                                      static_cast<std::size_t>(out.size), [&] {
                                        detail::check_device_items(on, in);
                                        detail::check_device_items(on, out);
                                        detail::check_apart<item>("rebalance", in, out);
                                      });
    auto const pieces = detail::rebalanced_pieces(d, on.rank());
    detail::exchange_device_pieces<item>(call, on, "items", in.data, pieces.send, out.data,
                                         pieces.receive);
    call.agree("end", [] {});
  });
}

/// Sends items in device memory that are grouped by rank: the first counts[0] to rank 0, the next
/// counts[1] to rank 1, and so on. `counts` are on the host, one for each rank.
/// Result: how many items came, from rank 0 first; the place of the last item is that of the sum.
/// `out` has space for them.
/// Synchronization: collective, on the queue's stream; each item is sent at most once.
/// Throws: `invalid_argument` on a rank whose counts are not one per rank, >= 0, with the sum
/// `in.size`; or whose `out` is too short, or overlaps `in`; `remote_error` on all others;
/// `communicator_lost`.
template <class T>
std::vector<index_t> exchange(ranks const& on, device_span<T> in, std::span<index_t const> counts,
                              device_span<std::remove_const_t<T>> out) {
  using item = std::remove_const_t<T>;
  return detail::collective(on.comm(), "exchange", [&](detail::collective_call& call) {
    std::vector<index_t> received(static_cast<std::size_t>(on.size()));
    call.agree("counts", [&] {
      detail::check_device_items(on, in);
      detail::check_device_items(on, out);
      detail::check_apart<item>("exchange", in, out);
      index_t sum = 0;
      bool valid = counts.size() == received.size();
      for (index_t const count : counts) {
        valid = valid && count >= 0;
        sum += count;
      }
      if (valid && sum == in.size) return;
      throw invalid_argument("exchange: expected one count >= 0 for each of " +
                             std::to_string(received.size()) + " ranks, with the sum " +
                             std::to_string(in.size));
    });
    call.through().transpose(call.at("counts"), counts, received);
    call.agree("space", [&] {
      index_t total = 0;
      for (index_t const count : received) total += count;
      if (total <= out.size) return;
      throw invalid_argument("exchange: out has space for " + std::to_string(out.size) +
                             " items, expected " + std::to_string(total));
    });
    detail::exchange_device_pieces<item>(call, on, "items", in.data, counts, out.data, received);
    call.agree("end", [] {});
    return received;
  });
}

}  // namespace libscan::inline v1
