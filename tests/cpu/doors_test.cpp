// SPDX-License-Identifier: Apache-2.0
// What the cpu engine's calls refuse at any size: items that are not aligned as their type demands;
// and what they take: values as large as a thread's stack allows for a few dozen.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/coo_to_csr.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/cpu/spmv.hpp>
#include <libscan/filter.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/selection.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>

using namespace libscan;

namespace {

/// Items one byte beyond an aligned address, and such as are aligned.
template <class T>
struct crooked_items {
  std::vector<T> memory;
  std::vector<T> straight;

  explicit crooked_items(index_t n)
      : memory(static_cast<std::size_t>(n) + 1), straight(static_cast<std::size_t>(n)) {}
  T* data() { return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(memory.data()) + 1); }
};

/// Whether a call says that items are not aligned.
template <class Call>
bool refused(Call call) {
  try {
    call();
  } catch (invalid_argument const& error) {
    return std::string(error.what()).find("multiple of") != std::string::npos;
  }
  return false;
}

bool is_odd(double x) { return x == 1; }

}  // namespace

using crooked_types =
    libscan::test::types_to_test<std::tuple<float>, std::tuple<std::int16_t>, std::tuple<double>>;
TEMPLATE_LIST_TEST_CASE("Scans and reductions refuse misaligned items and results", "",
                        crooked_types) {
  using T = TestType;
  for (index_t const n : {index_t{3}, index_t{100'000}}) {
    crooked_items<T> items(n);
    T* const bad = items.data();
    T* const good = items.straight.data();
    plus<T> const op;
    T const zero{};
    CHECK(refused([&] { cpu::reduce(1, bad, n, op, zero); }));
    CHECK(refused([&] { cpu::inclusive_scan(1, bad, good, n, op, zero); }));
    CHECK(refused([&] { cpu::inclusive_scan(1, bad, bad, n, op, zero); }));
    CHECK(refused([&] { cpu::exclusive_scan(1, good, bad, n, op, zero); }));
    equal_segments const threes{3};
    CHECK(refused([&] { cpu::inclusive_segmented_scan(1, bad, good, threes, n, op, zero); }));
    CHECK(refused([&] { cpu::exclusive_segmented_scan(1, good, bad, threes, n, op, zero); }));
    segment_keys<T*> const keys{bad};
    CHECK(refused([&] { cpu::inclusive_segmented_scan(1, good, good, keys, n, op, zero); }));
    CHECK(refused([&] { cpu::segmented_reduce(1, bad, good, threes, n, op, zero); }));
    CHECK(refused([&] { cpu::segmented_reduce(1, good, bad, threes, n, op, zero); }));
    std::vector<T> out(items.straight), totals(items.straight);
    CHECK(
        refused([&] { cpu::reduce_by_key(1, bad, good, out.data(), totals.data(), n, op, zero); }));
    auto const bring = [](index_t, index_t, T*) {};
    CHECK(refused([&] {
      cpu::staged_scan<scan_kind::inclusive>(1, scan_direction::forward, bring, bad, n, op, zero);
    }));
  }
}

TEST_CASE("Filters and binary scans refuse misaligned items and results") {
  for (index_t const n : {index_t{3}, index_t{100'000}}) {
    crooked_items<double> items(n);
    double* const bad = items.data();
    double* const good = items.straight.data();
    crooked_items<index_t> places(n);
    crooked_items<std::uint32_t> words(n);
    CHECK(refused([&] { cpu::filter(1, bad, good, n, is_odd); }));
    CHECK(refused([&] { cpu::filter(1, good, bad, n, is_odd); }));
    CHECK(refused([&] { cpu::filter_indices(1, bad, places.straight.data(), n, is_odd); }));
    CHECK(refused([&] { cpu::filter_indices(1, good, places.data(), n, is_odd); }));
    CHECK(refused([&] { cpu::filter_by(1, good, good, n, cpu::keep_masked{words.data()}); }));
    CHECK(refused([&] { cpu::count_if(1, bad, n, is_odd); }));
    CHECK(refused([&] { cpu::unique(1, bad, good, n); }));
    std::vector<double> others(items.straight);
    CHECK(refused([&] {
      cpu::split(1, good, cpu::split_outputs<double*>{bad, n, others.data(), n}, n, is_odd);
    }));
    CHECK(refused([&] {
      cpu::run_outputs const runs{others.data(), n, places.data(), n};
      cpu::run_length_encode(1, good, runs, n);
    }));
    bit_mask const mask{words.data()};
    CHECK(refused([&] { cpu::exclusive_binary_scan(1, mask, places.straight.data(), n); }));
    std::vector<std::uint8_t> const bytes(static_cast<std::size_t>(n));
    byte_mask const flags{bytes.data()};
    CHECK(refused([&] { cpu::inclusive_binary_scan(1, flags, places.data(), n); }));
  }
}

TEST_CASE("Sorts, histograms and products refuse misaligned items and results") {
  for (index_t const n : {index_t{3}, index_t{100'000}}) {
    crooked_items<float> items(n);
    float* const bad = items.data();
    float* const good = items.straight.data();
    std::vector<float> out(items.straight);
    crooked_items<std::int32_t> ints(n);
    std::vector<std::int32_t> const segments{0, static_cast<std::int32_t>(n)};
    CHECK(refused([&] { cpu::sort_keys(1, bad, good, n); }));
    CHECK(refused([&] { cpu::sort_keys(1, bad, bad, n); }));
    CHECK(refused([&] { cpu::sort_pairs(1, good, good, bad, out.data(), n); }));
    CHECK(refused([&] { cpu::argsort(1, good, ints.data(), n); }));
    CHECK(refused([&] { cpu::sort_keys_in_segments(1, good, bad, n, segments.data(), 1); }));
    CHECK(refused(
        [&] { cpu::argsort_in_segments(1, bad, ints.straight.data(), n, segments.data(), 1); }));
    index_t* const no_offsets = nullptr;
    CHECK(refused(
        [&] { cpu::split_by_key(1, ints.straight.data(), ints.data(), no_offsets, n, 1); }));
    even_bins<float> const rule(0, 1, 3);
    CHECK(refused([&] { cpu::histogram(1, bad, ints.straight.data(), rule, n); }));
    CHECK(refused([&] { cpu::histogram(1, good, ints.data(), rule, n); }));
    std::int32_t const offsets[]{0, 0};
    csr_matrix<float, std::int32_t> const row{1, n, 0, offsets, ints.straight.data(), good};
    CHECK(refused([&] { cpu::spmv(1, row, bad, out.data()); }));
    coo_matrix<float> const list{1, 1, n, ints.data(), ints.straight.data(), good};
    std::vector<std::int32_t> begins(2);
    CHECK(refused([&] {
      std::vector<std::int32_t> indices(ints.straight);
      cpu::coo_to_csr(1, list, begins.data(), indices.data(), out.data());
    }));
  }
}

TEST_CASE("Every argument of a call is refused if it is misaligned") {
  constexpr index_t n = 40;
  crooked_items<double> items(n);
  crooked_items<std::int32_t> ints(n);
  crooked_items<index_t> places(n);
  crooked_items<std::uint32_t> words(n);
  double *const bad = items.data(), *const good = items.straight.data();
  std::int32_t *const bad_ints = ints.data(), *const good_ints = ints.straight.data();
  index_t *const bad_places = places.data(), *const good_places = places.straight.data();
  std::vector<double> more(items.straight), out(items.straight);
  std::vector<std::int32_t> const bounds{0, n};
  std::vector<std::int32_t> rows(2), columns(n);
  plus<double> const op;
  cpu::keep_flagged const all{reinterpret_cast<std::uint8_t const*>(more.data())};
  even_bins<double> const rule(0, 1, 3);
  segment_ranges const straight{bounds.data(), bounds.data() + 1, 1};
  engine const on = engine::cpu(1);
  using call = std::function<void()>;
  std::vector<std::pair<char const*, call>> const calls{
      {"offsets of a scan",
       [&] {
         cpu::inclusive_segmented_scan(1, good, out.data(), segment_offsets{bad_ints, 1}, n, op, 0);
       }},
      {"offsets of a scan in stages",
       [&] {
         cpu::detail::iterated_items<double, double*> const source{good};
         cpu::staged_segmented_scan<scan_kind::inclusive>(1, scan_direction::forward, source,
                                                          out.data(), segment_offsets{bad_ints, 1},
                                                          n, op, 0);
       }},
      {"offsets of totals",
       [&] {
         cpu::segmented_reduce(1, good, out.data(), segment_offsets{bad_places, 1}, n, op, 0);
       }},
      {"begins of ranges",
       [&] {
         segment_ranges<std::int32_t> const ranges{bad_ints, bounds.data(), 1};
         cpu::inclusive_segmented_scan(1, good, out.data(), ranges, n, op, 0);
       }},
      {"ends of ranges",
       [&] {
         segment_ranges<std::int32_t> const ranges{bounds.data(), bad_ints, 1};
         cpu::segmented_reduce(1, good, out.data(), ranges, n, op, 0);
       }},
      {"totals of ranges", [&] { cpu::segmented_reduce(1, good, bad, straight, n, op, 0); }},
      {"a mask of head flags",
       [&] {
         cpu::inclusive_segmented_scan(1, good, out.data(), head_bits{words.data()}, n, op, 0);
       }},
      {"items by key",
       [&] { cpu::reduce_by_key(1, good, bad, out.data(), more.data(), n, op, 0); }},
      {"keys of runs", [&] { cpu::reduce_by_key(1, good, good, bad, out.data(), n, op, 0); }},
      {"totals of runs", [&] { cpu::reduce_by_key(1, good, good, out.data(), bad, n, op, 0); }},
      {"what is kept in place", [&] { cpu::filter_by(1, bad, bad, n, all); }},
      {"what is rejected",
       [&] {
         cpu::split_by(1, good, cpu::split_outputs<double*>{out.data(), n, bad, n}, n, all);
       }},
      {"what is unique", [&] { cpu::unique(1, good, bad, n); }},
      {"values with indices",
       [&] {
         cpu::indexed_outputs<double*> const to{bad, n, good_places, n};
         cpu::filter_with_indices_by(1, good, to, n, all);
       }},
      {"indices of values",
       [&] {
         cpu::indexed_outputs<double*> const to{out.data(), n, bad_places, n};
         cpu::filter_with_indices_by(1, good, to, n, all);
       }},
      {"values of runs",
       [&] {
         cpu::run_length_encode(1, good, cpu::run_outputs{bad, n, good_places, n}, n);
       }},
      {"offsets of runs",
       [&] {
         std::vector<index_t> lengths(n);
         cpu::run_length_encode(
             1, good, cpu::run_outputs{out.data(), n, lengths.data(), n, bad_places, n}, n);
       }},
      {"sorted keys", [&] { cpu::sort_pairs(1, good, bad, good_ints, columns.data(), n); }},
      {"sorted values", [&] { cpu::sort_pairs(1, good, out.data(), good_ints, bad_ints, n); }},
      {"keys of positions", [&] { cpu::argsort(1, bad, good_places, n); }},
      {"offsets of a sort",
       [&] { cpu::sort_keys_in_segments(1, good, out.data(), n, bad_places, 1); }},
      {"sorted values of segments",
       [&] {
         cpu::sort_pairs_in_segments(1, good, out.data(), good_ints, bad_ints, n, bounds.data(), 1);
       }},
      {"positions in segments",
       [&] { cpu::argsort_in_segments(1, good, bad_ints, n, bounds.data(), 1); }},
      {"keys of sorted ranges",
       [&] {
         segment_ranges<std::int32_t> const ranges{bounds.data(), good_ints, 1};
         cpu::sort_keys_in_segments(1, good, bad, n, ranges);
       }},
      {"begins of sorted ranges",
       [&] {
         segment_ranges<std::int32_t> const ranges{bad_ints, bounds.data() + 1, 1};
         cpu::sort_keys_in_segments(1, good, out.data(), n, ranges);
       }},
      {"positions in ranges",
       [&] {
         segment_ranges<std::int32_t> const ranges{bounds.data(), good_ints, 1};
         cpu::argsort_in_segments(1, good, bad_places, n, ranges);
       }},
      {"keys that are split",
       [&] {
         cpu::split_by_key(1, bad_ints, columns.data(), static_cast<index_t*>(nullptr), n, 1);
       }},
      {"offsets of a split",
       [&] { cpu::split_by_key(1, good_ints, columns.data(), bad_places, n, 1); }},
      {"values that are split",
       [&] {
         cpu::split_by_key(1, good_ints, columns.data(), bad, out.data(),
                           static_cast<index_t*>(nullptr), n, 1);
       }},
      {"weights", [&] { cpu::weighted_histogram(1, good, bad, out.data(), rule, n); }},
      {"sums of weights", [&] { cpu::weighted_histogram(1, good, more.data(), bad, rule, n); }},
      {"results of a product",
       [&] {
         csr_matrix<double, std::int32_t> const row{1, n, 0, rows.data(), columns.data(), good};
         cpu::spmv(1, row, good, bad);
       }},
      {"entries of a product",
       [&] {
         csr_matrix<double, std::int32_t> const row{1, n, n, bounds.data(), columns.data(), bad};
         cpu::spmv(1, row, good, out.data());
       }},
      {"host API: what is filtered",
       [&] { filter(on, std::span<double const>(bad, n), more, parse_predicate<double>("> 0")); }},
      {"host API: what is kept",
       [&] {
         filter(on, std::span<double const>(more), std::span(bad, n),
                parse_predicate<double>("> 0"));
       }},
      {"host API: indices",
       [&] {
         filter_indices(on, std::span<double const>(more), std::span(bad_places, n),
                        parse_predicate<double>("> 0"));
       }},
      {"host API: what gives indices",
       [&] {
         filter_indices(on, std::span<double const>(bad, n), std::span(good_places, n),
                        parse_predicate<double>("> 0"));
       }},
      {"host API: what is counted",
       [&] { count_if(on, std::span<double const>(bad, n), parse_predicate<double>("> 0")); }},
      {"host API: what is unique",
       [&] { unique<double>(on, std::span<double const>(bad, n), more); }},
      {"host API: sorted keys", [&] { sort_keys(on, std::span(bad, n), more); }},
      {"host API: sorted keys with values",
       [&] { sort_pairs(on, more, std::span(bad, n), std::span(good_ints, n), columns); }},
      {"host API: positions", [&] { argsort(on, more, std::span(bad_places, n)); }},
      {"host API: offsets",
       [&] { segmented_sort_keys(on, more, out, std::span<index_t const>(bad_places, 2)); }},
      {"values of a list",
       [&] {
         coo_matrix<double> const list{1, 1, n, good_ints, columns.data(), bad};
         cpu::coo_to_csr(1, list, rows.data(), columns.data(), out.data());
       }},
  };
  for (auto const& [name, misaligned] : calls) {
    INFO(name);
    CHECK(refused(misaligned));
  }
}

namespace {

template <int Bytes>
struct large {
  std::uint64_t words[Bytes / 8];
};
/// Sums of the first and the last words.
template <int Bytes>
struct add_large {
  using value_type = large<Bytes>;
  static constexpr value_type identity() { return {}; }
  constexpr value_type operator()(value_type const& a, value_type const& b) const {
    value_type sum = a;
    sum.words[0] += b.words[0];
    sum.words[Bytes / 8 - 1] += b.words[Bytes / 8 - 1];
    return sum;
  }
};

template <int Bytes>
struct of_bytes {
  static constexpr int bytes = Bytes;
};
using large_values = libscan::test::types_to_test<std::tuple<of_bytes<1 << 15>>,
                                                  std::tuple<of_bytes<1 << 10>>, std::tuple<>>;

template <int Bytes>
void require_large() {
  index_t const n = 300;
  std::vector<large<Bytes>> items(n), out(n);
  for (auto& item : items) item.words[0] = item.words[Bytes / 8 - 1] = 2;
  auto const all = [](large<Bytes> const&) { return true; };
  for (index_t const count : {index_t{10}, n}) {
    for (index_t const chunk : {index_t{1}, index_t{7}, index_t{1} << 15}) {
      CHECK(
          cpu::reduce(2, items.data(), count, add_large<Bytes>{}, {}, chunk).words[Bytes / 8 - 1] ==
          2u * static_cast<std::uint64_t>(count));
    }
    cpu::inclusive_scan(2, items.data(), out.data(), count, add_large<Bytes>{}, {}, 20);
    CHECK(out[9].words[0] == 20);
    equal_segments const fives{5};
    cpu::inclusive_segmented_scan(2, items.data(), out.data(), fives, count, add_large<Bytes>{}, {},
                                  20);
    CHECK(out[9].words[0] == 10);
    cpu::segmented_reduce(2, items.data(), out.data(), fives, count, add_large<Bytes>{}, {}, 20);
    CHECK(out[1].words[0] == 10);
    CHECK(cpu::filter(2, items.data(), out.data(), count, all, cpu::unlimited, 20) == count);
  }
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("Values that are large need no space for many on the stack", "",
                        large_values) {
  require_large<TestType::bytes>();
}
