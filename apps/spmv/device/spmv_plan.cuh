// SPDX-License-Identifier: Apache-2.0
// A plan of the balanced product, for many products of one matrix: the begin of each warp's span,
// which saves the search, and the ends of rows in 16 bits instead of 32 or 64, which short rows
// wait for.
#pragma once

#include <string>
#include <utility>

#include <apps/spmv/device/row_ends.cuh>
#include <apps/spmv/device/span_sums.cuh>
#include <libscan/matrix.hpp>
#include <libscan/tuning/spmv.hpp>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// Spans from a plan; otherwise as `searched_spans`.
struct planned_spans {
  using ends_type = row_ends<std::uint16_t>;
  index_t const* starts;         // of each span 2 * row + begun_before, and after them 2 * rows
  std::uint16_t const* row_end;  // relative to the span's first entry, rounded down to 32

  __device__ __forceinline__ span_start start(index_t span, index_t begin, int /*items*/) const {
    index_t const coded = starts[span];
    index_t const row = coded / 2;
    return {row, begin - row, static_cast<int>(starts[span + 1] / 2 - row), coded % 2 != 0};
  }

  __device__ __forceinline__ ends_type ends(ends_type::ring& ring, span_start const& at,
                                            index_t /*base*/, int first) const {
    return {ring, row_end + at.row, at.rows, 0, first};
  }
};

/// Writes a plan: one warp per span of `items` entries and rows, which finds its begin and copies
/// the ends of the rows that end in it.
template <class Offset>
struct plan_kernel {
  static constexpr int block_threads = 128;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int rows_at_once = 8;  // of a lane

  __device__ void operator()(searched_spans<Offset> matrix, index_t items, index_t* starts,
                             std::uint16_t* ends) const {
    index_t const span = index_t{blockIdx.x} * warps + threadIdx.x / simt::warp_size;
    index_t const begin = span * items;
    index_t const all = matrix.rows + matrix.entries;
    if (begin >= all) return;
    span_start const start = matrix.start(span, begin, static_cast<int>(items));
    if (simt::lane_id() == 0) {
      starts[span] = 2 * start.row + (start.begun_before ? 1 : 0);
      if (all - begin <= items) starts[span + 1] = 2 * matrix.rows;
    }
    index_t const base = start.entry - start.entry % simt::warp_size;
    index_t const end = begin + items;
    index_t row_end[rows_at_once];
    for (int from = simt::lane_id(); from < start.rows; from += rows_at_once * simt::warp_size) {
#pragma unroll
      for (int j = 0; j < rows_at_once; ++j) {
        int const k = from + j * simt::warp_size;
        row_end[j] = end;
        if (k < start.rows) row_end[j] = static_cast<index_t>(matrix.offsets[start.row + k + 1]);
      }
#pragma unroll
      for (int j = 0; j < rows_at_once; ++j) {
        index_t const row = start.row + from + j * simt::warp_size;
        if (row_end[j] + row >= end) return;
        ends[row] = static_cast<std::uint16_t>(row_end[j] - base);
      }
    }
  }
};

}  // namespace device

/// Bytes of a `spmv_plan` of a matrix of this many rows and entries.
template <class T, class Tuning = spmv_tuning<T>>
constexpr std::size_t spmv_plan_bytes(index_t rows, index_t nonzeros) {
  if (rows == 0 || nonzeros == 0) return 0;
  index_t const spans = libscan::ceil_div(rows + nonzeros, Tuning::span_items(rows + nonzeros));
  return device::padded(static_cast<std::size_t>(spans + 1) * sizeof(index_t)) +
         static_cast<std::size_t>(rows) * sizeof(std::uint16_t);
}

/// The part of a product with sums of type T that can be computed in advance, for many products
/// (`spmv` with a plan). It does not depend on columns and values, which may change. Move-only.
///
/// Making one reads the offsets once and writes two bytes per row and eight per warp's span,
/// asynchronously on the stream of the memory. Products run on that stream, or the caller orders
/// them after the making and before the plan's end. A plan made or used in a CUDA graph must
/// outlive its replays. Unusable after a move.
template <class T, class Tuning = spmv_tuning<T>>
class spmv_plan {
  static constexpr index_t max_span = 65535 - simt::warp_size;  // ends have 16 bits
  static_assert(Tuning::span_items(1) <= max_span &&
                Tuning::span_items(index_t{1} << 62) <= max_span);

 public:
  /// `memory` becomes the plan's: one that grows, or a view of at least `spmv_plan_bytes`. Throws
  /// `invalid_argument` (invalid sizes, memory too small), `device_error`.
  template <class Value, class Offset>
  explicit spmv_plan(csr_matrix<Value, Offset> const& matrix, workspace memory = workspace())
      : memory_((std::move)(memory)), rows_(matrix.rows), nonzeros_(matrix.nonzeros) {
    libscan::detail::check_shape("spmv_plan", rows_, matrix.columns, nonzeros_);
    if (rows_ == 0 || nonzeros_ == 0) return;
    index_t const all = rows_ + nonzeros_;
    index_t const items = Tuning::span_items(all);
    index_t const spans = ceil_div(all, items);
    std::byte* const plan = memory_.reserve(libscan::spmv_plan_bytes<T, Tuning>(rows_, nonzeros_));
    starts_ = reinterpret_cast<index_t*>(plan);
    ends_ = reinterpret_cast<std::uint16_t*>(
        plan + device::padded(static_cast<std::size_t>(spans + 1) * sizeof(index_t)));
    using kernel = device::plan_kernel<Offset>;
    auto const blocks = static_cast<unsigned>(ceil_div(spans, index_t{kernel::warps}));
    simt::launch<kernel>(
        {.blocks = blocks, .threads = kernel::block_threads, .on = memory_.stream()},
        device::searched_spans<Offset>{matrix.offsets, rows_, nonzeros_}, items, starts_, ends_);
  }

  /// Throws `invalid_argument` unless this is a plan of a matrix of such sizes.
  void require_shape(index_t rows, index_t nonzeros) const {
    if (rows == rows_ && nonzeros == nonzeros_) return;
    throw invalid_argument("spmv: a plan of " + std::to_string(rows_) + " rows and " +
                           std::to_string(nonzeros_) + " entries for a matrix of " +
                           std::to_string(rows) + " rows and " + std::to_string(nonzeros) +
                           " entries");
  }

  /// For kernels.
  device::planned_spans layout() const { return {starts_, ends_}; }

 private:
  workspace memory_;
  index_t rows_;
  index_t nonzeros_;
  index_t* starts_ = nullptr;
  std::uint16_t* ends_ = nullptr;
};

}  // namespace libscan::inline LIBSCAN_MACHINE
