// SPDX-License-Identifier: Apache-2.0
// The warp and block collectives of "Optimizing Parallel Prefix Operations for the Fermi
// Architecture" against their definitions.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <libscan/block/binary_scan.cuh>
#include <libscan/block/count.cuh>
#include <libscan/block/radix_sort.cuh>
#include <libscan/block/segmented_scan.cuh>
#include <libscan/block/split.cuh>
#include <libscan/block/tree_reduce.cuh>
#include <libscan/warp/bitwise_scan.cuh>
#include <libscan/warp/segmented_scan.cuh>
#include <libscan/warp/shared_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// `n` random words of `bits` bits.
std::vector<unsigned> small_words(int n, int bits, std::uint64_t stream = 0) {
  random_words random(stream + static_cast<std::uint64_t>(n) * 64);
  std::vector<unsigned> words(static_cast<std::size_t>(n));
  for (unsigned& word : words) word = static_cast<unsigned>(random() >> (64 - bits));
  return words;
}

/// What a scan of 0/1 flags gives thread k, and the total.
template <scan_kind Kind, scan_direction Direction>
int rank_of(std::vector<unsigned> const& flags, std::size_t k) {
  std::size_t const own = Kind == scan_kind::inclusive ? 1 : 0;
  auto const at = flags.begin() + static_cast<std::ptrdiff_t>(k);
  if constexpr (Direction == scan_direction::forward) {
    return std::accumulate(flags.begin(), at + static_cast<std::ptrdiff_t>(own), 0);
  } else {
    return std::accumulate(at + static_cast<std::ptrdiff_t>(1 - own), flags.end(), 0);
  }
}

template <int BlockThreads, scan_kind Kind, scan_direction Direction, block::partial_sums How>
struct binary_scan_kernel {
  static constexpr int block_threads = BlockThreads;
  using shared_storage = block::binary_scan_storage<BlockThreads>;
  __device__ void operator()(shared_storage& shared, unsigned const* flags, int* ranks,
                             int* counts) const {
    int const thread = simt::thread_rank();
    for (int round = 0; round < 2; ++round) {  // the storage must be reusable at once
      auto const scanned =
          block::binary_scan<Kind, Direction, How>(shared, (flags[thread] != 0) != (round != 0));
      ranks[round * BlockThreads + thread] = scanned.rank;
      counts[round * BlockThreads + thread] = scanned.count;
    }
  }
};

template <int BlockThreads, scan_kind Kind, scan_direction Direction, block::partial_sums How>
void require_binary_scan() {
  auto flags = small_words(BlockThreads, 1);
  device_image<unsigned> in(flags);
  device_image<int> ranks(2 * BlockThreads), counts(2 * BlockThreads);
  simt::launch<binary_scan_kernel<BlockThreads, Kind, Direction, How>>(
      {.blocks = 1, .threads = BlockThreads}, static_cast<unsigned const*>(in.data()), ranks.data(),
      counts.data());
  auto const got = ranks.read(), got_counts = counts.read();
  for (std::size_t round = 0; round < 2; ++round) {
    int const total = std::accumulate(flags.begin(), flags.end(), 0);
    for (std::size_t k = 0; k < flags.size(); ++k) {
      REQUIRE(got[round * BlockThreads + k] == rank_of<Kind, Direction>(flags, k));
      REQUIRE(got_counts[round * BlockThreads + k] == total);
    }
    for (unsigned& flag : flags) flag ^= 1u;
  }
}

template <int BlockThreads>
void require_binary_scans() {
  INFO("block of " << BlockThreads);
  using enum scan_kind;
  using enum scan_direction;
  using enum block::partial_sums;
  require_binary_scan<BlockThreads, exclusive, forward, generic>();
  require_binary_scan<BlockThreads, inclusive, forward, bitwise>();
  require_binary_scan<BlockThreads, exclusive, reverse, bitwise>();
  require_binary_scan<BlockThreads, inclusive, reverse, generic>();
}

template <int BlockThreads>
struct reduce_kernel {
  static constexpr int block_threads = BlockThreads;
  using shared_storage = block::tree_reduce_storage<interval, BlockThreads>;
  __device__ void operator()(shared_storage& shared, unsigned const* words, interval const* items,
                             unsigned* out, interval* reduced) const {
    int const thread = simt::thread_rank();
    reduced[thread] = block::tree_reduce(shared, items[thread], tripwire{});
    bool const odd = (words[thread] & 1u) != 0;
    unsigned* const mine = out + 4 * thread;
    mine[0] = static_cast<unsigned>(block::count(odd));
    mine[1] = block::all(odd) ? 1u : 0u;
    mine[2] = block::any(odd) ? 1u : 0u;
    mine[3] = block::sum_by_counts<5>(words[thread]);
  }
};

template <int BlockThreads>
void require_reductions() {
  INFO("block of " << BlockThreads);
  auto const words = small_words(BlockThreads, 5);
  device_image<unsigned> in(words), out(4 * BlockThreads);
  device_image<interval> items(make_items<interval>(BlockThreads)), reduced(BlockThreads);
  simt::launch<reduce_kernel<BlockThreads>>(
      {.blocks = 1, .threads = BlockThreads}, static_cast<unsigned const*>(in.data()),
      static_cast<interval const*>(items.data()), out.data(), reduced.data());
  auto const odd = static_cast<unsigned>(
      std::count_if(words.begin(), words.end(), [](unsigned x) { return x % 2 == 1; }));
  std::vector<unsigned> const expected{odd, odd == BlockThreads, odd > 0,
                                       std::accumulate(words.begin(), words.end(), 0u)};
  auto const got = out.read();
  auto const intervals = reduced.read();
  for (std::size_t thread = 0; thread < BlockThreads; ++thread) {
    for (std::size_t k = 0; k < 4; ++k) REQUIRE(got[4 * thread + k] == expected[k]);
    REQUIRE(intervals[thread] == interval::over(0, BlockThreads));
  }
}

template <int BlockThreads>
struct sort_kernel {
  static constexpr int block_threads = BlockThreads;
  using shared_storage = block::radix_sort_storage<unsigned, BlockThreads>;
  __device__ void operator()(shared_storage& shared, unsigned* keys, int first, int end) const {
    int const thread = simt::thread_rank();
    keys[thread] = block::radix_sort(shared, keys[thread], first, end);
  }
};

template <int BlockThreads>
void require_sort(int first, int end) {
  INFO("block of " << BlockThreads << ", bits " << first << " to " << end);
  auto keys = small_words(BlockThreads, 32);
  device_image<unsigned> in(keys);
  simt::launch<sort_kernel<BlockThreads>>({.blocks = 1, .threads = BlockThreads}, in.data(), first,
                                          end);
  auto const digits = [=](unsigned key) {
    return static_cast<std::uint64_t>(key) % (std::uint64_t{1} << end) >> first;
  };
  std::stable_sort(keys.begin(), keys.end(),
                   [=](unsigned a, unsigned b) { return digits(a) < digits(b); });
  REQUIRE(in.read() == keys);
}

/// Segmented scans of a block and of its warps, of affine maps and of flags.
template <int BlockThreads, scan_kind Kind>
struct segmented_kernel {
  static constexpr int block_threads = BlockThreads;
  struct shared_storage {
    block::segmented_scan_storage<affine, BlockThreads> maps;
    block::segmented_scan_storage<int, BlockThreads> flags;
  };
  __device__ void operator()(shared_storage& shared, affine const* items, unsigned const* heads,
                             affine* out, int* counts, affine* in_warp, int* in_warp_counts) const {
    int const thread = simt::thread_rank();
    bool const head = heads[thread] != 0, flag = (items[thread].offset & 1u) != 0;
    out[thread] = block::segmented_scan<Kind>(shared.maps, items[thread], head, compose{}).prefix;
    counts[thread] = block::segmented_binary_scan<Kind>(shared.flags, flag, head).prefix;
    unsigned const word = simt::ballot(simt::full_warp, head);
    in_warp[thread] = warp::segmented_scan<Kind>(items[thread], word, compose{}).prefix;
    in_warp_counts[thread] = warp::segmented_binary_scan<Kind>(flag, head).rank;
  }
};

template <int BlockThreads, scan_kind Kind>
void require_segmented(int one_in) {
  INFO("block of " << BlockThreads << ", a head in " << one_in);
  auto const items = make_items<affine>(BlockThreads);
  auto heads = small_words(BlockThreads, 20);
  for (unsigned& head : heads) head = head % static_cast<unsigned>(one_in) == 0 ? 1 : 0;
  device_image<affine> in(items), out(BlockThreads), in_warp(BlockThreads);
  device_image<unsigned> d_heads(heads);
  device_image<int> counts(BlockThreads), in_warp_counts(BlockThreads);
  simt::launch<segmented_kernel<BlockThreads, Kind>>(
      {.blocks = 1, .threads = BlockThreads}, static_cast<affine const*>(in.data()),
      static_cast<unsigned const*>(d_heads.data()), out.data(), counts.data(), in_warp.data(),
      in_warp_counts.data());
  auto const got = out.read(), got_in_warp = in_warp.read();
  auto const got_counts = counts.read(), got_warp_counts = in_warp_counts.read();
  affine sum[2] = {compose::identity(), compose::identity()};
  int count[2] = {0, 0};
  for (std::size_t k = 0; k < BlockThreads; ++k) {
    for (int scope = 0; scope < 2; ++scope) {  // the block's segments, the warp's
      bool const begins = heads[k] != 0 || (scope == 1 && k % 32 == 0);
      affine const before = begins ? compose::identity() : sum[scope];
      int const before_count = begins ? 0 : count[scope];
      sum[scope] = compose{}(before, items[k]);
      count[scope] = before_count + static_cast<int>(items[k].offset & 1u);
      bool const inclusive = Kind == scan_kind::inclusive;
      REQUIRE((scope == 0 ? got : got_in_warp)[k] == (inclusive ? sum[scope] : before));
      REQUIRE((scope == 0 ? got_counts : got_warp_counts)[k] ==
              (inclusive ? count[scope] : before_count));
    }
  }
}

template <scan_kind Kind>
struct warp_forms_kernel {
  using shared_storage = warp::shared_scan_storage<affine>;
  __device__ void operator()(shared_storage& shared, affine const* items, affine* out,
                             unsigned* sums, unsigned* masks) const {
    int const lane = simt::lane_id();
    auto const scanned = warp::shared_scan<Kind>(shared, items[lane], compose{});
    out[lane] = scanned.prefix;
    out[32 + lane] = scanned.total;
    auto const bitwise = warp::bitwise_scan<7, Kind>(items[lane].offset & 127u);
    sums[lane] = bitwise.prefix;
    sums[32 + lane] = bitwise.total;
    using by_arithmetic = warp::arithmetic_lane_masks;
    masks[lane] =
        (by_arithmetic::lt() ^ simt::lanemask_lt()) | (by_arithmetic::le() ^ simt::lanemask_le()) |
        (by_arithmetic::ge() ^ simt::lanemask_ge()) | (by_arithmetic::gt() ^ simt::lanemask_gt());
  }
};

template <scan_kind Kind>
void require_warp_forms(simt::dim3 shape) {
  auto const items = make_items<affine>(32);
  device_image<affine> in(items), out(64);
  device_image<unsigned> sums(64), masks(32);
  simt::launch<warp_forms_kernel<Kind>>({.blocks = 1, .threads = shape},
                                        static_cast<affine const*>(in.data()), out.data(),
                                        sums.data(), masks.data());
  auto const expected = scan_oracle(Kind, items, compose{}, compose::identity());
  auto got = out.read();
  REQUIRE(std::vector<affine>(got.begin() + 32, got.end()) ==
          std::vector<affine>(32, expected.total));
  got.resize(32);
  REQUIRE(difference(expected.out, got) == "");
  std::vector<unsigned> small;
  for (affine const& item : items) small.push_back(item.offset & 127u);
  auto const expected_sums = scan_oracle(Kind, small, plus<unsigned>{}, 0u);
  auto got_sums = sums.read();
  REQUIRE(got_sums.back() == expected_sums.total);
  got_sums.resize(32);
  REQUIRE(got_sums == expected_sums.out);
  REQUIRE(masks.read() == std::vector<unsigned>(32, 0u));
}

}  // namespace

TEST_CASE("block binary scans of any size, kind, direction and form of the partial sums") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    require_binary_scans<1>();
    require_binary_scans<7>();
    require_binary_scans<32>();
    require_binary_scans<33>();
    require_binary_scans<100>();
    require_binary_scans<256>();
    require_binary_scans<1024>();
  });
}

TEST_CASE("counts, votes, sums by counts and the tree reduction agree with a loop") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    require_reductions<1>();
    require_reductions<31>();
    require_reductions<64>();
    require_reductions<100>();
    require_reductions<1023>();
  });
}

TEST_CASE("the block radix sort is a stable sort by any range of bits") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    require_sort<1>(0, 32);
    require_sort<33>(0, 32);
    require_sort<256>(0, 32);
    require_sort<256>(3, 7);
    require_sort<1024>(28, 32);
  });
}

TEST_CASE("segmented scans keep to their segments, in warps and in blocks") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int const one_in : {1, 2, 5, 50, 1 << 20}) {
      require_segmented<32, scan_kind::inclusive>(one_in);
      require_segmented<32, scan_kind::exclusive>(one_in);
      require_segmented<256, scan_kind::inclusive>(one_in);
      require_segmented<256, scan_kind::exclusive>(one_in);
    }
  });
}

TEST_CASE(
    "the warp's shared-memory and bitwise scans and both kinds of lane masks, in any block shape") {
  for (simt::dim3 const shape : {simt::dim3(32), simt::dim3(8, 4), simt::dim3(4, 4, 2)}) {
    require_warp_forms<scan_kind::inclusive>(shape);
    require_warp_forms<scan_kind::exclusive>(shape);
  }
}
