// SPDX-License-Identifier: Apache-2.0
// The writing warps of a staged pass: they copy each digit's run of the sorted tile to its place.
#pragma once

#include <type_traits>

#include <apps/radix_sort/device/staged_shape.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

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
    int const digits = static_cast<int>(shared.long_items[k % 2]) == work.valid(tile)
                           ? 0
                           : 1 << work.pass.place.bits;
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
    index_t const base = work.base(tile);
    if constexpr (std::is_integral_v<value_type> && sizeof(value_type) >= 4) {
      if (work.values_in == nullptr) {
        return body(
            [&](int i) { return static_cast<value_type>(base + shared.sorted.position[i]); });
      }
    }
    value_type const* const staged = shared.values.items(work.values_in + base);
    body([&](int i) { return staged[shared.sorted.position[i]]; });
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
