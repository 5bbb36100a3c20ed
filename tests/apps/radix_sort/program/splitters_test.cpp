// SPDX-License-Identifier: Apache-2.0
// Splitters: words in order are in buckets in order, frequent ones in buckets of their own, and all
// buckets hold about as many words of the sample as were requested.
#include <algorithm>
#include <apps/radix_sort/program/bucket_splitters.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <tests/support/catch.hpp>
#include <vector>

namespace {

/// Words of all magnitudes, some of them frequent.
template <class Word>
std::vector<Word> sample_of(std::mt19937_64& random, std::size_t n) {
  std::vector<Word> words;
  auto const digits = std::uint64_t{8 * sizeof(Word)};
  for (std::size_t i = 0; i < n; ++i) {
    auto const word = static_cast<Word>(random());
    words.push_back(random() % 4 == 0 ? static_cast<Word>(9)
                                      : static_cast<Word>(word >> random() % digits));
  }
  return words;
}

}  // namespace

TEMPLATE_TEST_CASE("buckets follow the order of words", "", std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  using word = TestType;
  constexpr word last = std::numeric_limits<word>::max();
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    auto sample = sample_of<word>(random, 1 + random() % 2000);
    libscan::apps::splitters<word> const by(sample, 2 + random() % 60);
    REQUIRE(by.find(last) == by.count() - 1);
    auto more = sample_of<word>(random, 1000);
    sample.insert(sample.end(), more.begin(), more.end());
    std::sort(sample.begin(), sample.end());
    for (std::size_t i = 1; i < sample.size(); ++i) {
      std::size_t const a = by.find(sample[i - 1]), b = by.find(sample[i]);
      REQUIRE(a <= b);
      if (sample[i - 1] != sample[i] && a == b) REQUIRE_FALSE(by.is_single(a));
      if (sample[i] != last) REQUIRE(b <= by.find(static_cast<word>(sample[i] + 1)));
    }
  }
}

TEST_CASE("no bucket of several words is large") {
  std::mt19937_64 random(4);
  constexpr std::size_t n = 1 << 16, buckets = 50;
  auto const sample = sample_of<std::uint64_t>(random, n);
  libscan::apps::splitters<std::uint64_t> const by(sample, buckets);
  std::vector<std::size_t> counts(by.count());
  for (std::uint64_t const word : sample) ++counts[by.find(word)];
  CHECK(by.is_single(by.find(9)));
  CHECK(by.count() <= 3 * buckets);
  for (std::size_t b = 0; b < by.count(); ++b) {
    if (!by.is_single(b)) CHECK(counts[b] <= n / buckets);
  }
}

TEST_CASE("a sample of equal words, and an empty one") {
  libscan::apps::splitters<std::uint32_t> const equal(std::vector<std::uint32_t>(100, 7), 10);
  CHECK(equal.is_single(equal.find(7)));
  CHECK(equal.find(6) < equal.find(7));
  CHECK(equal.find(8) > equal.find(7));
  libscan::apps::splitters<std::uint32_t> const none({}, 10);
  CHECK(none.count() == 1);
  CHECK(none.find(12345) == 0);
}
