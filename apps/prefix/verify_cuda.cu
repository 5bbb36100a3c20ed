// SPDX-License-Identifier: Apache-2.0
// --verify=cub and --verify=thrust of scan-prefix: their scans on the current GPU.
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <cub/device/device_scan.cuh>

#include <apps/prefix/prefix_transfer.cuh>
#include <apps/prefix/verify.hpp>
#include <libscan/simt/cuda/check.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps {
namespace {

/// Puts init op items[0] into its place: inclusive scans of CUDA 12.4 take no init.
template <class T, class Op>
struct begin_with_kernel {
  static constexpr int block_threads = 1;
  __device__ void operator()(T* items, T init, Op op) const { items[0] = op(init, items[0]); }
};

/// Scans the accumulators of `call` in place by exclusive(items, op, init) or inclusive(items, op).
template <class Exclusive, class Inclusive>
void scan_again(prefix_call const& call, Exclusive exclusive, Inclusive inclusive) {
  visit_item_type(call.accumulator, [&]<class T>(std::type_identity<T>) {
    scan_on_device<T>(call, [&]<class Word, class Op>(Word* items, Op op, Word init) {
      if (call.kind == scan_kind::exclusive) return exclusive(items, op, init);
      simt::launch<begin_with_kernel<Word, Op>>({.blocks = 1, .threads = 1}, items, init, op);
      inclusive(items, op);
    });
  });
}

/// CUB's two calls: the first says how much memory the second needs.
template <class Scan>
void with_memory(Scan scan) {
  workspace ws;
  std::size_t bytes = 0;
  LIBSCAN_CHECK(scan(nullptr, bytes));
  LIBSCAN_CHECK(scan(ws.reserve(bytes + 1), bytes));
}

}  // namespace

void prefix_by_cub(prefix_call const& call) {
  scan_again(
      call,
      [&](auto* items, auto op, auto init) {
        with_memory([&](void* memory, std::size_t& bytes) {
          return cub::DeviceScan::ExclusiveScan(memory, bytes, items, items, op, init, call.n);
        });
      },
      [&](auto* items, auto op) {
        with_memory([&](void* memory, std::size_t& bytes) {
          return cub::DeviceScan::InclusiveScan(memory, bytes, items, items, op, call.n);
        });
      });
}

void prefix_by_thrust(prefix_call const& call) {
  scan_again(
      call,
      [&](auto* items, auto op, auto init) {
        thrust::exclusive_scan(thrust::device, items, items + call.n, items, init, op);
      },
      [&](auto* items, auto op) {
        thrust::inclusive_scan(thrust::device, items, items + call.n, items, op);
      });
}

}  // namespace libscan::apps
