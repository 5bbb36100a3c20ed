// SPDX-License-Identifier: Apache-2.0
// Tests of the CPU's totals of segments against a loop over each: the ways to say where
// segments begin, empty segments, runs of keys, sizes, operators and threads.
#include <libscan/cpu/segmented_reduce.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <tests/cpu/descriptions.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

/// How to reduce.
struct manner {
  int threads;
  index_t chunk_items;
};

segment_offsets<index_t> described(std::vector<index_t> const& offsets) {
  return {offsets.data(), static_cast<index_t>(offsets.size()) - 1};
}

/// What is wrong with the totals of segments between offsets that `heads` describes; "" if nothing.
template <class Op, class Heads>
std::string faults_with(manner how, Heads const& heads, std::vector<index_t> const& offsets, Op op,
                        typename Op::value_type init) {
  using T = typename Op::value_type;
  index_t const n = offsets.back();
  auto const in = make_items<T>(n);
  auto const expected = segment_totals_oracle(in, offsets, op, init);
  guarded_buffer<T> totals(static_cast<index_t>(expected.size()), 1);
  index_t const count = cpu::segmented_reduce(how.threads, in.data(), totals.data(), heads, n, op,
                                              init, how.chunk_items);
  std::string found = totals.damage() + difference(expected, totals.copy());
  if (count != totals.size()) found += " and " + std::to_string(count) + " segments counted";
  return found;
}

/// The same for runs of keys, and their keys.
template <class Keys, class Op, class... Equal>
std::string faults_by_key(manner how, Keys const& keys, std::vector<index_t> const& offsets, Op op,
                          typename Op::value_type init, Equal... equal) {
  using T = typename Op::value_type;
  index_t const n = offsets.back();
  auto const in = make_items<T>(n);
  auto const expected = segment_totals_oracle(in, offsets, op, init);
  Keys firsts;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    firsts.push_back(keys[static_cast<std::size_t>(offsets[s])]);
  }
  guarded_buffer<T> totals(static_cast<index_t>(expected.size()), 2);
  guarded_buffer<typename Keys::value_type> unique(totals.size(), 3);
  index_t const runs = cpu::reduce_by_key(how.threads, keys.begin(), in.data(), unique.data(),
                                          totals.data(), n, op, equal..., init, how.chunk_items);
  std::string found = totals.damage() + unique.damage() + difference(expected, totals.copy());
  auto const got = unique.copy();
  if (!std::equal(got.begin(), got.end(), firsts.begin(), firsts.end())) found += " wrong keys";
  if (runs != totals.size()) found += " and " + std::to_string(runs) + " runs counted";
  return found;
}

/// What is wrong with totals of n items in segments of this shape, however described; "" if
/// nothing.
template <class Op>
std::string faults(manner how, segment_shape shape, index_t n, Op op,
                   typename Op::value_type init) {
  auto const with_empty = make_offsets(shape, n), offsets = without_empty(with_empty);
  std::string found;
  auto const note = [&](std::string const& faults, char const* name) {
    if (!faults.empty()) found += std::string(name) + ": " + faults + "; ";
  };
  for_each_offsets(with_empty, [&](auto const& heads, char const* name) {
    note(faults_with(how, heads, with_empty, op, init), name);
  });
  for_each_heads(offsets, [&](auto const& heads, char const* name) {
    note(faults_with(how, heads, offsets, op, init), name);
  });
  auto const keys = keys_of<float>(flags_of(offsets));
  std::vector<numbered_key> numbered;
  for (float const key : keys) {
    numbered.push_back({static_cast<index_t>(numbered.size()), static_cast<int>(key)});
  }
  note(faults_by_key(how, keys, offsets, op, init), "by key");
  note(faults_by_key(how, numbered, offsets, op, init, same_key{}), "by a relation of keys");
  if (found.empty()) return "";
  return to_string(shape) + ", n = " + std::to_string(n) + ", chunks of " +
         std::to_string(how.chunk_items) + ": " + found;
}

/// An init that shows in each total; `tripwire` allows none but the identity.
template <class Op>
typename Op::value_type some_init() {
  if constexpr (std::is_same_v<Op, compose>) {
    return {3, 5};
  } else if constexpr (std::is_same_v<Op, tripwire>) {
    return tripwire::identity();
  } else {
    return 5;
  }
}

using total_operators =
    types_to_test<std::tuple<plus<std::int64_t>, tripwire>, std::tuple<minimum<float>>,
                  std::tuple<plus<std::uint8_t>, bit_xor<std::uint32_t>, compose>>;
TEMPLATE_LIST_TEST_CASE("totals of segments agree with a loop over each", "", total_operators) {
  TestType const op;
  auto const init = some_init<TestType>();
  for (segment_shape const shape : all_segment_shapes()) {
    for (index_t const n :
         sized_list<index_t>({0, 1, 2, 3, 5, 8, 17, 31, 32, 33, 63, 64, 65, 100, 128, 199, 200},
                             {0, 1, 2, 3, 8, 17, 32, 33, 64, 65, 199})) {
      for (index_t const chunk_items :
           sized_list<index_t>({1, 3, 4, 9, 32, 64, 65}, {1, 4, 9, 64})) {
        CHECK(faults({1 + static_cast<int>(n % 2), chunk_items}, shape, n, op, init) == "");
      }
    }
    for (index_t const n : size_ladder(512, 256, sized(40000, 1600))) {
      CHECK(faults({2, 512}, shape, n, op, init) == "");
    }
    for (index_t const n : sized_list<index_t>({1000, 2048, 2049, 100003}, {2049, 50003})) {
      CHECK(faults({2, cpu::staged_chunk_items}, shape, n, op, op.identity()) == "");
    }
  }
}

TEST_CASE("totals of segments are the same with any number of threads") {
  with_threads(16, [&] {
    auto const in = make_items<double>(30011);
    for (auto const& offsets :
         {make_offsets(segment_shape::power_law, 30011), nearly_equal_offsets(30011, 7).front(),
          nearly_equal_offsets(30011, 50).front()}) {
      std::vector<double> reference(offsets.size() - 1), totals(offsets.size() - 1);
      auto const reduce = [&](int threads, std::vector<double>& to) {
        cpu::segmented_reduce(threads, in.begin(), to.begin(), described(offsets), 30011,
                              plus<double>{}, 1.0, 100);
      };
      reduce(1, reference);
      for (int const threads : thread_counts) {
        reduce(threads, totals);
        CHECK(bit_difference(reference, totals) == "");
      }
    }
  });
}

TEST_CASE("floats of rows are summed as between the offsets of the same rows") {
  index_t const n = 30413;
  auto const in = make_items<double>(n);
  for (index_t const length : {1, 2, 3, 8, 11, 31, 33, 100, 600}) {
    auto const offsets = nearly_equal_offsets(n, length).front();
    // Vector code does not find the one length of offsets of 16 bits.
    std::vector<std::uint16_t> const narrow(offsets.begin(), offsets.end());
    segment_offsets const heads{narrow.data(), static_cast<index_t>(narrow.size()) - 1};
    std::vector<double> between(offsets.size() - 1), of_rows(between.size());
    cpu::segmented_reduce(2, in.begin(), between.data(), heads, n, plus<double>{}, 1.0, 500);
    cpu::segmented_reduce(1, in.begin(), of_rows.data(), equal_segments{length}, n, plus<double>{},
                          1.0, 500);
    INFO("rows of " << length);
    CHECK(bit_difference(between, of_rows) == "");
  }
}

TEST_CASE("totals of any description are right with many threads") {
  with_threads(16, [] {
    for (int const threads : thread_counts) {
      CHECK(faults({threads, 100}, segment_shape::some_empty, 30011, compose{}, {3, 5}) == "");
      CHECK(faults({threads, 100}, segment_shape::power_law, 30011, plus<std::int32_t>{}, 5) == "");
    }
  });
}

TEST_CASE("segments of one length have totals, with any number of threads") {
  with_threads(16, [] {
    for (index_t const n : {0, 1, 64, 65, 200, 2049, 20011}) {
      for_each_length(n, [&](equal_segments heads, std::vector<index_t> const& offsets) {
        for (int const threads : thread_counts) {
          INFO("n = " << n << ", segments of " << heads.length << ", threads " << threads);
          CHECK(faults_with({threads, 100}, heads, offsets, compose{}, {3, 5}) == "");
          CHECK(faults_with({threads, 4096}, heads, offsets, plus<std::int32_t>{}, 5) == "");
        }
      });
    }
  });
}

TEST_CASE("segments of one length, or of one length with one exception, have totals") {
  for (index_t const length : sized_list<index_t>(
           {1, 2, 3, 4, 5, 8, 11, 31, 32, 33, 40, 96, 97, 256}, {1, 2, 4, 7, 11, 32, 40, 96})) {
    for (auto const& offsets : nearly_equal_offsets(5003, length)) {
      for (index_t const chunk_items : {100, 512, 4096}) {
        INFO("segments of " << length << ", chunks of " << chunk_items);
        manner const how{2, chunk_items};
        auto const heads = described(offsets);
        CHECK(faults_with(how, heads, offsets, plus<std::int64_t>{}, 5) == "");
        CHECK(faults_with(how, heads, offsets, plus<std::int32_t>{}, 5) == "");
        CHECK(faults_with(how, heads, offsets, plus<std::uint8_t>{}, 5) == "");
        CHECK(faults_with(how, heads, offsets, compose{}, {3, 5}) == "");
      }
    }
  }
}

TEST_CASE("one other length among many is seen at any place") {
  // Threads share the check of offsets in pieces.
  index_t const segments = 70'000, n = 2 * segments;
  std::vector<int> const items(static_cast<std::size_t>(n), 1);
  std::vector<std::uint32_t> equal(static_cast<std::size_t>(segments + 1));
  for (std::size_t s = 0; s < equal.size(); ++s) equal[s] = static_cast<std::uint32_t>(2 * s);
  for (std::size_t const at : {1, 2, 16, 32'767, 32'768, 32'769, 65'536, 69'998, 69'999}) {
    auto offsets = equal;
    ++offsets[at];
    std::vector<int> expected(static_cast<std::size_t>(segments), 2), totals(expected.size());
    ++expected[at - 1];
    --expected[at];
    segment_offsets const heads{offsets.data(), segments};
    cpu::segmented_reduce(2, items.data(), totals.data(), heads, n, plus<int>{}, 0);
    INFO("offset " << at);
    CHECK(difference(expected, totals) == "");
  }
}

TEST_CASE("totals of segments refuse to be written over what is read") {
  std::vector<std::int64_t> items(30, 7);
  std::int64_t* const at = items.data();
  plus<std::int64_t> const op;
  CHECK_THROWS_AS(cpu::segmented_reduce(1, at, at + 20, equal_segments{0}, 10, op),
                  invalid_argument);
  CHECK_THROWS_AS(cpu::segmented_reduce(1, at, at + 9, segment_keys{at + 20}, 10, op),
                  invalid_argument);
  CHECK_THROWS_AS(cpu::segmented_reduce(1, at, at + 19, segment_keys{at + 10}, 10, op),
                  invalid_argument);
  CHECK_THROWS_AS(cpu::segmented_reduce(1, at + 4, at + 1, equal_segments{3}, 10, op),
                  invalid_argument);
  CHECK_THROWS_AS(cpu::reduce_by_key(1, at, at + 10, at + 20, at + 20, 10, op), invalid_argument);
  CHECK_THROWS_AS(cpu::reduce_by_key(1, at, at + 10, at, at + 20, 10, op), invalid_argument);
  CHECK_THROWS_AS(cpu::reduce_by_key(1, at, at + 10, at + 20, at + 10, 10, op), invalid_argument);
  CHECK(items == std::vector<std::int64_t>(30, 7));
  CHECK(cpu::segmented_reduce(1, at + 4, at, equal_segments{3}, 10, op) == 4);
  CHECK(cpu::reduce_by_key(1, at + 4, at + 14, at + 28, at + 29, 10, op) == 1);
}

TEMPLATE_TEST_CASE("floating totals are exact where they can be", "", float, double) {
  index_t const n = 50000;
  auto const in = make_input<TestType>(pattern::small, n);
  auto const check = [&](std::vector<index_t> const& offsets) {
    auto const expected = segment_totals_oracle(in, offsets, plus<TestType>{}, TestType(2));
    std::vector<TestType> totals(expected.size());
    cpu::segmented_reduce(2, in.data(), totals.data(), described(offsets), n, plus<TestType>{},
                          TestType(2));
    CHECK(difference(expected, totals) == "");
  };
  for (segment_shape const shape : all_segment_shapes()) check(make_offsets(shape, n));
  for (index_t const length : {3, 7, 8, 11, 31, 100}) {
    for (auto const& offsets : nearly_equal_offsets(n, length)) check(offsets);
  }
}

TEST_CASE("many empty segments lie at the borders of chunks, before all items and after") {
  std::vector<index_t> offsets;
  for (index_t const at : {0, 63, 64, 65, 128, 200}) offsets.insert(offsets.end(), 3000, at);
  auto const in = make_items<std::int32_t>(200);
  auto const expected = segment_totals_oracle(in, offsets, plus<std::int32_t>{}, 7);
  for (index_t const chunk_items : {1, 32, 64, 65, 1000}) {
    std::vector<std::int32_t> totals(expected.size(), -1);
    cpu::segmented_reduce(2, in.data(), totals.data(), described(offsets), 200,
                          plus<std::int32_t>{}, 7, chunk_items);
    CHECK(difference(expected, totals) == "");
  }
}

TEST_CASE("totals of segments refuse what makes no sense, and let errors pass") {
  std::vector<int> const in(1000, 1);
  std::vector<int> totals(1000, -7);
  std::vector<std::uint8_t> const flags(1000, 0);
  head_flags const heads{flags.data()};
  int const* const from = in.data();
  int* const to = totals.data();
  plus<int> const op;
  CHECK_THROWS_AS(cpu::segmented_reduce(0, from, to, heads, 10, op), invalid_argument);
  CHECK_THROWS_AS(cpu::segmented_reduce(1, from, to, heads, -1, op), invalid_argument);
  CHECK_THROWS_AS(cpu::segmented_reduce(1, from, to, heads, 10, op, 0, 0), invalid_argument);
  CHECK_THROWS_AS(cpu::reduce_by_key(0, from, from, to, to, 10, op), invalid_argument);
  CHECK_THROWS_WITH(cpu::segmented_reduce(2, from, to, described({0, 2, 9}), 4, op),
                    "segmented_reduce: segment 1 is [2, 9); expected a range within [0, 4)");
  CHECK_THROWS_WITH(cpu::segmented_reduce(2, from, to, described({-1, 2, 4}), 4, op),
                    "segmented_reduce: segment 0 is [-1, 2); expected a range within [0, 4)");
  CHECK_THROWS_WITH(cpu::segmented_reduce(2, from, to, described({1, 3, 2}), 4, op),
                    "segmented_reduce: segment 1 is [3, 2); expected a range within [0, 4)");
  CHECK(totals == std::vector<int>(1000, -7));
  struct throwing {
    using value_type = int;
    static int identity() { return 0; }
    int operator()(int, int) const { throw std::domain_error("never"); }
  };
  CHECK_THROWS_WITH(cpu::segmented_reduce(2, from, to, heads, 1000, throwing{}, 0, 10), "never");
}

TEST_CASE("if all segments are empty, totals are init; without keys there are no runs") {
  std::vector<index_t> const offsets{0, 0, 0, 0};
  std::vector<int> totals(3, -1);
  int const* const nothing = nullptr;
  CHECK(cpu::segmented_reduce(2, nothing, totals.begin(), described(offsets), 0, plus<int>{}, 7) ==
        3);
  CHECK(totals == std::vector<int>{7, 7, 7});
  CHECK(cpu::reduce_by_key(2, nothing, nothing, totals.begin(), totals.begin(), 0, plus<int>{}) ==
        0);
}

/// A key that counts how often it is written.
struct counted_key {
  int key = -1;
  int writes = 0;
  counted_key& operator=(int written) {
    key = written;
    ++writes;
    return *this;
  }
};

TEST_CASE("the key of each run is written once, also where a run begins with a chunk") {
  index_t const n = 1000;
  std::vector<std::int32_t> const ones(static_cast<std::size_t>(n), 1);
  for (index_t const length : {1, 3, 9, 50}) {
    std::vector<int> keys;
    for (index_t i = 0; i < n; ++i) keys.push_back(static_cast<int>(i / length));
    index_t const runs = ceil_div(n, length);
    for (index_t const chunk_items : {9, 50, 63, 64, 65, 100}) {
      INFO("runs of " << length << ", chunks of " << chunk_items);
      std::vector<counted_key> unique(static_cast<std::size_t>(runs));
      std::vector<std::int32_t> totals(unique.size());
      CHECK(cpu::reduce_by_key(1, keys.data(), ones.data(), unique.data(), totals.data(), n,
                               plus<std::int32_t>{}, 0, chunk_items) == runs);
      index_t wrong = 0;
      for (std::size_t s = 0; s < unique.size(); ++s) {
        wrong += unique[s].writes != 1 || unique[s].key != static_cast<int>(s) ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("of keys that compare equal the first of a run is its key, NaNs are runs of their own") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const keys{-0.0, 0.0, nan, nan, 1, 1};
  std::vector<std::int16_t> const in{1, 2, 3, 4, 5, 6};
  std::vector<double> unique(4);
  std::vector<std::int64_t> totals(4);
  for (index_t const chunk_items : {1, 2, 100}) {
    CHECK(cpu::reduce_by_key(1, keys.data(), in.begin(), unique.begin(), totals.begin(), 6,
                             plus<std::int64_t>{}, 0, chunk_items) == 4);
    CHECK(totals == std::vector<std::int64_t>{3, 3, 4, 11});
    CHECK(difference({-0.0, nan, nan, 1}, unique) == "");
  }
}

}  // namespace
}  // namespace libscan::test
