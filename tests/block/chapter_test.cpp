// SPDX-License-Identifier: Apache-2.0
// The block collectives of "Optimizing Parallel Prefix Operations for the Fermi Architecture"
// against their definitions. (The warp's: tests/warp.)
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <libscan/block/binary_scan.cuh>
#include <libscan/block/radix_sort.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/block/segmented_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/warp/odd_items.hpp>

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
void require_binary_scan(simt::dim3 shape, std::vector<unsigned> flags) {
  device_image<unsigned> in(flags);
  device_image<int> ranks(2 * BlockThreads), counts(2 * BlockThreads);
  simt::launch<binary_scan_kernel<BlockThreads, Kind, Direction, How>>(
      {.blocks = 1, .threads = shape}, static_cast<unsigned const*>(in.data()), ranks.data(),
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

template <int BlockThreads, scan_kind Kind, scan_direction Direction>
void require_binary_scans_of_kind(simt::dim3 shape) {
  using enum block::partial_sums;
  for (auto const& flags : {small_words(BlockThreads, 1), std::vector<unsigned>(BlockThreads, 1)}) {
    require_binary_scan<BlockThreads, Kind, Direction, generic>(shape, flags);
    require_binary_scan<BlockThreads, Kind, Direction, bitwise>(shape, flags);
  }
}

template <int BlockThreads>
void require_binary_scans(simt::dim3 shape = simt::dim3(BlockThreads)) {
  INFO("block of " << shape.x << " x " << shape.y << " x " << shape.z);
  using enum scan_kind;
  using enum scan_direction;
  require_binary_scans_of_kind<BlockThreads, exclusive, forward>(shape);
  require_binary_scans_of_kind<BlockThreads, inclusive, forward>(shape);
  require_binary_scans_of_kind<BlockThreads, exclusive, reverse>(shape);
  require_binary_scans_of_kind<BlockThreads, inclusive, reverse>(shape);
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
void require_reductions(simt::dim3 shape, std::vector<unsigned> const& words) {
  device_image<unsigned> in(words), out(4 * BlockThreads);
  device_image<interval> items(make_items<interval>(BlockThreads)), reduced(BlockThreads);
  simt::launch<reduce_kernel<BlockThreads>>(
      {.blocks = 1, .threads = shape}, static_cast<unsigned const*>(in.data()),
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
void require_reductions(simt::dim3 shape = simt::dim3(BlockThreads)) {
  INFO("block of " << shape.x << " x " << shape.y << " x " << shape.z);
  require_reductions<BlockThreads>(shape, small_words(BlockThreads, 5));
  for (unsigned const word : {0u, 31u}) {  // none is odd, all are
    std::vector<unsigned> words(BlockThreads, word);
    require_reductions<BlockThreads>(shape, words);
    words.back() ^= 1u;  // except one
    require_reductions<BlockThreads>(shape, words);
  }
}

template <int BlockThreads>
struct split_kernel {
  static constexpr int block_threads = BlockThreads;
  using shared_storage = block::binary_scan_storage<BlockThreads>;
  __device__ void operator()(shared_storage& shared, unsigned const* flags, int* positions,
                             int* falses) const {
    int const thread = simt::thread_rank();
    auto const place = block::split(shared, flags[thread] != 0);
    positions[thread] = place.position;
    falses[thread] = place.falses;
  }
};

template <int BlockThreads>
void require_split(simt::dim3 shape = simt::dim3(BlockThreads)) {
  INFO("block of " << shape.x << " x " << shape.y << " x " << shape.z);
  for (int const bits : {1, 2}) {  // half and three quarters of the flags are set
    auto const flags = small_words(BlockThreads, bits);
    device_image<unsigned> in(flags);
    device_image<int> positions(BlockThreads), falses(BlockThreads);
    simt::launch<split_kernel<BlockThreads>>({.blocks = 1, .threads = shape},
                                             static_cast<unsigned const*>(in.data()),
                                             positions.data(), falses.data());
    std::vector<int> order(BlockThreads), expected(BlockThreads);
    std::iota(order.begin(), order.end(), 0);
    std::stable_partition(order.begin(), order.end(),
                          [&](int k) { return flags[static_cast<std::size_t>(k)] == 0; });
    for (int place = 0; place < BlockThreads; ++place) {
      expected[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])] = place;
    }
    auto const zeros = static_cast<int>(std::count(flags.begin(), flags.end(), 0u));
    REQUIRE(positions.read() == expected);
    REQUIRE(falses.read() == std::vector<int>(BlockThreads, zeros));
  }
}

template <class Key, int BlockThreads>
struct sort_kernel {
  static constexpr int block_threads = BlockThreads;
  using shared_storage = block::radix_sort_storage<Key, BlockThreads>;
  __device__ void operator()(shared_storage& shared, Key* keys, int first, int end) const {
    int const thread = simt::thread_rank();
    keys[thread] = block::radix_sort(shared, keys[thread], first, end);
  }
};

template <int BlockThreads, class Key = unsigned>
void require_sort(int first, int end) {
  INFO("block of " << BlockThreads << ", bits " << first << " to " << end);
  auto keys = make_items<Key>(BlockThreads);
  device_image<Key> in(keys);
  simt::launch<sort_kernel<Key, BlockThreads>>({.blocks = 1, .threads = BlockThreads}, in.data(),
                                               first, end);
  auto const digits = [=](Key key) {
    Key const below_end = end == 8 * sizeof(Key) ? Key(-1) : static_cast<Key>((Key{1} << end) - 1);
    return (key & below_end) >> first;
  };
  std::stable_sort(keys.begin(), keys.end(), [=](Key a, Key b) { return digits(a) < digits(b); });
  REQUIRE(in.read() == keys);
}

/// Segmented scans of items and of flags, twice with the same storage; each result with the
/// block's last segment.
template <int BlockThreads, scan_kind Kind, class Op>
struct segmented_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = BlockThreads;
  struct shared_storage {
    block::segmented_scan_storage<T, BlockThreads> items;
    block::segmented_scan_storage<int, BlockThreads> flags;
  };
  __device__ void operator()(shared_storage& shared, T const* items, unsigned const* heads,
                             unsigned const* flags, T* out, int* counts) const {
    int const thread = simt::thread_rank();
    for (int round = 0; round < 2; ++round) {
      bool const head = heads[thread] != 0, flag = (flags[thread] != 0) != (round != 0);
      int const at = 2 * (round * BlockThreads + thread);
      auto const scanned = block::segmented_scan<Kind>(shared.items, items[thread], head, Op{});
      out[at] = scanned.prefix;
      out[at + 1] = scanned.last;
      auto const counted = block::segmented_binary_scan<Kind>(shared.flags, flag, head);
      counts[at] = counted.prefix;
      counts[at + 1] = counted.last;
    }
  }
};

/// What the kernel above should give for one round: prefix and last of each thread.
template <class Op, class T>
std::vector<T> segmented_oracle(scan_kind kind, std::vector<T> const& items,
                                std::vector<unsigned> const& heads, Op op) {
  std::vector<T> out;
  T sum = Op::identity();
  for (std::size_t k = 0; k < items.size(); ++k) {
    T const before = heads[k] != 0 ? Op::identity() : sum;
    sum = oracle_of(op)(before, items[k]);
    out.insert(out.end(), 2, kind == scan_kind::inclusive ? sum : before);
  }
  for (std::size_t k = 0; k < items.size(); ++k) out[2 * k + 1] = sum;
  return out;
}

template <int BlockThreads, scan_kind Kind, class Op>
void require_segmented(int one_in) {
  using T = typename Op::value_type;
  INFO("block of " << BlockThreads << ", a head in " << one_in);
  auto const items = make_items<T>(BlockThreads);
  auto heads = small_words(BlockThreads, 20);
  for (unsigned& head : heads) head = head % static_cast<unsigned>(one_in) == 0 ? 1 : 0;
  auto const flags = small_words(BlockThreads, 1, 7);
  device_image<T> in(items), out(4 * BlockThreads);
  device_image<unsigned> d_heads(heads), d_flags(flags);
  device_image<int> counts(4 * BlockThreads);
  simt::launch<segmented_kernel<BlockThreads, Kind, Op>>(
      {.blocks = 1, .threads = BlockThreads}, static_cast<T const*>(in.data()),
      static_cast<unsigned const*>(d_heads.data()), static_cast<unsigned const*>(d_flags.data()),
      out.data(), counts.data());
  std::vector<T> expected;
  std::vector<int> expected_counts;
  for (unsigned round = 0; round < 2; ++round) {
    auto const of_items = segmented_oracle(Kind, items, heads, Op{});
    expected.insert(expected.end(), of_items.begin(), of_items.end());
    std::vector<int> ones;
    for (unsigned const flag : flags) ones.push_back(static_cast<int>(flag ^ round));
    auto const of_flags = segmented_oracle(Kind, ones, heads, plus<int>{});
    expected_counts.insert(expected_counts.end(), of_flags.begin(), of_flags.end());
  }
  REQUIRE(difference(expected, out.read()) == "");
  REQUIRE(difference(expected_counts, counts.read()) == "");
}

template <class Op>
void require_segmented_scans() {
  for (int const one_in : {1, 2, 5, 50, 1 << 20}) {
    require_segmented<32, scan_kind::inclusive, Op>(one_in);
    require_segmented<32, scan_kind::exclusive, Op>(one_in);
    require_segmented<96, scan_kind::inclusive, Op>(one_in);
    require_segmented<256, scan_kind::exclusive, Op>(one_in);
    require_segmented<1024, scan_kind::inclusive, Op>(one_in);
  }
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
    require_binary_scans<105>({3, 35, 1});
    require_binary_scans<105>({5, 7, 3});
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
    require_reductions<105>({3, 35, 1});
    require_reductions<105>({5, 7, 3});
    require_reductions<1023>();
  });
}

TEST_CASE("a split gives every item its stable place") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    require_split<1>();
    require_split<31>();
    require_split<64>();
    require_split<105>({5, 7, 3});
    require_split<1000>();
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
    require_sort<100, std::uint8_t>(0, 8);
    require_sort<100, std::uint64_t>(0, 64);
    require_sort<100, std::uint64_t>(30, 35);
  });
}

TEMPLATE_TEST_CASE("segmented block scans keep to their segments, of items and of flags", "",
                   plus<int>, compose, tripwire, permute, long_compose) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    require_segmented_scans<TestType>();
  });
}
