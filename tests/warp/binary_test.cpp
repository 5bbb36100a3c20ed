// SPDX-License-Identifier: Apache-2.0
// The warp collectives of one bit per lane, and of a few: counts, binary scans of every kind by
// either form of lane masks, within segments, and bit by bit.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/warp/binary_scan.cuh>
#include <libscan/warp/bitwise_scan.cuh>
#include <libscan/warp/segmented_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using warp::arithmetic_lane_masks;
using warp::hardware_lane_masks;

/// Words with a bit for each lane: the regular ones, then random ones; `n` in all.
std::vector<unsigned> some_words(std::size_t n) {
  std::vector<unsigned> words{0u, 1u, 0x80000000u, 0xffffffffu, 0xaaaaaaaau};
  random_words random;
  while (words.size() < n) words.push_back(static_cast<unsigned>(random()));
  words.resize(n);
  return words;
}

/// The sum of x[k] over the lanes that a prefix covers, seen from `lane`.
template <class At>
unsigned covered_sum(scan_kind kind, scan_direction direction, int lane, At x) {
  bool const forward = direction == scan_direction::forward;
  unsigned sum = kind == scan_kind::inclusive ? x(lane) : 0;
  for (int k = forward ? 0 : lane + 1; k < (forward ? lane : 32); ++k) sum += x(k);
  return sum;
}

/// Blocks of 96 threads in one, two and three dimensions, and the index of a thread in all of them.
constexpr int block_size = 96;
std::vector<simt::dim3> block_shapes() { return {{96, 1, 1}, {3, 32, 1}, {4, 4, 6}}; }

__device__ int thread_of_grid() {
  return static_cast<int>(blockIdx.x) * block_size + simt::thread_rank();
}

struct masks_kernel {
  template <class LaneMasks>
  __device__ static void store(unsigned* out) {
    out[0] = LaneMasks::lt();
    out[1] = LaneMasks::le();
    out[2] = LaneMasks::ge();
    out[3] = LaneMasks::gt();
  }
  __device__ void operator()(unsigned* by_hardware, unsigned* by_arithmetic) const {
    int const at = 4 * simt::thread_rank();
    store<hardware_lane_masks>(by_hardware + at);
    store<arithmetic_lane_masks>(by_arithmetic + at);
  }
};

/// Each warp scans a word of its own; rank and count of each thread.
template <scan_kind Kind, scan_direction Direction, class LaneMasks>
struct binary_kernel {
  __device__ void operator()(unsigned const* words, unsigned* ranks, unsigned* counts) const {
    int const i = thread_of_grid();
    bool const own = (words[i / 32] >> i % 32 & 1u) != 0;
    auto const scanned = warp::binary_scan<Kind, Direction, LaneMasks>(own);
    ranks[i] = static_cast<unsigned>(scanned.rank);
    counts[i] = static_cast<unsigned>(scanned.count == warp::count(own) ? scanned.count : -1);
  }
};

template <int Bits, scan_kind Kind, scan_direction Direction>
struct bitwise_kernel {
  __device__ void operator()(unsigned const* values, unsigned* prefixes, unsigned* totals) const {
    int const i = thread_of_grid();
    auto const scanned = warp::bitwise_scan<Bits, Kind, Direction>(values[i]);
    prefixes[i] = scanned.prefix;
    totals[i] = scanned.total;
  }
};

/// Launches a kernel of one value per thread on blocks of every shape, and compares what it gives
/// with the sums of x(thread).
template <class Kernel, class At>
void require_sums(scan_kind kind, scan_direction direction, std::vector<unsigned> const& in,
                  int threads, At x) {
  for (simt::dim3 const shape : block_shapes()) {
    INFO("block of " << shape.x << " x " << shape.y << " x " << shape.z);
    device_image<unsigned> d_in(in), prefixes(threads), totals(threads);
    simt::launch<Kernel>({.blocks = static_cast<unsigned>(threads / block_size), .threads = shape},
                         static_cast<unsigned const*>(d_in.data()), prefixes.data(), totals.data());
    auto const got = prefixes.read(), got_totals = totals.read();
    for (int i = 0; i < threads; ++i) {
      auto const of_warp = [&](int lane) { return x(i / 32 * 32 + lane); };
      unsigned total = 0;
      for (int lane = 0; lane < 32; ++lane) total += of_warp(lane);
      REQUIRE(got[static_cast<std::size_t>(i)] == covered_sum(kind, direction, i % 32, of_warp));
      REQUIRE(got_totals[static_cast<std::size_t>(i)] == total);
    }
  }
}

template <scan_kind Kind, scan_direction Direction>
void require_binary_scans() {
  auto const words = some_words(60);
  auto const bit = [&](int i) { return words[static_cast<std::size_t>(i / 32)] >> i % 32 & 1u; };
  require_sums<binary_kernel<Kind, Direction, hardware_lane_masks>>(Kind, Direction, words, 60 * 32,
                                                                    bit);
  require_sums<binary_kernel<Kind, Direction, arithmetic_lane_masks>>(Kind, Direction, words,
                                                                      60 * 32, bit);
}

template <int Bits, scan_kind Kind, scan_direction Direction>
void require_bitwise_scan() {
  INFO(Bits << " bits");
  auto values = some_words(6 * 32);
  for (unsigned& value : values) value = static_cast<unsigned>(value % (std::uint64_t{1} << Bits));
  require_sums<bitwise_kernel<Bits, Kind, Direction>>(
      Kind, Direction, values, 6 * 32, [&](int i) { return values[static_cast<std::size_t>(i)]; });
}

template <scan_kind Kind, scan_direction Direction>
void require_bitwise_scans() {
  require_bitwise_scan<1, Kind, Direction>();
  require_bitwise_scan<4, Kind, Direction>();
  require_bitwise_scan<7, Kind, Direction>();
  require_bitwise_scan<32, Kind, Direction>();
}

/// The even and the odd lanes, each with a mask of their own.
struct half_warps_kernel {
  __device__ void operator()(int* ranks) const {
    if (threadIdx.x % 2 == 0) {
      ranks[threadIdx.x] = warp::binary_scan(threadIdx.x % 4 == 0, 0x55555555u).rank;
    } else {
      ranks[threadIdx.x] = warp::binary_scan(true, 0xaaaaaaaau).rank;
    }
  }
};

/// Flags and head flags of a warp in words; the head flags once as a word, once as each lane's own
/// flag.
template <scan_kind Kind>
struct segmented_kernel {
  __device__ void operator()(unsigned flags, unsigned heads, int* ranks, int* counts) const {
    int const lane = simt::lane_id();
    bool const flag = (flags >> lane & 1u) != 0;
    auto const by_word = warp::segmented_binary_scan<Kind>(flag, heads);
    auto const by_lane = warp::segmented_binary_scan<Kind>(flag, (heads >> lane & 1u) != 0);
    bool const same = by_word.rank == by_lane.rank && by_word.count == by_lane.count;
    ranks[lane] = same ? by_word.rank : -1;
    counts[lane] = by_word.count;
  }
};

template <scan_kind Kind>
void require_segmented(unsigned flags, unsigned heads) {
  INFO("flags " << std::hex << flags << ", head flags " << heads);
  device_image<int> ranks(32), counts(32);
  simt::launch<segmented_kernel<Kind>>({.blocks = 1, .threads = 32}, flags, heads, ranks.data(),
                                       counts.data());
  auto const got = ranks.read(), got_counts = counts.read();
  for (int begin = 0, end = 1; begin < 32; begin = end++) {
    while (end < 32 && (heads >> end & 1u) == 0) ++end;
    int sum = 0;
    for (int lane = begin; lane < end; ++lane) {
      int const before = sum;
      sum += static_cast<int>(flags >> lane & 1u);
      REQUIRE(got[static_cast<std::size_t>(lane)] == (Kind == scan_kind::inclusive ? sum : before));
    }
    for (int lane = begin; lane < end; ++lane) {
      REQUIRE(got_counts[static_cast<std::size_t>(lane)] == sum);
    }
  }
}

}  // namespace

TEST_CASE("lane masks by arithmetic are the hardware's, in blocks of any shape") {
  std::vector<unsigned> expected;
  for (unsigned k = 0; k < 105; ++k) {
    unsigned const own = 1u << k % 32;
    expected.insert(expected.end(), {own - 1, own - 1 + own, ~(own - 1), ~(own - 1 + own)});
  }
  for (auto const shape : {simt::dim3(105), simt::dim3(3, 35), simt::dim3(5, 7, 3)}) {
    device_image<unsigned> by_hardware(4 * 105), by_arithmetic(4 * 105);
    simt::launch<masks_kernel>({.blocks = 1, .threads = shape}, by_hardware.data(),
                               by_arithmetic.data());
    REQUIRE(by_hardware.read() == expected);
    REQUIRE(by_arithmetic.read() == expected);
  }
}

TEST_CASE("binary scans of all four kinds, by both forms of masks, in blocks of any shape") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    require_binary_scans<scan_kind::exclusive, scan_direction::forward>();
    require_binary_scans<scan_kind::inclusive, scan_direction::forward>();
    require_binary_scans<scan_kind::exclusive, scan_direction::reverse>();
    require_binary_scans<scan_kind::inclusive, scan_direction::reverse>();
  });
}

TEST_CASE("bitwise scans of all four kinds sum integers of 1 to 32 bits") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    require_bitwise_scans<scan_kind::exclusive, scan_direction::forward>();
    require_bitwise_scans<scan_kind::inclusive, scan_direction::forward>();
    require_bitwise_scans<scan_kind::exclusive, scan_direction::reverse>();
    require_bitwise_scans<scan_kind::inclusive, scan_direction::reverse>();
  });
}

TEST_CASE("a binary scan takes part of a warp, by its mask") {
  device_image<int> ranks(32);
  simt::launch<half_warps_kernel>({.blocks = 1, .threads = 32}, ranks.data());
  auto const got = ranks.read();
  for (int lane = 0; lane < 32; ++lane) {
    REQUIRE(got[static_cast<std::size_t>(lane)] == (lane % 2 == 0 ? (lane + 2) / 4 : lane / 2));
  }
}

TEST_CASE("segmented binary scans keep to their segments, by a word and by lanes' flags") {
  auto const words = some_words(12);
  each_schedule(scaled(2, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (unsigned const flags : words) {
      for (unsigned const heads : words) {
        require_segmented<scan_kind::exclusive>(flags, heads);
        require_segmented<scan_kind::inclusive>(flags, heads);
      }
    }
  });
}
