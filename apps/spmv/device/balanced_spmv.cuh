// SPDX-License-Identifier: Apache-2.0
// The production product of matrix and vector: every warp gets the same number of entries and rows
// together (Merrill & Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication", 2016),
// and processes them independently. The next entries and row ends are loaded while it adds.
#pragma once

#include <apps/spmv/device/row_ends.cuh>
#include <apps/spmv/device/span_sums.cuh>
#include <libscan/baseline_spmv.cuh>
#include <libscan/simt/simt.cuh>
#include <libscan/tuning/spmv.hpp>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// Sums of up to 32 rows' products from a window in shared memory, by one warp: short rows each by a
// lane, longer ones by a segmented scan of the window (Blelloch, Heroux & Zagha 1993).

/// A window of PerLane products per lane. `ShortRow`: the most products that a lane adds by itself.
template <class T, int PerLane, int ShortRow>
struct window_sums {
  static constexpr int window = PerLane * simt::warp_size;
  static constexpr int flag_words = PerLane / 4;  // of a lane: a byte per product
  static constexpr int vector_items = sizeof(T) >= 16 ? 1 : static_cast<int>(16 / sizeof(T));
  static_assert(PerLane % 4 == 0 && PerLane % vector_items == 0);

  struct storage {
    alignas(16) T products[window];
    T sums[window];                                // up to the ends of rows
    unsigned heads[flag_words * simt::warp_size];  // bytes: 1 where a row begins
  };

  /// Call it first. Orders no memory.
  static __device__ __forceinline__ void reset(storage& shared) {
#pragma unroll
    for (int w = 0; w < flag_words; ++w) shared.heads[lane_word(w)] = 0;
  }

  /// Stores a window; lane l holds products l, l + 32, ...
  static __device__ __forceinline__ void stage(storage& shared, T const (&products)[PerLane]) {
#pragma unroll
    for (int j = 0; j < PerLane; ++j) {
      shared.products[j * simt::warp_size + simt::lane_id()] = products[j];
    }
    simt::sync_warp();
  }

  /// Each lane's sum of the products [begin, end) of the window; lanes ascend and do not overlap.
  /// All lanes call. The products are kept.
  template <class Op>
  static __device__ __forceinline__ T sum(storage& shared, int begin, int end, Op add) {
    auto const length = static_cast<unsigned>(end - begin);
    unsigned const longest = simt::reduce_max(simt::full_warp, length);
    if (longest <= ShortRow) return sum_alone(shared, begin, length, longest, add);
    return sum_by_scan(shared, begin, end, add);
  }

 private:
  static __device__ __forceinline__ int lane_word(int w) {
    return simt::lane_id() * flag_words + w;
  }

  template <class Op>
  static __device__ __forceinline__ T sum_alone(storage const& shared, int begin, unsigned length,
                                                unsigned longest, Op add) {
    constexpr unsigned at_once = 4;
    T total = add.identity();
#pragma unroll
    for (unsigned k = 0; k < ShortRow; k += at_once) {
      if (k >= longest) break;
      T some[at_once];
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {
        some[i] = add.identity();
        if (k + i < length) some[i] = shared.products[static_cast<unsigned>(begin) + k + i];
      }
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) total = add(total, some[i]);
    }
    return total;
  }

  template <class Op>
  static __device__ __forceinline__ T sum_by_scan(storage& shared, int begin, int end, Op add) {
    T const nothing = add.identity();
    // 1 mark where rows begin, and where the last ends
    auto* const marks = reinterpret_cast<unsigned char*>(shared.heads);
    if (end > begin && end < window) marks[end] = 1;
    if (simt::lane_id() == 0 && begin > 0) marks[begin] = 1;
    simt::sync_warp();

    // 2 scan the lane's own products, which are now adjacent; keep those that rows may end with
    unsigned heads[flag_words];
#pragma unroll
    for (int w = 0; w < flag_words; ++w) {
      heads[w] = shared.heads[lane_word(w)];
      shared.heads[lane_word(w)] = 0;
    }
    T items[PerLane];
    load(shared, items);
    T* const sums = shared.sums + simt::lane_id() * PerLane;
    bool any = (heads[0] & 1u) != 0;
    T total = items[0];
#pragma unroll
    for (int j = 1; j < PerLane; ++j) {
      bool const head = (heads[j / 4] >> j % 4 * 8 & 1u) != 0;
      if (head) sums[j - 1] = total;
      T const longer = add(total, items[j]);
      total = head ? items[j] : longer;
      any = any || head;
    }
    sums[PerLane - 1] = total;

    // 3 scan the lanes' last sums, for lanes whose first row began earlier
    unsigned const with_heads = simt::ballot(simt::full_warp, any) | 1u;
    int const distance_of_head =
        simt::lane_id() - (simt::warp_size - 1 - simt::clz(with_heads & simt::lanemask_le()));
#pragma unroll
    for (int distance = 1; distance < simt::warp_size; distance *= 2) {
      T const earlier = simt::shfl_up(simt::full_warp, total, distance);
      T const longer = add(earlier, total);
      if (distance <= distance_of_head) total = longer;
    }
    T const before = simt::shfl_up(simt::full_warp, total, 1);
    simt::sync_warp();

    // 4 pick each row's own
    int const last = end > begin ? end - 1 : 0;
    int const owner = last / PerLane;
    T const entering = simt::shfl(simt::full_warp, before, owner);
    T own = nothing;
    if (end > begin) own = shared.sums[last];
    T const all = add(entering, own);
    return end > begin && begin < owner * PerLane ? all : own;
  }

  static __device__ __forceinline__ void load(storage const& shared, T (&items)[PerLane]) {
#pragma unroll
    for (int j = 0; j < PerLane; j += vector_items) {
      auto const row =
          simt::load_vector<vector_items>(shared.products + simt::lane_id() * PerLane + j);
#pragma unroll
      for (int i = 0; i < vector_items; ++i) items[j + i] = row.item[i];
    }
  }
};

/// A window's entries while they are loaded: lane l has entries l, l + 32, ...
template <class Value, int PerLane>
struct window_entries {
  std::int32_t columns[PerLane];
  Value values[PerLane];

  /// Requests the window whose first entry for this lane is at the pointers. `left`: the number of
  /// entries from there on; past the last one, the last again.
  __device__ __forceinline__ void request(std::int32_t const* columns_from,
                                          Value const* values_from, int left) {
    if (left > (PerLane - 1) * simt::warp_size + simt::warp_size - 1 - simt::lane_id()) {
#pragma unroll
      for (int j = 0; j < PerLane; ++j) {
        columns[j] = read_once(columns_from + j * simt::warp_size);
        if constexpr (has_values) values[j] = device::read_once(values_from + j * simt::warp_size);
      }
      return;
    }
#pragma unroll
    for (int j = 0; j < PerLane; ++j) {
      int const at = j * simt::warp_size < left ? j * simt::warp_size : left - 1;
      columns[j] = read_once(columns_from + at);
      if constexpr (has_values) values[j] = device::read_once(values_from + at);
    }
  }

  /// Each entry times its component of x.
  template <class X, class S, class T>
  __device__ __forceinline__ void multiply(X const* x, S s, T (&products)[PerLane]) const {
    X components[PerLane];
#pragma unroll
    for (int j = 0; j < PerLane; ++j) components[j] = x[columns[j]];
#pragma unroll
    for (int j = 0; j < PerLane; ++j) {
      products[j] = libscan::as_number<T>(components[j]);
      if constexpr (has_values)
        products[j] = s.multiply(libscan::as_number<T>(values[j]), products[j]);
    }
  }

 private:
  static constexpr bool has_values = !std::is_same_v<Value, no_values>;
};

/// Each warp processes one span, window after window. Positions are relative to the span's first
/// entry, rounded down to 32; rows to its first row. The matrix has entries. `Layout` gives the
/// begins of spans: `searched_spans` or a plan's.
template <class Layout, class Value, class Offset, class X, class Y, class S, class Tuning>
struct balanced_spmv_kernel {
  using T = typename S::value_type;
  using matrix_type = csr_matrix<Value, Offset>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int per_lane = Tuning::items_per_lane;
  static constexpr int window = per_lane * simt::warp_size;
  static constexpr int warps = block_threads / simt::warp_size;
  using sums_type = window_sums<T, per_lane, Tuning::short_row>;

  struct warp_storage {
    typename sums_type::storage sums;
    typename Layout::ends_type::ring ends;
  };
  struct shared_storage {
    warp_storage of_warp[warps];
  };

  __device__ void operator()(shared_storage& shared, Layout layout, matrix_type matrix, X const* x,
                             row_result<Y, S> out, span_sums<T> spans) const {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    index_t const span = index_t{blockIdx.x} * warps + warp;
    if (span < spans.spans) walk(shared.of_warp[warp], layout, matrix, x, out, spans, span);
  }

  static __device__ __forceinline__ void walk(warp_storage& shared, Layout const& layout,
                                              matrix_type const& matrix, X const* x,
                                              row_result<Y, S> const& out,
                                              span_sums<T> const& spans, index_t span) {
    typename S::sum_type const add;
    T const nothing = add.identity();
    int const lane = simt::lane_id();

    // 1 find the span's first row and entry
    index_t const all = matrix.rows + matrix.nonzeros;
    index_t const begin = span * spans.items;
    int const items = static_cast<int>(at_most(all - begin, spans.items));
    span_start const start = layout.start(span, begin, items);
    int const first = static_cast<int>(start.entry % simt::warp_size);
    index_t const base = start.entry - first;
    int const last = items + first;  // the span ends where position + row equals this
    int const entries = static_cast<int>(at_most(matrix.nonzeros - base, index_t{last}));

    index_t from = base + lane;
    window_entries<Value, per_lane> ahead;
    ahead.request(matrix.indices + from, matrix.values + from, entries - lane);
    sums_type::reset(shared.sums);
    auto ends = layout.ends(shared.ends, start, base, first);
    if (lane == 0) spans.closed[span] = -1;

    T open = nothing;  // the lane's share of the row that has begun and not ended
    int row = 0;
    for (int position = 0; position + row < last; position += window) {
      // 2 fetch the components of x, request the next entries
      int const end = at_most(entries, last - row);
      int const window_end = position + window;
      T products[per_lane];
      ahead.multiply(x, out.s, products);
      if (position < first || window_end > end) clear(products, first - position, end - position);
      from += window;
      if (window_end < end) {
        ahead.request(matrix.indices + from, matrix.values + from, end - window_end - lane);
      }

      // 3 add to the open row if all entries are its own
      ends.need(row);
      int const next_end = ends[row];
      if (next_end > window_end || next_end + row >= last) {
#pragma unroll
        for (int j = 0; j < per_lane; ++j) open = add(open, products[j]);
        continue;
      }

      // 4 or sum the rows that end in the window
      sums_type::stage(shared.sums, products);
      T carry = device::sum_of_lanes(open, add);
      int ended;
      do {
        ends.need(row);
        int const own = row + lane;
        int const own_end = ends[own];
        int const before = ends[own - 1];
        int const own_begin = before < position ? position : before;
        bool const ends_here = own_end <= window_end && own_end + own < last;
        ended = simt::popc(simt::ballot(simt::full_warp, ends_here));
        int stop = ends_here ? own_end : own_begin;
        if (lane == ended) stop = at_most(window_end, last - own);
        T sum = sums_type::sum(shared.sums, own_begin - position, stop - position, add);
        if (lane == 0) sum = add(carry, sum);
        carry = nothing;

        // 5 write them, except the one that began in an earlier span
        if (ends_here) {
          if (own == 0 && start.begun_before) {
            spans.heads[span] = sum;
            spans.closed[span] = start.row;
          } else {
            out.put(start.row + own, sum);
          }
        }
        open = lane == ended ? sum : nothing;
        row += ended;
      } while (ended == simt::warp_size);
      simt::sync_warp();
    }

    // 6 leave the open row to the next spans
    T const tail = device::sum_of_lanes(open, add);
    if (lane == 0) spans.tails[span] = tail;
  }

 private:
  static __device__ __forceinline__ index_t at_most(index_t a, index_t b) { return a < b ? a : b; }
  static __device__ __forceinline__ int at_most(int a, int b) { return a < b ? a : b; }

  /// The identity for products outside [first, end) of the window.
  static __device__ __forceinline__ void clear(T (&products)[per_lane], int first, int end) {
    T const nothing = typename S::sum_type{}.identity();
#pragma unroll
    for (int j = 0; j < per_lane; ++j) {
      int const at = j * simt::warp_size + simt::lane_id();
      products[j] = first <= at && at < end ? products[j] : nothing;
    }
  }
};

/// (span, row): the span that holds the first entry of a row.
template <class Offset>
struct first_span_of_row {
  Offset const* offsets;
  index_t span_items;
  __device__ index_t operator()(index_t /*span*/, index_t row) const {
    return (static_cast<index_t>(offsets[row]) + row) / span_items;
  }
};

/// Bytes of workspace for a matrix with `all` rows and entries together.
template <class T, class Tuning>
constexpr std::size_t balanced_spmv_bytes(index_t all) {
  return span_sums<T>::bytes(libscan::ceil_div(all, Tuning::span_items(all)));
}

/// Writes all rows of the product.
template <class Tuning, class Layout, class Value, class Offset, class X, class Y, class S>
void balanced_spmv(workspace& ws, Layout const& layout, csr_matrix<Value, Offset> const& matrix,
                   X const* x, row_result<Y, S> const& out) {
  using T = typename S::value_type;
  using kernel = balanced_spmv_kernel<Layout, Value, Offset, X, Y, S, Tuning>;
  if (matrix.nonzeros == 0)
    return device::launch_baseline<scalar_spmv_kernel>(ws.stream(), matrix, x, out);
  index_t const all = matrix.rows + matrix.nonzeros;
  std::byte* const memory = ws.reserve(device::balanced_spmv_bytes<T, Tuning>(all));
  span_sums<T> const spans(memory, all, Tuning::span_items(all));
  auto const blocks = static_cast<unsigned>(libscan::ceil_div(spans.spans, index_t{kernel::warps}));
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream()},
                       layout, matrix, x, out, spans);
  device::close_rows(ws.stream(), spans, first_span_of_row<Offset>{matrix.offsets, spans.items},
                     out, typename S::sum_type{});
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
