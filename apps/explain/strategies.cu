// SPDX-License-Identifier: Apache-2.0
// The strategies of the catalog with any textbook scan in their blocks; among them scan-then-fan,
// the walkthrough's hierarchical scan. Compiled for the executor only.
#include <initializer_list>
#include <string>
#include <vector>

#include <apps/explain/layout.hpp>
#include <apps/explain/run_scan.hpp>
#include <libscan/textbook/catalog.cuh>

namespace libscan::apps {

namespace strategies = device::strategies;

namespace {

using maker = strategies::array_maker;

// A plan names the arrays in a strategy's workspace and its launches, in the order of the
// strategy's own code, and returns the last level of arrays; the total is a sum of that level.

/// From `level` on, which has n elements.
template <scan_kind Kind, class BlockScan>
int plan(strategies::scan_then_fan<BlockScan, max_threads> const& strategy, recorder& session,
         maker memory, index_t n, int level = 0) {
  auto const tile = static_cast<int>(strategy.tile_items());
  std::string const of = level == 0 ? "" : " of " + name_of_sums(level);
  if (n <= tile) {
    know<strategies::one_block_kernel<Kind, BlockScan, max_threads, traced_plus>>(
        session, strategy.threads());
    session.expect({"scan" + (level == 0 ? "" : " the " + name_of_sums(level)) + " in one block",
                    level, tile});
    return level;
  }
  know<strategies::scan_tiles_kernel<Kind, BlockScan, max_threads, traced_plus>>(
      session, strategy.threads());
  session.expect({"scan each block" + of, level, tile});
  index_t const tiles = strategy.tiles(n);
  session.name_array(name_of_sums(level + 1), level + 1, memory.make<traced>(tiles),
                     static_cast<std::size_t>(tiles));
  int const last = plan<scan_kind::exclusive>(strategy, session, memory, tiles, level + 1);
  session.expect({"add to each block" + of + " what comes before it", level, tile});
  return last;
}

template <scan_kind Kind>
int plan(strategies::global_hillis_steele<max_threads> const& strategy, recorder& session,
         maker memory, index_t n) {
  int const threads = strategy.threads();
  for (char const* const name : {"buffer 0", "buffer 1"}) {
    session.name_array(name, 0, memory.make<traced>(n), static_cast<std::size_t>(n));
  }
  session.expect({"add the item 1 before", 0, threads});
  for (index_t offset = 2; offset < n; offset *= 2) {
    session.expect({"add the item " + std::to_string(offset) + " before", 0, threads});
  }
  session.expect({"store", 0, threads});
  return 0;
}

template <scan_kind Kind, class BlockScan>
int plan(strategies::scan_then_propagate<BlockScan, max_threads> const& strategy, recorder& session,
         maker memory, index_t n) {
  int const threads = strategy.threads();
  auto const items = static_cast<int>(strategy.tile_items());
  know<strategies::scan_vectors_kernel<Kind, BlockScan, max_threads, traced_plus>>(
      session, threads, strategies::vector_items);
  know<strategies::scan_vectors_kernel<scan_kind::exclusive, BlockScan, max_threads, traced_plus>>(
      session, threads, strategies::vector_items);
  std::vector<std::string> of{""};
  session.expect({"scan each block", 0, items});
  while (n > items) {
    n = strategy.tiles(n);
    int const level = static_cast<int>(of.size());
    of.push_back(" of " + name_of_sums(level));
    session.name_array(name_of_sums(level), level, memory.make<traced>(n),
                       static_cast<std::size_t>(n));
    session.expect({"scan each block" + of.back(), level, items});
  }
  for (int level = static_cast<int>(of.size()) - 1; level-- > 0;) {
    session.expect(
        {"add to each block" + of[static_cast<std::size_t>(level)] + " what comes before it", level,
         items});
  }
  return static_cast<int>(of.size()) - 1;
}

template <scan_kind Kind, class BlockScan>
int plan(strategies::reduce_then_scan<BlockScan, max_threads> const& strategy, recorder& session,
         maker memory, index_t n) {
  int const threads = strategy.threads();
  know<strategies::reduce_segments_kernel<BlockScan, max_threads, traced_plus>>(session, threads);
  know<strategies::one_block_kernel<scan_kind::exclusive, BlockScan, max_threads, traced_plus>>(
      session, threads);
  know<strategies::scan_segments_kernel<Kind, BlockScan, max_threads, traced_plus>>(session,
                                                                                    threads);
  index_t const segments = ceil_div(n, strategy.segment_items(n));
  session.name_array("block sums", 1, memory.make<traced>(segments),
                     static_cast<std::size_t>(segments));
  session.expect({"sum up each block", 0, threads});
  session.expect({"scan the block sums in one block", 1, threads});
  session.expect({"scan each block from what comes before it", 0, threads});
  return 1;
}

/// For a strategy with one pass over its tiles: after a ticket and the tiles' flags its workspace
/// has these arrays with one value per tile.
template <class Kernel, class Strategy>
int plan_one_pass(Strategy const& strategy, recorder& session, maker memory, index_t n,
                  std::initializer_list<char const*> arrays, char const* letters,
                  char const* title) {
  know<Kernel>(session, strategy.threads());
  index_t const tiles = strategy.tiles(n);
  memory.make<unsigned long long>(1);
  session.name_flags(memory.make<unsigned>(tiles), static_cast<std::size_t>(tiles), letters);
  for (char const* const name : arrays) {
    session.name_array(name, 1, memory.make<traced>(tiles), static_cast<std::size_t>(tiles));
  }
  session.expect({title, 0, strategy.threads()});
  return 1;
}

template <scan_kind Kind, class BlockScan>
int plan(strategies::chained_scan<BlockScan, max_threads> const& strategy, recorder& session,
         maker memory, index_t n) {
  using kernel = strategies::chained_scan_kernel<Kind, BlockScan, max_threads, traced_plus>;
  return plan_one_pass<kernel>(strategy, session, memory, n, {"prefixes"}, ".P",
                               "scan each block; wait for the one before it");
}

template <scan_kind Kind, class BlockScan>
int plan(strategies::decoupled_look_back<BlockScan, max_threads> const& strategy, recorder& session,
         maker memory, index_t n) {
  using kernel = strategies::decoupled_look_back_kernel<Kind, BlockScan, max_threads, traced_plus>;
  return plan_one_pass<kernel>(strategy, session, memory, n, {"block sums", "prefixes"}, ".AP",
                               "scan each block; look back to the ones before it");
}

template <scan_kind Kind, class Strategy>
recorded_run record(scan_request const& request) {
  Strategy const strategy(request.block);
  recorder session(request.items, request.seed, request.banks);
  auto const n = static_cast<index_t>(request.items.size());
  traced* const out = session.new_array("output", 0, request.items.size());
  std::size_t const bytes = strategy.template workspace_bytes<traced, traced*>(n);
  std::byte* const memory = session.new_memory(bytes);
  int const last = plan<Kind>(strategy, session, maker(memory), n);
  traced* const total = session.new_array("total", last + 1, 1);
  workspace ws(memory, bytes);
  scan_with<Kind>(strategy, ws, session.input(), out, n, traced_plus{}, total, new_identity());
  return session.take(request.algorithm, request.exclusive);
}

/// In either kind.
template <class Strategy>
recorded_run record(scan_request const& request) {
  return request.exclusive ? record<scan_kind::exclusive, Strategy>(request)
                           : record<scan_kind::inclusive, Strategy>(request);
}

/// A strategy with blocks that run BlockScan.
template <class BlockScan>
recorded_run record_blocks(scan_request const& request, scan_strategy which) {
  switch (which) {
    case scan_strategy::scan_then_propagate:
      return record<strategies::scan_then_propagate<BlockScan, max_threads>>(request);
    case scan_strategy::reduce_then_scan:
      return record<strategies::reduce_then_scan<BlockScan, max_threads>>(request);
    case scan_strategy::chained_scan:
      return record<strategies::chained_scan<BlockScan, max_threads>>(request);
    case scan_strategy::decoupled_look_back:
      return record<strategies::decoupled_look_back<BlockScan, max_threads>>(request);
    default:
      return record<strategies::scan_then_fan<BlockScan, max_threads>>(request);
  }
}

}  // namespace

recorded_run record_strategy(scan_request const& request, scan_strategy which,
                             block_algorithm block_scan) {
  if (which == scan_strategy::global_hillis_steele) {
    return record<strategies::global_hillis_steele<max_threads>>(request);
  }
  return strategies::with_block_scan(
      block_scan, [&](auto scan) { return record_blocks<decltype(scan)>(request, which); });
}

}  // namespace libscan::apps
