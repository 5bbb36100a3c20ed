// SPDX-License-Identifier: Apache-2.0
// A sort as a fixed sequence of launches: all digits are counted at once, then every digit has its
// pass. The device finds out which work can be skipped, so nothing waits for the host.
#pragma once

#include <cstdint>
#include <vector>

#include <apps/radix_sort/device/digit_pass.cuh>
#include <apps/radix_sort/device/shared_counter.cuh>
#include <apps/radix_sort/device/sort_plan.cuh>
#include <apps/radix_sort/device/staged_pass.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/pipeline.cuh>
#include <libscan/tuning/radix_sort.hpp>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// Counts each value of each digit in one read of the keys; the last block to finish turns the
// counts into places and finds out which digits differ.

/// The digits of one word that one launch counts.
struct word_digits {
  int word;
  int first_pass;  // of the word's digits
  int passes;      // number of digits
  int all_passes;  // of the sort
  bool last;       // launch of the sort
  pass_count wanted;
  digit_place place[8];
};

/// A block's counts of digits. Each has several copies, which the lanes of a warp share.
template <class Order, class Tuning>
struct digit_counters {
  using key_type = typename Order::key_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int copies = Tuning::copies;
  static constexpr int max_passes = sizeof(typename Order::word_type);

  unsigned count[max_passes * digit_values * copies];

  __device__ void clear(word_digits const& digits) {
    int const counters = digits.passes * digit_values * copies;
    for (int i = static_cast<int>(threadIdx.x); i < counters; i += block_threads) count[i] = 0;
  }

  /// Counts items i, i + step, i + 2 step, ... of n.
  __device__ void add(key_type const* in, index_t i, index_t step, index_t n, Order const& order,
                      word_digits const& digits) {
    for (; i + (items_per_thread - 1) * step < n; i += items_per_thread * step) {
      key_type keys[items_per_thread];
#pragma unroll
      for (int k = 0; k < items_per_thread; ++k) keys[k] = in[i + k * step];
#pragma unroll
      for (int k = 0; k < items_per_thread; ++k) add_key(keys[k], order, digits);
    }
    for (; i < n; i += step) add_key(in[i], order, digits);
  }

  /// Adds the counts to those of other blocks: digit d of pass p to of_pass(p)[d].
  template <class OfPass>
  __device__ void flush(word_digits const& digits, OfPass of_pass) const {
    for (int i = static_cast<int>(threadIdx.x); i < digits.passes * digit_values;
         i += block_threads) {
      unsigned sum = 0;
#pragma unroll
      for (int c = 0; c < copies; ++c) sum += count[i * copies + c];
      if (sum == 0) continue;
      unsigned long long* const counts = of_pass(digits.first_pass + i / digit_values);
      simt::atomic_ref<unsigned long long>(counts[i % digit_values])
          .fetch_add(sum, simt::memory_order_relaxed);
    }
  }

 private:
  __device__ __forceinline__ void add_key(key_type const& key, Order const& order,
                                          word_digits const& digits) {
    auto const word = order.word(key, digits.word);
#pragma unroll
    for (int p = 0; p < max_passes; ++p) {
      if (p >= digits.passes) break;
      auto const digit = static_cast<unsigned>(word >> digits.place[p].shift) &
                         ((1u << digits.place[p].bits) - 1u);
      int const counter = (p * digit_values + static_cast<int>(digit)) * copies;
      device::add_to_counter(count[counter + simt::lane_id() % copies], 1);
    }
  }
};

/// Counts digits. Every block counts in shared memory and adds its counts to the others'.
template <class Order, class Tuning>
struct digit_histogram_kernel {
  using key_type = typename Order::key_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int max_passes = digit_counters<Order, Tuning>::max_passes;
  static_assert(block_threads % simt::warp_size == 0);

  struct shared_storage {
    digit_counters<Order, Tuning> counters;
    block::scan_storage<index_t, block_threads> scan;
    unsigned arrived;
  };

  __device__ void operator()(shared_storage& shared, key_type const* in, item_count length,
                             Order order, word_digits digits, sort_state state,
                             bucket_offsets offsets) const {
    index_t const n = length.get();
    index_t const rank = index_t{blockIdx.x} * block_threads + threadIdx.x;
    index_t const ranks = index_t{gridDim.x} * block_threads;
    if (digits.last) state.table(0).clear(rank, ranks);
    shared.counters.clear(digits);
    simt::sync_block();
    shared.counters.add(in, rank, ranks, n, order, digits);
    simt::sync_block();
    shared.counters.flush(digits, [&](int pass) { return state.begins(pass, 0); });
    if (digits.last && is_last_block(shared, state)) plan(shared, n, digits, state, offsets);
  }

 private:
  /// Whether all other blocks have added their counts. All threads call.
  static __device__ bool is_last_block(shared_storage& shared, sort_state const& state) {
    simt::sync_block();
    if (threadIdx.x == 0) {
      simt::thread_fence();
      shared.arrived =
          simt::atomic_ref<unsigned>(*state.arrived).fetch_add(1, simt::memory_order_acq_rel);
      simt::thread_fence();
    }
    simt::sync_block();
    return shared.arrived == gridDim.x - 1;
  }

  /// Turns counts into places, pass by pass.
  static __device__ void plan(shared_storage& shared, index_t n, word_digits const& digits,
                              sort_state const& state, bucket_offsets offsets) {
    constexpr int per_thread = (digit_values + block_threads - 1) / block_threads;
    int const first = static_cast<int>(threadIdx.x) * per_thread;
    for (int p = 0; p < digits.all_passes; ++p) {
      auto* const counts = state.begins(p, 0);
      index_t own[per_thread];
      index_t sum = 0;
      bool all_here = false;
#pragma unroll
      for (int j = 0; j < per_thread; ++j) {
        own[j] = 0;
        if (first + j < digit_values) {
          own[j] = static_cast<index_t>(simt::atomic_ref<unsigned long long>(counts[first + j])
                                            .load(simt::memory_order_relaxed));
        }
        all_here = all_here || own[j] == n;
        sum += own[j];
      }
      bool const agree = simt::sync_block_or(all_here);
      auto const before = block::exclusive_scan(shared.scan, sum, plus<index_t>{});
      index_t begin = before.prefix;
#pragma unroll
      for (int j = 0; j < per_thread; ++j) {
        if (first + j >= digit_values) break;
        counts[first + j] = static_cast<unsigned long long>(begin);
        if (p == 0) offsets.store(first + j, begin);
        begin += own[j];
      }
      // Nothing is counted for a digit without bits.
      if (threadIdx.x == 0) state.steps[p].runs = !agree && before.total != 0 ? 1 : 0;
    }
    if (threadIdx.x == 0) {
      offsets.store(digit_values, n);
      plan_passes(state.steps, digits.all_passes, digits.wanted);
    }
  }
};

/// How to sort in passes: how to count, and how to make a pass over any items.
template <class Key, class Value, class Word>
struct pass_sort_tuning {
  using histogram = digit_histogram_tuning<Word>;
  using pass = digit_pass_tuning<Key, Value>;
  template <tile_witness Witness>
  using staged = staged_pass_tuning<Key, Value, Witness>;
};

/// Whether `Pass` is the tuning of a staged pass.
template <class Pass>
concept tunes_staged_pass = requires {
  Pass::rank_warps;
};

/// Whether `Tuning` leaves the choice of the pass to the device.
template <class Tuning>
concept may_stage_passes = requires {
  typename Tuning::template staged<tile_witness::positions>;
};

/// What staged passes can sort: keys of one word and values that bulk copies can move.
template <class Order, class Value>
inline constexpr bool suits_staged_pass =
    Order::words == 1 && suits_bulk_copy<typename Order::key_type*>&& suits_bulk_copy<Value*>;
template <class Order>
inline constexpr bool suits_staged_pass<Order, void> =
    Order::words == 1 && suits_bulk_copy<typename Order::key_type*>;

/// The number of items of a tile; 0 for a staged pass that they are too large for.
template <class Pass>
constexpr index_t tile_items_of() {
  if constexpr (tunes_staged_pass<Pass>) {
    return index_t{Pass::rank_warps} * simt::warp_size * Pass::items_per_thread;
  } else {
    return index_t{Pass::block_threads} * Pass::items_per_thread;
  }
}

/// The fewest items of a tile in any pass that may be chosen.
template <class Tuning>
constexpr index_t min_tile_items() {
  index_t min_items = device::tile_items_of<typename Tuning::pass>();
  if constexpr (may_stage_passes<Tuning>) {
    using staged = typename Tuning::template staged<tile_witness::positions>;
    constexpr index_t items = device::tile_items_of<staged>();
    if (items > 0 && items < min_items) min_items = items;
  }
  return min_items;
}

/// Where a sort's temporary memory begins, and its size.
struct sort_layout {
  std::size_t state_offset = 0;
  std::size_t tables_offset = 0;
  std::size_t bytes = 0;
  index_t table_words = 0;
  int passes = 0;

  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  /// For `max_passes` passes over up to `n` items, and `items_bytes` for items at rest; or, after
  /// those, for `resident_bytes`.
  constexpr sort_layout(index_t n, index_t tile_items, index_t portion_items, int max_passes,
                        std::size_t items_bytes, std::size_t resident_bytes)
      : state_offset(aligned(items_bytes)), passes(max_passes) {
    index_t const items = n < portion_items ? n : portion_items;
    table_words = digit_table::words(ceil_div(items, tile_items));
    tables_offset = aligned(state_offset + reset_bytes() +
                            static_cast<std::size_t>(passes) * sizeof(sort_step));
    bytes = tables_offset + 2 * static_cast<std::size_t>(table_words) * sizeof(unsigned);
    if (bytes < state_offset + resident_bytes) bytes = state_offset + resident_bytes;
  }

  /// How many bytes of the state must be zero before a sort.
  constexpr std::size_t reset_bytes() const {
    return static_cast<std::size_t>(passes) * 2 * digit_values * sizeof(unsigned long long) + 256;
  }

  sort_state state(std::byte* memory) const {
    std::byte* const start = memory + state_offset;
    sort_state result;
    result.arrived = reinterpret_cast<unsigned*>(start);
    result.counts = reinterpret_cast<unsigned long long*>(start + 256);
    result.steps = reinterpret_cast<sort_step*>(start + reset_bytes());
    result.tables = reinterpret_cast<unsigned*>(memory + tables_offset);
    result.table_words = table_words;
    return result;
  }
};

/// Counts all digits; the last launch plans the passes.
template <class Tuning, class Order>
void count_digits(workspace& ws, typename Order::key_type const* in, item_count n,
                  Order const& order, std::vector<digit_place> const& places, pass_count wanted,
                  sort_state const& state, bucket_offsets offsets) {
  using kernel = digit_histogram_kernel<Order, Tuning>;
  using key_type = typename Order::key_type;
  auto const all = static_cast<int>(places.size());
  index_t const block_items = index_t{Tuning::block_threads} * Tuning::items_per_thread;
  unsigned const blocks =
      device::blocks_for<kernel, key_type const*, item_count, Order, word_digits, sort_state,
                         bucket_offsets>(ceil_div(n.at_most(), block_items), Tuning::block_threads);
  for (int first = 0; first < all;) {
    word_digits digits{
        places[static_cast<std::size_t>(first)].word, first, 0, all, false, wanted, {}};
    for (int p = first; p < all; ++p) {
      digit_place const place = places[static_cast<std::size_t>(p)];
      if (place.word != digits.word || digits.passes == kernel::max_passes) break;
      if (place.bits > 0) digits.place[digits.passes] = place;
      if (place.bits > 0) ++digits.passes;
      first = p + 1;
    }
    digits.last = first == all;
    simt::launch<kernel>({.blocks = blocks, .threads = Tuning::block_threads, .on = ws.stream()},
                         in, n, order, digits, state, offsets);
  }
}

/// Launches `Kernel`, which makes a pass over a portion of the items, for each pass and portion.
template <class Kernel, class Order, class Value>
void launch_passes(workspace& ws, sort_buffers<typename Order::key_type> keys,
                   sort_buffers<Value> values, item_count n, Order const& order,
                   std::vector<digit_place> const& places, sort_state const& state) {
  index_t const portion = n.at_most() < Kernel::portion_items ? n.at_most() : Kernel::portion_items;
  index_t const tiles = ceil_div(portion, index_t{Kernel::tile_items});
  unsigned blocks;
  if constexpr (Kernel::cooperative) {
    device::require_pipeline<Kernel>();
    index_t const max_blocks = simt::multiprocessor_count();
    blocks = static_cast<unsigned>(tiles < 1 ? 1 : tiles < max_blocks ? tiles : max_blocks);
  } else {
    blocks = device::blocks_for<Kernel, item_count, Order, sort_buffers<typename Order::key_type>,
                                sort_buffers<Value>, sort_state, pass_launch>(
        tiles, Kernel::block_threads);
  }
  index_t const portions = libscan::ceil_div(n.at_most(), Kernel::portion_items);
  for (int p = 0; p < static_cast<int>(places.size()); ++p) {
    for (index_t turn = 0; turn < portions; ++turn) {
      pass_launch const pass{places[static_cast<std::size_t>(p)], p, turn, portions};
      simt::launch<Kernel>({.blocks = blocks,
                            .threads = Kernel::block_threads,
                            .on = ws.stream(),
                            .cooperative = Kernel::cooperative},
                           n, order, keys, values, state, pass);
    }
  }
}

/// Makes all passes with the kernels that `Tuning` names, or that the number of items and the GPU
/// permit.
template <class Tuning, class Order, class Value>
void choose_passes(workspace& ws, sort_buffers<typename Order::key_type> keys,
                   sort_buffers<Value> values, item_count n, Order const& order,
                   std::vector<digit_place> const& places, sort_state const& state,
                   sort_stability stability) {
  using pass = typename Tuning::pass;
  constexpr bool may_witness = equal_is_identical<Order> && std::is_void_v<Value>;
  auto const staged = [&]<tile_witness Witness, class Pass>() {
    using kernel = staged_pass_kernel<Order, Value, Witness, Pass>;
    device::launch_passes<kernel>(ws, keys, values, n, order, places, state);
  };
  if constexpr (tunes_staged_pass<pass>) {
    if constexpr (may_witness) {
      if (device::keys_are_witness(order, stability)) {
        return staged.template operator()<tile_witness::keys, pass>();
      }
    }
    return staged.template operator()<tile_witness::positions, pass>();
  } else {
    if constexpr (may_stage_passes<Tuning> && suits_staged_pass<Order, Value>) {
      using by_position = typename Tuning::template staged<tile_witness::positions>;
      using kernel = staged_pass_kernel<Order, Value, tile_witness::positions, by_position>;
      if (n.at_most() >= by_position::min_items && simt::device_can_pipeline<kernel>()) {
        if constexpr (may_witness) {
          using by_key = typename Tuning::template staged<tile_witness::keys>;
          if (device::keys_are_witness(order, stability)) {
            return staged.template operator()<tile_witness::keys, by_key>();
          }
        }
        return staged.template operator()<tile_witness::positions, by_position>();
      }
    }
    device::launch_passes<digit_pass_kernel<Order, Value, pass>>(ws, keys, values, n, order, places,
                                                                 state);
  }
}

/// Sorts in passes. `memory`: the workspace's, of `layout.bytes`.
template <class Tuning, class Order, class Value>
void sort_in_passes(workspace& ws, std::byte* memory, sort_layout const& layout,
                    sort_buffers<typename Order::key_type> keys, sort_buffers<Value> values,
                    item_count n, Order const& order, std::vector<digit_place> const& places,
                    pass_count wanted, bucket_offsets offsets = {},
                    sort_stability stability = sort_stability::stable) {
  sort_state const state = layout.state(memory);
  simt::fill_async(memory + layout.state_offset, 0, layout.reset_bytes(), ws.stream());
  device::count_digits<typename Tuning::histogram>(ws, keys.in, n, order, places, wanted, state,
                                                   offsets);
  device::choose_passes<Tuning>(ws, keys, values, n, order, places, state, stability);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
