// SPDX-License-Identifier: Apache-2.0
// Combines sorted entries at the same place: a segmented reduction by key in two passes, with a
// scan of counts between them. Each warp takes a span of entries; places that extend over several
// are closed like rows (span_sums.cuh).
#pragma once

#include <apps/spmv/core/entry_keys.hpp>
#include <apps/spmv/device/span_sums.cuh>
#include <libscan/scan.cuh>
#include <libscan/warp/segmented_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Sorted keys, n of them; gaps come last.
struct sorted_keys {
  static constexpr int rows = 8;  // of 32 entries, that a warp processes together: a batch
  static constexpr int batch_items = rows * simt::warp_size;
  static constexpr int batches = 2;  // per span
  static constexpr int span_items = batches * batch_items;

  std::uint64_t const* keys;
  index_t n;
  entry_keys keys_of;

  __device__ __forceinline__ std::uint64_t at(index_t i) const {
    return i < n ? keys[i] : keys_of.gap();
  }

  /// own[r]: the lane's key in row r of the batch. Bit r of `ends` and `row_ends`: that entry is
  /// the last of its place, and of its row of the matrix.
  __device__ __forceinline__ void load(index_t base, std::uint64_t (&own)[rows], unsigned& ends,
                                       unsigned& row_ends) const {
    index_t const first = base + simt::lane_id();
    std::uint64_t next[rows];  // read again, since a shuffle takes longer
    if (base + batch_items < n) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        own[r] = keys[first + r * simt::warp_size];
        next[r] = keys[first + r * simt::warp_size + 1];
      }
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        own[r] = at(first + r * simt::warp_size);
        next[r] = at(first + r * simt::warp_size + 1);
      }
    }
    ends = row_ends = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (own[r] == keys_of.gap()) continue;
      if (next[r] != own[r]) ends |= 1u << r;
      if (!keys_of.same_row(next[r], own[r])) row_ends |= 1u << r;
    }
  }
};

/// What the passes exchange about each span.
struct span_places {
  index_t spans;
  index_t* ended;   // the number of places that end in it; then, before it
  index_t* begins;  // the last span up to it in which any ends, else 0; then, before it
};

/// The first pass: counts.
struct count_places_kernel {
  static constexpr int block_threads = 256;
  static constexpr int warps = block_threads / simt::warp_size;

  __device__ void operator()(sorted_keys sorted, span_places places) const {
    index_t const span = index_t{blockIdx.x} * warps + threadIdx.x / simt::warp_size;
    if (span >= places.spans) return;
    unsigned own_count = 0;
#pragma unroll
    for (int b = 0; b < sorted_keys::batches; ++b) {
      std::uint64_t own[sorted_keys::rows];
      unsigned ends, row_ends;
      sorted.load(span * sorted_keys::span_items + b * sorted_keys::batch_items, own, ends,
                  row_ends);
      own_count += static_cast<unsigned>(simt::popc(ends));
    }
    unsigned const count = simt::reduce_add(simt::full_warp, own_count);
    if (simt::lane_id() != 0) return;
    places.ended[span] = count;
    places.begins[span] = count > 0 ? span : 0;
  }
};

/// The output of entries.
template <class Value, class Offset>
struct entry_outputs {
  using T = accumulator_t<Value>;
  Offset* ends;  // of rows; ends[r + 1] = one past the last entry of row r, for rows with entries
  std::int32_t* indices;
  Value* values;

  __device__ __forceinline__ void put(index_t place, T sum) const {
    values[place] = libscan::as_entry<Value>(sum);
  }
};

/// The second pass: adds up the entries of each place, and writes.
template <class Value, class Offset>
struct write_places_kernel {
  static constexpr int block_threads = 256;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int rows = sorted_keys::rows;
  using T = accumulator_t<Value>;

  __device__ void operator()(sorted_keys sorted, Value const* values, span_places places,
                             span_sums<T> sums, entry_outputs<Value, Offset> out) const {
    index_t const span = index_t{blockIdx.x} * warps + threadIdx.x / simt::warp_size;
    if (span >= places.spans) return;
    int const lane = simt::lane_id();
    index_t const base = span * sorted_keys::span_items;
    plus<T> const add;
    T const nothing = add.identity();
    bool begun_before = span > 0 && sorted.at(base - 1) == sorted.at(base);
    index_t place = places.ended[span];
    T open = nothing;
    index_t const first_place = place;
    index_t closed = -1;
    for (int b = 0; b < sorted_keys::batches; ++b) {
      index_t const from = base + b * sorted_keys::batch_items + lane;
      std::uint64_t own[rows];
      unsigned own_ends, own_row_ends;
      T numbers[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        index_t const i = from + r * simt::warp_size;
        numbers[r] = i < sorted.n ? libscan::as_number<T>(values[i]) : nothing;
      }
      sorted.load(base + b * sorted_keys::batch_items, own, own_ends, own_row_ends);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        bool const is_end = (own_ends >> r & 1u) != 0;
        unsigned const ends = simt::ballot(simt::full_warp, is_end);
        T const sum = sum_of_place(numbers[r], ends, open);
        if (is_end) {
          int const before = simt::popc(ends & simt::lanemask_lt());
          index_t const at = place + before;
          out.indices[at] = sorted.keys_of.column(own[r]);
          if (begun_before && before == 0) {
            sums.heads[span] = sum;
          } else {
            out.put(at, sum);
          }
          if ((own_row_ends >> r & 1u) != 0) {
            out.ends[index_t{sorted.keys_of.row(own[r])} + 1] = static_cast<Offset>(at + 1);
          }
        }
        place += simt::popc(ends);
        if (begun_before && ends != 0) {
          closed = first_place;
          begun_before = false;
        }
        open = nothing;
        if (ends >> 31 == 0) open = simt::shfl(simt::full_warp, sum, simt::warp_size - 1);
      }
    }
    if (lane == 0) {
      sums.closed[span] = closed;
      sums.tails[span] = open;
    }
  }

  /// The sum of the lane's place over its entries up to this one. `open`: the sum before the row.
  static __device__ __forceinline__ T sum_of_place(T number, unsigned ends, T open) {
    plus<T> const add;
    unsigned const heads = ends << 1;
    T sum = number;
    if (heads != ~1u) {  // else every entry is a place of its own
      sum = warp::segmented_scan<scan_kind::inclusive>(number, heads, add).prefix;
    }
    T const longer = add(open, sum);
    return (heads & simt::lanemask_le()) == 0 ? longer : sum;
  }
};

/// The same without values to add.
template <class Offset>
struct write_places_kernel<no_values, Offset> {
  static constexpr int block_threads = 256;
  static constexpr int warps = block_threads / simt::warp_size;

  __device__ void operator()(sorted_keys sorted, span_places places, Offset* row_end,
                             std::int32_t* indices) const {
    index_t const span = index_t{blockIdx.x} * warps + threadIdx.x / simt::warp_size;
    if (span >= places.spans) return;
    index_t place = places.ended[span];
    for (int b = 0; b < sorted_keys::batches; ++b) {
      std::uint64_t own[sorted_keys::rows];
      unsigned own_ends, own_row_ends;
      sorted.load(span * sorted_keys::span_items + b * sorted_keys::batch_items, own, own_ends,
                  own_row_ends);
#pragma unroll
      for (int r = 0; r < sorted_keys::rows; ++r) {
        bool const is_end = (own_ends >> r & 1u) != 0;
        unsigned const ends = simt::ballot(simt::full_warp, is_end);
        index_t const at = place + simt::popc(ends & simt::lanemask_lt());
        place += simt::popc(ends);
        if (!is_end) continue;
        indices[at] = sorted.keys_of.column(own[r]);
        if ((own_row_ends >> r & 1u) != 0) {
          row_end[index_t{sorted.keys_of.row(own[r])} + 1] = static_cast<Offset>(at + 1);
        }
      }
    }
  }
};

/// (span, place): the span in which a place begins that ends in this one.
struct first_span_of_place {
  index_t const* begins;
  __device__ index_t operator()(index_t span, index_t /*place*/) const { return begins[span]; }
};

/// The layout of the passes' memory, for n entries.
template <class Value>
struct compress_layout {
  static constexpr bool has_values = !std::is_same_v<Value, no_values>;
  index_t spans;
  std::size_t of_places;
  std::size_t of_sums;

  constexpr explicit compress_layout(index_t n)
      : spans(ceil_div(n, index_t{sorted_keys::span_items})),
        of_places(padded(static_cast<std::size_t>(spans) * sizeof(index_t))),
        of_sums(0) {
    if constexpr (has_values) of_sums = span_sums<accumulator_t<Value>>::bytes(spans);
  }
  constexpr std::size_t bytes() const {
    return 2 * of_places + of_sums + scan_workspace_bytes<index_t>(spans);
  }
};

/// Writes the combined entries, in `memory` of `compress_layout`, and the ends of rows with
/// entries.
template <class Value, class Offset>
void compress_entries(simt::stream on, std::byte* memory, sorted_keys const& sorted,
                      Value const* values, entry_outputs<Value, Offset> const& out) {
  compress_layout<Value> const layout(sorted.n);
  span_places const places{layout.spans, reinterpret_cast<index_t*>(memory),
                           reinterpret_cast<index_t*>(memory + layout.of_places)};
  std::byte* const past = memory + 2 * layout.of_places;
  workspace scans(past + layout.of_sums, libscan::scan_workspace_bytes<index_t>(layout.spans), on);
  constexpr int warps = count_places_kernel::warps;
  auto const blocks = static_cast<unsigned>(libscan::ceil_div(layout.spans, index_t{warps}));
  simt::launch_config const shape{
      .blocks = blocks, .threads = count_places_kernel::block_threads, .on = on};
  simt::launch<count_places_kernel>(shape, sorted, places);
  libscan::exclusive_scan(scans, places.ended, places.ended, layout.spans, plus<index_t>{});
  if constexpr (layout.has_values) {
    using T = accumulator_t<Value>;
    libscan::exclusive_scan(scans, places.begins, places.begins, layout.spans, maximum<index_t>{});
    span_sums<T> const sums(past, sorted.n, sorted_keys::span_items);
    simt::launch<write_places_kernel<Value, Offset>>(shape, sorted, values, places, sums, out);
    device::close_rows(on, sums, first_span_of_place{places.begins}, out, plus<T>{});
  } else {
    simt::launch<write_places_kernel<Value, Offset>>(shape, sorted, places, out.ends, out.indices);
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
