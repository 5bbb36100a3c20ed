// SPDX-License-Identifier: Apache-2.0
// The stable split into buckets against a loop over the buckets.
#include <libscan/split_by_key.cuh>
#include <tests/apps/radix_sort/sort_cases.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// An item of 12 bytes that knows its bucket.
struct token {
  std::uint32_t expert, position, weight;
  bool operator==(token const&) const = default;
};
struct expert_of {
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(token const& x) const { return x.expert; }
};

/// A bucket function with state, like a lambda with captures: neither default constructible nor
/// assignable.
class remainder_by {
 public:
  explicit remainder_by(std::uint32_t divisor) : divisor_(divisor) {}
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(std::uint32_t key) const { return key % divisor_; }

 private:
  std::uint32_t const divisor_;
};

template <class Tuning>
void require_split(std::vector<std::uint32_t> const& keys, int buckets) {
  auto const n = static_cast<index_t>(keys.size());
  INFO("n = " << n << ", " << buckets << " buckets");
  auto const positions = sorted_positions(keys, std::less<>{});
  std::vector<index_t> begins(static_cast<std::size_t>(buckets) + 1);
  for (int b = 0; b <= buckets; ++b) {
    begins[static_cast<std::size_t>(b)] = std::count_if(
        keys.begin(), keys.end(), [&](auto key) { return key < static_cast<unsigned>(b); });
  }
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  workspace ws;
  device_image<std::uint32_t> in(keys, 1), out(n, 2), with(values), moved(n, 5);
  device_image<index_t> offsets(buckets + 1);
  split_by_key<Tuning>(ws, static_cast<std::uint32_t const*>(in.data()), out.data(),
                       static_cast<std::uint32_t const*>(with.data()), moved.data(), offsets.data(),
                       n, buckets);
  REQUIRE(difference(taken(keys, positions), out.read()) == "");
  REQUIRE(difference(taken(values, positions), moved.read()) == "");
  REQUIRE(difference(begins, offsets.read()) == "");
  REQUIRE(out.damage() + moved.damage() + offsets.damage() == "");
  split_by_key<Tuning>(ws, static_cast<std::uint32_t const*>(in.data()), moved.data(), nullptr, n,
                       buckets);
  REQUIRE(difference(taken(keys, positions), moved.read()) == "");
}

std::vector<std::uint32_t> below(index_t n, int buckets) {
  random_words words(static_cast<std::uint64_t>(n));
  std::vector<std::uint32_t> keys;
  for (index_t i = 0; i < n; ++i) {
    keys.push_back(static_cast<std::uint32_t>(words.below(static_cast<std::uint64_t>(buckets))));
  }
  return keys;
}

}  // namespace

TEMPLATE_TEST_CASE("items are grouped by bucket, in their order", "", tiny_passes, staged,
                   disordered, automatic_sort) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int const buckets : sized_list({1, 2, 8, 64, 255, 256}, {1, 64, 256})) {
      for (index_t const n : sized_list({0, 1, 33, 1700}, {0, 33, 900}))
        require_split<TestType>(below(n, buckets), buckets);
      require_split<TestType>(std::vector<std::uint32_t>(300, 0), buckets);
    }
  });
}

TEMPLATE_TEST_CASE("few items are grouped in one launch", "", clustered, disordered_cluster,
                   resident, disordered_resident) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int const buckets : sized_list({1, 3, 8, 100, 256}, {3, 256})) {
      for (index_t const n : sized_list({0, 1, 257, 700, 1000}, {257, 1000})) {
        require_split<TestType>(below(n, buckets), buckets);
      }
      require_split<TestType>(std::vector<std::uint32_t>(900, 0), buckets);
    }
    for (index_t const n : {1025, 3000}) require_split<TestType>(below(n, 100), 100);
  });
  require_split<automatic_sort>(below(on_gpu ? 100000 : 6000, 100), 100);  // of several blocks
}

TEST_CASE("a split may learn on the device how many items there are") {
  auto const keys = below(3000, 20);
  for (index_t const n : {0, 1, 2000}) {
    std::vector<std::uint32_t> const some(keys.begin(), keys.begin() + n);
    workspace ws;
    device_image<std::uint32_t> in(keys), out(3000);
    device_image<index_t> offsets(21), d_n(std::vector<index_t>{n});
    split_by_key(ws, static_cast<std::uint32_t const*>(in.data()), out.data(), offsets.data(),
                 item_count::on_device(d_n.data(), 3000), 20);
    auto const split = out.read();
    REQUIRE(difference(taken(some, sorted_positions(some, std::less<>{})),
                       std::vector<std::uint32_t>(split.begin(), split.begin() + n)) == "");
    REQUIRE(offsets.read()[20] == n);
  }
}

TEST_CASE("many items are split the way the library chooses") {
  require_split<automatic_sort>(below(on_gpu ? 5000000 : scaled(50000, 6000), 64), 64);
}

TEST_CASE("items may be of any kind, with a function for their bucket") {
  auto const experts = below(3000, 20);
  std::vector<token> tokens;
  for (std::uint32_t i = 0; i < 3000; ++i) tokens.push_back({experts[i], i, i * 7});
  auto const expected = taken(tokens, sorted_positions(experts, std::less<>{}));
  workspace ws;
  device_image<token> in(tokens), out(3000);
  device_image<index_t> offsets(21);
  split_by_key(ws, static_cast<token const*>(in.data()), out.data(), offsets.data(), 3000, 20,
               expert_of{});
  REQUIRE(bit_difference(expected, out.read()) == "");
  REQUIRE(offsets.read()[20] == 3000);
}

TEMPLATE_TEST_CASE("a function for the bucket may have state", "", tiny_passes, staged, clustered,
                   resident, automatic_sort) {
  auto const keys = below(900, 1000000);
  std::vector<std::uint32_t> buckets;
  for (auto const key : keys) buckets.push_back(key % 12);
  workspace ws;
  device_image<std::uint32_t> in(keys), out(900);
  split_by_key<TestType>(ws, static_cast<std::uint32_t const*>(in.data()), out.data(), nullptr, 900,
                         12, remainder_by(12));
  REQUIRE(difference(taken(keys, sorted_positions(buckets, std::less<>{})), out.read()) == "");
}

TEST_CASE("what a split cannot do it says") {
  workspace ws;
  std::uint32_t keys[8] = {};
  std::uint32_t const* const in = keys;
  REQUIRE_THROWS_AS(split_by_key(ws, in, keys + 4, nullptr, 4, 257), invalid_argument);
  REQUIRE_THROWS_AS(split_by_key(ws, in, keys + 4, nullptr, 4, 0), invalid_argument);
  REQUIRE_THROWS_AS(split_by_key(ws, in, keys, nullptr, 4, 2), invalid_argument);
}

TEST_CASE("outputs of a split that share memory are refused, and nothing is written") {
  auto const keys = below(500, 2);
  device_image<std::uint32_t> memory(keys);
  std::uint32_t *const a = memory.data(), *const b = a + 100, *const c = b + 100,
                       *const d = c + 100;
  std::uint32_t const *const in = a, *const values = b;
  workspace ws;
  auto const refused = [&](std::uint32_t* keys_out, std::uint32_t* values_out, index_t* offsets) {
    REQUIRE_THROWS_AS(
        split_by_key<tiny_passes>(ws, in, keys_out, values, values_out, offsets, 100, 2),
        invalid_argument);
  };
  refused(a, d, nullptr);
  refused(a + 99, d, nullptr);
  refused(c, b, nullptr);
  refused(c, a, nullptr);
  refused(b, d, nullptr);
  refused(c, c + 99, nullptr);
  for (std::uint32_t* const at : {a, b, c, d}) refused(c, d, reinterpret_cast<index_t*>(at));
  REQUIRE(difference(keys, memory.read()) == "");
}
