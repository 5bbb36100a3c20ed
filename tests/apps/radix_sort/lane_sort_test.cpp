// SPDX-License-Identifier: Apache-2.0
// The sorts of lanes: the networks by the 0-1 principle (Knuth, TAOCP 3, 5.3.4) and against
// std::stable_sort, for one lane and for several together.
#include <algorithm>
#include <array>
#include <numeric>

#include <apps/radix_sort/device/lane_sort.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

struct zero_or_one {
  unsigned value;
  __device__ bool before(zero_or_one const& other) const { return value < other.value; }
};

/// Each lane looks for inputs of zeros and ones that a network does not sort: any of them, or those
/// that ascend and then descend, or the other way.
template <int Count, bool Bitonic>
struct zero_one_kernel {
  __device__ void operator()(unsigned inputs, int* wrong) const {
    int found = 0;
    for (unsigned bits = threadIdx.x; bits < inputs; bits += blockDim.x) {
      zero_or_one items[Count];
      for (int i = 0; i < Count; ++i) items[i] = {bits >> i & 1u};
      if constexpr (Bitonic) {
        int changes = 0;
        for (int i = 1; i < Count; ++i) changes += items[i].value != items[i - 1].value;
        if (changes > 2) continue;
        device::sort_bitonic<Count / 2>(items);
      } else {
        device::odd_even_sort<Count, zero_or_one>::sort(items);
      }
      for (int i = 1; i < Count; ++i) {
        if (items[i - 1].value > items[i].value) ++found;
      }
    }
    wrong[threadIdx.x] = found;
  }
};

template <int Count, bool Bitonic>
int wrongly_sorted() {
  device_image<int> wrong(32);
  simt::launch<zero_one_kernel<Count, Bitonic>>({.blocks = 1, .threads = 32}, 1u << Count,
                                                wrong.data());
  auto const found = wrong.read();
  return std::accumulate(found.begin(), found.end(), 0);
}

/// Two words that one decomposition makes of a key.
template <class Word>
struct in_two_words {
  LIBSCAN_HOST_DEVICE std::array<Word, 2> operator()(Word key) const {
    return {static_cast<Word>(key / 3), static_cast<Word>(key % 3)};
  }
};

/// How lanes look at keys.
enum class look { lone, placed, several };

/// A warp sorts runs of `most` keys at most, by `lanes` lanes each, that begin `most` apart.
template <class Word, int Width, look Look>
struct lane_kernel {
  __device__ void operator()(Word const* keys, int const* length, int lanes, Word* sorted,
                             int* places) const {
    int const run = simt::lane_id() / lanes;
    int const begin = run * Width * lanes;
    auto const put = [&](int i, auto const& item) {
      if constexpr (Look == look::lone) {
        sorted[begin + i] = item.word();
      } else {
        sorted[begin + i] = keys[begin + item.place()];
        places[begin + i] = item.place();
      }
    };
    sort_order<Word, in_two_words<Word>> const order;
    auto const item_at = [&](int i) {
      if constexpr (Look == look::lone) {
        return device::lone_word(keys[begin + i]);
      } else if constexpr (Look == look::placed) {
        return device::placed_word(keys[begin + i], i);
      } else {
        return device::placed_words<decltype(order)>(order, keys[begin + i], i);
      }
    };
    device::sort_by_lanes<Width>(lanes, length[run], item_at, put);
  }
};

/// Of keys below `distinct` or the largest there are, in runs of all lengths.
template <class Word, int Width, look Look>
void require_sorted_by_lanes(int lanes, std::uint64_t distinct) {
  INFO(lanes << " lanes of " << Width << " keys, " << distinct << " distinct");
  int const most = lanes * Width;
  int const runs = 32 / lanes;
  for (int first = 0; first <= most; first += runs) {
    random_words words(distinct + static_cast<std::uint64_t>(first));
    std::vector<Word> keys(static_cast<std::size_t>(32 * Width));
    for (auto& key : keys) key = static_cast<Word>(~words.below(distinct));
    std::vector<int> lengths;
    std::vector<Word> expected(keys.size());
    std::vector<int> expected_places(keys.size());
    for (int run = 0; run < runs; ++run) {
      lengths.push_back(std::min(first + run, most));
      Word const* const own = keys.data() + run * most;
      int* const place = expected_places.data() + run * most;
      std::iota(place, place + lengths.back(), 0);
      std::stable_sort(place, place + lengths.back(),
                       [&](int a, int b) { return own[a] < own[b]; });
      for (int p = 0; p < lengths.back(); ++p) {
        expected[static_cast<std::size_t>(run * most + p)] = own[place[p]];
      }
    }
    device_image<Word> in(keys), sorted(std::vector<Word>(keys.size()));
    device_image<int> length(lengths), places(std::vector<int>(keys.size()));
    simt::launch<lane_kernel<Word, Width, Look>>(
        {.blocks = 1, .threads = 32}, static_cast<Word const*>(in.data()),
        static_cast<int const*>(length.data()), lanes, sorted.data(), places.data());
    REQUIRE(difference(expected, sorted.read()) == "");
    if (Look != look::lone) REQUIRE(difference(expected_places, places.read()) == "");
  }
}

}  // namespace

TEST_CASE("sorting networks sort all zeros and ones") {
  REQUIRE(wrongly_sorted<2, false>() == 0);
  REQUIRE(wrongly_sorted<4, false>() == 0);
  REQUIRE(wrongly_sorted<8, false>() == 0);
  REQUIRE(wrongly_sorted<16, false>() == 0);
  REQUIRE(wrongly_sorted<2, true>() == 0);
  REQUIRE(wrongly_sorted<8, true>() == 0);
  REQUIRE(wrongly_sorted<16, true>() == 0);
}

TEMPLATE_TEST_CASE("lanes sort any number of keys, each by itself or together", "", std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  for (int const lanes : sized_list({1, 2, 4, 8, 16, 32}, {1, 2, 8, 32})) {
    for (std::uint64_t const distinct : sized_list<std::uint64_t>({1, 5, 200}, {5, 200})) {
      require_sorted_by_lanes<TestType, 8, look::lone>(lanes, distinct);
      require_sorted_by_lanes<TestType, 8, look::placed>(lanes, distinct);
      require_sorted_by_lanes<TestType, 8, look::several>(lanes, distinct);
    }
    require_sorted_by_lanes<TestType, 16, look::placed>(lanes, 5);
  }
  require_sorted_by_lanes<TestType, 32, look::lone>(1, 200);
  require_sorted_by_lanes<TestType, 32, look::placed>(2, 200);
}
