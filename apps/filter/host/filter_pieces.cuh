// SPDX-License-Identifier: Apache-2.0
// Filters on host memory that passes through the device in pieces. The counts of earlier pieces say
// where the results of a piece go. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <apps/filter/host/filter_device.hpp>
#include <libscan/host/convert_items.cuh>
#include <libscan/host/transfer.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// positions[i] += offset for the first *d_count.
struct offset_kernel {
  static constexpr int block_threads = 256;
  __device__ void operator()(index_t* positions, index_t const* d_count, index_t offset) const {
    device::each_item(*d_count, [=](index_t i) { positions[i] += offset; });
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan::inline v1::detail {

/// A filter of host memory of items of type T as a `piece_plan`.
template <class T>
class filter_pieces {
 public:
  filter_pieces(host_filter const& filter, std::size_t max_bytes)
      : filter_(filter),
        call_(filter.call),
        pieces_(call_.n, std::max(bytes_in(), bytes_out()), max_bytes) {
    auto const items = static_cast<std::size_t>(pieces_.piece_items);
    if (call_.in != nullptr)
      items_at_ = layout_.add((items + 1) * sizeof(T));  // unique: one before
    if (call_.mask) mask_at_ = layout_.add(mask_bytes(pieces_.piece_items));
    if (writes_items()) kept_at_ = layout_.add((items + 1) * sizeof(T));
    if (call_.kind == filter_kind::split) rejected_at_ = layout_.add(items * sizeof(T));
    if (writes_positions()) positions_at_ = layout_.add(items * sizeof(index_t));
    count_at_ = layout_.add(sizeof(index_t));
  }

  /// Whether pieces find their results without each other, except where they go.
  static bool suits(host_filter const& filter) {
    switch (filter.call.kind) {
      case filter_kind::items:
      case filter_kind::positions:
      case filter_kind::with_indices:
      case filter_kind::count:
      case filter_kind::unique:
        return true;
      case filter_kind::split:
        return !filter.into_one;
      default:
        return false;
    }
  }

  /// Bytes that are copied to the device for an item.
  std::size_t bytes_in() const {
    return (call_.in != nullptr ? sizeof(T) : 0) + (call_.mask && !by_bits() ? 1 : 0);
  }

  item_pieces const& pieces() const { return pieces_; }

  /// The call on a piece in device memory.
  filter_call on(device_piece const& piece) const {
    filter_call each = call_;
    index_t const before = items_before(piece.number);
    each.n = pieces_.size(piece.number) + before;
    if (call_.in != nullptr) each.in = piece.memory + items_at_;
    if (call_.mask) each.mask = mask_of(piece);
    each.out = piece.memory + kept_at_;
    if (call_.kind == filter_kind::split) each.rejected = piece.memory + rejected_at_;
    each.positions = reinterpret_cast<index_t*>(piece.memory + positions_at_);
    each.d_count = reinterpret_cast<index_t*>(piece.memory + count_at_);
    return each;
  }

  void list_inputs(index_t piece, std::vector<host_part>& parts) const {
    if (call_.in != nullptr) {
      index_t const before = items_before(piece);
      parts.push_back(host_part::of_items(call_.in, pieces_.begin(piece) - before,
                                          pieces_.size(piece) + before, sizeof(T), items_at_));
    }
    if (!call_.mask) return;
    if (by_bits()) {
      parts.push_back(host_part::of_items(call_.mask->words(), pieces_.begin(piece) / 32,
                                          ceil_div(pieces_.size(piece), index_t{32}),
                                          sizeof(std::uint32_t), mask_at_));
    } else {
      parts.push_back(host_part::of_items(call_.mask->flags(), pieces_.begin(piece),
                                          pieces_.size(piece), 1, mask_at_));
    }
  }

  void list_outputs(index_t piece, index_t count, std::vector<host_part>& parts) {
    index_t const before = items_before(piece);  // which the device keeps, too
    count -= before;
    if (writes_items()) {
      parts.push_back(result(call_.out, filter_.out_capacity, kept_, count, sizeof(T),
                             kept_at_ + static_cast<std::size_t>(before) * sizeof(T)));
    }
    if (writes_positions()) {
      parts.push_back(result(call_.positions, filter_.positions_capacity, kept_, count,
                             sizeof(index_t), positions_at_));
    }
    if (call_.kind == filter_kind::split) {
      parts.push_back(result(call_.rejected, filter_.rejected_capacity,
                             pieces_.begin(piece) - kept_, pieces_.size(piece) - count, sizeof(T),
                             rejected_at_));
    }
    kept_ += count;
  }

  std::vector<void const*> arrays() const {
    std::vector<void const*> all;
    for (void const* array :
         {call_.in, static_cast<void const*>(writes_items() ? call_.out : nullptr),
          static_cast<void const*>(call_.positions), static_cast<void const*>(call_.rejected),
          static_cast<void const*>(call_.mask ? mask_begin() : nullptr)}) {
      if (array != nullptr) all.push_back(array);
    }
    return all;
  }

  bool writes_positions() const {
    return call_.kind == filter_kind::positions || call_.kind == filter_kind::with_indices;
  }
  std::size_t device_bytes() const { return layout_.bytes(); }
  std::size_t count_at() const { return count_at_; }
  index_t kept() const { return kept_; }

 private:
  bool by_bits() const { return call_.mask->words() != nullptr; }
  bool writes_items() const {
    return call_.kind != filter_kind::positions && call_.kind != filter_kind::count;
  }
  std::size_t bytes_out() const {
    return (writes_items() ? sizeof(T) : 0) + (writes_positions() ? sizeof(index_t) : 0);
  }
  std::size_t mask_bytes(index_t n) const {
    if (!by_bits()) return static_cast<std::size_t>(n);
    return static_cast<std::size_t>(ceil_div(n, index_t{32})) * sizeof(std::uint32_t);
  }
  void const* mask_begin() const {
    if (by_bits()) return call_.mask->words();
    return call_.mask->flags();
  }

  /// An item is the first of its run if it differs from the one before it.
  index_t items_before(index_t piece) const {
    return call_.kind == filter_kind::unique && piece > 0 ? 1 : 0;
  }

  item_mask mask_of(device_piece const& piece) const {
    index_t const n = pieces_.size(piece.number);
    std::byte const* const at = piece.memory + mask_at_;
    if (by_bits()) {
      auto const words = static_cast<std::size_t>(ceil_div(n, index_t{32}));
      return item_mask::of_bits({reinterpret_cast<std::uint32_t const*>(at), words}, n);
    }
    return item_mask::of_flags(
        {reinterpret_cast<std::uint8_t const*>(at), static_cast<std::size_t>(n)});
  }

  /// Those of the results [begin, begin + n) for which an output has space.
  static host_part result(void* array, index_t capacity, index_t begin, index_t n,
                          std::size_t bytes, std::size_t at) {
    index_t const fitting = std::clamp<index_t>(capacity - begin, 0, n);
    return host_part::of_items(array, fitting > 0 ? begin : 0, fitting, bytes, at);
  }

  host_filter const& filter_;
  filter_call const& call_;
  item_pieces pieces_;
  memory_layout layout_;
  std::size_t items_at_ = 0, mask_at_ = 0, kept_at_ = 0, rejected_at_ = 0, positions_at_ = 0,
              count_at_ = 0;
  index_t kept_ = 0;
};

/// Whether a filter goes through the machine in pieces.
template <class T, class Machine>
bool filters_in_pieces(Machine on, host_filter const& filter) {
  if (!filter_pieces<T>::suits(filter)) return false;
  filter_pieces<T> const work(filter, detail::max_piece_bytes(on));
  std::size_t const bytes = work.bytes_in() * static_cast<std::size_t>(filter.call.n) +
                            (filter.call.mask ? static_cast<std::size_t>(filter.call.n) / 8 : 0);
  return bytes >= detail::min_bytes_in_pieces(on);
}

/// Calls enqueue(place, call) with the call on each piece, and returns the count. `workspace_bytes`
/// of n is what a call needs.
template <class T, class Machine, class Enqueue>
index_t filter_in_pieces(Machine on, host_filter const& filter,
                         std::size_t (*workspace_bytes)(index_t), Enqueue const& enqueue) {
  filter_pieces<T> work(filter, detail::max_piece_bytes(on));
  std::size_t const ws_bytes = workspace_bytes(work.pieces().piece_items + 1);
  auto const inputs = [&](index_t piece, std::vector<host_part>& parts) {
    work.list_inputs(piece, parts);
  };
  auto const kernels = [&](device_piece const& piece) {
    filter_call const call = work.on(piece);
    queue_place const place = place_of(piece, 0, ws_bytes);
    enqueue(place, call);
    if (!work.writes_positions()) return;
    auto how = device::spread(call.n);
    how.on = device::stream_of(place);
    simt::launch<device::offset_kernel>(how, call.positions,
                                        static_cast<index_t const*>(call.d_count),
                                        work.pieces().begin(piece.number));
  };
  auto const outputs = [&](index_t piece, index_t const* counts, std::vector<host_part>& parts) {
    work.list_outputs(piece, counts[0], parts);
  };
  transfer<Machine>::in_pieces(on, {.pieces = work.pieces().count(),
                                    .device_bytes = work.device_bytes(),
                                    .inputs = inputs,
                                    .enqueue = kernels,
                                    .outputs = outputs,
                                    .arrays = work.arrays(),
                                    .counts_at = work.count_at(),
                                    .counts = 1,
                                    .workspace_bytes = ws_bytes});
  return work.kept();
}

}  // namespace libscan::inline v1::detail
