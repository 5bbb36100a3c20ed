// SPDX-License-Identifier: Apache-2.0
// A textbook scan in one block of any size. Compiled for the executor only.
#include <apps/explain/layout.hpp>
#include <apps/explain/run_scan.hpp>
#include <libscan/textbook/catalog.cuh>

namespace libscan::apps {

namespace strategies = device::strategies;

namespace {

template <scan_kind Kind, class BlockScan>
recorded_run record(scan_request const& request) {
  // The first kernel of scan-then-fan: it adds only what the block scan adds.
  using kernel = strategies::scan_tiles_kernel<Kind, BlockScan, max_threads, traced_plus>;
  recorder session(request.items, request.seed, request.banks);
  auto const n = static_cast<index_t>(request.items.size());
  traced* const out = session.new_array("output", 0, request.items.size());
  traced* const total = session.new_array("total", 1, 1);
  know<kernel>(session, request.block);
  session.expect({"scan in one block", 0, request.block * BlockScan::items_per_thread});
  simt::launch<kernel>({.blocks = 1, .threads = static_cast<unsigned>(request.block)},
                       session.input(), out, n, traced_plus{}, total);
  return session.take(request.algorithm, request.exclusive);
}

}  // namespace

recorded_run record_one_block(scan_request const& request, block_algorithm which) {
  return strategies::with_block_scan(which, [&](auto block_scan) {
    return request.exclusive ? record<scan_kind::exclusive, decltype(block_scan)>(request)
                             : record<scan_kind::inclusive, decltype(block_scan)>(request);
  });
}

}  // namespace libscan::apps
