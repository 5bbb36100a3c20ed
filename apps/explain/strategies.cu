// SPDX-License-Identifier: Apache-2.0
// The other strategies of the catalogue; their blocks run Kogge-Stone. Compiled for the executor
// only.
#include <apps/explain/block_sizes.hpp>
#include <apps/explain/layout.hpp>
#include <libscan/device/strategies/catalogue.cuh>

namespace libscan::apps {

namespace strategies = device::strategies;

namespace {

using block_scan = block::textbook::kogge_stone;

/// The arrays in a strategy's workspace and its launches, in the order of the strategy's own code.
/// Each returns the last level of arrays: the total is a sum of that.
template <scan_kind Kind, int Block>
struct plans {
  using maker = strategies::array_maker;

  static int levels_of(recorder& session, maker memory, index_t n) {
    constexpr int items = Block * strategies::vector_items;
    know<strategies::scan_vectors_kernel<Kind, block_scan, Block, traced_plus>>(
        session, Block, strategies::vector_items);
    know<strategies::scan_vectors_kernel<scan_kind::exclusive, block_scan, Block, traced_plus>>(
        session, Block, strategies::vector_items);
    std::vector<std::string> of{""};
    session.expect({"scan each block", 0, items});
    while (n > items) {
      n = ceil_div(n, index_t{items});
      int const level = static_cast<int>(of.size());
      of.push_back(" of " + name_of_sums(level));
      session.name_array(name_of_sums(level), level, memory.make<traced>(n),
                         static_cast<std::size_t>(n));
      session.expect({"scan each block" + of.back(), level, items});
    }
    for (int level = static_cast<int>(of.size()) - 1; level-- > 0;) {
      session.expect(
          {"add to each block" + of[static_cast<std::size_t>(level)] + " what comes before it",
           level, items});
    }
    return static_cast<int>(of.size()) - 1;
  }

  static int segments_of(recorder& session, maker memory, index_t n) {
    using strategy = strategies::reduce_then_scan<block_scan, Block>;
    know<strategies::reduce_segments_kernel<Block, traced_plus>>(session, Block);
    know<strategies::one_block_kernel<scan_kind::exclusive, block_scan, Block, traced_plus>>(
        session, Block);
    know<strategies::scan_segments_kernel<Kind, block_scan, Block, traced_plus>>(session, Block);
    index_t const segments = ceil_div(n, strategy::segment_items(n));
    session.name_array("block sums", 1, memory.make<traced>(segments),
                       static_cast<std::size_t>(segments));
    session.expect({"sum up each block", 0, Block});
    session.expect({"scan the block sums in one block", 1, Block});
    session.expect({"scan each block from what comes before it", 0, Block});
    return 1;
  }

  static int chain_of(recorder& session, maker memory, index_t n) {
    know<strategies::chained_scan_kernel<Kind, block_scan, Block, traced_plus>>(session, Block);
    index_t const tiles = ceil_div(n, index_t{Block});
    memory.make<unsigned long long>(1);
    memory.make<unsigned>(tiles);
    session.name_array("prefixes", 1, memory.make<traced>(tiles), static_cast<std::size_t>(tiles));
    session.expect({"scan each block; wait for the one before it", 0, Block});
    return 1;
  }

  static int descriptors_of(recorder& session, maker memory, index_t n) {
    know<strategies::decoupled_look_back_kernel<Kind, block_scan, Block, traced_plus>>(session,
                                                                                       Block);
    index_t const tiles = ceil_div(n, index_t{Block});
    memory.make<unsigned long long>(1);
    memory.make<unsigned>(tiles);
    for (char const* const name : {"block sums", "prefixes"}) {
      session.name_array(name, 1, memory.make<traced>(tiles), static_cast<std::size_t>(tiles));
    }
    session.expect({"scan each block; look back to the ones before it", 0, Block});
    return 1;
  }
};

template <scan_kind Kind, class Strategy, class Plan>
recorded_run record(scan_request const& request, Plan plan) {
  recorder session(request.items, request.seed);
  auto const n = static_cast<index_t>(request.items.size());
  traced* const out = session.new_array("output", 0, request.items.size());
  std::size_t const bytes = Strategy::template workspace_bytes<traced, traced*>(n);
  std::byte* const memory = session.new_memory(bytes);
  int const last = plan(session, strategies::array_maker(memory), n);
  traced* const total = session.new_array("total", last + 1, 1);
  workspace ws(memory, bytes);
  scan_with<Kind>(Strategy{}, ws, session.input(), out, n, traced_plus{}, total, new_identity());
  return session.take(request.algorithm, request.exclusive);
}

template <scan_kind Kind, int Block>
recorded_run record_with(scan_request const& request, scan_strategy which) {
  using known = plans<Kind, Block>;
  switch (which) {
    case scan_strategy::scan_then_propagate:
      return record<Kind, strategies::scan_then_propagate<block_scan, Block>>(request,
                                                                              known::levels_of);
    case scan_strategy::reduce_then_scan:
      return record<Kind, strategies::reduce_then_scan<block_scan, Block>>(request,
                                                                           known::segments_of);
    case scan_strategy::chained_scan:
      return record<Kind, strategies::chained_scan<block_scan, Block>>(request, known::chain_of);
    default:
      return record<Kind, strategies::decoupled_look_back<block_scan, Block>>(
          request, known::descriptors_of);
  }
}

}  // namespace

recorded_run record_strategy(scan_request const& request, scan_strategy which) {
  return with_block_size(request.block, [&](auto block) {
    return request.exclusive ? record_with<scan_kind::exclusive, block()>(request, which)
                             : record_with<scan_kind::inclusive, block()>(request, which);
  });
}

}  // namespace libscan::apps
