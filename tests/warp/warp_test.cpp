// SPDX-License-Identifier: Apache-2.0
// The warp collectives against their definitions.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/warp/binary_scan.cuh>
#include <libscan/warp/scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

struct binary_scan_kernel {
  __device__ void operator()(unsigned const* words, int* ranks, int* counts) const {
    unsigned const word = words[blockIdx.x];
    auto const scanned = warp::binary_scan((word >> threadIdx.x & 1u) != 0);
    ranks[blockIdx.x * 32 + threadIdx.x] = scanned.rank;
    counts[blockIdx.x * 32 + threadIdx.x] = scanned.count;
  }
};

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

template <scan_kind Kind, class Op>
struct scan_kernel {
  template <class T>
  __device__ void operator()(T const* in, T* out, T* totals) const {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    auto const scanned = Kind == scan_kind::inclusive ? warp::inclusive_scan(in[i], Op{})
                                                      : warp::exclusive_scan(in[i], Op{});
    out[i] = scanned.prefix;
    totals[i] = scanned.total;
  }
};

template <scan_kind Kind, class Op>
void require_warp_scans() {
  using T = typename Op::value_type;
  constexpr int warps = 6;
  auto const items = make_items<T>(warps * 32);
  device_image<T> in(items), out(warps * 32), totals(warps * 32);
  simt::launch<scan_kernel<Kind, Op>>({.blocks = 3, .threads = 64},
                                      static_cast<T const*>(in.data()), out.data(), totals.data());
  auto const got = out.read();
  auto const got_totals = totals.read();
  for (int warp = 0; warp < warps; ++warp) {
    std::vector<T> const own(items.begin() + warp * 32, items.begin() + (warp + 1) * 32);
    auto const expected = scan_oracle(Kind, own, Op{}, Op::identity());
    std::vector<T> const part(got.begin() + warp * 32, got.begin() + (warp + 1) * 32);
    for (int lane = 0; lane < 32; ++lane) {
      REQUIRE(difference(expected,
                         {part, got_totals[static_cast<std::size_t>(warp * 32 + lane)]}) == "");
    }
  }
}

}  // namespace

TEST_CASE("a binary scan ranks each lane among the true ones before it") {
  each_schedule(4, [](std::string const& schedule) {
    INFO(schedule);
    std::vector<unsigned> words{0u, 1u, 0x80000000u, 0xffffffffu, 0xaaaaaaaau};
    random_words random;
    while (words.size() < 200) words.push_back(static_cast<unsigned>(random()));
    auto const n = static_cast<index_t>(words.size());
    device_image<unsigned> in(words);
    device_image<int> ranks(n * 32), counts(n * 32);
    simt::launch<binary_scan_kernel>({.blocks = static_cast<unsigned>(n), .threads = 32},
                                     static_cast<unsigned const*>(in.data()), ranks.data(),
                                     counts.data());
    auto const got_ranks = ranks.read(), got_counts = counts.read();
    for (std::size_t w = 0; w < words.size(); ++w) {
      int before = 0;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        REQUIRE(got_ranks[w * 32 + lane] == before);
        before += static_cast<int>(words[w] >> lane & 1u);
      }
      for (std::size_t lane = 0; lane < 32; ++lane) REQUIRE(got_counts[w * 32 + lane] == before);
    }
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

TEMPLATE_TEST_CASE("warp scans keep operand order and give the total to every lane", "",
                   plus<std::int32_t>, plus<std::uint8_t>, maximum<double>, compose, keep_last,
                   tripwire) {
  each_schedule(2, [](std::string const& schedule) {
    INFO(schedule);
    require_warp_scans<scan_kind::inclusive, TestType>();
    require_warp_scans<scan_kind::exclusive, TestType>();
  });
}
