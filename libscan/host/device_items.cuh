// SPDX-License-Identifier: Apache-2.0
// The definitions of device_items.hpp: host memory in, kernels of libscan/device, host memory out.
// script/cmake/item_types.cmake generates the sources that compile it, for a few item types each.
// Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <libscan/adjacent_difference.cuh>
#include <libscan/host/device_call.cuh>
#include <libscan/host/device_items.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>

namespace libscan::inline v1::detail {

/// Host items in device memory.
template <class T>
device::transfer_buffer<T> items_on_device(void const* items, index_t n) {
  return device::transfer_buffer<T>(
      std::span<T const>(static_cast<T const*>(items), static_cast<std::size_t>(n)));
}

template <class Machine, class Item>
void device_items<Machine, Item>::enqueue_scan(Machine on, queue_place const& place,
                                               device_call const& call) {
  device::on_machine const here(on);
  device::visit_operator_of<Item>(call.op, [&](auto op) {
    using T = typename decltype(op)::value_type;
    auto const init = init_of<T>(call);
    auto const* const in = static_cast<T const*>(call.in);
    auto* const out = static_cast<T*>(call.out);
    auto* const d_total = static_cast<T*>(call.d_total);
    workspace ws = device::workspace_of(place);
    if (call.kind == scan_kind::exclusive) {
      device::scan_with_tuning<scan_kind::exclusive, void>(ws, in, out, count_of(call), op, d_total,
                                                           init);
    } else {
      device::scan_with_tuning<scan_kind::inclusive, void>(ws, in, out, count_of(call), op, d_total,
                                                           init);
    }
  });
}

template <class Machine, class Item>
void device_items<Machine, Item>::enqueue_reduce(Machine on, queue_place const& place,
                                                 device_call const& call) {
  device::on_machine const here(on);
  device::visit_operator_of<Item>(call.op, [&](auto op) {
    using T = typename decltype(op)::value_type;
    workspace ws = device::workspace_of(place);
    device::reduce_as_tuned<void>(ws, static_cast<T const*>(call.in), static_cast<T*>(call.out),
                                  count_of(call), op, init_of<T>(call));
  });
}

template <class Machine, class Item>
void device_items<Machine, Item>::enqueue_difference(Machine on, queue_place const& place,
                                                     device_call const& call) {
  using T = typename difference_of<Item>::type;
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  detail::visit_neighbor_operator<Item>(call.combine, [&](auto op) {
    adjacent_difference(ws, static_cast<T const*>(call.in), static_cast<T*>(call.out),
                        count_of(call), op);
  });
}

template <class Machine, class Item>
std::size_t device_items<Machine, Item>::workspace_bytes(index_t n) {
  using T = typename difference_of<Item>::type;
  return std::max({scan_workspace_bytes<Item>(n), reduce_workspace_bytes<Item>(n),
                   adjacent_difference_workspace_bytes<T>(n)});
}

/// Whether host items pass through the machine in pieces.
template <class Machine, class Item>
bool comes_in_pieces(Machine on, index_t n) {
  return static_cast<std::size_t>(n) * sizeof(Item) >= detail::min_bytes_in_pieces(on);
}

/// A call on host memory in pieces: enqueue(place, each, items, next) puts the call `each` of a
/// piece into a stream. `each` begins with what comes before the piece; `next` receives what comes
/// before the next one. Returns the last of these. `items`, the piece, then goes to `out` unless
/// that is null.
template <class Item, class Machine, class Call, class Enqueue>
Item carry_through_pieces(Machine on, Call const& call, std::byte* out, Enqueue const& enqueue) {
  item_pieces const pieces(call.n, sizeof(Item), detail::max_piece_bytes(on));
  std::size_t const ws_bytes = device_items<Machine, Item>::workspace_bytes(pieces.piece_items);
  memory_layout shared;
  shared.add(2 * sizeof(Item));  // what comes before a piece, and after it
  std::size_t const ws_at = shared.add(ws_bytes);
  auto const part_of = [&](void const* items, index_t piece) {
    return host_part::of_items(items, pieces.begin(piece), pieces.size(piece), sizeof(Item), 0);
  };
  auto const inputs = [&](index_t piece, std::vector<host_part>& parts) {
    parts.push_back(part_of(call.in, piece));
  };
  auto const outputs = [&](index_t piece, index_t const*, std::vector<host_part>& parts) {
    if (out != nullptr) parts.push_back(part_of(out, piece));
  };
  auto const kernels = [&](device_piece const& piece) {
    device_call each{.type = call.type, .op = call.op, .in = piece.memory};
    each.n = pieces.size(piece.number);
    each.init = call.init;
    auto* const carries = reinterpret_cast<Item*>(piece.workspace);
    if (piece.number > 0) each.d_init = carries + piece.number % 2;
    enqueue(place_of(piece, ws_at, ws_bytes), each, piece.memory, carries + (piece.number + 1) % 2);
  };
  Item result;
  transfer<Machine>::in_pieces(
      on, {.pieces = pieces.count(),
           .device_bytes = static_cast<std::size_t>(pieces.piece_items) * sizeof(Item),
           .inputs = inputs,
           .enqueue = kernels,
           .outputs = outputs,
           .arrays = {call.in, out != nullptr ? out : call.in},
           .workspace_bytes = shared.bytes(),
           .result = {&result, sizeof(Item),
                      static_cast<std::size_t>(pieces.count() % 2) * sizeof(Item)}});
  return result;
}

template <class Machine, class Item>
void device_items<Machine, Item>::scan(Machine on, scan_call const& call) {
  if (call.n == 0) {
    *static_cast<Item*>(call.total) = *static_cast<Item const*>(call.init);
    return;
  }
  device::on_machine const here(on);
  if (comes_in_pieces<Machine, Item>(on, call.n)) {
    *static_cast<Item*>(call.total) = carry_through_pieces<Item>(
        on, call, static_cast<std::byte*>(call.out),
        [&](queue_place const& place, device_call each, void* items, Item* next) {
          each.kind = call.kind;
          each.out = items;
          each.d_total = next;
          enqueue_scan(on, place, each);
        });
    return;
  }
  auto const items = items_on_device<Item>(call.in, call.n);
  device::transfer_buffer<Item> const total(1);
  enqueue_scan(on, {},
               {call.type, call.op, call.kind, items.data(), items.data(), call.n, nullptr,
                segmentation(), call.init, total.data()});
  items.read_sync(static_cast<Item*>(call.out), call.n);
  total.read_sync(static_cast<Item*>(call.total), 1);
}

template <class Machine, class Item>
void device_items<Machine, Item>::reduce(Machine on, reduce_call const& call) {
  device::on_machine const here(on);
  if (comes_in_pieces<Machine, Item>(on, call.n)) {
    *static_cast<Item*>(call.result) = carry_through_pieces<Item>(
        on, call, nullptr,
        [&](queue_place const& place, device_call each, void* /*items*/, Item* next) {
          each.out = next;
          enqueue_reduce(on, place, each);
        });
    return;
  }
  auto const items = items_on_device<Item>(call.in, call.n);
  device::transfer_buffer<Item> const result(1);
  enqueue_reduce(on, {},
                 {call.type, call.op, scan_kind::inclusive, items.data(), result.data(), call.n,
                  nullptr, segmentation(), call.init, nullptr});
  result.read_sync(static_cast<Item*>(call.result), 1);
}

template <class Machine, class Item>
void device_items<Machine, Item>::difference(Machine on, difference_call const& call) {
  if (call.n == 0) return;
  using T = typename difference_of<Item>::type;
  device::on_machine const here(on);
  auto const items = items_on_device<T>(call.in, call.n);
  enqueue_difference(on, {},
                     {.type = call.type,
                      .in = items.data(),
                      .out = items.data(),
                      .n = call.n,
                      .combine = call.combine});
  items.read_sync(static_cast<T*>(call.out), call.n);
}

}  // namespace libscan::inline v1::detail
