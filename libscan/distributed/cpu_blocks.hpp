// SPDX-License-Identifier: Apache-2.0
// The items of one rank in blocks of the fixed tree, on CPU threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <libscan/core/block_tree.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/vector_scan.hpp>
#include <libscan/distributed/aligned_blocks.hpp>
#include <libscan/distributed/block_scan.hpp>

namespace libscan::inline v1::detail {

/// `Items` has the members
///
///   index_t size() const;              T load(index_t i) const;
///   T const* memory() const;           // of all items as they are, or null
///   auto const* source() const;        // the same, also of items that convert to T
///   void store(index_t i, T const& x) const;
///   T* result_memory() const;          // of all results as they are, or null
template <monoid Op, class Items>
class cpu_blocks final : public rank_blocks<typename Op::value_type> {
 public:
  using T = typename Op::value_type;

  /// `fixed`: whether blocks are summed one by one.
  cpu_blocks(int threads, Items const& items, Op const& op, bool fixed)
      : threads_(threads),
        items_(items),
        op_(op),
        in_one_piece_(direct && !fixed && items.source() != nullptr) {}

  index_t size() const override { return items_.size(); }
  bool in_one_piece() const override { return in_one_piece_; }

  std::vector<T> first(index_t n) const override {
    std::vector<T> found;
    for (index_t i = 0; i < n; ++i) found.push_back(items_.load(i));
    return found;
  }

  void put_first(std::span<T const> results) const override {
    for (std::size_t i = 0; i < results.size(); ++i) {
      items_.store(static_cast<index_t>(i), results[i]);
    }
  }

  std::vector<T> sums(aligned_blocks const& blocks, std::span<T const> borrowed) override {
    if constexpr (direct) {
      if (in_one_piece_ && size() == 0) return {};
      if (in_one_piece_) {
        return {cpu::reduce(threads_, items_.source(), size(), op_, op_.identity())};
      }
    }
    values_.assign(static_cast<std::size_t>(blocks.count), op_.identity());
    each_block(blocks, borrowed, [&](cpu::chunk const& c, T const* data, std::vector<T>&) {
      values_[static_cast<std::size_t>(c.index)] =
          cpu::reduce(1, data, c.size(), op_, op_.identity());
    });
    std::vector<T> sums;
    each_node(blocks, [&](T const* of_blocks, index_t size) {
      sums.push_back(detail::node_sum(of_blocks, size, op_));
    });
    return sums;
  }

  std::optional<T> scan(scan_kind kind, aligned_blocks const& blocks, std::span<T const> carries,
                        std::span<T> borrowed) override {
    if constexpr (direct) {
      if (in_one_piece_ && size() == 0) return std::nullopt;
      if (in_one_piece_) {
        return scan_items(threads_, kind, items_.source(), items_.result_memory(), size(),
                          carries[0]);
      }
    }
    T const* next = carries.data();
    each_node(blocks, [&](T* of_blocks, index_t size) {
      detail::replace_sums(of_blocks, size, *next++, op_);
    });
    std::optional<T> last;
    index_t const own = items_.size() - blocks.lent;
    each_block(blocks, borrowed, [&](cpu::chunk const& c, T const* data, std::vector<T>& space) {
      T* const results = data == space.data() ? nullptr : items_.result_memory();
      if (results == nullptr) space.resize(static_cast<std::size_t>(c.size()), op_.identity());
      T* const to = results == nullptr ? space.data() : results + blocks.lent + c.begin;
      T const value =
          scan_items(1, kind, data, to, c.size(), values_[static_cast<std::size_t>(c.index)]);
      if (c.end == blocks.items) last.emplace(value);
      if (results != nullptr) return;
      for (index_t i = c.begin; i < std::min(c.end, own); ++i) {
        items_.store(blocks.lent + i, to[i - c.begin]);
      }
      for (index_t i = std::max(c.begin, own); i < c.end; ++i) {
        borrowed[static_cast<std::size_t>(i - own)] = to[i - c.begin];
      }
    });
    return last;
  }

 private:
  using item = std::remove_cvref_t<decltype(*std::declval<Items const&>().source())>;
  /// Whether the cpu engine scans such items fast.
  static constexpr bool direct = std::is_same_v<item, T> || cpu::detail::vectorized<Op, item>;

  /// Calls work(values of its blocks, how many) for each local node.
  template <class Work>
  void each_node(aligned_blocks const& blocks, Work const& work) {
    detail::for_nodes(blocks.first, blocks.end(), local_node_blocks, [&](tree_node const& node) {
      work(values_.data() + (node.begin - blocks.first), node.size);
    });
  }

  /// Calls work(block, data, space) for each block, in parallel. `data` are the items: where they
  /// are, or in `space`.
  template <class Work>
  void each_block(aligned_blocks const& blocks, std::span<T const> borrowed, Work const& work) {
    index_t const own = items_.size() - blocks.lent;
    cpu::sum_chunks(
        threads_, blocks.items, tree_block_items, [] { return std::vector<T>(); },
        [&](std::vector<T>& space, cpu::chunk const& c) {
          T const* data = items_.memory();
          if (data != nullptr && c.end <= own) {
            data += blocks.lent + c.begin;
          } else {
            space.resize(static_cast<std::size_t>(c.size()), op_.identity());
            T* const to = space.data();
            for (index_t i = c.begin; i < std::min(c.end, own); ++i) {
              to[i - c.begin] = items_.load(blocks.lent + i);
            }
            for (index_t i = std::max(c.begin, own); i < c.end; ++i) {
              to[i - c.begin] = borrowed[static_cast<std::size_t>(i - own)];
            }
            data = space.data();
          }
          work(c, data, space);
          return index_t{0};
        });
  }

  template <class Item>
  T scan_items(int threads, scan_kind kind, Item const* in, T* out, index_t n, T const& carry) {
    return kind == scan_kind::inclusive ? cpu::inclusive_scan(threads, in, out, n, op_, carry)
                                        : cpu::exclusive_scan(threads, in, out, n, op_, carry);
  }

  int threads_;
  Items const& items_;
  Op op_;
  bool in_one_piece_;
  std::vector<T> values_;  // sums of blocks, then what enters each
};

}  // namespace libscan::inline v1::detail
