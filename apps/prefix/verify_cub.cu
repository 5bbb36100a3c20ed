// SPDX-License-Identifier: Apache-2.0
// --verify=cub of scan-prefix: the scan of cub::DeviceScan on the current GPU.
#include <cub/device/device_scan.cuh>

#include <apps/prefix/prefix_transfer.cuh>
#include <apps/prefix/verify.hpp>
#include <libscan/simt/cuda/check.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps {
namespace {

/// Puts init op items[0] into its place: CUB's inclusive scans of CUDA 12.4 take no init.
template <class T, class Op>
struct begin_with_kernel {
  static constexpr int block_threads = 1;
  __device__ void operator()(T* items, T init, Op op) const { items[0] = op(init, items[0]); }
};

}  // namespace

void prefix_by_cub(prefix_call const& call) {
  visit_item_type(call.accumulator, [&]<class T>(std::type_identity<T>) {
    scan_on_device<T>(call, [&]<class Word, class Op>(Word* items, Op op, Word init) {
      bool const inclusive = call.kind == scan_kind::inclusive;
      if (inclusive) {
        simt::launch<begin_with_kernel<Word, Op>>({.blocks = 1, .threads = 1}, items, init, op);
      }
      workspace ws;
      auto const scan = [&](void* memory, std::size_t& bytes) {
        return inclusive
                   ? cub::DeviceScan::InclusiveScan(memory, bytes, items, items, op, call.n)
                   : cub::DeviceScan::ExclusiveScan(memory, bytes, items, items, op, init, call.n);
      };
      std::size_t bytes = 0;  // the first call of CUB says how much memory the second needs
      LIBSCAN_CHECK(scan(nullptr, bytes));
      LIBSCAN_CHECK(scan(ws.reserve(bytes + 1), bytes));
    });
  });
}

}  // namespace libscan::apps
