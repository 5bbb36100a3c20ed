// SPDX-License-Identifier: Apache-2.0
// Device-wide reduction of any associative operator: each block reduces tiles in order, and one
// block the tiles' totals in the same way: after a barrier of the grid or, if they are more than a
// tile, in a second kernel. The order of association depends only on the number of items.
#pragma once

#include <type_traits>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/device/arguments.cuh>
#include <libscan/device/item_count.cuh>
#include <libscan/device/packed_rows.cuh>
#include <libscan/device/staged_tile.cuh>
#include <libscan/warp/row_io.cuh>
#include <libscan/warp/scan.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// Tile of the reduction; `loads_per_thread` items per thread are in flight at a time.
template <class T>
struct reduce_tuning {
  static constexpr int block_threads = 256;
  static constexpr int resident_blocks = sizeof(T) <= 16 ? 4 : 1;  // of a multiprocessor
  static constexpr int items_per_thread = sizeof(T) <= 16 ? 32 : 4;
  static constexpr int loads_per_thread = sizeof(T) <= 4 ? 16 : sizeof(T) <= 16 ? 8 : 1;
};

/// The same for few items: tiles for many blocks, whose totals are one tile.
template <class T>
struct short_reduce_tuning : reduce_tuning<T> {
  static constexpr int loads_per_thread = sizeof(T) <= 8 ? 8 : sizeof(T) <= 16 ? 4 : 1;
  static constexpr int items_per_thread = loads_per_thread;
  // Their tiles' totals are one tile, of any size.
  static constexpr index_t tile_items = index_t{reduce_tuning<T>::block_threads} * items_per_thread;
  static constexpr index_t worth_items = index_t{1} << (sizeof(T) <= 8 ? 21 : 18);
  static constexpr index_t max_items =
      worth_items < tile_items * tile_items ? worth_items : tile_items * tile_items;
};

/// Tile of its second kernel: one block, as large as possible.
template <class T>
struct reduce_rest_tuning : reduce_tuning<T> {
  static constexpr int block_threads = sizeof(T) <= 16 ? 1024 : 256;
  static constexpr int resident_blocks = 1;
};

/// The two kernels of a reduction: one total per tile; all tiles, after `init`, into one result.
enum class reduce_step { each_tile, all };

/// Reduces tile after tile. A warp holds consecutive rows; in a row, a lane holds consecutive
/// items.
template <reduce_step Step, class In, class Op, class Tuning>
struct reduce_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int warps = block_threads / simt::warp_size;
  using item = std::remove_cv_t<std::remove_pointer_t<In>>;
  static constexpr bool packed = packs<item, Op, T*, 4>;
  // As many bytes as of larger items.
  static constexpr int loads =
      Tuning::loads_per_thread * (packed ? 4 / static_cast<int>(sizeof(item)) : 1);
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, loads>;
  static constexpr int batch = loads / width;  // rows
  static constexpr int batches = Tuning::items_per_thread / Tuning::loads_per_thread;
  static constexpr int row_items = simt::warp_size * width;
  static constexpr int warp_items = batches * batch * row_items;
  static constexpr int tile_items = warps * warp_items;

  struct shared_storage {
    T warp_total[2][warps];  // twice: a warp may be one tile ahead of another
  };

  /// `items_per_item`: how many counted items one item of `in` represents.
  template <class Result>
  __device__ void operator()(shared_storage& shared, In in, item_count count,
                             index_t items_per_item, Op op, T init, Result* out) const {
    index_t const n = ceil_div(count.get(), items_per_item);
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    bool const leader = threadIdx.x == 0;
    T result = init;
    unsigned round = 0;
    for (index_t tile = blockIdx.x; tile * tile_items < n; tile += gridDim.x, ++round) {
      // 1 each warp reduces its part
      T const total = reduce_part(in, tile * tile_items + warp * warp_items, n, op);
      T* const warp_total = shared.warp_total[round % 2];
      if (simt::lane_id() == 0) warp_total[warp] = total;
      simt::sync_block();

      // 2 one thread joins them, while the others continue
      if (!leader) continue;
      T sum = warp_total[0];
      for (int w = 1; w < warps; ++w) sum = op(sum, warp_total[w]);
      if constexpr (Step == reduce_step::each_tile) {
        out[tile] = sum;
      } else {
        result = op(result, sum);
      }
    }
    if (Step == reduce_step::all && leader) *out = result;
  }

  /// The items of one warp, from `base` on. Lane 0 gets the result.
  static __device__ T reduce_part(In in, index_t base, index_t n, Op op) {
    if constexpr (packed) {
      using rows = packed_rows<item, T, T, batch, width>;
      return rows::sum(in + base, warp_items, device::valid_items<warp_items>(n, base), op);
    }
    bool const whole = n - base >= warp_items && warp::whole_rows<width>(in);
    T total = op.identity();
    for (int b = 0; b < batches; ++b) {
      T items[batch][width];
      load_batch(in, base + b * batch * row_items, n, whole, T(op.identity()), items);
#pragma unroll
      for (int r = 0; r < batch; ++r) {
        T sum = items[r][0];
#pragma unroll
        for (int j = 1; j < width; ++j) sum = op(sum, items[r][j]);
        if constexpr (!commutative<Op>) sum = warp::combine(sum, op);
        total = op(total, sum);
      }
    }
    return commutative<Op> ? warp::combine(total, op) : total;
  }

  /// Loads some rows; identities from item n on.
  static __device__ void load_batch(In in, index_t base, index_t n, bool whole, T identity,
                                    T (&items)[batch][width]) {
    index_t const first = base + simt::lane_id() * width;
    if (whole) {
#pragma unroll
      for (int r = 0; r < batch; ++r) warp::load_whole_row(in, first + r * row_items, items[r]);
    } else {
#pragma unroll
      for (int r = 0; r < batch; ++r) {
        index_t const rest = n - (first + r * row_items);
        int const valid = static_cast<int>(rest < 0 ? 0 : rest < width ? rest : width);
        warp::load_row(in, first + r * row_items, valid, identity, items[r]);
      }
    }
  }
};

/// Both steps in one launch, of resident blocks.
template <class In, class Op, class Tuning>
struct reduce_at_once_kernel {
  using T = typename Op::value_type;
  using each_tile = reduce_kernel<reduce_step::each_tile, In, Op, Tuning>;
  using all = reduce_kernel<reduce_step::all, T const*, Op, Tuning>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  // Their tiles' totals are one tile.
  static constexpr index_t max_items = index_t{each_tile::tile_items} * all::tile_items;

  struct shared_storage {
    typename each_tile::shared_storage tiles;
    typename all::shared_storage totals;
  };

  __device__ void operator()(shared_storage& shared, In in, item_count n, Op op, T init, T* totals,
                             total_value_t<T>* out) const {
    each_tile{}(shared.tiles, in, n, 1, op, init, totals);
    simt::sync_grid();
    if (blockIdx.x == 0) all{}(shared.totals, totals, n, each_tile::tile_items, op, init, out);
  }
};

/// Launches the kernel of both steps of a reduction.
template <class Tuning, class In, class Op, class Init>
void reduce_at_once(workspace& ws, In in, total_value_t<typename Op::value_type>* d_result,
                    item_count n, Op op, Init init) {
  using T = typename Op::value_type;
  using kernel = reduce_at_once_kernel<In, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::each_tile::tile_items});
  auto* const totals =
      reinterpret_cast<T*>(ws.reserve(static_cast<std::size_t>(tiles) * sizeof(T)));
  unsigned const blocks =
      tiles <= 1 ? 1
                 : device::blocks_for<kernel, In, item_count, Op, Init, T*, total_value_t<T>*>(
                       tiles, kernel::block_threads);
  simt::launch<kernel>(
      {.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream(), .cooperative = true},
      in, n, op, init, totals, d_result);
}

/// Launches the kernel of both steps, or, of more items, one kernel for each.
template <class Tuning, class RestTuning, class In, class Op, class Init>
void reduce(workspace& ws, In in, total_value_t<typename Op::value_type>* d_result, item_count n,
            Op op, Init init) {
  using T = typename Op::value_type;
  using each_tile = reduce_kernel<reduce_step::each_tile, In, Op, Tuning>;
  using rest = reduce_kernel<reduce_step::all, T const*, Op, RestTuning>;
  if (n.at_most() <= reduce_at_once_kernel<In, Op, Tuning>::max_items) {
    return device::reduce_at_once<Tuning>(ws, in, d_result, n, op, init);
  }
  index_t const tiles = ceil_div(n.at_most(), index_t{each_tile::tile_items});
  auto* const totals =
      reinterpret_cast<T*>(ws.reserve(static_cast<std::size_t>(tiles) * sizeof(T)));
  unsigned const blocks = device::blocks_for<each_tile, In, item_count, index_t, Op, Init, T*>(
      tiles, each_tile::block_threads);
  simt::launch<each_tile>(
      {.blocks = blocks, .threads = each_tile::block_threads, .on = ws.stream()}, in, n, index_t{1},
      op, init, totals);
  simt::launch<rest>({.blocks = 1, .threads = rest::block_threads, .on = ws.stream()},
                     static_cast<T const*>(totals), n, index_t{each_tile::tile_items}, op, init,
                     d_result);
}

/// The reduction of the public calls.
template <class Tuning, class In, class Op, class Init>
void reduce_as_tuned(workspace& ws, In in, total_value_t<typename Op::value_type>* d_result,
                     item_count n, Op op, Init init) {
  using T = typename Op::value_type;
  device::refuse_items<In, T>();
  device::require_aligned(in, d_result);
  if constexpr (std::is_void_v<Tuning>) {
    using few = short_reduce_tuning<T>;
    static_assert(few::max_items <= reduce_at_once_kernel<In, Op, few>::max_items);
    if (n.at_most() <= few::max_items) {
      return device::reduce_at_once<few>(ws, in, d_result, n, op, init);
    }
    device::reduce<reduce_tuning<T>, reduce_rest_tuning<T>>(ws, in, d_result, n, op, init);
  } else {
    device::reduce<Tuning, Tuning>(ws, in, d_result, n, op, init);
  }
}

}  // namespace device

/// Bytes of workspace that a reduction of up to `n` items to a value of type T needs. A pure
/// function of its arguments; needs no device.
template <class T>
constexpr std::size_t reduce_workspace_bytes(index_t n) {
  using few = device::short_reduce_tuning<T>;
  using many = device::reduce_tuning<T>;
  index_t const short_tiles = libscan::ceil_div(
      n < few::max_items ? n : few::max_items, index_t{few::block_threads} * few::items_per_thread);
  index_t const tiles = libscan::ceil_div(n, index_t{many::block_threads} * many::items_per_thread);
  return static_cast<std::size_t>(tiles > short_tiles ? tiles : short_tiles) * sizeof(T);
}

/// *d_result = init op in[0] op ... op in[n - 1], in device memory.
///
/// Types: `in` is a random-access iterator of the device; items are converted to Op::value_type
/// before the operator is applied. Operator: associative; need not commute. It is only called
/// as op(earlier, later), on items, `init` and the identity. n: any size >= 0, also read from
/// device memory (`item_count::on_device`); n = 0 writes `init`. Aliasing: `d_result` may be one of
/// the items; the workspace must not overlap anything. Synchronization: asynchronous on the
/// workspace's stream. Workspace: `reduce_workspace_bytes`; allocates only if the workspace must
/// grow. Traffic: reads n items. Determinism: results are bitwise the same in every run, on every
/// GPU. Progress: up to 2^26 items of 4 bytes use a cooperative launch, which starts when all its
/// blocks fit. With more items, no block waits for another. Throws: `invalid_argument` (workspace
/// too small), `device_error`.
template <class Tuning = void, class In, monoid Op>
void reduce(workspace& ws, In in, typename Op::value_type* d_result, item_count n, Op op,
            std::type_identity_t<typename Op::value_type> init) {
  device::reduce_as_tuned<Tuning>(ws, in, d_result, n, op, init);
}

/// The same without an init, which is the identity; and with any other callable
/// (libscan/core/function_operator.hpp), which needs init if its identity is not known.
template <class Tuning = void, class In, class Result, class Op, class Init = unstated>
requires detail::adapted<Op, Init>
void reduce(workspace& ws, In in, Result* d_result, item_count n, Op op,
            Init init = unstated::init()) {
  using call = detail::operator_call<Op, In, Init, detail::init_needed::if_no_identity>;
  constexpr bool fits = std::is_same_v<Result, typename call::value_type>;
  static_assert(fits,
                "libscan: d_result points to another type than the operator accumulates in, which "
                "is Op::value_type or, without one, that of op(init, item): state an init of the "
                "result's type");
  if constexpr (call::accepted() && fits) {
    call::run(op, init, [&](auto by, auto first) {
      device::reduce_as_tuned<Tuning>(ws, in, d_result, n, by, first);
    });
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE
