// SPDX-License-Identifier: Apache-2.0
// The kernels of device_blocks.hpp. A thread block takes one block of items, and no other thread
// block waits for it.
#pragma once

#include <algorithm>

#include <libscan/block/scan.cuh>
#include <libscan/device/warp_rows.cuh>
#include <libscan/host/device_blocks.hpp>
#include <libscan/host/scan_call.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/warp/reverse_iterator.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// How threads share a block of items.
template <class T>
struct block_shape {
  static constexpr int block_threads = 256;
  static constexpr int width = sizeof(T) >= 16 ? 1 : static_cast<int>(16 / sizeof(T));
  using rows = warp_rows<T, 16 / width, width>;
  static constexpr int tile_items = block_threads / simt::warp_size * rows::items;
};

/// The items of a call: whole blocks, and the last one, which may be elsewhere.
template <class In>
struct blocks_of_items {
  In first;
  In last;
  index_t items;
  bool last_apart;

  __device__ int size(index_t block) const {
    index_t const left = items - block * libscan::detail::tree_block_items;
    return static_cast<int>(
        left < libscan::detail::tree_block_items ? left : libscan::detail::tree_block_items);
  }
  __device__ In begin(index_t block) const {
    bool const is_last = (block + 1) * libscan::detail::tree_block_items >= items;
    return last_apart && is_last ? last : first + block * libscan::detail::tree_block_items;
  }
};

/// sums[b] = the items of block b, combined in an order that depends on nothing else.
template <class In, class Op>
struct block_sums_kernel {
  using T = typename Op::value_type;
  using shape = block_shape<T>;
  static constexpr int block_threads = shape::block_threads;
  using shared_storage = block::scan_storage<T, block_threads>;

  __device__ void operator()(shared_storage& shared, blocks_of_items<In> blocks, T* sums,
                             Op op) const {
    constexpr int warp_items =
        static_cast<int>(libscan::detail::tree_block_items) / (block_threads / simt::warp_size);
    auto const block = static_cast<index_t>(blockIdx.x);
    int const begin = static_cast<int>(threadIdx.x) / simt::warp_size * warp_items;
    int const left = blocks.size(block) - begin;
    T const sum =
        shape::rows::sum(blocks.begin(block) + begin, warp_items, left > 0 ? left : 0, op);
    T const total = block::scan_of_warps(shared, sum, op).total;
    if (threadIdx.x == 0) sums[block] = total;
  }
};

/// The values of a local node's blocks. Sums of the nodes below it take the place of that of their
/// last block.
template <class T>
struct shared_node {
  T value[libscan::detail::local_node_blocks];

  /// Calls join(the left child's value, the right one's) for each node of 2 * half blocks.
  template <class Join>
  __device__ void level(int size, int half, Join const& join) {
    simt::sync_block();
    for (int k = static_cast<int>(threadIdx.x); k < size / (2 * half); k += blockDim.x) {
      int const left = half * (2 * k + 1) - 1;
      join(value[left], value[left + half]);
    }
  }
};

/// Each thread block takes one local node of the tree. With `Carries` it replaces the sums of its
/// blocks by what enters each, if nodes[i] enters node i; else nodes[i] = the sum of node i.
template <bool Carries, class Op>
struct node_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = 256;
  using shared_storage = shared_node<T>;

  __device__ void operator()(shared_storage& shared, T* values, index_t first_block, index_t blocks,
                             T* nodes, Op op) const {
    auto const node = libscan::detail::local_node(static_cast<index_t>(blockIdx.x), first_block,
                                                  first_block + blocks);
    T* const own = values + (node.begin - first_block);
    int const size = static_cast<int>(node.size);
    int const thread = static_cast<int>(threadIdx.x);
    for (int b = thread; b < size; b += block_threads) shared.value[b] = own[b];
    for (int half = 1; half < size; half *= 2) {
      shared.level(size, half, [&](T const& left, T& right) { right = op(left, right); });
    }
    T& root = shared.value[size - 1];  // thread 0 wrote it last
    if constexpr (!Carries) {
      if (thread == 0) nodes[blockIdx.x] = root;
      return;
    }
    if (thread == 0) root = nodes[blockIdx.x];
    for (int half = size / 2; half > 0; half /= 2) {
      shared.level(size, half, [&](T& left, T& right) {
        T const sum = left;
        left = right;
        right = op(left, sum);
      });
    }
    simt::sync_block();
    for (int b = thread; b < size; b += block_threads) own[b] = shared.value[b];
  }
};

/// The results of block b, with carries[b] before its first item.
template <scan_kind Kind, class In, class Out, class Op>
struct block_scans_kernel {
  using T = typename Op::value_type;
  using shape = block_shape<T>;
  static constexpr int block_threads = shape::block_threads;
  using shared_storage = block::scan_storage<T, block_threads>;

  __device__ void operator()(shared_storage& shared, blocks_of_items<In> blocks,
                             blocks_of_items<Out> results, T const* carries, Op op) const {
    using rows = typename shape::rows;
    auto const block = static_cast<index_t>(blockIdx.x);
    In const in = blocks.begin(block);
    Out const out = results.begin(block);
    int const n = blocks.size(block);
    T carry = carries[block];
    int begin = static_cast<int>(threadIdx.x) / simt::warp_size * rows::items;
    for (int tile = 0; tile < n; tile += shape::tile_items, begin += shape::tile_items) {
      int const valid = n - begin > 0 ? n - begin : 0;
      rows part;
      part.load(in + begin, valid, op);
      T const sum = part.template scan<Kind>(T(op.identity()), op);
      auto const of_warps = block::scan_of_warps(shared, sum, op);
      part.prepend(op(carry, of_warps.prefix), op);
      part.store(out + begin, valid);
      carry = op(carry, of_warps.total);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan::inline v1::detail {

/// Calls enqueue(op, items, results, blocks) with iterators of a call.
template <class Item, class Enqueue>
void with_block_iterators(block_call const& call, Enqueue const& enqueue) {
  device::visit_operator_of<Item>(call.op, [&](auto op) {
    using T = typename decltype(op)::value_type;
    auto const blocks = static_cast<unsigned>(ceil_div(call.items, tree_block_items));
    auto const with = [&](auto wrap) {
      auto const items = [&](auto* first, auto* last) {
        return device::blocks_of_items<decltype(wrap(first))>{wrap(first), wrap(last), call.items,
                                                              call.last_apart};
      };
      enqueue(op, items(static_cast<T const*>(call.in), static_cast<T const*>(call.last_in)),
              items(static_cast<T*>(call.out), static_cast<T*>(call.last_out)), blocks);
    };
    if (call.reversed) {
      with([]<class P>(P at) { return reverse_iterator<P>{at}; });
    } else {
      with([](auto at) { return at; });
    }
  });
}

template <bool Carries, class Stream, class Op>
void launch_nodes(Stream stream, block_call const& call, Op op) {
  using kernel = device::node_kernel<Carries, Op>;
  using T = typename Op::value_type;
  index_t const blocks = ceil_div(call.items, tree_block_items);
  index_t const nodes = detail::local_nodes(call.first_block, call.first_block + blocks);
  simt::launch<kernel>(
      {.blocks = static_cast<unsigned>(nodes), .threads = kernel::block_threads, .on = stream},
      static_cast<T*>(call.values), call.first_block, blocks, static_cast<T*>(call.nodes), op);
}

template <class Machine, class Item>
void device_blocks_of<Machine, Item>::sums(Machine on, queue_place const& place,
                                           block_call const& call) {
  device::on_machine const here(on);
  auto const stream = device::workspace_of(place).stream();
  with_block_iterators<Item>(
      call, [&]<class In, class Op>(Op op, device::blocks_of_items<In> in, auto, unsigned blocks) {
        using kernel = device::block_sums_kernel<In, Op>;
        using T = typename Op::value_type;
        simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = stream}, in,
                             static_cast<T*>(call.values), op);
        detail::launch_nodes<false>(stream, call, op);
      });
}

template <class Machine, class Item>
void device_blocks_of<Machine, Item>::scans(Machine on, queue_place const& place,
                                            block_call const& call) {
  device::on_machine const here(on);
  auto const stream = device::workspace_of(place).stream();
  with_block_iterators<Item>(
      call, [&]<class In, class Out, class Op>(Op op, device::blocks_of_items<In> in,
                                               device::blocks_of_items<Out> out, unsigned blocks) {
        detail::launch_nodes<true>(stream, call, op);
        auto const* const carries = static_cast<typename Op::value_type const*>(call.values);
        auto const run = [&]<class Kernel>(Kernel) {
          simt::launch<Kernel>({.blocks = blocks, .threads = Kernel::block_threads, .on = stream},
                               in, out, carries, op);
        };
        if (call.kind == scan_kind::exclusive) {
          run(device::block_scans_kernel<scan_kind::exclusive, In, Out, Op>());
        } else {
          run(device::block_scans_kernel<scan_kind::inclusive, In, Out, Op>());
        }
      });
}

}  // namespace libscan::inline v1::detail
