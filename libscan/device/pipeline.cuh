// SPDX-License-Identifier: Apache-2.0
// The pipeline of device-wide scans, for GPUs with bulk copies (sm_90 and later): persistent and
// warp-specialized. Tiles wait for their prefix in shared memory, in a ring of stages. The prefix
// warp keeps a running prefix: for the block's next tile it adds only the totals of the tiles in
// between.
#pragma once

#include <concepts>
#include <string>

#include <libscan/device/item_count.cuh>
#include <libscan/device/staged_tile.cuh>
#include <libscan/device/tile_totals.cuh>
#include <libscan/device/tile_work.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A tree combines the totals of 32 consecutive tiles, and such chunks are combined in order. The
/// order of association depends only on a tile's number: neither on timing nor on the number of
/// blocks.
template <class T, class Op>
class running_prefix {
 public:
  /// Before tile 0 comes `init`.
  __device__ running_prefix(tile_totals<T> const& totals, T init, Op op)
      : totals_(totals), before_(init), op_(op) {}

  /// init op the totals of all tiles before `tile`; waits for those totals. `tile` must not
  /// decrease from call to call. All lanes of one warp call; lane 0 gets the result.
  __device__ T advance_to(index_t tile) {
    for (;;) {
      index_t const wanted = tile - chunk_ * simt::warp_size;
      bool const last = wanted < batch * simt::warp_size;
      T part[batch];
      await(static_cast<int>(last ? wanted : batch * simt::warp_size), part);
#pragma unroll
      for (int j = 0; j < batch; ++j) part[j] = total_format<T>::combine_lanes(part[j], op_);
      int const whole = last ? static_cast<int>(wanted) / simt::warp_size : batch;
      chunk_ += whole;
      T prefix = before_;
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        prefix = op_(prefix, part[j]);
        if (j + 1 == whole) before_ = prefix;
      }
      if (last) return prefix;
    }
  }

  /// Waits until `tile` has published its total.
  __device__ void await_total(index_t tile) const {
    while (!totals_.read(tile).complete()) {
    }
  }

 private:
  // This many chunks at once cover the tiles between two of one block for up to 160 blocks.
  static constexpr int batch = sizeof(typename tile_totals<T>::reading) <= 16 ? 6 : 2;

  /// total[j] = the total of tile 32 (chunk_ + j) + lane for the first `wanted` tiles, the identity
  /// beyond; waits for them.
  __device__ void await(int wanted, T (&total)[batch]) const {
    index_t const first = chunk_ * simt::warp_size;
    typename tile_totals<T>::reading found[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) {
      int const i = j * simt::warp_size + simt::lane_id();
      found[j] = tile_totals<T>::published(op_.identity());
      if (i < wanted) found[j] = totals_.read(first + i);
    }
    for (;;) {
      bool all_here = true;
#pragma unroll
      for (int j = 0; j < batch; ++j) all_here = all_here && found[j].complete();
      if (simt::all(simt::full_warp, all_here)) break;
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        int const i = j * simt::warp_size + simt::lane_id();
        if (!found[j].complete()) found[j] = totals_.read(first + i);
      }
    }
#pragma unroll
    for (int j = 0; j < batch; ++j) total[j] = found[j].value();
  }

  tile_totals<T> totals_;
  index_t chunk_ = 0;  // of 32 tiles; those before it are in before_
  T before_;           // in lane 0
  Op op_;
};

/// Whether `Work` has sum() and scan(), as described above `pipeline_kernel`.
template <class Work>
concept sums_and_scans = requires(Work const work, typename Work::stage_type& stage, index_t base,
                                  int i, typename Work::summary before, void (*done)()) {
  { work.sum(stage, base, i, i) } -> std::convertible_to<typename Work::summary>;
  work.scan(stage, base, i, i, before, done);
};

/// Whether `Work::tile_part` has summarize() and write(), as described above `pipeline_kernel`.
template <class Work>
concept summarizes_parts = requires(Work const work, typename Work::stage_type& stage,
                                    typename Work::tile_part part, index_t base, int i,
                                    typename Work::summary before, void (*done)()) {
  { part.summarize(work, stage, base, i, i) } -> std::convertible_to<typename Work::summary>;
  part.write(work, stage, base, i, i, before, done);
};

/// Whether `Work` has one or the other, by `keeps_parts`. Not within `pipeline_work`: nvcc 13.0
/// drops parentheses there.
template <class Work>
concept handles_parts = (keeps_parts<Work> && summarizes_parts<Work>) ||
                        (!keeps_parts<Work> && sums_and_scans<Work>);

/// Whether `Work` has the members that the pipeline needs.
template <class Work>
concept pipeline_work = requires(Work const work, typename Work::stage_type& stage, index_t base,
                                 int i, simt::mbarrier& full, typename Work::summary summary) {
  requires(Work::tile_items > 0 && Work::parts > 0 && Work::copies > 0);
  work.fetch(stage, base, i, full, i);
  work.copy_edges(stage, base, i, i, i);
  { work.op(summary, summary) } -> std::convertible_to<typename Work::op_type::value_type>;
  requires handles_parts<Work>;
};

/// The pipeline. Tile k of a block passes through stage k % stages. The roles of the warps:
///   fetch          one warp copies the tile into its stage
///   sum            one warp for each part sums it; none if parts are kept as a `tile_part`
///   prefix         one warp finds the tile's prefix
///   scan           group k % groups scans it, one warp for each part
/// At most `max_tiles_in_flight` tiles are in flight at once: their copies share
/// the memory's bandwidth, and with more of them the first would arrive hardly earlier than the
/// last. All blocks must be resident.
///
/// `Work` defines a tile:
///   stage_type               its place in shared memory
///   tile_items, parts        its size, and the number of its parts, one for a warp each
///   copies                   how many copies a stage takes, at most 32
///   fetch(..., full, copy)   starts one of them, which arrives at `full`; by one thread
///   copy_edges(...)          adds to items [begin, end) of a stage what the copies omitted
///   summary, op_type         the summary of a part for those after it, and how two of them join
///   op                       the operator
///   init                     optional: the prefix of the first tile; else the identity
///   finish(all)              optional: stores what depends on all tiles; by one thread, once, also
///                            if there are no items
/// and either
///   sum(...)                 the summary of a part, in lane 0
///   scan(..., before, done)  writes the results of a part; each lane that has read calls done()
/// or, if parts are kept as a `tile_part`, in the stage and in registers, with the members
///   summarize(work, ...)     scans the part by itself; its summary, in lane 0
///   write(work, ..., before, done)
///                            writes the results; each lane that has read calls done()
/// A warp calls the functions, unless stated otherwise, with the tile's stage, first item (`base`)
/// and number of items (`valid`), and the first item of the part (`begin`).
template <class Work, class Tuning>
struct pipeline_kernel {
  static_assert(pipeline_work<Work>,
                "libscan: the Work lacks a member that is listed above `pipeline_kernel`");
  using summary = typename Work::summary;
  using op_type = typename Work::op_type;
  static constexpr int stages = Tuning::stages;
  static constexpr int groups = Tuning::groups;
  static constexpr int parts = Work::parts;
  static constexpr int tile_items = Work::tile_items;
  static constexpr int part_items = tile_items / parts;
  static constexpr bool keeps = keeps_parts<Work>;
  static constexpr bool dynamic_schedule = !static_schedule<Tuning>;
  static constexpr int first_summing_warp = groups * parts;
  static constexpr int prefix_warp = first_summing_warp + (keeps ? 0 : parts);
  static constexpr int fetch_warp = prefix_warp + 1;
  // In parallel, where that saves time; it takes more registers.
  static constexpr int fetch_lanes = Work::copies <= 2 ? 1 : Work::copies;
  static constexpr unsigned fetching = simt::full_warp >> (simt::warp_size - fetch_lanes);
  static constexpr int block_threads = (fetch_warp + 1) * simt::warp_size;
  static constexpr int resident_blocks = 1;
  // When tile k + slot_count is fetched, tile k + slot_count - stages has left its stage: it has
  // been scanned, as has tile k. Kept parts leave spare slots.
  static constexpr int slot_count = stages + (keeps ? groups : 1);
  static constexpr int max_tiles_in_flight = Tuning::max_tiles_in_flight;
  static_assert(stages >= groups && stages >= max_tiles_in_flight && max_tiles_in_flight > 0 &&
                tile_items % parts == 0 && Work::copies <= simt::warp_size);

  struct shared_storage {
    typename Work::stage_type stage[stages];
    simt::mbarrier full[stages];
    simt::mbarrier empty[stages];
    index_t tile[slot_count];
    simt::mbarrier tile_known[slot_count];
    summary part_sum[slot_count][parts];
    simt::mbarrier parts_summed[slot_count];
    simt::mbarrier summed[slot_count];
    summary carry[slot_count];
    simt::mbarrier carry_known[slot_count];
  };

  __device__ void operator()(shared_storage& shared, Work work, item_count count,
                             tile_totals<summary> totals, unsigned* claimed) const {
    if constexpr (simt::has_bulk_copy) {
      op_type const op = work.op;
      index_t const n = count.get();
      // The shuffle and the barrier of the whole warp show the compiler that warps do not diverge.
      // Otherwise it compiles every collective twice, once for diverged warps.
      int const warp =
          simt::shfl(simt::full_warp, static_cast<int>(threadIdx.x) / simt::warp_size, 0);
      bool const fetches = warp == fetch_warp && simt::lane_id() < fetch_lanes;
      if (warp == fetch_warp) {
        if (simt::lane_id() == 0) init_barriers(shared);
        simt::sync_warp();
      }
      if (fetches) {
#pragma unroll 1
        for (unsigned k = 0; k < max_tiles_in_flight; ++k)
          fetch(shared, work, n, k, static_tile(k));
      }
      totals.clear(index_t{blockIdx.x} * block_threads + threadIdx.x,
                   index_t{gridDim.x} * block_threads);
      if (blockIdx.x == 0 && threadIdx.x == 0) *claimed = 0;
      simt::sync_grid();
      if (warp < first_summing_warp) {
        if constexpr (keeps) {
          scan_and_keep_parts(shared, work, n, op, totals, warp / parts, warp % parts);
        } else {
          scan_parts(shared, work, n, op, warp / parts, warp % parts);
        }
      } else if (warp < prefix_warp) {
        if constexpr (!keeps) sum_parts(shared, work, n, op, totals, warp - first_summing_warp);
      } else if (warp == prefix_warp) {
        find_prefixes(shared, work, n,
                      running_prefix<summary, op_type>(totals, device::first_prefix(work), op));
      } else if (fetches) {
        fetch_rest(shared, work, n, *claimed);
      }
    }
  }

  /// The first of the lanes that fetch.
  static __device__ bool first_lane() { return fetch_lanes == 1 || simt::lane_id() == 0; }

  /// Tile k of the block, if it is assigned.
  static __device__ index_t static_tile(unsigned k) {
    return blockIdx.x + static_cast<index_t>(k) * gridDim.x;
  }

  /// Every lane that has read what is to be overwritten arrives.
  static __device__ void init_barriers(shared_storage& shared) {
#pragma unroll 1
    for (auto& full : shared.full) full.init(Work::copies);
#pragma unroll 1
    for (auto& empty : shared.empty) empty.init(parts * simt::warp_size);
#pragma unroll 1
    for (int slot = 0; slot < slot_count; ++slot) {
      shared.parts_summed[slot].init(parts * simt::warp_size);
      shared.summed[slot].init(simt::warp_size);
      shared.tile_known[slot].init(1);
      shared.carry_known[slot].init(simt::warp_size);
    }
    simt::fence_mbarrier_init();
  }

  /// Makes `tile` tile k of the block and has it copied into its stage. A tile past the end
  /// signals the end. By the lanes that fetch.
  static __device__ void fetch(shared_storage& shared, Work const& work, index_t n, unsigned k,
                               index_t tile) {
    if (first_lane()) {
      shared.tile[k % slot_count] = tile;
      shared.tile_known[k % slot_count].arrive();
    }
    index_t const base = tile * tile_items;
#pragma unroll
    for (int copy = fetch_lanes == 1 ? 0 : simt::lane_id(); copy < Work::copies;
         copy += fetch_lanes) {
      work.fetch(shared.stage[k % stages], base, device::valid_items<tile_items>(n, base),
                 shared.full[k % stages], copy);
    }
  }

  /// Fetches the other tiles of the block, until each group knows that there are no more. A tile is
  /// claimed before its stage is empty, so the wait hides the latency of the claim. By the lanes
  /// that fetch.
  static __device__ void fetch_rest(shared_storage& shared, Work const& work, index_t n,
                                    unsigned& claimed) {
    simt::atomic_ref<unsigned> const ticket(claimed);
    for (unsigned k = 0, groups_finished = 0; groups_finished < groups; ++k) {
      index_t tile = static_tile(k);
      if (k >= stages) {
        index_t claim = 0;
        if (dynamic_schedule && first_lane())
          claim += ticket.fetch_add(1, simt::memory_order_relaxed);
        shared.empty[k % stages].wait((k / stages - 1) % 2);
        if (dynamic_schedule && fetch_lanes > 1) claim = simt::shfl(fetching, claim, 0);
        if (dynamic_schedule) tile = static_tile(stages) - blockIdx.x + claim;
      }
      if (k >= max_tiles_in_flight) {
        unsigned const earlier = k - max_tiles_in_flight;
        shared.full[earlier % stages].wait(earlier / stages % 2);
        fetch(shared, work, n, k, tile);
      }
      if (tile * tile_items >= n) ++groups_finished;
    }
  }

  /// Sums the same part of all tiles, a warp for each part. The first part's warp publishes the
  /// totals.
  static __device__ void sum_parts(shared_storage& shared, Work const& work, index_t n, op_type op,
                                   tile_totals<summary> const& totals, int part) {
    for (unsigned k = 0;; ++k) {
      unsigned const slot = k % slot_count;
      auto& stage = shared.stage[k % stages];
      shared.full[k % stages].wait(k / stages % 2);
      index_t const tile = shared.tile[slot];
      index_t const base = tile * tile_items;
      if (base >= n) return;
      int const valid = device::valid_items<tile_items>(n, base);
      int const begin = part * part_items;
      work.copy_edges(stage, base, valid, begin, begin + part_items);
      summary const sum = work.sum(stage, base, valid, begin);
      if (simt::lane_id() == 0) shared.part_sum[slot][part] = sum;
      shared.parts_summed[slot].arrive();
      // Fences take time; warps take turns at them.
      unsigned const publisher = device::overwrites(work) ? k % unsigned{parts} : 0;
      if (static_cast<unsigned>(part) == publisher) {
        shared.parts_summed[slot].wait(k / slot_count % 2);
        if (device::overwrites(work)) simt::exchange_fence();
        publish(shared, totals, tile, slot, op);
        shared.summed[slot].arrive();
      }
    }
  }

  /// Scans the same part of all tiles of one group, and holds it until the carry of the tile is
  /// known. The first part's warp publishes totals. By one warp for each part.
  static __device__ void scan_and_keep_parts(shared_storage& shared, Work const& work, index_t n,
                                             op_type op, tile_totals<summary> const& totals,
                                             int group, int part) {
    int const begin = part * part_items;
    for (auto k = static_cast<unsigned>(group);; k += groups) {
      unsigned const slot = k % slot_count;
      shared.full[k % stages].wait(k / stages % 2);
      if (shared.tile[slot] * tile_items >= n) return;
      typename Work::tile_part held;
      summarize(shared, work, n, k, begin, held);
      shared.parts_summed[slot].arrive();
      shared.parts_summed[slot].wait(k / slot_count % 2);
      if (part == 0) publish(shared, totals, shared.tile[slot], slot, op);
      summary const before = sum_before(shared.part_sum[slot], part, op);
      shared.carry_known[slot].wait(k / slot_count % 2);
      // Read again, not kept in registers, which are scarce.
      index_t const base = shared.tile[slot] * tile_items;
      held.write(work, shared.stage[k % stages], base, device::valid_items<tile_items>(n, base),
                 begin, op(shared.carry[slot], before), [&] { shared.empty[k % stages].arrive(); });
    }
  }

  /// Scans a part of tile k of the block, and stores its sum. By one warp.
  template <class Part>
  static __device__ void summarize(shared_storage& shared, Work const& work, index_t n, unsigned k,
                                   int begin, Part& held) {
    auto& stage = shared.stage[k % stages];
    index_t const base = shared.tile[k % slot_count] * tile_items;
    int const valid = device::valid_items<tile_items>(n, base);
    work.copy_edges(stage, base, valid, begin, begin + part_items);
    summary const sum = held.summarize(work, stage, base, valid, begin);
    if (simt::lane_id() == 0) shared.part_sum[k % slot_count][begin / part_items] = sum;
  }

  /// Publishes the total of a tile. By one warp.
  static __device__ void publish(shared_storage& shared, tile_totals<summary> const& totals,
                                 index_t tile, unsigned slot, op_type op) {
    if (simt::lane_id() == 0) totals.publish(tile, sum_before(shared.part_sum[slot], parts, op));
  }

  /// The first `count` sums of parts, combined.
  static __device__ summary sum_before(summary const (&part_sum)[parts], int count, op_type op) {
    summary sum = op.identity();
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      if (p < count) sum = op(sum, part_sum[p]);
    }
    return sum;
  }

  /// Finds the prefix that enters each tile of the block. The block of the last tile goes on to a
  /// tile past the end, whose prefix is the total. By one warp.
  static __device__ void find_prefixes(shared_storage& shared, Work const& work, index_t n,
                                       running_prefix<summary, op_type> prefix) {
    index_t const tiles = ceil_div(n, index_t{tile_items});
    bool last_was_here = tiles == 0 && blockIdx.x == 0;
    for (unsigned k = 0, groups_finished = 0; groups_finished < groups; ++k) {
      unsigned const slot = k % slot_count;
      shared.tile_known[slot].wait(k / slot_count % 2);
      index_t const tile = shared.tile[slot] < tiles ? shared.tile[slot] : tiles;
      if (tile < tiles || (finishes<Work> && last_was_here)) {
        summary const before = prefix.advance_to(tile);
        if (tile < tiles) {
          device::await_readers(work, prefix, tile, tiles);
          if (simt::lane_id() == 0) shared.carry[slot] = before;
        } else if constexpr (finishes<Work>) {
          if (simt::lane_id() == 0) work.finish(before);
        }
      }
      if (tile == tiles) ++groups_finished;
      last_was_here = tile == tiles - 1;
      shared.carry_known[slot].arrive();
    }
  }

  /// Scans the same part of all tiles of one group. By one warp for each part.
  static __device__ void scan_parts(shared_storage& shared, Work const& work, index_t n, op_type op,
                                    int group, int part) {
    for (auto k = static_cast<unsigned>(group);; k += groups) {
      unsigned const slot = k % slot_count;
      shared.carry_known[slot].wait(k / slot_count % 2);
      index_t const base = shared.tile[slot] * tile_items;
      if (base >= n) return;
      shared.summed[slot].wait(k / slot_count % 2);
      summary const before = op(shared.carry[slot], sum_before(shared.part_sum[slot], part, op));
      work.scan(shared.stage[k % stages], base, device::valid_items<tile_items>(n, base),
                part * part_items, before, [&] { shared.empty[k % stages].arrive(); });
    }
  }
};

/// The workspace of the count of claimed tiles: 32 bits, since 2^32 tiles fit in no memory.
inline constexpr std::size_t claim_bytes = 256;

/// Bytes of workspace that a pipeline of this many tiles with such summaries needs.
template <class Summary>
constexpr std::size_t pipeline_bytes(index_t tiles) {
  return claim_bytes + tile_totals<Summary>::bytes(tiles);
}

/// Throws `invalid_argument`: a block lacks this much shared memory, or the GPU has no bulk copies.
[[noreturn]] inline void refuse_pipeline(std::size_t shared_bytes) {
  throw invalid_argument(
      "the tuning selects a pipeline; expected a GPU with bulk copies (sm_90 or "
      "later), code compiled for it, and " +
      std::to_string(shared_bytes) + " bytes of shared memory to a block");
}

/// Throws `invalid_argument` if the current device cannot run such a kernel, which would do
/// nothing: a call's tuning may name it on any GPU.
template <class Kernel>
void require_pipeline() {
  if (simt::device_can_pipeline<Kernel>()) return;
  device::refuse_pipeline(sizeof(typename Kernel::shared_storage));
}

/// Runs `work` with the pipeline over n items, on as many multiprocessors as there are. `memory`:
/// of `pipeline_bytes`, in the workspace.
template <class Tuning, class Work>
void run_pipeline(std::byte* memory, simt::stream on, Work work, item_count n) {
  using kernel = pipeline_kernel<Work, Tuning>;
  device::require_pipeline<kernel>();
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  tile_totals<typename Work::summary> const totals(memory + claim_bytes, tiles);
  index_t const max_blocks = simt::multiprocessor_count();
  auto const blocks = static_cast<unsigned>(tiles == 0           ? 1
                                            : tiles < max_blocks ? tiles
                                                                 : max_blocks);
  simt::launch<kernel>(
      {.blocks = blocks, .threads = kernel::block_threads, .on = on, .cooperative = true}, work, n,
      totals, reinterpret_cast<unsigned*>(memory));
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
