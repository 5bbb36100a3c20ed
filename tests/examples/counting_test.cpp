// SPDX-License-Identifier: Apache-2.0
// The example kernels that count: queues, votes, sums, ranks, compaction and sorting, against
// sequential loops.
#include <algorithm>
#include <numeric>
#include <vector>

#include <examples/kernels/compaction.cuh>
#include <examples/kernels/lane_masks.cuh>
#include <examples/kernels/plain_cuda.cuh>
#include <examples/kernels/queue.cuh>
#include <examples/kernels/sorting.cuh>
#include <examples/kernels/sums.cuh>
#include <examples/kernels/votes.cuh>
#include <tests/examples/kernels.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace examples;
using namespace examples::test;

namespace {

/// Whether `queue` is made of each block's items, the blocks in some order.
bool is_queue_of(std::vector<int> const& wanted, std::vector<index_t> const& queue) {
  std::vector<std::vector<index_t>> left(pieces(wanted, block_threads));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto& items = left[i / block_threads];
    items.insert(items.end(), static_cast<std::size_t>(wanted[i]), static_cast<index_t>(i));
  }
  std::size_t at = 0;
  while (at < queue.size()) {
    if (queue[at] < 0 || queue[at] >= static_cast<index_t>(wanted.size())) return false;
    auto& items = left[static_cast<std::size_t>(queue[at]) / block_threads];
    if (items.empty() || items.size() > queue.size() - at) return false;
    if (!std::equal(items.begin(), items.end(), queue.begin() + static_cast<std::ptrdiff_t>(at))) {
      return false;
    }
    at += items.size();
    items.clear();
  }
  return std::all_of(left.begin(), left.end(), [](auto const& items) { return items.empty(); });
}

/// Items other than 0 to the front of every piece; the other places hold what `out` began with.
template <class Kernel>
void require_compaction(std::size_t length) {
  each_size(grid_sizes, [&](index_t n) {
    auto const items = numbers<int>(n, 0, 2);
    auto expected = std::vector<int>(items.size(), -1);
    std::vector<int> counts;
    for (std::size_t w = 0; w < pieces(items, length); ++w) {
      auto kept = piece(items, w, length);
      kept.erase(std::remove(kept.begin(), kept.end(), 0), kept.end());
      std::copy(kept.begin(), kept.end(),
                expected.begin() + static_cast<std::ptrdiff_t>(w * length));
      counts.push_back(static_cast<int>(kept.size()));
    }
    // Lanes beyond the last item count too: nothing.
    index_t const all = ceil_div(n, index_t{block_threads}) * block_threads;
    counts.resize(static_cast<std::size_t>(all) / length, 0);
    device_image<int> in(items), out(std::vector<int>(items.size(), -1));
    device_image<int> kept(static_cast<index_t>(counts.size()));
    simt::launch<Kernel>(grid_for(n), input(in), n, out.data(), kept.data());
    REQUIRE(take(out) == expected);
    REQUIRE(take(kept) == counts);
  });
}

}  // namespace

TEST_CASE("threads append any number of items to a queue") {
  each_size(grid_sizes, [](index_t n) {
    for (int const most : {0, 1, 5, 40}) {
      auto const wanted = numbers<int>(n, 0, most);
      auto const total = std::accumulate(wanted.begin(), wanted.end(), index_t{0});
      device_image<int> in(wanted);
      device_image<index_t> queue(total), size(std::vector<index_t>{0});
      simt::launch<append_kernel>(grid_for(n), input(in), n, queue.data(), size.data());
      REQUIRE(take(size).front() == total);
      REQUIRE(is_queue_of(wanted, take(queue)));
    }
  });
}

#ifdef __CUDACC__
TEST_CASE("the same in a plain CUDA kernel") {
  for (index_t const n : grid_sizes) {
    auto const wanted = numbers<int>(n, 0, 5);
    auto const total = std::accumulate(wanted.begin(), wanted.end(), index_t{0});
    device_image<int> in(wanted);
    device_image<index_t> queue(total);
    device_image<unsigned long long> size(std::vector<unsigned long long>{0});
    auto const blocks = static_cast<unsigned>(ceil_div(n, index_t{block_threads}));
    append_plain_kernel<<<blocks, block_threads>>>(in.data(), n, queue.data(), size.data());
    LIBSCAN_CHECK(cudaPeekAtLastError());
    REQUIRE(take(size).front() == static_cast<unsigned long long>(total));
    REQUIRE(is_queue_of(wanted, take(queue)));
  }
}
#endif

TEST_CASE("votes of warps and blocks") {
  each_size(grid_sizes, [](index_t n) {
    for (std::uint64_t stream = 0; stream < 3; ++stream) {
      auto items = numbers<int>(n, -100, 100, stream);
      if (stream != 0) std::sort(items.begin(), items.end());
      if (stream == 2) items.erase(std::remove(items.begin(), items.end(), 0), items.end());
      auto const size = static_cast<index_t>(items.size());
      if (size == 0) continue;
      device_image<int> in(items);
      device_image<index_t> found(std::vector<index_t>{0});
      device_image<block_facts> facts(ceil_div(size, index_t{block_threads}));
      simt::launch<count_below_kernel>(grid_for(size), input(in), size, 20, found.data());
      simt::launch<inspect_kernel>(grid_for(size), input(in), size, facts.data());
      REQUIRE(take(found).front() ==
              std::count_if(items.begin(), items.end(), [](int x) { return x < 20; }));
      auto const got = take(facts);
      for (std::size_t b = 0; b < got.size(); ++b) {
        auto own = piece(items, b, block_threads);
        REQUIRE(got[b].negatives ==
                std::count_if(own.begin(), own.end(), [](int x) { return x < 0; }));
        REQUIRE(got[b].has_zero == (std::count(own.begin(), own.end(), 0) > 0));
        if (b + 1 < got.size()) own.push_back(items[(b + 1) * block_threads]);
        REQUIRE(got[b].ascending == std::is_sorted(own.begin(), own.end()));
      }
    }
  });
}

TEST_CASE("sums of a block, by counts and by a tree") {
  each_size(grid_sizes, [](index_t n) {
    auto const items = numbers<unsigned>(n, 0, 15);
    std::vector<unsigned> expected;
    for (std::size_t b = 0; b < pieces(items, block_threads); ++b) {
      auto const own = piece(items, b, block_threads);
      expected.push_back(std::accumulate(own.begin(), own.end(), 0u));
    }
    auto const blocks = static_cast<index_t>(expected.size());
    device_image<unsigned> in(items), by_counts(blocks), by_tree(blocks);
    simt::launch<sum_kernel>(grid_for(n), input(in), n, by_counts.data(), by_tree.data());
    REQUIRE(take(by_counts) == expected);
    REQUIRE(take(by_tree) == expected);
  });
}

TEST_CASE("ranks compact warps and blocks") {
  require_compaction<compact_warp_kernel>(simt::warp_size);
  require_compaction<compact_block_kernel>(block_threads);
}

TEST_CASE("the four ranks of a flag") {
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    auto const flags = numbers<int>(32, 0, 1, stream);
    device_image<int> in(flags);
    device_image<four_ranks> out(32);
    simt::launch<four_ranks_kernel>({.blocks = 1, .threads = 32}, input(in), out.data());
    auto const got = take(out);
    int const total = std::accumulate(flags.begin(), flags.end(), 0);
    int before = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      REQUIRE(got[i].before == before);
      REQUIRE(got[i].from == total - before);
      before += flags[i];
      REQUIRE(got[i].up_to == before);
      REQUIRE(got[i].after == total - before);
    }
  }
}

TEMPLATE_TEST_CASE("lane masks rank lanes among equal keys", "", warp::hardware_lane_masks,
                   warp::arithmetic_lane_masks) {
  each_size(grid_sizes, [](index_t n) {
    auto const keys = numbers<unsigned>(n, 0, 4);
    std::vector<int> expected;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto const at = keys.begin() + static_cast<std::ptrdiff_t>(i);
      expected.push_back(
          static_cast<int>(std::count(at - static_cast<std::ptrdiff_t>(i % 32), at, *at)));
    }
    device_image<unsigned> in(keys);
    device_image<int> ranks(n);
    simt::launch<rank_in_bucket_kernel<TestType>>(grid_for(n), input(in), n, ranks.data());
    REQUIRE(take(ranks) == expected);
  });
}

TEST_CASE("split and sort of blocks") {
  each_size(grid_sizes, [](index_t n) {
    auto const items = numbers<int>(n, -50, 50);
    device_image<int> in(items), out(n), evens(ceil_div(n, index_t{block_threads}));
    simt::launch<evens_first_kernel>(grid_for(n), input(in), n, out.data(), evens.data());
    auto const got = take(out), counts = take(evens);
    auto keys = make_input<std::uint32_t>(pattern::low_entropy, n);
    if (n > 1) keys[0] = ~0u;  // as great as what fills the last block
    device_image<unsigned> sorted(keys);
    simt::launch<sort_kernel>(grid_for(n), sorted.data(), n);
    auto const got_keys = take(sorted);
    for (std::size_t b = 0; b < pieces(items, block_threads); ++b) {
      auto own = piece(items, b, block_threads);
      auto const odd =
          std::stable_partition(own.begin(), own.end(), [](int x) { return x % 2 == 0; });
      REQUIRE(piece(got, b, block_threads) == own);
      REQUIRE(counts[b] == odd - own.begin());
      auto own_keys = piece(keys, b, block_threads);
      std::sort(own_keys.begin(), own_keys.end());
      REQUIRE(piece(got_keys, b, block_threads) == own_keys);
    }
  });
}
