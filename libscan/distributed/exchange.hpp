// SPDX-License-Identifier: Apache-2.0
// Moving items between ranks: `rebalance`, and `exchange` to ranks that the caller chooses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/libscan.hpp>

namespace libscan::inline v1 {

namespace detail {

/// Calls copy(from, to, n) for the items that stay on rank `me`, and exchange(sends, receives) for
/// the others: `send[r]` consecutive items of `in` for rank r, for all r in order, and `receive[r]`
/// items from rank r, in order, for `out`.
template <class T, class Copy, class Exchange>
void with_messages(int me, T const* in, std::span<index_t const> send, T* out,
                   std::span<index_t const> receive, Copy const& copy, Exchange const& exchange) {
  static_assert(std::is_trivially_copyable_v<T>, "items travel as bytes");
  std::vector<outgoing> sends;
  std::vector<incoming> receives;
  T const* to_self = in;
  for (int r = 0; r < static_cast<int>(send.size()); ++r) {
    auto const items = static_cast<std::size_t>(send[static_cast<std::size_t>(r)]);
    if (r == me) to_self = in;
    if (r != me && items != 0) sends.push_back({r, std::as_bytes(std::span(in, items))});
    in += items;
  }
  for (int r = 0; r < static_cast<int>(receive.size()); ++r) {
    auto const items = static_cast<std::size_t>(receive[static_cast<std::size_t>(r)]);
    if (r == me) copy(to_self, out, static_cast<index_t>(items));
    if (r != me && items != 0) {
      receives.push_back({r, std::as_writable_bytes(std::span(out, items))});
    }
    out += items;
  }
  exchange(sends, receives);
}

/// Sends and receives such items. The ranks' numbers agree.
template <class T>
void exchange_pieces(collective_call& call, char const* step, std::span<T const> in,
                     std::span<index_t const> send, std::span<T> out,
                     std::span<index_t const> receive) {
  detail::with_messages<T>(
      call.comm().rank(), in.data(), send, out.data(), receive,
      [](T const* from, T* to, index_t n) { std::copy_n(from, n, to); },
      [&](std::span<outgoing const> sends, std::span<incoming const> receives) {
        call.through().exchange(call.at(step), sends, receives);
      });
}

/// The numbers of items of all ranks' inputs and outputs, which have the same sum.
struct in_and_out {
  distribution in, out;
};

/// Learns them from numbers `in` and `out` of each rank. Throws `invalid_argument` on all ranks if
/// the sums differ.
template <class Numbers>
in_and_out lengths_in(collective_call& call, std::vector<Numbers> const& all) {
  std::vector<index_t> ins, outs;
  for (Numbers const& one : all) {
    ins.push_back(one.in);
    outs.push_back(one.out);
  }
  in_and_out found{distribution(ins), distribution(outs)};
  if (found.in.total() == found.out.total()) return found;
  call.agree("lengths", [&] {
    throw invalid_argument("the outputs of all ranks have space for " +
                           std::to_string(found.out.total()) + " items, expected exactly " +
                           std::to_string(found.in.total()));
  });
  return found;
}

/// The same in a message of its own. `also_check` may throw.
template <class Check>
in_and_out lengths_of(collective_call& call, std::size_t in, std::size_t out,
                      Check const& also_check) {
  struct both {
    index_t in, out;
  };
  return detail::lengths_in(call, call.gather("lengths", [&] {
    also_check();
    return both{static_cast<index_t>(in), static_cast<index_t>(out)};
  }));
}

/// The numbers of items for each rank, and from each.
struct exchanged_pieces {
  std::vector<index_t> send, receive;
};

/// Those of a rank that spreads items anew.
inline exchanged_pieces rebalanced_pieces(in_and_out const& d, int me) {
  auto const common = [](distribution const& a, int i, distribution const& b, int j) {
    return std::max(index_t{0}, std::min(a.end(i), b.end(j)) - std::max(a.begin(i), b.begin(j)));
  };
  exchanged_pieces found;
  for (int r = 0; r < d.in.ranks(); ++r) {
    found.send.push_back(common(d.in, me, d.out, r));
    found.receive.push_back(common(d.in, r, d.out, me));
  }
  return found;
}

/// The items in the order of their ranks, stable. `counts` become those of each rank.
template <class T, class RankOf>
std::vector<T> split_by_rank(std::span<T const> items, RankOf const& rank_of,
                             std::span<index_t> counts) {
  for (T const& item : items) {
    auto const rank = rank_of(item);
    if (rank < 0 || static_cast<std::size_t>(rank) >= counts.size()) {
      throw invalid_argument("exchange: rank_of returned " + std::to_string(rank) +
                             ", expected a rank in [0, " + std::to_string(counts.size()) + ")");
    }
    ++counts[static_cast<std::size_t>(rank)];
  }
  std::vector<index_t> next(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), index_t{0});
  std::vector<T> split(items.size());
  for (T const& item : items) {
    auto& place = next[static_cast<std::size_t>(rank_of(item))];
    split[static_cast<std::size_t>(place++)] = item;
  }
  return split;
}

/// `libscan::exchange` within a call. `make_items` runs on each rank and may throw.
template <class MakeItems, class RankOf>
auto exchange_by_rank(collective_call& call, MakeItems const& make_items, RankOf const& rank_of) {
  using T = std::remove_const_t<typename std::invoke_result_t<MakeItems const&>::value_type>;
  std::vector<index_t> send(static_cast<std::size_t>(call.comm().size())), receive(send.size());
  std::vector<T> split;
  call.agree("split", [&] {
    auto const& items = make_items();
    split = detail::split_by_rank(std::span<T const>(items), rank_of, send);
  });
  call.through().transpose(call.at("counts"), send, receive);
  std::size_t total = 0;
  for (index_t const count : receive) total += static_cast<std::size_t>(count);
  std::vector<T> received(total);
  detail::exchange_pieces(call, "items", std::span<T const>(split), std::span<index_t const>(send),
                          std::span<T>(received), std::span<index_t const>(receive));
  return received;
}

}  // namespace detail

/// Spreads the items over the ranks anew, in the same order: each rank gets `out.size()` of them.
/// Types: trivially copyable items, the same in `in` and `out`, which must not overlap.
/// Memory: no copy; messages go from `in` to `out`.
/// Synchronization: collective.
/// Throws: `invalid_argument` on all ranks unless the lengths of all `out` and of all `in` have the
/// same sum, and on one rank (`remote_error` on others) if its `out` overlaps its `in`;
/// `communicator_lost`.
template <host_items In, host_output Out>
void rebalance(ranks const& on, In const& in, Out&& out) {
  using T = detail::item_of<In>;
  std::span<T const> const from{in};
  std::span<T> const to{static_cast<Out&&>(out)};
  detail::collective(on.comm(), "rebalance", [&](detail::collective_call& call) {
    auto const d = detail::lengths_of(call, from.size(), to.size(), [&] {
      if (detail::memory_span(std::as_bytes(from)).overlaps(std::as_bytes(to))) {
        throw invalid_argument("rebalance: out overlaps the input; expected other memory");
      }
    });
    auto const pieces = detail::rebalanced_pieces(d, on.rank());
    detail::exchange_pieces(call, "items", from, std::span<index_t const>(pieces.send), to,
                            std::span<index_t const>(pieces.receive));
    call.agree("end", [] {});
  });
}

/// Sends each item to the rank rank_of(item): a stable split into one piece per rank, and an
/// all-to-all.
/// Result: what this rank gets: the items of rank 0 in their order there, then those of rank 1, and
/// so on.
/// Types: trivially copyable items; rank_of(item), in [0, on.size()), is called twice per item and
/// must return the same value both times.
/// Memory: a copy of the items, and the result.
/// Synchronization: collective; each item is sent at most once.
/// Throws: `invalid_argument` on a rank whose rank_of returns another number, and what it throws
/// there; `remote_error` on all others; `communicator_lost`.
template <host_items In, class RankOf>
auto exchange(ranks const& on, In const& in, RankOf const& rank_of) {
  using T = detail::item_of<In>;
  std::span<T const> const from{in};
  return detail::collective(on.comm(), "exchange", [&](detail::collective_call& call) {
    auto received = detail::exchange_by_rank(
        call, [&] { return from; }, rank_of);
    call.agree("end", [] {});
    return received;
  });
}

}  // namespace libscan::inline v1
