// SPDX-License-Identifier: Apache-2.0
// Scans and reductions over ranks of items in memory of each rank's machine.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <libscan/core/block_tree.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/types.hpp>
#include <libscan/distributed/aligned_blocks.hpp>
#include <libscan/distributed/block_scan.hpp>
#include <libscan/distributed/device_scan.hpp>
#include <libscan/host/device_blocks.hpp>
#include <libscan/host/device_memory.hpp>

namespace libscan::inline v1::detail {

namespace {

/// n items at `in`, and their results at `out`, which may be null for sums.
template <listed_item T>
class device_blocks final : public rank_blocks<T> {
 public:
  device_blocks(device_queue const& queue, operator_kind op, T const* in, T* out, index_t n,
                bool reversed)
      : queue_(queue), op_(op), in_(in), out_(out), size_(n), reversed_(reversed) {}

  index_t size() const override { return size_; }

  std::vector<T> first(index_t n) const override { return download(0, n); }

  void put_first(std::span<T const> results) const override { upload(0, results); }

  std::vector<T> sums(aligned_blocks const& blocks, std::span<T const> borrowed) override {
    if (blocks.count == 0) return {};
    index_t const nodes = detail::local_nodes(blocks.first, blocks.end());
    std::vector<T> sums(static_cast<std::size_t>(nodes));
    values_.emplace(queue_, blocks.count);
    nodes_.emplace(queue_, nodes);
    block_call const call = call_on(blocks, scan_kind::exclusive);
    if (!borrowed.empty()) join_last(blocks, borrowed);
    detail::enqueue_block_sums(queue_, with_last(call, borrowed.size()));
    nodes_->download(sums);
    return sums;
  }

  /// After `sums` of the same blocks.
  std::optional<T> scan(scan_kind kind, aligned_blocks const& blocks, std::span<T const> carries,
                        std::span<T> borrowed) override {
    if (carries.empty()) return std::nullopt;
    nodes_->upload(carries);
    detail::enqueue_block_scans(queue_, with_last(call_on(blocks, kind), borrowed.size()));
    if (!borrowed.empty()) part_last(blocks, borrowed);
    detail::synchronize(queue_);
    return std::nullopt;
  }

 private:
  /// The place of item i, in the scan's direction, and of those from there to i + n.
  index_t place(index_t i, index_t n) const { return reversed_ ? size_ - i - n : i; }

  std::vector<T> download(index_t i, index_t n) const {
    std::vector<T> found(static_cast<std::size_t>(n));
    detail::copy(queue_, found.data(), in_ + place(i, n), found.size() * sizeof(T));
    detail::synchronize(queue_);
    if (reversed_) std::ranges::reverse(found);
    return found;
  }

  void upload(index_t i, std::span<T const> results) const {
    std::vector<T> turned(results.begin(), results.end());
    if (reversed_) std::ranges::reverse(turned);
    detail::copy(queue_, out_ + place(i, static_cast<index_t>(turned.size())), turned.data(),
                 turned.size() * sizeof(T));
    detail::synchronize(queue_);
  }

  block_call call_on(aligned_blocks const& blocks, scan_kind kind) const {
    index_t const first = reversed_ ? size_ - blocks.lent : blocks.lent;
    return {.type = item_type_of<T>::value,
            .op = op_,
            .kind = kind,
            .reversed = reversed_,
            .in = in_ + first,
            .out = out_ == nullptr ? nullptr : out_ + first,
            .last_in = nullptr,
            .last_out = nullptr,
            .items = blocks.items,
            .last_apart = false,
            .values = values_->data(),
            .first_block = blocks.first,
            .nodes = nodes_->data()};
  }

  /// The call with its last block in `last_`, if that has borrowed items.
  block_call with_last(block_call call, std::size_t borrowed) const {
    if (borrowed == 0) return call;
    T* const first = last_->data() + (reversed_ ? last_->size() : 0);
    call.last_in = call.last_out = first;
    call.last_apart = true;
    return call;
  }

  /// Where the own items of the last block begin.
  static index_t last_begin(aligned_blocks const& blocks) {
    return (blocks.count - 1) * tree_block_items;
  }

  /// Makes the last block of its own items and the borrowed ones.
  void join_last(aligned_blocks const& blocks, std::span<T const> borrowed) {
    index_t const begin = last_begin(blocks);
    index_t const n = blocks.items - begin;
    auto all = download(blocks.lent + begin, n - static_cast<index_t>(borrowed.size()));
    all.insert(all.end(), borrowed.begin(), borrowed.end());
    if (reversed_) std::ranges::reverse(all);
    last_.emplace(queue_, n);
    last_->upload(all);
  }

  /// Copies the results of the last block to where they belong.
  void part_last(aligned_blocks const& blocks, std::span<T> borrowed) const {
    std::vector<T> all(static_cast<std::size_t>(last_->size()));
    last_->download(all);
    if (reversed_) std::ranges::reverse(all);
    auto const own = std::span<T const>(all).first(all.size() - borrowed.size());
    upload(blocks.lent + last_begin(blocks), own);
    std::ranges::copy(std::span<T const>(all).last(borrowed.size()), borrowed.begin());
  }

  device_queue queue_;
  operator_kind op_;
  T const* in_;
  T* out_;
  index_t size_;
  bool reversed_;
  std::optional<device_array<T>> values_;  // sums of blocks, then what enters each
  std::optional<device_array<T>> nodes_;   // the same of local nodes
  std::optional<device_array<T>> last_;    // the last block, if it has borrowed items
};

}  // namespace

template <listed_item T>
T reduce_on_device(ranks const& on, device_items_of_call<T> const& items, operator_kind op,
                   T const& init, function_ref<void()> check) {
  return detail::collective(on.comm(), "reduce", [&](collective_call& call) {
    ranks const cheapest = detail::with_cheapest_order<T>(on);
    device_blocks<T> blocks(on.queue(), op, items.in, items.out, items.n, false);
    return block_scan(cheapest, call, blocks, any_operator<T>{op}, false).reduce(init, check);
  });
}

template <listed_item T>
T scan_on_device(char const* name, scan_kind kind, ranks const& on,
                 device_items_of_call<T> const& items, operator_kind op, T const& init,
                 scan_direction direction, function_ref<void()> check) {
  return detail::collective(on.comm(), name, [&](collective_call& call) {
    bool const reversed = direction == scan_direction::reverse;
    ranks const cheapest = detail::with_cheapest_order<T>(on);
    device_blocks<T> blocks(on.queue(), op, items.in, items.out, items.n, reversed);
    return block_scan(cheapest, call, blocks, any_operator<T>{op}, reversed)
        .scan(kind, init, check);
  });
}

#define LIBSCAN_CALLS_OF_ITEM(name, T)                                                            \
  template T reduce_on_device(ranks const&, device_items_of_call<T> const&, operator_kind,        \
                              T const&, function_ref<void()>);                                    \
  template T scan_on_device(char const*, scan_kind, ranks const&, device_items_of_call<T> const&, \
                            operator_kind, T const&, scan_direction, function_ref<void()>);
LIBSCAN_ITEM_TYPES(LIBSCAN_CALLS_OF_ITEM)
#undef LIBSCAN_CALLS_OF_ITEM

}  // namespace libscan::inline v1::detail
