// SPDX-License-Identifier: Apache-2.0
// Tests of the CPU's staged and segmented scans against a loop that starts anew at each head: the
// ways to say where segments begin, both directions, sizes, operators, threads and places.
#include <libscan/cpu/segmented_scan.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tests/cpu/descriptions.hpp>
#include <tests/cpu/doubled.hpp>
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

constexpr scan_direction both_directions[] = {scan_direction::forward, scan_direction::reverse};
constexpr scan_kind both_kinds[] = {scan_kind::inclusive, scan_kind::exclusive};

/// A loop over each segment.
template <class Op, class Item>
std::vector<typename Op::value_type> oracle(scan_kind kind, scan_direction direction,
                                            std::vector<Item> const& in,
                                            std::vector<index_t> const& offsets, Op op,
                                            typename Op::value_type init) {
  std::vector<typename Op::value_type> out;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::vector<Item> segment(in.begin() + offsets[s], in.begin() + offsets[s + 1]);
    bool const reverse = direction == scan_direction::reverse;
    if (reverse) std::reverse(segment.begin(), segment.end());
    auto scanned = scan_oracle(kind, segment, op, init).out;
    if (reverse) std::reverse(scanned.begin(), scanned.end());
    out.insert(out.end(), scanned.begin(), scanned.end());
  }
  return out;
}

/// How to run a scan.
struct manner {
  int threads;
  index_t chunk_items;
  bool in_place = false;
};

template <class Heads, class Op>
std::string faults_of(manner how, scan_kind kind, scan_direction direction,
                      std::vector<typename Op::value_type> const& in, Heads const& heads, Op op,
                      typename Op::value_type init,
                      std::vector<typename Op::value_type> const& expected) {
  using T = typename Op::value_type;
  auto const n = static_cast<index_t>(in.size());
  guarded_buffer<T> source(in, 3);
  guarded_buffer<T> target(n, 1);
  T* const out = how.in_place ? source.data() : target.data();
  T const* const from = source.data();
  if (kind == scan_kind::inclusive) {
    cpu::segmented_scan<scan_kind::inclusive>(how.threads, direction, from, out, heads, n, op, init,
                                              how.chunk_items);
  } else {
    cpu::segmented_scan<scan_kind::exclusive>(how.threads, direction, from, out, heads, n, op, init,
                                              how.chunk_items);
  }
  std::string const complaint = source.damage() + target.damage() +
                                difference(expected, how.in_place ? source.copy() : target.copy());
  if (complaint.empty()) return "";
  return std::string(kind == scan_kind::inclusive ? "inclusive" : "exclusive") +
         (direction == scan_direction::reverse ? ", reverse" : "") +
         (how.in_place ? ", in place" : "") + ", n = " + std::to_string(n) + ", chunks of " +
         std::to_string(how.chunk_items) + ": " + complaint;
}

/// Items in the segments between offsets, and what scans of every kind and direction give.
template <class Op>
struct segmented_case {
  using T = typename Op::value_type;
  struct scan {
    scan_kind kind;
    scan_direction direction;
    std::vector<T> expected;
  };
  Op op;
  T init;
  std::vector<index_t> offsets;
  std::vector<T> in;
  std::vector<scan> scans;

  segmented_case(std::vector<index_t> const& between, Op by, T first)
      : op(by), init(first), offsets(between), in(make_items<T>(between.back())) {
    for (auto const kind : both_kinds) {
      for (auto const direction : both_directions) {
        if (std::is_same_v<Op, tripwire> && direction == scan_direction::reverse) continue;
        scans.push_back({kind, direction, oracle(kind, direction, in, offsets, op, init)});
      }
    }
  }
};

/// All scans of a case, whose segments `heads` describes, out of place and in place; "" if all is
/// well.
template <class Op, class Heads>
std::string faults_with(manner how, Heads const& heads, segmented_case<Op> const& of) {
  for (auto const& [kind, direction, expected] : of.scans) {
    for (bool const in_place : {false, true}) {
      how.in_place = in_place;
      auto const faults = faults_of(how, kind, direction, of.in, heads, of.op, of.init, expected);
      if (!faults.empty()) return faults;
    }
  }
  return "";
}

/// The same with every description of its segments.
template <class Op>
std::string all_faults(manner how, segmented_case<Op> const& of) {
  std::string found;
  auto const check = [&](auto const& heads, char const* name) {
    auto const faults = faults_with(how, heads, of);
    if (!faults.empty()) found += std::string(name) + ", " + faults;
  };
  for_each_offsets(of.offsets, check);
  for_each_heads(of.offsets, check);
  return found;
}

/// An init that shows at each head; `tripwire` allows none but the identity.
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

using segment_operators =
    types_to_test<std::tuple<plus<std::int64_t>, tripwire>, std::tuple<minimum<float>>,
                  std::tuple<plus<std::uint8_t>, bit_xor<std::uint32_t>, compose>>;
TEMPLATE_LIST_TEST_CASE("segmented scans agree with a loop per segment", "", segment_operators) {
  TestType const op;
  for (auto const segments : all_segment_shapes()) {
    INFO(to_string(segments));
    auto const of = [&](index_t n, auto init) {
      return segmented_case<TestType>(make_offsets(segments, n), op, init);
    };
    for (index_t const n :
         sized_list<index_t>({0, 1, 2, 3, 5, 8, 17, 31, 32, 33, 64, 100, 199, 200},
                             {0, 1, 2, 3, 17, 32, 33, 64, 199})) {
      auto const scans = of(n, some_init<TestType>());
      for (index_t const chunk_items : sized_list<index_t>({1, 3, 4, 9, 32}, {1, 4, 9})) {
        int const threads = 1 + static_cast<int>(n % 2);
        auto const faults = all_faults({threads, chunk_items}, scans);
        if (!faults.empty()) FAIL_CHECK(faults);
      }
    }
    for (index_t const n : size_ladder(512, 256, sized(40000, 1600))) {
      CHECK(all_faults({2, 512}, of(n, some_init<TestType>())) == "");
    }
    for (index_t const n : sized_list<index_t>({1000, 2048, 2049, 100003}, {1000, 2049, 5003})) {
      CHECK(all_faults({2, cpu::staged_chunk_items}, of(n, op.identity())) == "");
    }
  }
}

using length_operators =
    types_to_test<std::tuple<compose>, std::tuple<plus<std::int64_t>>, no_types>;
TEMPLATE_LIST_TEST_CASE("segments of one length are scanned, with any number of threads", "",
                        length_operators) {
  with_threads(16, [] {
    for (index_t const n : {index_t{0}, index_t{1}, index_t{64}, index_t{65}, index_t{200},
                            index_t{2049}, sized(20011, 5003)}) {
      for_each_length(n, [&](equal_segments heads, std::vector<index_t> const& offsets) {
        segmented_case<TestType> const scans(offsets, TestType{}, some_init<TestType>());
        for (int const threads : thread_counts) {
          INFO("n = " << n << ", segments of " << heads.length << ", threads " << threads);
          CHECK(faults_with({threads, 100}, heads, scans) == "");
          CHECK(faults_with({threads, 4096}, heads, scans) == "");
        }
      });
    }
  });
}

TEST_CASE("segments of one length, or of one length with one exception, are scanned") {
  for (index_t const length : sized_list<index_t>({2, 3, 4, 5, 8, 31, 32, 33}, {4, 32})) {
    for (auto const& with_empty : nearly_equal_offsets(2111, length)) {
      segmented_case<plus<std::int64_t>> const scans(without_empty(with_empty), {}, 5);
      for (index_t const chunk_items : {100, 512, 2048}) {
        INFO("segments of " << length << ", chunks of " << chunk_items);
        CHECK(all_faults({2, chunk_items}, scans) == "");
      }
    }
  }
}

/// The offsets, from 0 to n, of those segments that begin in the items [begin, begin + n).
std::vector<index_t> offsets_within(std::vector<index_t> const& offsets, index_t begin, index_t n) {
  std::vector<index_t> within{0};
  for (index_t const offset : offsets) {
    if (offset > begin && offset < begin + n) within.push_back(offset - begin);
  }
  within.push_back(n);
  return within;
}

/// Calls `use` with flags, or with offsets.
template <class Use>
void with_form(bool by_flags, std::vector<index_t> const& offsets, Use use) {
  if (!by_flags) {
    return use(segment_offsets{offsets.data(), static_cast<index_t>(offsets.size()) - 1});
  }
  auto const flags = flags_of(offsets);
  use(head_flags{flags.data()});
}

/// Compares the scan of doubles in pieces of `piece` items with that of all.
void check_pieces(scan_direction direction, std::vector<index_t> const& offsets, index_t piece,
                  bool by_flags) {
  index_t const n = offsets.back(), chunk_items = 512;
  bool const forward = direction == scan_direction::forward;
  auto const in = make_items<double>(n);
  std::vector<double> expected(in.size()), out(in.size());
  with_form(by_flags, offsets, [&](auto const& heads) {
    cpu::segmented_scan<scan_kind::inclusive>(2, direction, in.data(), expected.data(), heads, n,
                                              plus<double>{}, 0.0, chunk_items);
  });
  double carry = 0;
  for (index_t done = 0; done < n; done += piece) {
    index_t const begin = forward ? done : n - done - piece;
    if (std::binary_search(offsets.begin(), offsets.end(), forward ? begin : begin + piece)) {
      carry = 0;
    }
    auto const read = [&](index_t from, index_t to, double* at) {
      std::copy(in.begin() + begin + from, in.begin() + begin + to, at);
    };
    with_form(by_flags, offsets_within(offsets, begin, piece), [&](auto const& heads) {
      cpu::carried_segmented_scan<scan_kind::inclusive>(2, direction, read, out.begin() + begin,
                                                        heads, piece, plus<double>{}, 0.0, carry,
                                                        chunk_items);
    });
  }
  CHECK(bit_difference(expected, out) == "");
}

TEST_CASE("segments are scanned in pieces as at once, to the last bit") {
  index_t const n = 6144;
  for (bool const by_flags : {false, true}) {
    for (scan_direction const direction : both_directions) {
      bool const forward = direction == scan_direction::forward;
      for (index_t const length : {2, 4, 7, 8, 31, 32, 100, 1000}) {
        // The first segment is shorter in every second case.
        for (index_t const less : {0, 1}) {
          std::vector<index_t> offsets{0};
          while (offsets.back() < n) {
            index_t const next = offsets.back() + length - (offsets.size() == 1 ? less : 0);
            offsets.push_back(std::min(next, n));
          }
          INFO("segments of " << length << ", the first of " << less << " less, flags " << by_flags
                              << ", forward " << forward);
          check_pieces(direction, offsets, 1024, by_flags);
        }
      }
      for (segment_shape const shape : all_segment_shapes()) {
        INFO(to_string(shape) << ", flags " << by_flags << ", forward " << forward);
        check_pieces(direction, make_offsets(shape, n), 1024, by_flags);
      }
    }
  }
}

/// A sum that has no default.
struct sum_of_own {
  std::int64_t value;
  explicit sum_of_own(std::int64_t of) : value(of) {}
};
struct add_own {
  using value_type = sum_of_own;
  static sum_of_own identity() { return sum_of_own(0); }
  sum_of_own operator()(sum_of_own earlier, sum_of_own later) const {
    return sum_of_own(earlier.value + later.value);
  }
};

TEST_CASE("results are converted as they are stored, of values without a default, too") {
  with_threads(16, [] {
    for (index_t const n : {0, 1, 100, 2049, 40000}) {
      auto const in = make_input<std::int16_t>(pattern::small, n);
      auto const offsets = make_offsets(segment_shape::power_law, n);
      segment_offsets const heads{offsets.data(), static_cast<index_t>(offsets.size()) - 1};
      for (auto const direction : both_directions) {
        auto const sums =
            oracle(scan_kind::inclusive, direction, in, offsets, plus<std::int64_t>{}, 3);
        std::vector<std::int32_t> const narrowed(sums.begin(), sums.end());
        auto twice = narrowed;
        for (auto& sum : twice) sum *= 2;
        for (int const threads : thread_counts) {
          std::vector<std::int32_t> to(in.size()), of_doubled(in.size());
          std::vector<sum_of_own> own(in.size(), sum_of_own(-1));
          auto const scan = [&](auto from, auto out, auto op, auto init) {
            cpu::segmented_scan<scan_kind::inclusive>(threads, direction, from, out, heads, n, op,
                                                      init, 1000);
          };
          scan(in.begin(), to.begin(), plus<std::int64_t>{}, 3);
          scan(in.begin(), doubled{of_doubled.data()}, plus<std::int64_t>{}, 3);
          scan(in.begin(), own.begin(), add_own{}, sum_of_own(3));
          CHECK(difference(narrowed, to) == "");
          CHECK(difference(twice, of_doubled) == "");
          CHECK(std::equal(own.begin(), own.end(), sums.begin(), sums.end(),
                           [](sum_of_own a, std::int64_t b) { return a.value == b; }));
        }
      }
    }
  });
}

TEST_CASE("both kinds have names, and init has a default") {
  std::vector<int> const in{1, 2, 3, 4, 5};
  std::vector<int> out(5);
  cpu::inclusive_segmented_scan(2, in.begin(), out.begin(), equal_segments{2}, 5, plus<int>{});
  CHECK(out == std::vector<int>{1, 3, 3, 7, 5});
  cpu::exclusive_segmented_scan(2, in.begin(), out.begin(), equal_segments{2}, 5, plus<int>{}, 9);
  CHECK(out == std::vector<int>{9, 10, 9, 12, 9});
}

TEST_CASE("segmented scans refuse what describes no segments, and overlap") {
  std::vector<std::int64_t> items(20, 7);
  std::int64_t* const at = items.data();
  auto const scan = [](std::int64_t const* in, auto const& heads, auto* out, index_t n) {
    cpu::inclusive_segmented_scan(1, in, out, heads, n, plus<std::int64_t>{});
  };
  auto* const narrow = reinterpret_cast<std::int32_t*>(at);
  for (index_t const length : {0, -1}) {
    CHECK_THROWS_WITH(
        scan(at, equal_segments{length}, at + 10, 10),
        "segmented_scan: length of segments is " + std::to_string(length) + "; expected > 0");
  }
  std::int32_t const offsets[] = {0, 3, 11};
  CHECK_THROWS_AS(scan(at, segment_offsets{offsets, 2}, at + 10, 10), invalid_argument);
  CHECK_THROWS_AS(scan(at, segment_offsets{offsets, -1}, at + 10, 10), invalid_argument);
  CHECK_THROWS_AS(scan(at, equal_segments{3}, at + 1, 10), invalid_argument);
  CHECK_THROWS_AS(scan(at + 1, equal_segments{3}, at, 10), invalid_argument);
  CHECK_THROWS_AS(scan(at, equal_segments{3}, narrow, 10), invalid_argument);
  CHECK_THROWS_AS(scan(at, segment_keys{at + 5}, at + 10, 10), invalid_argument);
  CHECK_THROWS_AS(scan(at, head_flags{reinterpret_cast<std::uint8_t*>(at + 15)}, at + 10, 10),
                  invalid_argument);
  CHECK(items == std::vector<std::int64_t>(20, 7));
}

TEST_CASE("results go over the keys, with any number of threads") {
  using number = std::int64_t;
  with_threads(16, [&] {
    for (segment_shape const shape : all_segment_shapes()) {
      index_t const n = scaled(9001, 3001);
      auto const offsets = make_offsets(shape, n);
      auto const items = make_items<number>(n);
      std::vector<number> keys;
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        keys.insert(keys.end(), static_cast<std::size_t>(offsets[s + 1] - offsets[s]), number(s));
      }
      for (auto const direction : both_directions) {
        for (auto const kind : both_kinds) {
          auto const expected = oracle(kind, direction, items, offsets, plus<number>{}, number{3});
          auto const of_keys = oracle(kind, direction, keys, offsets, plus<number>{}, number{3});
          for (int const threads : thread_counts) {
            for (index_t const chunk : {1, 7, 64, 300, 20000}) {
              if (chunk == 1 && threads > 1 && reduced()) continue;
              INFO(to_string(shape) << ", " << threads << " threads, chunks of " << chunk);
              auto const scan = [&](number const* in, number* out) {
                segment_keys const heads{static_cast<number const*>(out)};
                kind == scan_kind::inclusive
                    ? cpu::segmented_scan<scan_kind::inclusive>(threads, direction, in, out, heads,
                                                                n, plus<number>{}, 3, chunk)
                    : cpu::segmented_scan<scan_kind::exclusive>(threads, direction, in, out, heads,
                                                                n, plus<number>{}, 3, chunk);
              };
              auto over_keys = keys, over_both = keys;
              scan(items.data(), over_keys.data());
              scan(over_both.data(), over_both.data());
              REQUIRE(difference(expected, over_keys) == "");
              REQUIRE(difference(of_keys, over_both) == "");
            }
          }
        }
      }
    }
  });
}

TEST_CASE("results go over the keys in any container") {
  index_t const n = 3001;
  auto const items = make_items<int>(n);
  std::deque<int> keys;
  for (index_t i = 0; i < n; ++i) keys.push_back(static_cast<int>(i % 1000 / 7));
  for (auto const direction : both_directions) {
    auto const scan = [&](auto heads, auto out, int threads) {
      cpu::segmented_scan<scan_kind::inclusive>(threads, direction, items.data(), out,
                                                segment_keys{heads}, n, plus<int>{}, 3, 64);
    };
    auto const backwards = std::vector<int>(keys.rbegin(), keys.rend());
    std::vector<int> expected(items.size()), expected_backwards(items.size());
    scan(keys.begin(), expected.begin(), 1);
    scan(backwards.begin(), expected_backwards.begin(), 1);
    for (int const threads : {1, 3}) {
      auto over = keys, over_backwards = keys;
      scan(over.begin(), over.begin(), threads);
      CHECK(std::equal(over.begin(), over.end(), expected.begin()));
      scan(over_backwards.rbegin(), over_backwards.rbegin(), threads);
      CHECK(std::equal(over_backwards.rbegin(), over_backwards.rend(), expected_backwards.begin()));
    }
  }
}

TEST_CASE(
    "a segmented scan is the same with any number of threads, and between offsets as of rows") {
  index_t const n = 30011;
  auto const in = make_items<double>(n);
  auto const scan = [&](int threads, scan_direction direction, auto const& heads) {
    std::vector<double> out(in.size());
    cpu::segmented_scan<scan_kind::inclusive>(threads, direction, in.begin(), out.data(), heads, n,
                                              plus<double>{}, 1.0, 500);
    return out;
  };
  with_threads(16, [&] {
    for (auto const direction : both_directions) {
      for (index_t const length : {0, 1, 2, 3, 8, 31, 33, 50, 100, 600}) {
        INFO("segments of " << length);
        auto const offsets = length == 0 ? make_offsets(segment_shape::power_law, n)
                                         : nearly_equal_offsets(n, length).front();
        // Vector code does not find the one length of offsets of 16 bits.
        std::vector<std::uint16_t> const narrow(offsets.begin(), offsets.end());
        segment_offsets const heads{narrow.data(), static_cast<index_t>(narrow.size()) - 1};
        auto const reference = scan(1, direction, heads);
        for (int const threads : thread_counts) {
          CHECK(bit_difference(reference, scan(threads, direction, heads)) == "");
        }
        if (length == 0) continue;
        CHECK(bit_difference(reference, scan(2, direction, equal_segments{length})) == "");
      }
    }
  });
}

TEST_CASE("keys that are NaN are segments of their own, zeros of either sign the same") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const keys{0.0, -0.0, nan, nan, 1, 1};
  std::vector<std::int16_t> const in{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> out(6);
  cpu::segmented_scan<scan_kind::inclusive>(1, scan_direction::forward, in.begin(), out.data(),
                                            segment_keys{keys.data()}, 6, plus<std::int64_t>{}, 0);
  CHECK(out == std::vector<std::int64_t>{1, 3, 3, 4, 5, 11});
}

/// Two keys are the same if they differ in sign only.
struct unsigned_key {
  int value;
  friend bool operator==(unsigned_key a, unsigned_key b) {
    return a.value == b.value || a.value == -b.value;
  }
};

TEST_CASE("keys are compared by their own operator") {
  std::vector<unsigned_key> keys;
  std::vector<int> in, expected;
  for (int i = 0; i < 200; ++i) {
    keys.push_back({i % 2 == 0 ? i / 70 : -(i / 70)});
    in.push_back(1);
    expected.push_back(1 + i % 70);
  }
  std::vector<int> out(200);
  cpu::segmented_scan<scan_kind::inclusive>(1, scan_direction::forward, in.begin(), out.data(),
                                            segment_keys{keys.data()}, 200, plus<int>{}, 0);
  CHECK(out == expected);
}

/// No head flags at all, but errors from item 300 on.
struct broken_heads {
  void mark(index_t begin, index_t end, cpu::head_word* to) const {
    if (end > 300) throw std::domain_error("items " + std::to_string(begin));
    std::fill_n(to, ceil_div(end - begin, cpu::word_heads), cpu::head_word{0});
  }
};

/// Items that lie side by side, but whose place is unknown from 200 on.
struct broken_items {
  int const* items;
  void operator()(index_t begin, index_t end, int* to) const {
    std::copy(items + begin, items + end, to);
  }
  int const* direct(index_t begin) const {
    if (begin >= 200) throw std::domain_error("place of " + std::to_string(begin));
    return items + begin;
  }
};

TEST_CASE("scans of a source refuse offsets that leave items out") {
  std::vector<int> const in(10, 1);
  std::vector<int> out(10);
  std::int32_t const from_1[] = {1, 3, 10}, to_9[] = {0, 3, 9};
  for (std::int32_t const* const offsets : {from_1, to_9}) {
    CHECK_THROWS_WITH(cpu::staged_segmented_scan<scan_kind::inclusive>(
                          1, scan_direction::forward, broken_items{in.data()}, out.data(),
                          segment_offsets{offsets, 2}, 10, plus<int>{}, 0, 10),
                      "segmented_scan: offsets from 0 to 10 expected, for 2 segments");
  }
}

TEST_CASE(
    "of what head flags and sources of segmented scans throw, the first chunk's is reported") {
  std::vector<int> const in(1000, 1);
  std::vector<int> out(1000);
  for (int const threads : {1, 2, 5}) {
    CHECK_THROWS_WITH(cpu::segmented_scan<scan_kind::inclusive>(
                          threads, scan_direction::forward, in.begin(), out.data(), broken_heads{},
                          1000, plus<int>{}, 0, 10),
                      "items 300");
    CHECK_THROWS_WITH(cpu::staged_segmented_scan<scan_kind::inclusive>(
                          threads, scan_direction::forward, broken_items{in.data()}, out.data(),
                          broken_heads{}, 1000, plus<int>{}, 0, 10),
                      "place of 200");
    CHECK(out[199] == 200);  // asking for chunk 200's place early spoils no chunk before it
  }
}

/// One thread and two for some numbers of items.
std::vector<std::pair<int, index_t>> sizes_and_threads() {
  std::vector<std::pair<int, index_t>> all;
  for (index_t const n : {0, 1, 2, 5, 33, 199, 1000, 100003}) {
    for (int const threads : {1, 2}) all.emplace_back(threads, n);
  }
  return all;
}

TEST_CASE("a staged scan agrees with a loop in both directions, and fetches every item") {
  for (auto const& each : sizes_and_threads()) {
    auto const threads = each.first;
    index_t const n = each.second;
    auto const bytes = make_input<std::uint8_t>(pattern::random, n);
    for (auto const kind : both_kinds) {
      for (auto const direction : both_directions) {
        for (index_t const chunk_items : {index_t{7}, cpu::staged_chunk_items}) {
          std::vector<std::atomic<int>> fetched(bytes.size());
          auto const source = [&](index_t begin, index_t end, std::int64_t* to) {
            for (index_t i = begin; i < end; ++i) {
              auto const at = static_cast<std::size_t>(i);
              ++fetched[at];
              to[i - begin] = bytes[at];
            }
          };
          guarded_buffer<std::int64_t> out(n, 2);
          if (kind == scan_kind::inclusive) {
            cpu::staged_scan<scan_kind::inclusive>(threads, direction, source, out.data(), n,
                                                   plus<std::int64_t>{}, -3, chunk_items);
          } else {
            cpu::staged_scan<scan_kind::exclusive>(threads, direction, source, out.data(), n,
                                                   plus<std::int64_t>{}, -3, chunk_items);
          }
          auto const expected = oracle(kind, direction, bytes, {0, n}, plus<std::int64_t>{}, -3);
          CHECK(difference(expected, out.copy()) == "");
          CHECK(out.damage() == "");
          // Twice only where another thread is late.
          CHECK(std::all_of(fetched.begin(), fetched.end(),
                            [&](int times) { return threads == 1 ? times == 1 : times >= 1; }));
        }
      }
    }
  }
}

TEST_CASE("a source that throws is reported") {
  std::vector<int> out(1000);
  auto const source = [](index_t begin, index_t end, int* to) {
    if (begin <= 700 && 700 < end) throw std::domain_error("item 700");
    std::fill(to, to + (end - begin), 1);
  };
  CHECK_THROWS_WITH(cpu::staged_scan<scan_kind::inclusive>(2, scan_direction::forward, source,
                                                           out.data(), 1000, plus<int>{}, 0, 10),
                    "item 700");
  CHECK_THROWS_AS(cpu::staged_scan<scan_kind::inclusive>(0, scan_direction::forward, source,
                                                         out.data(), 1000, plus<int>{}, 0, 10),
                  invalid_argument);
}

}  // namespace
}  // namespace libscan::test
