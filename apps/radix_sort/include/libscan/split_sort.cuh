// SPDX-License-Identifier: Apache-2.0
// The textbook radix sort: one stable split for each bit, from the lowest to the highest, for keys
// of any length (Blelloch 1990, 1.3; Harris & Garland, 3.3). A split is a binary scan: items whose
// bit is set go after all whose bit is clear, in the order of the scan.
#pragma once

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// Bit i of the words = the given bit of key i's word.
template <class Order>
struct bit_flags_kernel {
  using key_type = typename Order::key_type;
  static constexpr int block_threads = 256;

  __device__ void operator()(key_type const* keys, item_count count, Order order, int word, int bit,
                             std::uint32_t* flags) const {
    index_t const n = count.get();
    index_t const base = index_t{blockIdx.x} * block_threads;
    for (index_t i = base + threadIdx.x; i - simt::lane_id() < n;
         i += index_t{gridDim.x} * block_threads) {
      bool const set = i < n && (order.word(keys[i], word) >> bit & 1) != 0;
      unsigned const all = simt::ballot(simt::full_warp, set);
      if (simt::lane_id() == 0) flags[i / simt::warp_size] = all;
    }
  }
};

/// Moves every key to its place in the split: set bits after clear ones. trues[i] = the number of
/// set bits before item i; *all_trues of all.
template <class Key>
struct split_kernel {
  static constexpr int block_threads = 256;

  __device__ void operator()(Key const* in, Key* out, item_count count, bit_mask flags,
                             index_t const* trues, index_t const* all_trues) const {
    index_t const n = count.get();
    index_t const falses = n - *all_trues;
    for (index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x; i < n;
         i += index_t{gridDim.x} * block_threads) {
      bool const set = (flags.words[i / 32] >> i % 32 & 1u) != 0;
      out[set ? falses + trues[i] : i - trues[i]] = in[i];
    }
  }
};

/// out[i] = in[i].
template <class Key>
struct copy_kernel {
  static constexpr int block_threads = 256;

  __device__ void operator()(Key const* in, Key* out, item_count count) const {
    index_t const n = count.get();
    for (index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x; i < n;
         i += index_t{gridDim.x} * block_threads) {
      out[i] = in[i];
    }
  }
};

/// Parts of the workspace of a split sort, for n keys of `key_bytes`.
struct split_sort_layout {
  std::size_t flags, trues, total, scan, bytes;

  constexpr split_sort_layout(index_t n, std::size_t key_bytes) {
    auto const aligned = [](std::size_t x) { return (x + 255) / 256 * 256; };
    auto const items = static_cast<std::size_t>(n);
    flags = aligned(items * key_bytes);
    trues = flags + aligned(items / 8 + 4);
    total = trues + aligned(items * sizeof(index_t));
    scan = total + 256;
    bytes = scan + binary_scan_workspace_bytes(n);
  }
};

}  // namespace device

/// Bytes of workspace a split sort of up to n keys of type Key needs: a buffer of keys, and a rank
/// and a bit for each.
template <class Key>
constexpr std::size_t split_sort_workspace_bytes(index_t n) {
  return device::split_sort_layout(n, sizeof(Key)).bytes;
}

/// Sorts keys[0 .. n-1] in place in the order of `order`, as `sort_keys`; for reading, and for
/// tests to compare with: one binary scan of all items, and one move, for every bit of the order.
/// Synchronization: asynchronous on the workspace's stream.
/// Throws: `invalid_argument`, `device_error`.
template <class Key, class Order = sort_order<Key>>
void split_sort(workspace& ws, Key* keys, item_count n, Order order = {}) {
  order.check_bits();
  device::split_sort_layout const at(n.at_most(), sizeof(Key));
  std::byte* const memory = ws.reserve(at.bytes);
  workspace for_scan(memory + at.scan, at.bytes - at.scan, ws.stream());
  auto* other = reinterpret_cast<Key*>(memory);
  auto* const flags = reinterpret_cast<std::uint32_t*>(memory + at.flags);
  auto* const trues = reinterpret_cast<index_t*>(memory + at.trues);
  auto* const total = reinterpret_cast<index_t*>(memory + at.total);
  index_t const enough = ceil_div(n.at_most(), index_t{256});
  auto const blocks = static_cast<unsigned>(enough < 1 ? 1 : enough < 65536 ? enough : 65536);
  simt::launch_config const shape{.blocks = blocks, .threads = 256, .on = ws.stream()};
  Key* source = keys;
  for (int bit = order.first_bit; bit < order.end(); ++bit) {
    simt::launch<device::bit_flags_kernel<Order>>(shape, static_cast<Key const*>(source), n, order,
                                                  bit / Order::word_bits, bit % Order::word_bits,
                                                  flags);
    exclusive_binary_scan(for_scan, bit_mask{flags}, trues, n, total);
    simt::launch<device::split_kernel<Key>>(shape, static_cast<Key const*>(source), other, n,
                                            bit_mask{flags}, static_cast<index_t const*>(trues),
                                            static_cast<index_t const*>(total));
    std::swap(source, other);
  }
  if (source != keys) {
    simt::launch<device::copy_kernel<Key>>(shape, static_cast<Key const*>(source), keys, n);
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE
