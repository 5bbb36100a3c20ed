// SPDX-License-Identifier: Apache-2.0
// Device-wide adjacent differences: each item combined with the one before it, in one pass, also in
// place. It is a scan that passes on the last item of each tile.
#pragma once

#include <type_traits>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/arguments.cuh>
#include <libscan/device/run.cuh>
#include <libscan/device/segment_chain.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// The operator within segments of one item each. No segment has two items to combine, so it is
/// only called with the identity as the later operand.
template <class T>
struct one_item {
  using value_type = T;
  __device__ T identity() const { return T{}; }
  __device__ T operator()(T const& earlier, T const& /*identity*/) const { return earlier; }
};

/// The Work of adjacent differences. Each item is a segment of its own: a tile carries its last
/// item to the next one. No tile looks back further than to the one before it.
template <class In, class Out, class Op, class Tuning>
struct difference_work {
  using item = typename libscan::detail::iterated_item<In>::type;
  using summary = segment_carry<item>;
  using op_type = join_carries<one_item<item>>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int row_items = block_threads * items_per_thread;
  static constexpr int max_rows = 1;

  struct shared_storage {
    item items[row_items];
  };

  class tile {
   public:
    __device__ tile(difference_work const& /*work*/, tile_place const& at) : at_(at) {}

    /// Reads the items: after this, their memory may be overwritten.
    __device__ __forceinline__ summary summarize(difference_work const& work,
                                                 shared_storage& shared) {
      each_item(at_, [&](int k, int i) { items_[k] = work.in[at_.base + i]; });
      each_item(at_, [&](int k, int i) { shared.items[i] = items_[k]; });
      simt::sync_block();
      if (at_.valid == 0) return work.op.identity();
      return {shared.items[at_.valid - 1], true};
    }

    template <class All>
    __device__ __forceinline__ void write(difference_work const& work, shared_storage& shared,
                                          tile_place const& at, summary const& before,
                                          All const& /*all*/) {
      each_item(at, [&](int k, int i) {
        if (at.base + i == 0) {
          work.out[0] = items_[k];
        } else {
          item const earlier = i == 0 ? before.value : shared.items[i - 1];
          work.out[at.base + i] = work.difference(earlier, items_[k]);
        }
      });
    }

   private:
    /// use(k, i) for the thread's k-th item, which is item i of the tile. Neighboring threads have
    /// neighboring items.
    template <class Use>
    static __device__ __forceinline__ void each_item(tile_place const& at, Use use) {
#pragma unroll
      for (int k = 0; k < items_per_thread; ++k) {
        int const i = k * block_threads + static_cast<int>(threadIdx.x);
        if (i < at.valid) use(k, i);
      }
    }

    tile_place at_;
    item items_[items_per_thread];
  };

  In in;
  Out out;
  Op difference;
  op_type op{};

  __device__ void finish(summary const& /*all*/) const {}
};

/// Adjacent differences (see libscan/device/run.cuh).
template <class In, class Out, class Op>
struct difference_operation {
  using item = typename libscan::detail::iterated_item<In>::type;
  using tunings =
      tunings_to_try<std::conditional_t<sizeof(item) <= 16, resident_segmented_tuning<item>, void>,
                     look_back_tuning<item>>;

  In in;
  Out out;
  Op difference;

  template <class Tuning>
  auto work() const {
    return difference_work<In, Out, Op, Tuning>{in, out, difference};
  }
};

}  // namespace device

/// Bytes of workspace that `adjacent_difference` of up to `n` items of type T needs. A pure
/// function of its arguments; needs no device.
template <class T>
constexpr std::size_t adjacent_difference_workspace_bytes(index_t n) {
  using look_back = look_back_tuning<T>;
  device::tile_bounds bounds{index_t{look_back::block_threads} * look_back::items_per_thread};
  if (sizeof(T) <= 16) bounds.resident_threads = resident_segmented_tuning<T>::block_threads;
  return device::max_run_bytes<device::segment_carry<T>>(n, bounds);
}

/// out[0] = in[0] and out[i] = op(in[i - 1], in[i]) for 0 < i < n. By default `op` is later -
/// earlier, which an inclusive sum undoes.
///
/// Types: `in` and `out` are random-access iterators of the device; items are trivially copyable.
/// `op(earlier, later)` is any copyable functor with a device call: it need not be associative, and
/// its results need not be of the items' type. They are converted to what `out` holds, and so is
/// in[0]. n: any size >= 0, also read from device memory (`item_count::on_device`).
/// Aliasing: `out` may be equal to `in`. Any other overlap is refused if both are pointers and the
/// host knows n, and undefined otherwise.
/// Synchronization: asynchronous on the workspace's stream.
/// Workspace: `adjacent_difference_workspace_bytes`; allocates only if the workspace must grow.
/// Traffic: reads n items, writes n results.
/// Progress: few items use a cooperative launch, which starts when all its blocks fit. Otherwise a
/// tile waits only for tiles claimed by running blocks, in any order of blocks.
/// Throws: `invalid_argument` (workspace too small, overlap), `device_error`.
template <class Tuning = void, class In, class Out, class Op = later_minus_earlier>
void adjacent_difference(workspace& ws, In in, Out out, item_count n, Op op = {}) {
  using operation = device::difference_operation<In, Out, Op>;
  device::refuse_moved<typename operation::item>();
  libscan::detail::refuse_difference<In, Op>();
  device::require_in_place_or_no_overlap("adjacent_difference", device::memory_of(in, n.at_least()),
                                         device::memory_of(out, n.at_least()));
  device::run<Tuning>(ws, operation{in, out, op}, n);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
