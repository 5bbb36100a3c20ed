// SPDX-License-Identifier: Apache-2.0
// The sorts of one lane: the networks by the 0-1 principle (Knuth, TAOCP 3, 5.3.4) and against
// std::stable_sort, for every number of keys.
#include <algorithm>
#include <numeric>

#include <apps/radix_sort/key_order.hpp>
#include <apps/radix_sort/lane_sort.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Each lane looks for inputs of zeros and ones that the network does not sort.
template <int Count>
struct zero_one_kernel {
  __device__ void operator()(unsigned inputs, int* wrong) const {
    int found = 0;
    for (unsigned bits = threadIdx.x; bits < inputs; bits += blockDim.x) {
      unsigned items[Count];
      for (int i = 0; i < Count; ++i) items[i] = bits >> i & 1u;
      auto const before = [](unsigned a, unsigned b) { return a < b; };
      device::sorting_network<Count, unsigned, decltype(before)>::sort(items, before);
      for (int i = 1; i < Count; ++i) {
        if (items[i - 1] > items[i]) ++found;
      }
    }
    wrong[threadIdx.x] = found;
  }
};

template <int Count>
int wrongly_sorted() {
  device_image<int> wrong(32);
  simt::launch<zero_one_kernel<Count>>({.blocks = 1, .threads = 32}, 1u << Count, wrong.data());
  auto const found = wrong.read();
  return std::accumulate(found.begin(), found.end(), 0);
}

constexpr int most = device::most_lane_items;

/// Lane l sorts l + first keys, by their words or by looking at two.
template <class Word, bool ByWords>
struct lane_kernel {
  __device__ void operator()(Word const* keys, int first, Word* sorted, int* places) const {
    int const length = simt::lane_id() + first;
    Word const* const own = keys + simt::lane_id() * most;
    int* const place = places + simt::lane_id() * most;
    if constexpr (ByWords) {
      device::with_width(length, [&](auto width) {
        device::sort_words<width, Word>(
            length, [&](int j) { return own[j]; },
            [&](int p, Word word, int j) {
              sorted[simt::lane_id() * most + p] = word;
              place[p] = j;
            });
      });
    } else {
      device::sort_places(
          length, sort_order<Word>{}, [&](int j) { return own[j]; },
          [&](int p) -> int& { return place[p]; });
      for (int p = 0; p < length; ++p) sorted[simt::lane_id() * most + p] = own[place[p]];
    }
  }
};

/// Of keys below `distinct`, or the largest there are.
template <class Word, bool ByWords>
void require_sorted_by_lanes(int first, std::uint64_t distinct) {
  random_words words(distinct);
  std::vector<Word> keys(32 * most);
  for (auto& key : keys) key = static_cast<Word>(~words.below(distinct));
  std::vector<Word> expected(keys.size());
  std::vector<int> expected_places(keys.size());
  for (int lane = 0; lane < 32; ++lane) {
    Word const* const own = keys.data() + lane * most;
    int* const place = expected_places.data() + lane * most;
    int const length = lane + first;
    std::iota(place, place + length, 0);
    std::stable_sort(place, place + length, [&](int a, int b) { return own[a] < own[b]; });
    for (int p = 0; p < length; ++p)
      expected[static_cast<std::size_t>(lane * most + p)] = own[place[p]];
  }
  device_image<Word> in(keys), sorted(std::vector<Word>(keys.size()));
  device_image<int> places(std::vector<int>(keys.size()));
  simt::launch<lane_kernel<Word, ByWords>>({.blocks = 1, .threads = 32},
                                           static_cast<Word const*>(in.data()), first,
                                           sorted.data(), places.data());
  REQUIRE(difference(expected, sorted.read()) == "");
  REQUIRE(difference(expected_places, places.read()) == "");
}

}  // namespace

TEST_CASE("sorting networks sort all zeros and ones") {
  REQUIRE(wrongly_sorted<2>() == 0);
  REQUIRE(wrongly_sorted<4>() == 0);
  REQUIRE(wrongly_sorted<8>() == 0);
  REQUIRE(wrongly_sorted<16>() == 0);
}

TEMPLATE_TEST_CASE("lanes sort any number of keys stably", "", std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  for (std::uint64_t const distinct : {1, 2, 5, 200}) {
    for (int const first : {0, 1}) {
      require_sorted_by_lanes<TestType, true>(first, distinct);
      require_sorted_by_lanes<TestType, false>(first, distinct);
    }
  }
}
