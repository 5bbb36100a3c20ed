// SPDX-License-Identifier: Apache-2.0
// Tests of the CPU's staged and segmented scans against a loop that starts anew at each head: the
// four ways to say where segments begin, both directions, sizes, operators, threads and places.
#include <libscan/cpu/segmented_scan.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

constexpr scan_direction both_directions[] = {scan_direction::forward, scan_direction::reverse};
constexpr scan_kind both_kinds[] = {scan_kind::inclusive, scan_kind::exclusive};

/// The lengths of segments that together hold n items.
enum class lengths {
  one_segment,
  single_items,
  random,
  power_law,
  with_empty_ones,
  huge_among_tiny
};
constexpr lengths all_lengths[] = {lengths::one_segment,     lengths::single_items,
                                   lengths::random,          lengths::power_law,
                                   lengths::with_empty_ones, lengths::huge_among_tiny};

std::vector<index_t> make_offsets(lengths how, index_t n) {
  random_words words(static_cast<std::uint64_t>(n));
  std::vector<index_t> offsets{0};
  if (how == lengths::with_empty_ones) offsets.insert(offsets.end(), 3, 0);
  while (offsets.back() < n) {
    index_t length = 1;
    if (how == lengths::one_segment) length = n;
    if (how == lengths::random) length = 1 + static_cast<index_t>(words.below(20));
    if (how == lengths::power_law) length = index_t{1} << words.below(12) >> words.below(12);
    if (how == lengths::with_empty_ones) length = static_cast<index_t>(words.below(4));
    if (how == lengths::huge_among_tiny && offsets.size() == 9) length = 1 + n / 2;
    offsets.push_back(std::min(n, offsets.back() + length));
  }
  if (how == lengths::with_empty_ones) offsets.insert(offsets.end(), 2, n);
  return offsets;
}

/// The same segments in the other three words.
struct descriptions {
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> bits;
  std::vector<float> keys;

  explicit descriptions(std::vector<index_t> const& offsets)
      : flags(static_cast<std::size_t>(offsets.back())),
        bits(flags.size() / 32 + 1, 0),
        keys(flags.size()) {
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) {
        auto const at = static_cast<std::size_t>(i);
        bool const head = i == offsets[s];
        flags[at] = head ? static_cast<std::uint8_t>(1 + s % 255) : 0;
        if (head) bits[at / 32] |= 1U << (at % 32);
        keys[at] = static_cast<float>(s % 2);  // ... unless an empty segment lies between
      }
    }
    for (std::size_t i = 1; i < keys.size(); ++i) {
      bool const same = keys[i] == keys[i - 1];
      if (same != (flags[i] == 0)) keys[i] = flags[i] == 0 ? keys[i - 1] : keys[i - 1] + 2;
    }
    // What is said of item 0, and behind the last, must not matter.
    if (!flags.empty()) flags[0] = 0;
    bits[0] &= ~1U;
    if (flags.size() % 32 != 0) bits[flags.size() / 32] |= ~0U << (flags.size() % 32);
  }
};

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
    cpu::segmented_scan<scan_kind::inclusive>(how.threads, direction, from, heads, out, n, op, init,
                                              how.chunk_items);
  } else {
    cpu::segmented_scan<scan_kind::exclusive>(how.threads, direction, from, heads, out, n, op, init,
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

/// Every kind, direction and description of the segments; "" if all is well.
template <class Op>
std::string all_faults(manner how, lengths segments, index_t n, Op op,
                       typename Op::value_type init) {
  auto const in = make_items<typename Op::value_type>(n);
  auto const offsets = make_offsets(segments, n);
  descriptions const said(offsets);
  for (auto const kind : both_kinds) {
    for (auto const direction : both_directions) {
      if (std::is_same_v<Op, tripwire> && direction == scan_direction::reverse) continue;
      auto const expected = oracle(kind, direction, in, offsets, op, init);
      auto const check = [&](auto const& heads, char const* words) {
        how.in_place = !how.in_place;
        auto const faults = faults_of(how, kind, direction, in, heads, op, init, expected);
        return faults.empty() ? "" : std::string(words) + ", " + faults;
      };
      auto faults = check(cpu::head_flags{said.flags.data()}, "flags");
      faults += check(cpu::head_bits{said.bits.data()}, "bits");
      faults +=
          check(cpu::segment_offsets{offsets.data(), static_cast<index_t>(offsets.size()) - 1},
                "offsets");
      faults += check(cpu::segment_keys{said.keys.data()}, "keys");
      if (!faults.empty())
        return "segments " + std::to_string(static_cast<int>(segments)) + ", " + faults;
    }
  }
  return "";
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

TEMPLATE_TEST_CASE("segmented scans agree with a loop per segment", "", plus<std::uint8_t>,
                   plus<std::int64_t>, minimum<float>, bit_xor<std::uint32_t>, compose, tripwire) {
  TestType const op;
  for (auto const segments : all_lengths) {
    for (index_t const n : {0, 1, 2, 3, 5, 8, 17, 31, 32, 33, 64, 100, 199, 200}) {
      for (index_t const chunk_items : {1, 3, 4, 9, 32}) {
        int const threads = 1 + static_cast<int>(n % 2);
        auto const faults =
            all_faults({threads, chunk_items}, segments, n, op, some_init<TestType>());
        if (!faults.empty()) FAIL_CHECK(faults);
      }
    }
    for (index_t const n : size_ladder(512, 256, 40000)) {
      CHECK(all_faults({2, 512}, segments, n, op, some_init<TestType>()) == "");
    }
    for (index_t const n : {1000, 2048, 2049, 100003}) {
      CHECK(all_faults({2, cpu::staged_chunk_items}, segments, n, op, op.identity()) == "");
    }
  }
}

TEST_CASE("a segmented scan is the same with any number of threads") {
  with_threads(16, [&] {
    auto const in = make_items<double>(30011);
    auto const offsets = make_offsets(lengths::power_law, 30011);
    cpu::segment_offsets const heads{offsets.data(), static_cast<index_t>(offsets.size()) - 1};
    std::vector<double> reference(in.size());
    std::vector<double> out(in.size());
    for (auto const direction : both_directions) {
      cpu::segmented_scan<scan_kind::inclusive>(1, direction, in.begin(), heads, reference.data(),
                                                30011, plus<double>{}, 1.0, 100);
      for (int const threads : thread_counts) {
        cpu::segmented_scan<scan_kind::inclusive>(threads, direction, in.begin(), heads, out.data(),
                                                  30011, plus<double>{}, 1.0, 100);
        CHECK(bit_difference(reference, out) == "");
      }
    }
  });
}

TEST_CASE("keys that are NaN are segments of their own, zeros of either sign the same") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const keys{0.0, -0.0, nan, nan, 1, 1};
  std::vector<std::int16_t> const in{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> out(6);
  cpu::segmented_scan<scan_kind::inclusive>(1, scan_direction::forward, in.begin(),
                                            cpu::segment_keys{keys.data()}, out.data(), 6,
                                            plus<std::int64_t>{}, 0);
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
  cpu::segmented_scan<scan_kind::inclusive>(1, scan_direction::forward, in.begin(),
                                            cpu::segment_keys{keys.data()}, out.data(), 200,
                                            plus<int>{}, 0);
  CHECK(out == expected);
}

/// No heads at all, but errors from item 300 on.
struct broken_heads {
  void mark(index_t begin, index_t end, cpu::head_word* to) const {
    if (end > 300) throw std::domain_error("items " + std::to_string(begin));
    std::fill_n(to, ceil_div(end - begin, cpu::word_heads), cpu::head_word{0});
  }
};

/// Items that lie side by side, but from 200 on cannot be told where.
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

TEST_CASE("of what heads and sources of segmented scans throw, the first chunk's is heard") {
  std::vector<int> const in(1000, 1);
  std::vector<int> out(1000);
  for (int const threads : {1, 2, 5}) {
    CHECK_THROWS_WITH(cpu::segmented_scan<scan_kind::inclusive>(
                          threads, scan_direction::forward, in.begin(), broken_heads{}, out.data(),
                          1000, plus<int>{}, 0, 10),
                      "items 300");
    CHECK_THROWS_WITH(cpu::staged_segmented_scan<scan_kind::inclusive>(
                          threads, scan_direction::forward, broken_items{in.data()}, broken_heads{},
                          out.data(), 1000, plus<int>{}, 0, 10),
                      "place of 200");
    CHECK(out[199] == 200);  // asking for chunk 200's place early spoils no chunk before it
  }
}

TEST_CASE("a staged scan agrees with a loop in both directions, and fetches every item once") {
  for (index_t const n : {0, 1, 2, 5, 33, 199, 1000, 100003}) {
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
            cpu::staged_scan<scan_kind::inclusive>(2, direction, source, out.data(), n,
                                                   plus<std::int64_t>{}, -3, chunk_items);
          } else {
            cpu::staged_scan<scan_kind::exclusive>(2, direction, source, out.data(), n,
                                                   plus<std::int64_t>{}, -3, chunk_items);
          }
          auto const expected = oracle(kind, direction, bytes, {0, n}, plus<std::int64_t>{}, -3);
          CHECK(difference(expected, out.copy()) == "");
          CHECK(out.damage() == "");
          CHECK(std::all_of(fetched.begin(), fetched.end(), [](int times) { return times == 1; }));
        }
      }
    }
  }
}

TEST_CASE("a source that throws is heard") {
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
