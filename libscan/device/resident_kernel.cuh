// SPDX-License-Identifier: Apache-2.0
// The kernel for as many items as all multiprocessors hold in their registers at once: a tile for
// each block, and one barrier of the grid. The quickest way for few items: one launch, and nothing
// to clear.
#pragma once

#include <libscan/block/scan.cuh>
#include <libscan/device/item_count.cuh>
#include <libscan/device/tile_totals.cuh>
#include <libscan/device/tile_work.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A summary as blocks leave it in memory for one another, without padding. Specialized for
/// summaries with a flag (`segment_carry`).
template <class Summary>
struct resident_format {
  using stored = typename total_format<Summary>::value_type;
  static __device__ stored store(Summary const& own) { return total_format<Summary>::value(own); }
  static __device__ Summary load(stored const& other) {
    return total_format<Summary>::total(other, false);
  }
};

/// Runs a Work (libscan/device/tile_work.cuh): block k has tile k, of `rows` rows. At most as many
/// blocks as a block has threads, all of them resident.
template <class Work, class Tuning>
struct resident_kernel {
  static_assert(tile_work<Work>, "libscan: the Work lacks a member that tile_work.cuh lists");
  using summary = typename Work::summary;
  using format = resident_format<summary>;
  using stored = typename format::stored;
  static constexpr int block_threads = Tuning::block_threads;

  struct shared_storage {
    typename Work::shared_storage work;
    block::scan_storage<summary, block_threads> others;
  };

  __device__ void operator()(shared_storage& shared, Work work, item_count count, int rows,
                             stored* summaries) const {
    index_t const n = count.get();
    int const tile_items = rows * Work::row_items;
    index_t const base = index_t{blockIdx.x} * tile_items, rest = n - base;
    int const valid = static_cast<int>(rest < 0 ? 0 : rest < tile_items ? rest : tile_items);
    tile_place const at{n, base, valid, rows};
    typename Work::tile tile(work, at);
    summary const own = tile.summarize(work, shared.work);
    if (threadIdx.x == 0) summaries[blockIdx.x] = format::store(own);
    auto const arrival = simt::arrive_grid();
    if constexpr (settles_tiles<Work>) tile.settle(work, shared.work);
    simt::wait_grid(arrival);

    // By all threads: what the first `tiles` tiles come to.
    auto const all_of = [&](unsigned tiles) {
      summary other = work.op.identity();
      if (threadIdx.x < tiles) other = format::load(summaries[threadIdx.x]);
      summary const of_warp = warp::combine(other, work.op);
      summary const all = block::scan_of_warps(shared.others, of_warp, work.op).total;
      if constexpr (has_init<Work>) {
        return summary(work.op(work.init, all));
      } else {
        return all;
      }
    };
    summary const before = all_of(blockIdx.x);
    tile.write(work, shared.work, at, before, [&] { return all_of(gridDim.x); });
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) work.finish(work.op(before, own));
  }
};

/// How n items are spread: over 128 blocks at most, as long as there are rows. Depends only on n,
/// and so does the order of association.
struct resident_shape {
  int rows;  // of each tile
  index_t blocks;

  resident_shape(index_t n, int row_items, int max_rows) {
    index_t const wanted = ceil_div(n, index_t{128} * row_items);
    rows = wanted < 1 ? 1 : wanted < max_rows ? static_cast<int>(wanted) : max_rows;
    blocks = n == 0 ? 1 : ceil_div(n, index_t{row_items} * rows);
  }
};

/// Whether the current device holds n items of such a Work at once.
template <class Work, class Tuning>
bool fits_resident(index_t n) {
  using kernel = resident_kernel<Work, Tuning>;
  index_t const blocks = resident_shape(n, Work::row_items, Work::max_rows).blocks;
  return blocks <= simt::multiprocessor_count() && blocks <= Tuning::block_threads &&
         sizeof(typename kernel::shared_storage) <= simt::max_shared_bytes();
}

/// Runs `work` with the resident kernel over n items, for which `fits_resident` is true. `memory`:
/// of `resident_bytes`, in the workspace.
template <class Tuning, class Work>
void run_resident(std::byte* memory, simt::stream on, Work work, item_count n) {
  using kernel = resident_kernel<Work, Tuning>;
  resident_shape const shape(n.at_most(), Work::row_items, Work::max_rows);
  simt::launch<kernel>({.blocks = static_cast<unsigned>(shape.blocks),
                        .threads = kernel::block_threads,
                        .on = on,
                        .cooperative = true},
                       work, n, shape.rows, reinterpret_cast<typename kernel::stored*>(memory));
}

/// Bytes of workspace that the resident kernel needs, for any number of items.
template <class Summary, class Tuning>
inline constexpr std::size_t resident_bytes = Tuning::block_threads *
                                              sizeof(typename resident_format<Summary>::stored);

}  // namespace libscan::inline LIBSCAN_MACHINE::device
