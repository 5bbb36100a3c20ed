// SPDX-License-Identifier: Apache-2.0
// Sums and scans of a distributed array, block by block: sums of the blocks, then carries, which
// the ranks exchange, then the blocks' scans. Reads items twice, and writes results once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <libscan/core/block_tree.hpp>
#include <libscan/core/function_ref.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/distributed/aligned_blocks.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::inline v1::detail {

/// One rank's items on its engine (cpu_blocks.hpp, device_scan.cpp), in the scan's direction.
/// Blocks begin at item `blocks.lent`. The borrowed items come after this rank's own.
template <class T>
class rank_blocks {
 public:
  virtual index_t size() const = 0;
  /// Whether `sums` and `scan` treat all items as one block, without borrowed ones. Then `scan`
  /// returns the last inclusive result, and need not come after `sums`.
  virtual bool in_one_piece() const { return false; }
  virtual std::vector<T> first(index_t n) const = 0;
  virtual void put_first(std::span<T const> results) const = 0;
  /// Those of the local nodes that cover the blocks.
  virtual std::vector<T> sums(aligned_blocks const& blocks, std::span<T const> borrowed) = 0;
  /// After `sums`: scans each node's blocks after what enters the node, `carries`; `borrowed`
  /// become results. Returns the last inclusive result if it has it.
  virtual std::optional<T> scan(scan_kind kind, aligned_blocks const& blocks,
                                std::span<T const> carries, std::span<T> borrowed) = 0;

 protected:
  ~rank_blocks() = default;
};

/// One rank's part of a call. Parts are numbered in the scan's direction.
template <monoid Op>
class block_scan {
 public:
  using T = typename Op::value_type;

  block_scan(ranks const& on, collective_call& call, rank_blocks<T>& items, Op const& op,
             bool reversed)
      : on_(on),
        call_(call),
        items_(items),
        op_(op),
        reversed_(reversed),
        part_(part_of(on.rank())),
        all_(std::span<index_t const>{}) {}

  /// init op all items, on every rank. `also_check` may throw.
  T reduce(T const& init, function_ref<void()> also_check) {
    find_blocks(also_check);
    return fixed() ? by_tree(init) : by_rank(init, true);
  }

  /// Scans; returns init op all items: with the bits of the last inclusive result if that is known,
  /// else with those of `reduce`.
  T scan(scan_kind kind, T const& init, function_ref<void()> also_check) {
    find_blocks(also_check);
    T const total = fixed() ? by_tree(init) : by_rank(init, !items_.in_one_piece());
    struct ending {
      bool is_last;
      T value;
    };
    auto const endings = call_.gather("scans", [&] {
      std::optional<T> const last = items_.scan(kind, blocks_, carries_, borrowed_);
      return ending{last && ends_array(), last.value_or(init)};
    });
    give_back();
    for (ending const& one : endings) {
      if (one.is_last) return one.value;
    }
    return total;
  }

 private:
  bool fixed() const { return on_.order() == association::fixed; }
  int part_of(int rank) const { return reversed_ ? on_.size() - 1 - rank : rank; }
  bool ends_array() const { return all_.end(part_) + blocks_.borrowed == all_.total(); }

  /// Learns all parts' lengths, and borrows what the last block lacks.
  void find_blocks(function_ref<void()> also_check) {
    auto lengths = call_.gather("lengths", [&] {
      also_check();
      return items_.size();
    });
    if (reversed_) std::ranges::reverse(lengths);
    all_ = distribution(lengths);
    blocks_ =
        fixed() ? aligned_blocks::of(all_, part_) : aligned_blocks::of_one_part(items_.size());
    if (!fixed() || !detail::any_lent(all_)) return;
    std::vector<T> lent = items_.first(blocks_.lent);
    borrowed_.assign(static_cast<std::size_t>(blocks_.borrowed), op_.identity());
    exchange_lent("items of shared blocks", lent, true);
  }

  /// Moves items from lenders to borrowers, or results back.
  void exchange_lent(char const* step, std::vector<T>& lent, bool to_borrower) {
    std::vector<outgoing> sends;
    std::vector<incoming> receives;
    auto const transfer = [&](int part, std::span<T> items, bool send) {
      if (send) {
        sends.push_back({part_of(part), std::as_bytes(items)});
      } else {
        receives.push_back({part_of(part), std::as_writable_bytes(items)});
      }
    };
    if (!lent.empty()) transfer(detail::lent_to(all_, part_), lent, to_borrower);
    std::size_t begin = 0;
    for (auto const& [part, items] : detail::lenders(all_, part_)) {
      auto const count = static_cast<std::size_t>(items);
      transfer(part, std::span(borrowed_).subspan(begin, count), !to_borrower);
      begin += count;
    }
    call_.through().exchange(call_.at(step), sends, receives);
  }

  /// Sets carries_[i] to the value that enters local node i; returns the value after all blocks.
  T by_tree(T const& init) {
    auto const for_nodes_of = [&](int part, auto const& visit) {
      auto const blocks = aligned_blocks::of(all_, part);
      detail::for_nodes(blocks.first, blocks.end(), any_node_blocks, visit);
    };
    std::size_t max_nodes = 0;
    for (int p = 0; p < all_.ranks(); ++p) {
      std::size_t nodes = 0;
      for_nodes_of(p, [&](tree_node const&) { ++nodes; });
      max_nodes = std::max(max_nodes, nodes);
    }
    std::vector<T> sums;
    auto const fill = [&](std::span<std::byte> to) {
      sums = items_.sums(blocks_, borrowed_);
      T const* next = sums.data();
      for_nodes_of(part_, [&](tree_node const& node) {
        index_t const parts = std::max(node.size / local_node_blocks, index_t{1});
        T const sum = detail::node_sum(next, parts, op_);
        next += parts;
        std::memcpy(to.data(), std::addressof(sum), sizeof(T));
        to = to.subspan(sizeof(T));
      });
    };
    auto const bytes = call_.gather_bytes("carries", max_nodes * sizeof(T), fill);
    tree_prefix<Op> prefix(op_, init);
    for (int p = 0; p < all_.ranks(); ++p) {
      if (p == part_) take_carries(prefix, sums);
      std::byte const* at =
          bytes.data() + static_cast<std::size_t>(part_of(p)) * max_nodes * sizeof(T);
      for_nodes_of(p, [&](tree_node const& node) {
        T sum = init;
        std::memcpy(std::addressof(sum), at, sizeof(T));
        prefix.append(node, sum);
        at += sizeof(T);
      });
    }
    return prefix.value();
  }

  void take_carries(tree_prefix<Op> prefix, std::vector<T> const& sums) {
    T const* next = sums.data();
    detail::for_nodes(blocks_.first, blocks_.end(), local_node_blocks, [&](tree_node const& node) {
      carries_.push_back(prefix.value());
      prefix.append(node, *next++);
    });
  }

  /// The same by the ranks' totals. Without `last_too`, the part that ends the array is not summed,
  /// and the returned value is the one before it.
  T by_rank(T const& init, bool last_too) {
    std::vector<T> sums;
    bool const needed = last_too || !ends_array();
    auto totals = call_.gather("carries", [&] {
      T total = op_.identity();
      if (needed) sums = items_.sums(blocks_, borrowed_);
      for (T const& sum : sums) total = op_(total, sum);
      return total;
    });
    if (reversed_) std::ranges::reverse(totals);
    T value = init;
    for (int p = 0; p < all_.ranks(); ++p) {
      T before = value;
      if (p == part_ && !needed) carries_.push_back(before);
      for (std::size_t b = 0; p == part_ && b < sums.size(); ++b) {
        carries_.push_back(before);
        before = op_(before, sums[b]);
      }
      value = op_(value, totals[static_cast<std::size_t>(p)]);
    }
    return value;
  }

  /// Returns the results of borrowed items to their ranks.
  void give_back() {
    if (!fixed() || !detail::any_lent(all_)) return;
    std::vector<T> lent(static_cast<std::size_t>(blocks_.lent), op_.identity());
    exchange_lent("results of shared blocks", lent, false);
    call_.agree("results", [&] { items_.put_first(lent); });
  }

  ranks const& on_;
  collective_call& call_;
  rank_blocks<T>& items_;
  Op op_;
  bool reversed_;
  int part_;
  distribution all_;
  aligned_blocks blocks_;
  std::vector<T> borrowed_;
  std::vector<T> carries_;
};

}  // namespace libscan::inline v1::detail
