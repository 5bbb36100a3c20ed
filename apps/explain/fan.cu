// SPDX-License-Identifier: Apache-2.0
// Scan-then-fan with any textbook scan: the walkthrough's hierarchical scan. Compiled for the
// executor only.
#include <apps/explain/block_sizes.hpp>
#include <apps/explain/layout.hpp>
#include <libscan/device/strategies/catalogue.cuh>

namespace libscan::apps {

namespace strategies = device::strategies;

namespace {

/// Names the arrays and launches of `level`, which has n elements, and of those above it. Returns
/// the last level, whose sum is the total.
template <scan_kind Kind, class BlockScan, int Block>
int plan(recorder& session, strategies::array_maker memory, index_t n, int level) {
  using tile = strategies::textbook_tile<BlockScan, Block>;
  std::string const of = level == 0 ? "" : " of " + name_of_sums(level);
  if (n <= tile::items) {
    know<strategies::one_block_kernel<Kind, BlockScan, Block, traced_plus>>(session, Block);
    session.expect({"scan" + (level == 0 ? "" : " the " + name_of_sums(level)) + " in one block",
                    level, tile::items});
    return level;
  }
  know<strategies::scan_tiles_kernel<Kind, BlockScan, Block, traced_plus>>(session, Block);
  session.expect({"scan each block" + of, level, tile::items});
  index_t const tiles = tile::count(n);
  session.name_array(name_of_sums(level + 1), level + 1, memory.make<traced>(tiles),
                     static_cast<std::size_t>(tiles));
  int const last = plan<scan_kind::exclusive, BlockScan, Block>(session, memory, tiles, level + 1);
  session.expect({"add to each block" + of + " what comes before it", level, tile::items});
  return last;
}

template <scan_kind Kind, class BlockScan, int Block>
recorded_run record(scan_request const& request) {
  using strategy = strategies::scan_then_fan<BlockScan, Block>;
  recorder session(request.items, request.seed);
  auto const n = static_cast<index_t>(request.items.size());
  traced* const out = session.new_array("output", 0, request.items.size());
  std::size_t const bytes = strategy::template workspace_bytes<traced, traced*>(n);
  std::byte* const memory = session.new_memory(bytes);
  int const last = plan<Kind, BlockScan, Block>(session, strategies::array_maker(memory), n, 0);
  traced* const total = session.new_array("total", last + 1, 1);
  workspace ws(memory, bytes);
  scan_with<Kind>(strategy{}, ws, session.input(), out, n, traced_plus{}, total, new_identity());
  return session.take(request.algorithm, request.exclusive);
}

}  // namespace

recorded_run record_scan_then_fan(scan_request const& request, block_algorithm which) {
  return strategies::with_block_scan(which, [&](auto block_scan) {
    using scan = decltype(block_scan);
    return with_block_size(request.block, [&](auto block) {
      return request.exclusive ? record<scan_kind::exclusive, scan, block()>(request)
                               : record<scan_kind::inclusive, scan, block()>(request);
    });
  });
}

}  // namespace libscan::apps
