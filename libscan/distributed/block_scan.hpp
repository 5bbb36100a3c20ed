// SPDX-License-Identifier: Apache-2.0
// Sums and scans of a distributed array, block by block: sums of the blocks, then carries, which
// the ranks exchange, then the blocks' scans. Reads items twice, and writes results once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/distributed/aligned_blocks.hpp>
#include <libscan/distributed/block_tree.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::inline v1::detail {

/// One rank's part of a call. `Items` has the members
///
///   index_t size() const;              T load(index_t i) const;
///   T const* memory() const;           // of all items as they are, or null
///   void store(index_t i, T const& x) const;
///   T* result_memory() const;          // of all results as they are, or null
///
/// Parts are numbered in the scan's direction.
template <monoid Op, class Items>
class block_scan {
 public:
  using T = typename Op::value_type;

  block_scan(ranks const& on, collective_call& call, Items const& items, Op const& op,
             bool reversed)
      : on_(on),
        call_(call),
        items_(items),
        op_(op),
        reversed_(reversed),
        part_(part_of(on.rank())),
        all_(std::span<index_t const>{}) {}

  /// init op all items, on every rank. `check` may throw.
  template <class Check>
  T reduce(T const& init, Check const& check) {
    find_blocks(check);
    return find_carries(init);
  }

  /// Scans; returns init op all items, with the bits of the last inclusive result.
  template <scan_kind Kind, class Check>
  T scan(T const& init, Check const& check) {
    find_blocks(check);
    T const total = find_carries(init);
    struct ending {
      bool is_last;
      T value;
    };
    bool const has_last = blocks_.count > 0 && ends_array();
    auto const endings = call_.gather("scans", [&] {
      T const last = scan_blocks<Kind>();
      return ending{has_last, last};
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
  template <class Check>
  void find_blocks(Check const& check) {
    auto lengths = call_.gather("lengths", [&] {
      check();
      return items_.size();
    });
    if (reversed_) std::ranges::reverse(lengths);
    all_ = distribution(lengths);
    blocks_ =
        fixed() ? aligned_blocks::of(all_, part_) : aligned_blocks::of_one_part(items_.size());
    if (!fixed() || !detail::any_lent(all_)) return;
    std::vector<T> lent;
    for (index_t i = 0; i < blocks_.lent; ++i) lent.push_back(items_.load(i));
    borrowed_.assign(static_cast<std::size_t>(blocks_.borrowed), op_.identity());
    exchange_lent("items of shared blocks", lent, true);
  }

  /// Moves items from lenders to borrowers, or results back.
  void exchange_lent(char const* step, std::vector<T>& lent, bool to_borrower) {
    std::vector<outgoing> sends;
    std::vector<incoming> receives;
    auto const move = [&](int part, std::span<T> items, bool send) {
      if (send) {
        sends.push_back({part_of(part), std::as_bytes(items)});
      } else {
        receives.push_back({part_of(part), std::as_writable_bytes(items)});
      }
    };
    if (!lent.empty()) move(detail::lent_to(all_, part_), lent, to_borrower);
    std::size_t begin = 0;
    for (auto const& [part, items] : detail::lenders(all_, part_)) {
      auto const count = static_cast<std::size_t>(items);
      move(part, std::span(borrowed_).subspan(begin, count), !to_borrower);
      begin += count;
    }
    call_.through().exchange(call_.at(step), sends, receives);
  }

  /// Calls work(block, data, items, space) for each block, in parallel. `data` are the items:
  /// where they are, or in `space`.
  template <class Work>
  void each_block(Work const& work) {
    index_t const own = items_.size() - blocks_.lent;
    cpu::sum_chunks(
        on_.threads(), blocks_.items, tree_block_items, [] { return std::vector<T>(); },
        [&](std::vector<T>& space, cpu::chunk const& c) {
          T const* data = items_.memory();
          if (data != nullptr && c.end <= own) {
            data += blocks_.lent + c.begin;
          } else {
            space.clear();
            for (index_t i = c.begin; i < std::min(c.end, own); ++i) {
              space.push_back(items_.load(blocks_.lent + i));
            }
            for (index_t i = std::max(c.begin, own); i < c.end; ++i) {
              space.push_back(borrowed_[static_cast<std::size_t>(i - own)]);
            }
            data = space.data();
          }
          work(c, data, space);
          return index_t{0};
        });
  }

  std::vector<T> block_sums() {
    std::vector<T> sums(static_cast<std::size_t>(blocks_.count), op_.identity());
    each_block([&](cpu::chunk const& c, T const* data, std::vector<T>&) {
      sums[static_cast<std::size_t>(c.index)] = cpu::reduce(1, data, c.size(), op_, op_.identity());
    });
    return sums;
  }

  /// Sets carries_[b] to the value that enters block b; returns the value after all blocks.
  T find_carries(T const& init) { return fixed() ? by_tree(init) : by_rank(init); }

  T by_tree(T const& init) {
    auto const for_nodes_of = [&](int part, auto const& visit) {
      auto const blocks = aligned_blocks::of(all_, part);
      detail::for_nodes(blocks.first, blocks.end(), visit);
    };
    std::size_t max_nodes = 0;
    for (int p = 0; p < all_.ranks(); ++p) {
      std::size_t nodes = 0;
      for_nodes_of(p, [&](tree_node const&) { ++nodes; });
      max_nodes = std::max(max_nodes, nodes);
    }
    std::vector<T> sums;
    auto const fill = [&](std::span<std::byte> to) {
      sums = block_sums();
      for_nodes_of(part_, [&](tree_node const& node) {
        T const sum = detail::node_sum(sums.data() + (node.begin - blocks_.first), node.size, op_);
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
    for (index_t b = 0; b < blocks_.count; ++b) {
      carries_.push_back(prefix.value());
      prefix.append({blocks_.first + b, 1}, sums[static_cast<std::size_t>(b)]);
    }
  }

  T by_rank(T const& init) {
    std::vector<T> sums;
    auto totals = call_.gather("carries", [&] {
      T total = op_.identity();
      sums = block_sums();
      for (T const& sum : sums) total = op_(total, sum);
      return total;
    });
    if (reversed_) std::ranges::reverse(totals);
    T value = init;
    for (int p = 0; p < all_.ranks(); ++p) {
      T before = value;
      for (std::size_t b = 0; p == part_ && b < sums.size(); ++b) {
        carries_.push_back(before);
        before = op_(before, sums[b]);
      }
      value = op_(value, totals[static_cast<std::size_t>(p)]);
    }
    return value;
  }

  template <scan_kind Kind>
  T scan_block(T const* data, T* to, cpu::chunk const& c) {
    T const& carry = carries_[static_cast<std::size_t>(c.index)];
    if constexpr (Kind == scan_kind::inclusive) {
      return cpu::inclusive_scan(1, data, to, c.size(), op_, carry);
    } else {
      return cpu::exclusive_scan(1, data, to, c.size(), op_, carry);
    }
  }

  /// Returns the inclusive result of the last item of these blocks; without blocks, any value.
  template <scan_kind Kind>
  T scan_blocks() {
    T last = op_.identity();
    index_t const own = items_.size() - blocks_.lent;
    each_block([&](cpu::chunk const& c, T const* data, std::vector<T>& space) {
      T* const direct = data == space.data() ? nullptr : items_.result_memory();
      if (direct == nullptr) space.resize(static_cast<std::size_t>(c.size()), op_.identity());
      T* const to = direct == nullptr ? space.data() : direct + blocks_.lent + c.begin;
      T const value = scan_block<Kind>(data, to, c);
      if (c.end == blocks_.items) last = value;
      if (direct != nullptr) return;
      for (index_t i = c.begin; i < std::min(c.end, own); ++i) {
        items_.store(blocks_.lent + i, to[i - c.begin]);
      }
      for (index_t i = std::max(c.begin, own); i < c.end; ++i) {
        borrowed_[static_cast<std::size_t>(i - own)] = to[i - c.begin];
      }
    });
    return last;
  }

  /// Returns the results of borrowed items to their ranks.
  void give_back() {
    if (!fixed() || !detail::any_lent(all_)) return;
    std::vector<T> lent(static_cast<std::size_t>(blocks_.lent), op_.identity());
    exchange_lent("results of shared blocks", lent, false);
    call_.agree("results", [&] {
      for (index_t i = 0; i < blocks_.lent; ++i) {
        items_.store(i, lent[static_cast<std::size_t>(i)]);
      }
    });
  }

  ranks const& on_;
  collective_call& call_;
  Items const& items_;
  Op op_;
  bool reversed_;
  int part_;
  distribution all_;
  aligned_blocks blocks_;
  std::vector<T> borrowed_;
  std::vector<T> carries_;
};

}  // namespace libscan::inline v1::detail
