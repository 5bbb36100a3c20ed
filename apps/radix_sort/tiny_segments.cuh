// SPDX-License-Identifier: Apache-2.0
// The sort of tiny segments, of up to 32 items: a warp takes 32 segments in a row, and each lane
// sorts one of them in its registers. On the way those who sort longer ones are told of them.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/lane_sort.cuh>
#include <apps/radix_sort/longer_segments.cuh>
#include <apps/radix_sort/shared_counter.cuh>
#include <apps/radix_sort/sort_plan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Sorts the segments of every warp that has none of more than `most_lane_items`; has all others
/// sorted together with what begins near them, and tells of long ones.
template <class Order, class Value, class Offset>
struct tiny_segments_kernel {
  using key_type = typename Order::key_type;
  using word_type = typename Order::word_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  static constexpr int block_threads = 128;
  static constexpr int resident_blocks = sizeof(word_type) <= 4 ? 5 : 3;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int most_items = simt::warp_size * most_lane_items;  // of a warp
  static constexpr bool by_words = Order::words == 1;                   // or by looking at two keys

  using entry = std::conditional_t<sizeof(word_type) == 1, std::uint16_t, word_type>;

  /// Of a warp. Segments of an even length are moved up by one entry, with all behind them: so that
  /// of lanes whose segments are of one length at most two meet in a bank.
  struct warp_storage {
    entry table[most_items + simt::warp_size];  // words, then which item comes to each place
    unsigned gaps[simt::warp_size];             // bits: the items that have one before them
  };
  struct shared_storage {
    warp_storage of_warp[warps];
  };

  /// The segment of a lane, relative to the warp's first item, and how many items the warp has.
  struct lane_segment {
    index_t base;
    int items;
    int begin;
    int length;
    int entries;  // where those of the segment begin
  };

  __device__ void operator()(shared_storage& shared, segment_list<Offset> segments,
                             longer_segments longer, index_t n, Order order,
                             sort_buffers<key_type> keys, sort_buffers<Value> values) const {
    index_t const segment = index_t{blockIdx.x} * block_threads + threadIdx.x;
    lane_segment const own = take(segments, longer, n, segment);
    if (own.items == 0) return;
    warp_storage& of_warp = shared.of_warp[threadIdx.x / simt::warp_size];
    mark_gaps(of_warp.gaps, own);
    if constexpr (by_words) load(of_warp, own.items, order, keys.in + own.base);
    sort(of_warp.table + own.entries, own, order, keys.in + own.base);
    simt::sync_warp();
    move(of_warp, own.items, keys.in + own.base, keys.out + own.base);
    if constexpr (has_values) {
      move(of_warp, own.items, values.in + own.base, values.out + own.base);
    }
  }

 private:
  /// Segment s, if it is there; no items if the warp's are left to others.
  static __device__ lane_segment take(segment_list<Offset> const& segments,
                                      longer_segments const& longer, index_t n, index_t s) {
    bool const is_there = s < segments.count;
    index_t const begin = is_there ? segments.begin(s) : 0;
    index_t const end = is_there ? segments.end(s) : 0;
    index_t const length = end - begin;
    index_t before = simt::shfl_up(simt::full_warp, begin, 1);
    if (simt::lane_id() == 0) before = is_there && s > 0 ? segments.begin(s - 1) : -1;
    if (is_there) longer.place(s, before, begin, s + 1 < segments.count ? end : n, n);
    if (simt::any(simt::full_warp, length > most_lane_items)) {
      if (length > longer.stretch_items) {
        longer.add(s, length);
      } else if (length > 0) {
        longer.mark(begin);
      }
      return {0, 0, 0, 0, 0};
    }
    index_t const base = simt::shfl(simt::full_warp, begin, 0);
    auto const items = static_cast<int>(
        simt::reduce_max(simt::full_warp, is_there ? static_cast<unsigned>(end - base) : 0));
    auto const first = static_cast<int>(is_there ? begin - base : 0);
    unsigned const gaps =
        simt::ballot(simt::full_warp, has_gap(static_cast<int>(length))) & simt::lanemask_le();
    return {base, items, first, static_cast<int>(length), first + simt::popc(gaps)};
  }

  static __device__ bool has_gap(int length) { return length > 0 && length % 2 == 0; }

  /// Ends with a barrier of the warp.
  static __device__ void mark_gaps(unsigned* gaps, lane_segment const& own) {
    gaps[simt::lane_id()] = 0;
    simt::sync_warp();
    if (has_gap(own.length)) {
      add_to_counter(gaps[own.begin / simt::warp_size], 1u << own.begin % simt::warp_size);
    }
    simt::sync_warp();
  }

  /// Finds the entries of a lane's items, row by row.
  class entry_finder {
   public:
    explicit __device__ entry_finder(unsigned const* gaps) : gaps_(gaps) {}

    /// Of the lane's item in the next row.
    __device__ __forceinline__ int next() {
      unsigned const gaps = gaps_[row_];
      int const before = passed_ + simt::popc(gaps & simt::lanemask_le());
      passed_ += simt::popc(gaps);
      return row_++ * simt::warp_size + simt::lane_id() + before;
    }

   private:
    unsigned const* gaps_;
    int row_ = 0;
    int passed_ = 0;
  };

  /// Ends with a barrier of the warp.
  static __device__ void load(warp_storage& of_warp, int items, Order const& order,
                              key_type const* in) {
    constexpr int at_once = items_on_their_way<key_type>;
    word_type const counting = order.counting(0);
    entry_finder entries(of_warp.gaps);
    for (int from = simt::lane_id(); from - simt::lane_id() < items;
         from += at_once * simt::warp_size) {
      key_type key[at_once] = {};
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const i = from + k * simt::warp_size;
        if (i < items) key[k] = in[i];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const at = entries.next();
        if (from + k * simt::warp_size >= items) continue;
        of_warp.table[at] = static_cast<entry>(order.word(key[k]) & counting);
      }
    }
    simt::sync_warp();
  }

  /// Turns the words of the caller's segment into the order of its items.
  static __device__ void sort(entry* own_table, lane_segment const& own, Order const& order,
                              key_type const* in) {
    if constexpr (by_words) {
      with_width(own.length, [&](auto width) {
        sort_words<width, word_type>(
            own.length, [&](int j) { return static_cast<word_type>(own_table[j]); },
            [&](int j, word_type, int place) {
              own_table[j] = static_cast<entry>(own.begin + place);
            });
      });
    } else {
      sort_places(
          own.length, order, [&](int j) { return in[own.begin + j]; },
          [&](int j) -> entry& { return own_table[j]; });
      for (int j = 0; j < own.length; ++j) own_table[j] += static_cast<entry>(own.begin);
    }
  }

  /// Moves keys or values from where the table says.
  template <class T>
  static __device__ void move(warp_storage const& of_warp, int items, T const* in, T* out) {
    constexpr int at_once = items_on_their_way<T>;
    entry_finder entries(of_warp.gaps);
    for (int from = simt::lane_id(); from - simt::lane_id() < items;
         from += at_once * simt::warp_size) {
      T moved[at_once] = {};
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const at = entries.next();
        if (from + k * simt::warp_size < items) moved[k] = in[static_cast<int>(of_warp.table[at])];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const i = from + k * simt::warp_size;
        if (i < items) out[i] = moved[k];
      }
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
