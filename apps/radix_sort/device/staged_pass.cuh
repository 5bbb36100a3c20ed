// SPDX-License-Identifier: Apache-2.0
// One pass of the sort for GPUs with bulk copies (sm_90 and later): persistent and
// warp-specialized. Ranks come from counters in shared memory, whose order among the lanes of a
// warp is undocumented; so every sorted tile is checked, and repaired if necessary, before its
// memory is reused.
#pragma once

#include <cstring>
#include <type_traits>

#include <apps/radix_sort/device/staged_rank.cuh>
#include <apps/radix_sort/device/staged_shape.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// The writing warps of a staged pass: they copy each digit's run of the sorted tile to its place.

/// What the writing warps do.
template <class Shape>
class write_role {
  using shared_storage = typename Shape::shared_storage;
  using work_type = typename Shape::work_type;
  using key_type = typename Shape::key_type;
  using value_type = typename Shape::value_type;

 public:
  /// Writes the sorted tiles; each warp takes its share of the digits' runs.
  static __device__ void run(shared_storage& shared, work_type const& work, int warp) {
    for (unsigned k = 0;; ++k) {
      // A second counter would spill.
      auto const tile = static_cast<int>(blockIdx.x + k * gridDim.x);
      if (tile >= work.tiles) break;
      shared.placed[k % 2].wait(k / 2 % 2);
      shared.sorted_full.wait(k % 2);
      if constexpr (Shape::has_values) shared.values_ready.wait(k % 2);
      write_runs(shared, work, tile, k, warp, Shape::write_warps);
      // All have written the previous tile, otherwise this one could not have been sorted.
      if (k > 0) shared.written.wait((k - 1) % 2);
      shared.written.arrive();
      shared.sorted_free.arrive();
    }
  }

  /// Every `warps`-th run, from run `warp` on, and of long runs every `warps`-th piece. By one
  /// warp.
  static __device__ __forceinline__ void write_runs(shared_storage& shared, work_type const& work,
                                                    int tile, unsigned k, int warp, int warps) {
    unsigned const* const begins = shared.begin[k % 2];
    index_t const* const shifts = shared.shift[k % 2];
    // In a tile of only long runs there are no others to find.
    int const digits =
        static_cast<int>(shared.long_items[k % 2]) == work.valid(tile) ? 0 : 1 << work.place.bits;
    for (int first = warp; first < digits; first += 2 * warps) {
      int const second = first + warps;
      int const begin[2] = {static_cast<int>(begins[first]), static_cast<int>(begins[second])};
      int end[2] = {static_cast<int>(begins[first + 1]), static_cast<int>(begins[second + 1])};
      index_t const shift[2] = {shifts[first], shifts[second]};
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        if (end[i] - begin[i] > Shape::long_run) end[i] = begin[i];
      }
      write_two_runs(shared, work, tile, begin, end, shift);
    }
    // Pieces are assigned in turn, continuing from one run to the next.
    constexpr int piece = Shape::long_run / 2;
    auto const long_runs = static_cast<int>(shared.long_runs[k % 2]);
    int next = warp;
    for (int i = 0; i < long_runs; ++i) {
      unsigned const digit = shared.long_run_digit[k % 2][i];
      auto const run_begin = static_cast<int>(begins[digit]);
      auto const run_end = static_cast<int>(begins[digit + 1]);
      int const pieces = (run_end - run_begin + piece - 1) / piece;
      for (; next < pieces; next += warps) {
        int const from = run_begin + next * piece;
        int const to = from + piece < run_end ? from + piece : run_end;
        write_run(shared, work, tile, from, to, shifts[digit]);
      }
      next -= pieces;
    }
  }

 private:
  /// Two runs of the sorted tile, to their places by `shift`; both are in flight together.
  static __device__ __forceinline__ void write_two_runs(shared_storage& shared,
                                                        work_type const& work, int tile,
                                                        int const (&begin)[2], int const (&end)[2],
                                                        index_t const (&shift)[2]) {
    auto const key = [&](int i) { return shared.sorted.key[i]; };
    using key_writer = run_writer<key_type, Shape::template run_rows<key_type>>;
    key_writer one(work.keys_out + shift[0], begin[0], end[0]);
    key_writer two(work.keys_out + shift[1], begin[1], end[1]);
    one.load(key);
    two.load(key);
    one.store();
    two.store();
    one.rest(key);
    two.rest(key);
    if constexpr (Shape::has_values) {
      with_values(shared, work, tile, [&](auto value) {
        using value_writer = run_writer<value_type, Shape::template run_rows<value_type>>;
        value_writer third(work.values_out + shift[0], begin[0], end[0]);
        value_writer fourth(work.values_out + shift[1], begin[1], end[1]);
        third.load(value);
        fourth.load(value);
        third.store();
        fourth.store();
        third.rest(value);
        fourth.rest(value);
      });
    }
  }

  /// Sorted items begin ... end - 1, to their places by `shift`.
  static __device__ __forceinline__ void write_run(shared_storage& shared, work_type const& work,
                                                   int tile, int begin, int end, index_t shift) {
    device::store_run(work.keys_out + shift, begin, end,
                      [&](int i) { return shared.sorted.key[i]; });
    if constexpr (Shape::has_values) {
      with_values(shared, work, tile, [&](auto value) {
        device::store_run(work.values_out + shift, begin, end, value);
      });
    }
  }

  /// Calls body(value), where value(i) is that of item i of the sorted tile. Values are where they
  /// were in the tile; the sorted tile has their positions.
  template <class Body>
  static __device__ __forceinline__ void with_values(shared_storage& shared, work_type const& work,
                                                     int tile, Body body) {
    if constexpr (std::is_integral_v<value_type> && sizeof(value_type) >= 4) {
      if (work.values_in == nullptr) {
        index_t const base = work.items.value_base(tile);
        return body(
            [&](int i) { return static_cast<value_type>(base + shared.sorted.position[i]); });
      }
    }
    value_type const* const staged = shared.values.items(work.values_of(tile));
    body([&](int i) { return staged[shared.sorted.position[i]]; });
  }
};

/// The work of a pass. Tiles are assigned to the blocks in turn, so all blocks must be resident.
/// The warps of a block have four roles, and pass each tile on:
///   rank       takes the keys from the stage that bulk copies fill, counts them, and sorts them by
///              their digit in shared memory: the next tile while other warps write this one
///   look back  finds how many items of each digit come before the tile
///   write      copies each digit's run to its place
///   check      compares neighbors in the sorted tile. If any are out of order it puts the tile in
///              order and writes it once more, before the ranking warps may reuse its memory.
template <class Shape>
class staged_pass {
  using shape = Shape;
  using shared_storage = typename shape::shared_storage;
  using work_type = typename shape::work_type;

 public:
  /// By all threads of all blocks. Clears the table of the next pass, too.
  static __device__ __forceinline__ void run(shared_storage& shared, work_type const& work,
                                             digit_table const& next) {
    if (threadIdx.x == 0) {
      shape::init_barriers(shared);
      // Byte for byte: an order need not be assignable.
      static_assert(std::is_trivially_copyable_v<work_type>,
                    "libscan: the order of a device sort must be trivially copyable");
      std::memcpy(static_cast<void*>(__builtin_addressof(shared.work)),
                  static_cast<void const*>(__builtin_addressof(work)), sizeof work);
      if (static_cast<int>(blockIdx.x) < work.tiles) shape::fetch_keys(shared, work, blockIdx.x);
    }
    simt::sync_block();
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    // The ranking warps hold a tile's keys in registers; the others need few.
    if constexpr (shape::moves_registers) {
      if (warp < shape::first_write_warp) {
        simt::set_max_registers_inc<shape::rank_registers>();
      } else {
        simt::set_max_registers_dec<shape::other_registers>();
      }
    }
    if (warp < shape::first_write_warp) {
      rank_role<shape>::run(shared, shared.work, warp);
    } else if (warp < shape::first_look_back_warp) {
      clear_share(next);
      write_role<shape>::run(shared, work, warp - shape::first_write_warp);
    } else if (warp < shape::first_check_warp) {
      place_tiles(shared, work, warp - shape::first_look_back_warp);
    } else {
      check_tiles(shared, work, warp - shape::first_check_warp);
    }
  }

 private:
  /// Clears the next pass's table, by the writing warps, which have no work at first.
  static __device__ void clear_share(digit_table const& next) {
    constexpr int threads = shape::write_warps * simt::warp_size;
    int const thread = static_cast<int>(threadIdx.x) - shape::first_write_warp * simt::warp_size;
    next.clear(index_t{blockIdx.x} * threads + thread, index_t{gridDim.x} * threads);
  }

  /// Finds where each digit's items of the block's tiles go. Each of the warps takes its share of
  /// the digits.
  static __device__ void place_tiles(shared_storage& shared, work_type const& work, int warp) {
    constexpr int lane_digits = shape::lane_digits;
    constexpr int distance = shape::look_back_warps * simt::warp_size;
    int const first = warp * simt::warp_size + simt::lane_id();
    index_t start[lane_digits];
    auto const load_starts = [&](int tile) {
#pragma unroll
      for (int j = 0; j < lane_digits; ++j) start[j] = work.items.begin(tile, first + j * distance);
    };
    constexpr bool one_segment = shape::tiles_type::one_segment;
    if constexpr (one_segment) load_starts(0);
    unsigned k = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < work.tiles;
         tile += static_cast<int>(gridDim.x), ++k) {
      unsigned const slot = k % 2;
      if constexpr (!one_segment) load_starts(tile);
      shared.counted[slot].wait(k / 2 % 2);
      unsigned before[lane_digits];
      bool const leads = work.items.leads(tile);
      look_back(work.table, tile, leads, first, before);
#pragma unroll
      for (int j = 0; j < lane_digits; ++j) {
        int const digit = first + j * distance;
        unsigned const begin = shared.begin[slot][digit];
        unsigned const end = shared.begin[slot][digit + 1];
        unsigned const up_to = before[j] + (end - begin);
        if (!leads) work.table.publish_prefix(tile, digit, up_to);
        shared.shift[slot][digit] = start[j] + before[j] - begin;
        if constexpr (one_segment) {
          if (tile == work.tiles - 1) {
            work.items.next_begins[digit] = static_cast<unsigned long long>(start[j] + up_to);
          }
        }
      }
      shared.placed[slot].arrive();
    }
  }

  /// before[j] = how many items of digit first + j * (lanes that look back) earlier tiles have.
  /// Reads a few tiles at a time, so that the reads are in flight together.
  static __device__ __forceinline__ void look_back(digit_table const& table, int tile, bool leads,
                                                   int first,
                                                   unsigned (&before)[shape::lane_digits]) {
    constexpr int lane_digits = shape::lane_digits;
    constexpr int distance = shape::look_back_warps * simt::warp_size;
    constexpr int window = shape::tuning::look_back_tiles;
    int next[lane_digits];
#pragma unroll
    for (int j = 0; j < lane_digits; ++j) {
      before[j] = 0;
      next[j] = tile - 1;
    }
    for (bool searching = !leads; searching;) {
      unsigned word[lane_digits][window];
#pragma unroll
      for (int j = 0; j < lane_digits; ++j) {
#pragma unroll
        for (int t = 0; t < window; ++t) {
          word[j][t] = 0;
          if (next[j] >= t) word[j][t] = table.read(next[j] - t, first + j * distance);
        }
      }
      searching = false;
#pragma unroll
      for (int j = 0; j < lane_digits; ++j) {
        bool reading = next[j] >= 0;
#pragma unroll
        for (int t = 0; t < window; ++t) {
          reading = reading && digit_table::is_there(word[j][t]);
          if (!reading) continue;
          before[j] += digit_table::count_of(word[j][t]);
          --next[j];
          if (digit_table::is_prefix(word[j][t])) {
            next[j] = -1;
            reading = false;
          }
        }
        searching = searching || next[j] >= 0;
      }
    }
  }

  /// Checks the sorted tiles, each warp its share; the first repairs them.
  static __device__ void check_tiles(shared_storage& shared, work_type const& work, int warp) {
    constexpr int share = shape::tile_items / shape::check_warps;
    static_assert(share % 16 == 0 && share * shape::check_warps == shape::tile_items);
    unsigned k = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < work.tiles;
         tile += static_cast<int>(gridDim.x), ++k) {
      int const valid = work.valid(tile);
      if (shape::has_values && warp == 0) complete_values(shared, work, tile, k);
      shared.sorted_full.wait(k % 2);
      bool const good =
          shared.sorted.ascends(work.order, work.place, warp * share, (warp + 1) * share, valid);
      if (simt::lane_id() == 0) shared.in_order[warp] = good;
      shared.checked.arrive();
      if (warp == 0) {
        shared.checked.wait(k % 2);
        bool all_good = true;
        for (bool const part : shared.in_order) all_good = all_good && part;
        if (!all_good) {
          shared.written.wait(k % 2);  // what it writes comes after what they wrote
          shared.sorted.repair(work.order, work.place, valid);
          write_role<shape>::write_runs(shared, work, tile, k, 0, 1);
        }
      }
      shared.sorted_free.arrive();
    }
  }

  /// Copies the values that the copy of a tile omitted.
  static __device__ void complete_values(shared_storage& shared, work_type const& work, int tile,
                                         unsigned k) {
    shared.values_full.wait(k % 2);
    if (work.values_in != nullptr) {
      int const valid = work.valid(tile);
      shared.values.template copy_edges<4>(work.values_of(tile), valid, 0, valid);
    }
    shared.values_ready.arrive();
  }
};

/// A pass over all items of a sort, or a portion of them.
template <class Order, class Value, tile_witness Witness, class Tuning>
struct staged_pass_kernel {
  using shape = staged_pass_shape<Order, Value, Witness, Tuning>;
  using shared_storage = typename shape::shared_storage;
  using key_type = typename Order::key_type;
  static constexpr int block_threads = shape::block_threads;
  static constexpr int resident_blocks = 1;
  static constexpr bool cooperative = true;
  static constexpr int tile_items = shape::tile_items;
  static constexpr index_t portion_items = shape::portion_items;

  __device__ void operator()(shared_storage& shared, item_count length, Order order,
                             sort_buffers<key_type> keys, sort_buffers<Value> values,
                             sort_state state, pass_launch pass) const {
    if constexpr (simt::has_bulk_copy) {
      sort_step const step = state.steps[pass.index];
      if (step.runs == 0) return;
      index_t const n = length.get();
      index_t const turn = step.passes_before * pass.portions + pass.portion;
      index_t const first = pass.portion * portion_items;
      index_t const rest = n - first < portion_items ? n - first : portion_items;
      typename shape::work_type work{
          {n, first, state.begins(pass.index, pass.portion),
           state.begins(pass.index, pass.portion + 1)},
          static_cast<int>(rest > 0 ? ceil_div(rest, index_t{tile_items}) : 0),
          order,
          pass.place,
          device::source_of(step, keys),
          device::target_of(step, keys),
          nullptr,
          nullptr,
          state.table(turn)};
      if constexpr (shape::has_values) {
        work.values_in = device::source_of(step, values);
        work.values_out = device::target_of(step, values);
      }
      staged_pass<shape>::run(shared, work, state.table(turn + 1));
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
