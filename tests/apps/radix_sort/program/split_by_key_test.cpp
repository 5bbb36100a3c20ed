// SPDX-License-Identifier: Apache-2.0
// The CPU's stable split into buckets against a loop over the buckets.
#include <libscan/cpu/split_by_key.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

template <class Key>
std::vector<Key> below(index_t n, int buckets) {
  random_words words(static_cast<std::uint64_t>(n));
  std::vector<Key> keys;
  for (index_t i = 0; i < n; ++i) {
    keys.push_back(static_cast<Key>(words.below(static_cast<std::uint64_t>(buckets))));
  }
  return keys;
}

/// What a split should give.
template <class Key, class Value>
struct grouped {
  std::vector<Key> keys;
  std::vector<Value> values;
  std::vector<index_t> offsets{0};

  template <class BucketOf>
  grouped(std::vector<Key> const& in, std::vector<Value> const& with, int buckets,
          BucketOf bucket_of) {
    std::vector<std::vector<std::size_t>> places(static_cast<std::size_t>(buckets));
    for (std::size_t i = 0; i < in.size(); ++i) {
      places[static_cast<std::size_t>(bucket_of(in[i]))].push_back(i);
    }
    for (auto const& bucket : places) {
      for (std::size_t const i : bucket) {
        keys.push_back(in[i]);
        values.push_back(with[i]);
      }
      offsets.push_back(static_cast<index_t>(keys.size()));
    }
  }
};

/// Where outputs begin in their first cache lines: in the same place, or not.
enum class beginnings { alike, apart };

/// What is wrong with a split; "" if nothing. Values tell where they come from.
template <class Value, class Key, class BucketOf = cpu::its_bucket>
std::string faults(int threads, std::vector<Key> const& keys, int buckets, BucketOf bucket_of = {},
                   beginnings outputs = beginnings::apart) {
  auto const n = static_cast<index_t>(keys.size());
  std::vector<Value> values(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto const number = static_cast<std::uint32_t>(i);
    std::memcpy(&values[i], &number, std::min(sizeof(number), sizeof(Value)));
  }
  grouped<Key, Value> const expected(keys, values, buckets, bucket_of);
  int const offset = static_cast<int>(n % 17);
  guarded_buffer<Key> out(n, offset), alone(n, 16 - offset);
  guarded_buffer<Value> moved(n, outputs == beginnings::alike ? offset : 16 - offset);
  guarded_buffer<index_t> offsets(buckets + 1, 1);
  cpu::split_by_key(threads, keys.data(), out.data(), values.data(), moved.data(), offsets.data(),
                    n, buckets, bucket_of);
  cpu::split_by_key(threads, keys.data(), alone.data(), nullptr, n, buckets, bucket_of);
  std::string const found =
      out.damage() + moved.damage() + offsets.damage() + alone.damage() +
      bit_difference(expected.keys, out.copy()) + bit_difference(expected.values, moved.copy()) +
      difference(expected.offsets, offsets.copy()) + bit_difference(expected.keys, alone.copy());
  return found.empty() ? ""
                       : std::to_string(threads) + " threads, n = " + std::to_string(n) + ", " +
                             std::to_string(buckets) + " buckets: " + found;
}

TEST_CASE("the cpu engine groups items by bucket, in their order") {
  with_threads(16, [] {
    for (int const buckets : {1, 2, 7, 64, 256}) {
      for (index_t const n : {0, 1, 2, 255, 256, 257, 5000, 32768, 32769, 200003}) {
        if (n > 100000 && buckets == 64) continue;
        for (int const threads : thread_counts) {
          CHECK(faults<std::uint32_t>(threads, below<std::uint32_t>(n, buckets), buckets) == "");
        }
        CHECK(faults<std::uint64_t>(2, below<std::uint8_t>(n, buckets), buckets) == "");
        CHECK(faults<std::uint16_t>(2, below<std::int64_t>(n, buckets), buckets) == "");
      }
    }
  });
}

/// An item of 12 bytes that knows its bucket.
struct token {
  std::uint32_t expert, position, weight;
  bool operator==(token const&) const = default;
};

TEST_CASE("the cpu engine groups items of any type, by what they say") {
  for (index_t const n : {1, 1000, 100003}) {
    std::vector<token> tokens;
    for (std::uint32_t const expert : below<std::uint32_t>(n, 9)) {
      tokens.push_back({expert + 100, static_cast<std::uint32_t>(tokens.size()), 7});
    }
    auto const by_expert = [](token const& x) { return x.expert - 100; };
    CHECK(faults<std::array<char, 3>>(2, tokens, 9, by_expert) == "");
  }
}

/// Outputs of so many bytes pass the caches by.
constexpr index_t streamed = cpu::non_temporal_bytes;
constexpr int many_buckets = cpu::detail::buckets_at_hand + 1;

TEST_CASE("many items are written in turns, or streamed to their buckets, wherever these begin") {
  for (int const buckets : {cpu::detail::buckets_at_hand, many_buckets, 8, 256}) {
    if (quick_types && buckets != cpu::detail::buckets_at_hand && buckets != many_buckets) continue;
    // Keys with values, and in `faults` keys only.
    CHECK(faults<std::uint32_t>(2, below<std::uint64_t>(streamed / 8 + buckets, buckets),
                                buckets) == "");
  }
}

TEST_CASE("keys and values of one size are streamed together, if they may share lines") {
  for (auto const outputs : {beginnings::alike, beginnings::apart}) {
    for (index_t const more : {2, 3}) {
      index_t const n = streamed / 8 + more;
      CHECK(faults<float>(2, below<std::uint32_t>(n, 256), 256, cpu::its_bucket{}, outputs) == "");
      CHECK(faults<index_t>(3, below<std::uint64_t>(n / 2, many_buckets), many_buckets,
                            cpu::its_bucket{}, outputs) == "");
    }
  }
}

TEST_CASE("outputs that are no multiples of their size are written item by item") {
  struct point {
    float x, y;
  };
  constexpr index_t n = streamed / 8;
  auto const keys = below<std::uint8_t>(n, many_buckets);
  std::vector<point> points(keys.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {float(i / 4096), float(i % 4096)};
  grouped<std::uint8_t, point> const expected(keys, points, many_buckets, cpu::its_bucket{});
  std::vector<float> room(2 * keys.size() + 3, -1.0F);
  std::vector<std::uint8_t> out(keys.size());
  // Of two neighbors, one does not begin at a multiple of 8.
  for (std::size_t const first : {0, 1}) {
    auto* const to = reinterpret_cast<point*>(room.data() + first);
    cpu::split_by_key(2, keys.data(), out.data(), points.data(), to, nullptr, n, many_buckets);
    CHECK(difference(expected.keys, out) == "");
    CHECK(std::memcmp(to, expected.values.data(), keys.size() * sizeof(point)) == 0);
    CHECK((room[2 * keys.size() + first] == -1 && (first == 0 || room[0] == 0)));
  }
}

TEST_CASE("a bucket past 32 bits is none, whatever its low bits say") {
  constexpr index_t n = cpu::detail::bucket_block + 1;
  std::uint32_t found[cpu::detail::bucket_block];
  for (std::uint64_t const bad : {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 3,
                                  std::uint64_t{1} << 63, std::uint64_t{0xffffffff00000000}}) {
    for (std::size_t const place : {0, 1, 255}) {
      INFO("key " << place << " is " << bad);
      std::vector<std::uint64_t> keys(static_cast<std::size_t>(n), 3), out(keys.size(), 9);
      CHECK(cpu::detail::find_buckets(keys.data(), cpu::detail::bucket_block, cpu::its_bucket{}, 4,
                                      found));
      keys[place] = bad;
      CHECK_FALSE(cpu::detail::find_buckets(keys.data(), cpu::detail::bucket_block,
                                            cpu::its_bucket{}, 4, found));
      CHECK_THROWS_AS(cpu::split_by_key(1, keys.data(), out.data(), nullptr, n, 4),
                      invalid_argument);
      CHECK((out == std::vector<std::uint64_t>(out.size(), 9)));
    }
  }
}

TEST_CASE("a key in no bucket is refused before anything is written") {
  std::vector<int> keys(100000, 3), out(keys.size(), -7);
  index_t offsets[5] = {-1, -1, -1, -1, -1};
  auto const split = [&](int buckets) {
    cpu::split_by_key(2, keys.data(), out.data(), offsets, static_cast<index_t>(keys.size()),
                      buckets);
  };
  for (int const bad : {4, -1, 259}) {
    keys[77777] = bad;
    CHECK_THROWS_WITH(split(4), "split by key: key 77777 is in bucket " + std::to_string(bad) +
                                    "; expected 0 to 3");
  }
  CHECK((out == std::vector<int>(keys.size(), -7) && offsets[0] == -1));
  for (int const buckets : {0, 257}) CHECK_THROWS_AS(split(buckets), invalid_argument);
  CHECK_THROWS_AS(cpu::split_by_key(0, keys.data(), out.data(), offsets, 1, 4), invalid_argument);
  CHECK_THROWS_AS(cpu::split_by_key(1, keys.data(), out.data(), offsets, -1, 4), invalid_argument);
}

}  // namespace
}  // namespace libscan::test
