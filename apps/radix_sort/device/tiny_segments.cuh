// SPDX-License-Identifier: Apache-2.0
// The sort of tiny segments, of up to 64 items, or 16 if their keys are several words: a warp takes
// 32 consecutive segments, and each lane, or each pair of lanes, sorts one of them in registers. It
// also records longer segments for the kernels that sort them.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/device/lane_sort.cuh>
#include <apps/radix_sort/device/longer_segments.cuh>
#include <apps/radix_sort/device/shared_counter.cuh>
#include <apps/radix_sort/device/sort_plan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Sorts the segments of every warp that has none with more than `max_of_segment` items; marks all
/// others to be sorted together with their neighbors, and records long ones.
template <class Order, class Value, class Offset>
struct tiny_segments_kernel {
  using key_type = typename Order::key_type;
  using word_type = typename Order::word_type;
  static constexpr bool has_values = !std::is_void_v<Value>;
  static constexpr int block_threads = 128;
  static constexpr int resident_blocks = sizeof(word_type) <= 4 ? 7 : has_values ? 3 : 4;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr bool by_words = Order::words == 1;
  static constexpr bool sorts_words_only = may_sort_alone<Order, Value>;
  static constexpr int lane_items = by_words ? 32 : 8;  // that a lane sorts, at most
  static constexpr int max_lanes = 2;                   // that sort a segment
  static constexpr int max_of_segment = lane_items * max_lanes;
  static constexpr int rows = lane_items;  // of 32 items of a part

  using entry = std::conditional_t<!by_words || sizeof(word_type) == 1, std::uint16_t, word_type>;

  /// Storage of a warp. Segments of an even length are moved up by one entry, with all after them,
  /// so that of lanes with segments of one length at most two access the same bank.
  struct warp_storage {
    entry table[(rows + 1) * simt::warp_size];  // words, then which item comes to each place
    unsigned gaps[rows];                        // bits: the items that have one before them
  };
  struct shared_storage {
    warp_storage of_warp[warps];
  };

  /// The segments of a warp; the caller's is [begin, end), in items from `first` on.
  struct warp_segments {
    index_t first;
    int begin;
    int end;

    __device__ unsigned length() const { return static_cast<unsigned>(end - begin); }
  };

  /// What a warp sorts at once: one segment by every lane, or every `lanes` lanes.
  struct warp_part {
    int base;  // its first item, of the warp's
    int items;
    int lanes;
    int begin;  // of the caller's segment, in items from `base` on
    int length;
    int entries;  // where those of the segment begin
  };

  __device__ void operator()(shared_storage& shared, segment_list<Offset> segments,
                             longer_segments longer, index_t n, Order order,
                             sort_buffers<key_type> keys, sort_buffers<Value> values) const {
    index_t const segment = index_t{blockIdx.x} * block_threads + threadIdx.x;
    warp_segments const own = take(segments, longer, n, segment);
    unsigned const longest = simt::reduce_max(simt::full_warp, own.length());
    if (longest == 0) return;
    int lanes = 1;
    while (longest > static_cast<unsigned>(lane_items * lanes)) lanes *= 2;
    warp_storage& of_warp = shared.of_warp[threadIdx.x / simt::warp_size];
#pragma unroll 1
    for (int first = 0; first < simt::warp_size; first += simt::warp_size / lanes) {
      warp_part const part = part_from(of_warp.gaps, own, first, lanes);
      sort_part(of_warp, part, longest, own.first + part.base, order, keys, values);
    }
  }

 private:
  /// The warp's segments; s is the caller's, if it exists. Empty if they are left to other kernels.
  static __device__ warp_segments take(segment_list<Offset> const& segments,
                                       longer_segments const& longer, index_t n, index_t s) {
    bool const is_there = s < segments.count;
    index_t const begin = is_there ? segments.begin(s) : 0;
    index_t const end = is_there ? segments.end(s) : 0;
    index_t const length = end - begin;
    index_t before = simt::shfl_up(simt::full_warp, begin, 1);
    if (simt::lane_id() == 0) before = is_there && s > 0 ? segments.begin(s - 1) : -1;
    if (is_there) longer.place(s, before, begin, s + 1 < segments.count ? end : n, n);
    if (simt::any(simt::full_warp, length > max_of_segment)) {
      if (length > longer.stretch_items) {
        longer.add(s, length);
      } else if (length > 0) {
        longer.mark(begin);
      }
      return {0, 0, 0};
    }
    index_t const first = simt::shfl(simt::full_warp, begin, 0);
    if (length == 0) return {first, 0, 0};
    return {first, static_cast<int>(begin - first), static_cast<int>(end - first)};
  }

  /// The part of the warp's segments that begins with that of lane `first`. Ends with a barrier of
  /// the warp.
  static __device__ warp_part part_from(unsigned* gaps, warp_segments const& own, int first,
                                        int lanes) {
    int const which = first + simt::lane_id() / lanes;
    int const end = simt::shfl(simt::full_warp, own.end, which);
    int begin = simt::shfl(simt::full_warp, own.begin, which);
    int const length = end - begin;
    unsigned const part_end = simt::reduce_max(simt::full_warp, static_cast<unsigned>(end));
    auto const base = static_cast<int>(
        simt::reduce_min(simt::full_warp, length > 0 ? static_cast<unsigned>(begin) : part_end));
    auto const items = static_cast<int>(part_end) - base;
    begin -= base;
    bool const has_gap = length > 0 && length % 2 == 0 && simt::lane_id() % lanes == 0;
    unsigned const before = simt::ballot(simt::full_warp, has_gap) & simt::lanemask_le();
    for (int row = simt::lane_id(); row < rows; row += simt::warp_size) gaps[row] = 0;
    simt::sync_warp();
    if (has_gap) add_to_counter(gaps[begin / simt::warp_size], 1u << begin % simt::warp_size);
    simt::sync_warp();
    return {base, items, lanes, begin, length, begin + simt::popc(before)};
  }

  /// Ends with a barrier of the warp.
  static __device__ void sort_part(warp_storage& of_warp, warp_part const& part, unsigned longest,
                                   index_t base, Order const& order,
                                   sort_buffers<key_type> const& keys,
                                   sort_buffers<Value> const& values) {
    key_type const* const in = keys.in + base;
    bool keys_recoverable = false;
    if constexpr (by_words) keys_recoverable = load(of_warp, part.items, order, in);
    auto const sort = [&](auto item_at, auto entry_of) {
      device::with_width<lane_items>(longest, [&](auto width) {
        device::sort_by_lanes<width>(
            part.lanes, part.length, item_at, [&](int i, auto const& sorted) {
              of_warp.table[part.entries + i] = static_cast<entry>(entry_of(sorted));
            });
      });
      simt::sync_warp();
    };
    auto const word_at = [&](int i) {
      return static_cast<word_type>(of_warp.table[part.entries + i]);
    };
    if constexpr (sorts_words_only) {
      if (keys_recoverable) {
        sort([&](int i) { return lone_word(word_at(i)); },
             [](auto const& sorted) { return sorted.word(); });
        store(of_warp, part.items, order, keys.out + base);
        simt::sync_warp();
        return;
      }
    }
    auto const entry_of = [&](auto const& sorted) { return part.begin + sorted.place(); };
    if constexpr (by_words) {
      sort([&](int i) { return placed_word(word_at(i), i); }, entry_of);
    } else {
      sort([&](int i) { return placed_words<Order>(order, in[part.begin + i], i); }, entry_of);
    }
    move_items(of_warp, part.items, in, keys.out + base);
    if constexpr (has_values) {
      move_items(of_warp, part.items, values.in + base, values.out + base);
    }
    simt::sync_warp();
  }

  /// Finds the entries of a lane's items, row by row.
  class entry_finder {
   public:
    explicit __device__ entry_finder(unsigned const* gaps) : gaps_(gaps) {}

    /// The entry of the lane's item in the next row.
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

  /// Returns whether the keys of the warp can be recovered from the words. Ends with a barrier of
  /// the warp.
  static __device__ bool load(warp_storage& of_warp, int items, Order const& order,
                              key_type const* in) {
    constexpr int at_once = items_in_flight<key_type>;
    word_type const counting = order.counting(0);
    entry_finder entries(of_warp.gaps);
    bool keys_recoverable = sorts_words_only && order.has_all_bits();
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
        word_type const word = order.word(key[k]);
        of_warp.table[at] = static_cast<entry>(word & counting);
        if constexpr (sorts_words_only) {
          if (keys_recoverable)
            keys_recoverable = device::recoverable_from_word(order, key[k], word);
        }
      }
    }
    simt::sync_warp();
    return simt::all(simt::full_warp, keys_recoverable);
  }

  /// Moves keys or values from their places in the table.
  template <class T>
  static __device__ void move_items(warp_storage const& of_warp, int items, T const* in, T* out) {
    constexpr int at_once = items_in_flight<T>;
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

  /// Stores the keys recovered from the words.
  static __device__ void store(warp_storage const& of_warp, int items, Order const& order,
                               key_type* out) {
    constexpr int at_once = items_in_flight<key_type>;
    entry_finder entries(of_warp.gaps);
    for (int from = simt::lane_id(); from - simt::lane_id() < items;
         from += at_once * simt::warp_size) {
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        int const at = entries.next();
        int const i = from + k * simt::warp_size;
        if (i < items) out[i] = order.key(static_cast<word_type>(of_warp.table[at]));
      }
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
