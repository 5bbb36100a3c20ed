// SPDX-License-Identifier: Apache-2.0
// Numbers that say where items are (offsets, begins and ends, indices, edges, lengths) are refused
// in words unless they are in range: by every call of the cpu engine and of the host API that takes
// such, before anything is written, or at least before anything is written out of bounds.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <libscan/cpu/coo_to_csr.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/cpu/spmv.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/histogram.hpp>
#include <libscan/segmented.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/spmv.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>

namespace libscan::test {
namespace {

/// Whether a call is refused in words that contain `expected`.
template <class Call>
bool refused(Call const& call, std::string const& expected = "expected") {
  try {
    call();
  } catch (invalid_argument const& error) {
    return std::string(error.what()).find(expected) != std::string::npos;
  }
  return false;
}

/// A value that needs memory of its own kind: see large_values.hpp.
struct wide {
  std::uint64_t words[16];
};
struct add_wide {
  using value_type = wide;
  static constexpr value_type identity() { return {}; }
  constexpr value_type operator()(value_type const& a, value_type const& b) const {
    value_type sum = a;
    sum.words[15] += b.words[15];
    return sum;
  }
};

/// Ragged segments of n items: offsets from 0 to n.
template <class Offset>
std::vector<Offset> ragged(index_t n, index_t average) {
  std::vector<Offset> offsets{0};
  std::uint32_t random = 7;
  for (index_t at = 0; at < n;) {
    random = random * 1664525 + 1013904223;
    at = std::min(n, at + static_cast<index_t>(random >> 8) % (2 * average));
    offsets.push_back(static_cast<Offset>(at));
  }
  return offsets;
}

/// Wrong ones made of right ones, each with what is wrong.
template <class Offset>
std::vector<std::pair<std::string, std::vector<Offset>>> wrong_offsets(index_t n, index_t average) {
  auto const right = ragged<Offset>(n, average);
  auto const middle = right.size() / 2;
  constexpr auto max = std::numeric_limits<Offset>::max(), min = std::numeric_limits<Offset>::min();
  std::vector<std::pair<std::string, std::vector<Offset>>> result;
  auto const with = [&](char const* what, std::size_t at, Offset number) {
    result.emplace_back(what, right);
    result.back().second.at(at) = number;
  };
  auto const past = static_cast<Offset>(n + 1);
  with("the last is past the items", right.size() - 1, past);
  with("the last is far past the items", right.size() - 1, max);
  with("one is past the items", middle, past);
  with("one is far past the items", middle, max);
  with("the second is past the items", 1, max);
  with("one before the last is past the items", right.size() - 2, static_cast<Offset>(n + 5));
  with("one is less than the one before", middle, static_cast<Offset>(right[middle - 2] / 2));
  with("one is 0 in between", middle, 0);
  if (std::is_signed_v<Offset>) {
    auto const minus_one = static_cast<Offset>(-1);
    with("the first is negative", 0, minus_one);
    with("one is negative", middle, minus_one);
    with("one is the least number", middle, min);
    with("the last is negative", right.size() - 1, minus_one);
    with("the last but one is the least number", right.size() - 2, min);
  }
  result.emplace_back("all descend", std::vector<Offset>(right.rbegin(), right.rend()));
  result.emplace_back("a part descends", right);
  std::reverse(result.back().second.begin() + 1, result.back().second.end() - 1);
  result.emplace_back("halves are exchanged", right);
  std::rotate(result.back().second.begin() + 1, result.back().second.begin() + index_t(middle),
              result.back().second.end() - 1);
  return result;
}

/// Inputs and outputs of calls of n items.
struct arrays {
  explicit arrays(index_t count)
      : n(count),
        items(static_cast<std::size_t>(count), 1),
        large(static_cast<std::size_t>(std::min<index_t>(count, 3000))),
        out(count),
        totals(count + 2),
        large_out(static_cast<index_t>(large.size())),
        places(count) {}

  /// What was written, if anything was, or what was damaged.
  std::string written() const {
    for (std::string const& found : {out.written_from(0), totals.written_from(0),
                                     large_out.written_from(0), places.written_from(0), damage()}) {
      if (!found.empty()) return found;
    }
    return "";
  }
  std::string damage() const {
    return out.damage() + totals.damage() + large_out.damage() + places.damage();
  }

  index_t n;
  std::vector<float> items;
  std::vector<wide> large;
  guarded_buffer<float> out, totals;
  guarded_buffer<wide> large_out;
  guarded_buffer<index_t> places;
};

using named_calls = std::vector<std::pair<char const*, std::function<void()>>>;

/// Calls of the cpu engine that take a description of segments, by offsets or by ranges.
template <class Segments>
named_calls calls_by_segments(int threads, arrays& all, Segments const& segments) {
  auto const scan = [threads, &all, segments](scan_direction direction, auto kind) {
    cpu::segmented_scan<decltype(kind)::value>(threads, direction, all.items.data(), all.out.data(),
                                               segments, all.n, plus<float>{}, 0);
  };
  using inclusive = std::integral_constant<scan_kind, scan_kind::inclusive>;
  using exclusive = std::integral_constant<scan_kind, scan_kind::exclusive>;
  return {
      {"an inclusive scan", [=] { scan(scan_direction::forward, inclusive{}); }},
      {"an exclusive scan in reverse", [=] { scan(scan_direction::reverse, exclusive{}); }},
      {"a scan by a lambda",
       [=, &all] {
         auto const op = [](float a, float b) { return std::max(a, b); };
         cpu::inclusive_segmented_scan(threads, all.items.data(), all.out.data(), segments, all.n,
                                       op);
       }},
      {"totals",
       [=, &all] {
         cpu::segmented_reduce(threads, all.items.data(), all.totals.data(), segments, all.n,
                               plus<float>{}, 0);
       }},
      {"totals by a lambda",
       [=, &all] {
         auto const op = [](float a, float b) { return a * b; };
         cpu::segmented_reduce(threads, all.items.data(), all.totals.data(), segments, all.n, op,
                               1.0f);
       }},
      {"totals of large values",
       [=, &all] {
         if (std::ssize(all.large) < all.n) throw invalid_argument("expected: too large to test");
         cpu::segmented_reduce(threads, all.large.data(), all.large_out.data(), segments, all.n,
                               add_wide{}, {});
       }},
      {"a scan of large values",
       [=, &all] {
         if (std::ssize(all.large) < all.n) throw invalid_argument("expected: too large to test");
         cpu::inclusive_segmented_scan(threads, all.large.data(), all.large_out.data(), segments,
                                       all.n, add_wide{}, {});
       }},
  };
}

/// Those that take offsets only.
template <class Offset>
named_calls calls_by_offsets(int threads, arrays& all, std::vector<Offset> const& offsets) {
  auto const m = static_cast<index_t>(offsets.size()) - 1;
  Offset const* const at = offsets.data();
  auto const staged = [&all](index_t begin, index_t end, float* to) {
    std::copy_n(all.items.data() + begin, end - begin, to);
  };
  return {
      {"a scan of staged items",
       [=, &all] {
         cpu::staged_segmented_scan<scan_kind::inclusive>(threads, scan_direction::forward, staged,
                                                          all.out.data(), segment_offsets{at, m},
                                                          all.n, plus<float>{});
       }},
      {"a scan of a piece",
       [=, &all] {
         float carry = 0;
         cpu::carried_segmented_scan<scan_kind::exclusive>(threads, scan_direction::reverse, staged,
                                                           all.out.data(), segment_offsets{at, m},
                                                           all.n, plus<float>{}, 0.0f, carry);
       }},
      {"a sort",
       [=, &all] {
         cpu::sort_keys_in_segments(threads, all.items.data(), all.out.data(), all.n, at, m);
       }},
      {"a sort of pairs",
       [=, &all] {
         cpu::sort_pairs_in_segments(threads, all.items.data(), all.out.data(), all.items.data(),
                                     all.totals.data(), all.n, at, m);
       }},
      {"positions",
       [=, &all] {
         cpu::argsort_in_segments(threads, all.items.data(), all.places.data(), all.n, at, m);
       }},
  };
}

/// The host API's.
template <class Offset>
named_calls host_calls(engine const& on, arrays& all, std::vector<Offset> const& offsets) {
  auto const segments = [&offsets] { return segmentation::of_offsets(offsets); };
  return {
      {"host API: a scan",
       [=, &all] { inclusive_segmented_scan(on, all.items, all.out.items(), segments()); }},
      {"host API: totals",
       [=, &all] { segmented_reduce(on, all.items, all.totals.items(), segments()); }},
      {"host API: ranges",
       [=, &all, &offsets] {
         std::span const bounds(offsets);
         segmented_reduce(
             on, all.items, all.totals.items(),
             segmentation::of_ranges(bounds.first(bounds.size() - 1), bounds.subspan(1)));
       }},
      {"host API: a sort",
       [=, &all, &offsets] {
         std::vector<index_t> const wide(offsets.begin(), offsets.end());
         segmented_sort_keys(on, all.items, all.out.items(), std::span<index_t const>(wide));
       }},
  };
}

void require_refused(named_calls const& calls, arrays& all) {
  for (auto const& [name, call] : calls) {
    INFO(name);
    CHECK(refused(call));
    CHECK(all.written() == "");
  }
}

using offset_types =
    types_to_test<std::tuple<std::int32_t>, std::tuple<std::uint32_t, std::uint64_t>,
                  std::tuple<std::int64_t>>;

}  // namespace

TEMPLATE_LIST_TEST_CASE("Offsets that do not ascend within the items are refused", "",
                        offset_types) {
  // One segment in a few items, in a chunk, in several; and a long one that all threads take.
  for (auto const& [n, average] : {std::pair<index_t, index_t>{20, 3},
                                   {3000, 4},
                                   {200'000, 5},
                                   {200'000, 700},
                                   {1'000'000, 100'000}}) {
    arrays all(n);
    for (auto const& [what, offsets] : wrong_offsets<TestType>(n, average)) {
      INFO(n << " items, segments of " << average << ": " << what);
      auto const m = static_cast<index_t>(offsets.size()) - 1;
      for (int const threads : {1, 3}) {
        segment_offsets const by_offsets{offsets.data(), m};
        require_refused(calls_by_segments(threads, all, by_offsets), all);
        auto const ranges = segment_ranges<TestType>::between(offsets.data(), m);
        require_refused(calls_by_segments(threads, all, ranges), all);
        require_refused(calls_by_offsets(threads, all, offsets), all);
      }
      for (engine const& on : engines()) {
        if (!on.runs_kernels() || n <= 3000) require_refused(host_calls(on, all, offsets), all);
      }
    }
  }
}

TEST_CASE("A single descent of many offsets is found at any place") {
  // Threads share the check in pieces; each piece begins with the last offset of the one before.
  index_t const n = 100'000;
  std::vector<int> const items(static_cast<std::size_t>(n), 1);
  guarded_buffer<int> totals(n);
  std::vector<std::uint32_t> right(static_cast<std::size_t>(n + 1));
  std::iota(right.begin(), right.end(), 0u);
  for (index_t const at : {2, 16, 32'767, 32'768, 32'769, 65'536, 99'998, 99'999}) {
    auto offsets = right;
    offsets[static_cast<std::size_t>(at) - 1] = static_cast<std::uint32_t>(at) + 1;
    segment_offsets const segments{offsets.data(), n};
    CHECK(refused(
        [&] { cpu::segmented_reduce(2, items.data(), totals.data(), segments, n, plus<int>{}, 0); },
        "offset " + std::to_string(at) + " is " + std::to_string(at) + ";"));
  }
  CHECK(totals.written_from(0) == "");
}

TEST_CASE("A number of segments that is negative is refused") {
  arrays all(100);
  std::vector<index_t> const offsets{0, 100};
  for (index_t const m : {index_t{-1}, std::numeric_limits<index_t>::min()}) {
    segment_offsets const by_offsets{offsets.data() + 1, m};
    require_refused(calls_by_segments(2, all, by_offsets), all);
    segment_ranges const ranges{offsets.data(), offsets.data() + 1, m};
    require_refused(calls_by_segments(2, all, ranges), all);
  }
}

TEST_CASE("Ranges that end before they begin, or outside of the items, are refused") {
  index_t const n = 50'000;
  arrays all(n);
  constexpr index_t min = std::numeric_limits<index_t>::min();
  constexpr index_t max = std::numeric_limits<index_t>::max();
  for (auto const& [begin, end] : {std::pair<index_t, index_t>{5, 4},
                                   {-1, 3},
                                   {n - 1, n + 1},
                                   {n + 1, n + 1},
                                   {min, 0},
                                   {0, max},
                                   {max, min},
                                   {min, max}}) {
    for (std::size_t const where : {0, 7, 999}) {
      std::vector<index_t> begins(1000), ends(1000);
      for (std::size_t s = 0; s < 1000; ++s) {
        begins[s] = static_cast<index_t>(999 - s) * 40;
        ends[s] = begins[s] + 39;
      }
      begins[where] = begin;
      ends[where] = end;
      INFO("segment " << where << " is [" << begin << ", " << end << ")");
      segment_ranges const ranges{begins.data(), ends.data(), 1000};
      require_refused(calls_by_segments(2, all, ranges), all);
      require_refused(
          {{"a sort",
            [&] { cpu::sort_keys_in_segments(2, all.items.data(), all.out.data(), n, ranges); }},
           {"positions",
            [&] { cpu::argsort_in_segments(2, all.items.data(), all.places.data(), n, ranges); }},
           {"host API",
            [&] {
              inclusive_segmented_scan(engine::cpu(2), all.items, all.out.items(),
                                       segmentation::of_ranges(begins, ends));
            }}},
          all);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("Products refuse offsets of rows that do not ascend to the entries", "",
                        offset_types) {
  for (auto const& [n, average] :
       {std::pair<index_t, index_t>{20, 3}, {3000, 1}, {200'000, 5}, {1'000'000, 100'000}}) {
    std::vector<std::int32_t> const columns(static_cast<std::size_t>(n), 0);
    std::vector<double> const values(columns.size(), 1);
    double const x = 1;
    for (auto const& [what, offsets] : wrong_offsets<TestType>(n, average)) {
      INFO(n << " entries, rows of " << average << ": " << what);
      auto const rows = static_cast<index_t>(offsets.size()) - 1;
      guarded_buffer<double> y(rows);
      csr_matrix<double, TestType> const matrix{rows,         1, n, offsets.data(), columns.data(),
                                                values.data()};
      csr_matrix<no_values, TestType> const places{rows, 1, n, offsets.data(), columns.data()};
      for (int const threads : {1, 3}) {
        CHECK(refused([&] { cpu::spmv(threads, matrix, &x, y.data()); }));
        CHECK(refused([&] { cpu::spmv(threads, matrix, &x, y.data(), {}, 2.0, 1.0); }));
        CHECK(refused([&] { cpu::spmv(threads, places, &x, y.data()); }));
      }
      CHECK(y.damage() == "");
    }
  }
}

TEST_CASE("Lists of entries outside of their matrix are refused") {
  for (index_t const n : {index_t{5}, index_t{300'000}}) {
    for (std::int32_t const wrong : {-1, 10, 16, std::numeric_limits<std::int32_t>::max(),
                                     std::numeric_limits<std::int32_t>::min()}) {
      for (bool const in_rows : {false, true}) {
        std::vector<std::int32_t> rows(static_cast<std::size_t>(n), 3), columns(rows);
        (in_rows ? rows : columns)[static_cast<std::size_t>(n - 2)] = wrong;
        std::vector<double> const values(rows.size(), 1);
        guarded_buffer<index_t> offsets(11);
        guarded_buffer<std::int32_t> indices(2 * n);
        guarded_buffer<double> sums(2 * n);
        for (symmetry const kind : {symmetry::general, symmetry::symmetric, symmetry::skew}) {
          coo_matrix<double> const list{10,  10, n, rows.data(), columns.data(), values.data(),
                                        kind};
          CHECK(refused(
              [&] { cpu::coo_to_csr(2, list, offsets.data(), indices.data(), sums.data()); }));
          for (engine const& on : engines()) {
            if (n < 100 || !on.runs_kernels()) CHECK(refused([&] { to_rows(on, list); }));
          }
        }
        CHECK(offsets.written_from(0) + indices.written_from(0) + sums.written_from(0) == "");
      }
    }
  }
}

TEST_CASE("Edges that do not ascend are refused, and keys in no bucket") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (index_t const n : {index_t{10}, index_t{100'000}}) {
    std::vector<double> const samples(static_cast<std::size_t>(n), 2.5);
    std::vector<double> right(101);
    for (std::size_t k = 0; k < right.size(); ++k) right[k] = static_cast<double>(k);
    for (std::size_t const at : {std::size_t{0}, std::size_t{50}, std::size_t{100}}) {
      for (double const wrong : {nan, at == 0 ? 2.0 : -1.0}) {
        auto edges = right;
        edges[at] = wrong;
        guarded_buffer<index_t> counts(100);
        guarded_buffer<double> sums(100);
        edge_bins<double> const rule(edges.data(), 100);
        CHECK(refused([&] { cpu::histogram(2, samples.data(), counts.data(), rule, n); }));
        CHECK(refused([&] {
          cpu::weighted_histogram(2, samples.data(), samples.data(), sums.data(), rule, n);
        }));
        CHECK(refused([&] { histogram(engine::cpu(2), samples, counts.items(), rule); }));
        CHECK(counts.written_from(0) + sums.written_from(0) == "");
      }
    }
    for (std::int32_t const wrong : {-1, 4, std::numeric_limits<std::int32_t>::min()}) {
      std::vector<std::int32_t> keys(static_cast<std::size_t>(n), 3);
      keys[keys.size() / 2] = wrong;
      guarded_buffer<std::int32_t> out(n);
      guarded_buffer<index_t> offsets(5);
      CHECK(refused([&] { cpu::split_by_key(2, keys.data(), out.data(), offsets.data(), n, 4); },
                    "bucket"));
      CHECK(out.written_from(0) == "");
    }
  }
}

TEST_CASE("Parts of a distribution have lengths") {
  CHECK(refused([] { distribution(std::vector<index_t>{3, -1, 5}); }));
  CHECK(refused([] { distribution::even(-1, 3); }));
  CHECK(refused([] { distribution::even(5, 0); }));
  CHECK(distribution(std::vector<index_t>{3, 0, 5}).total() == 8);
}

}  // namespace libscan::test
