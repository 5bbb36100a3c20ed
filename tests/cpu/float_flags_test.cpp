// SPDX-License-Identifier: Apache-2.0
// Floating-point flags: calls of the cpu engine set none of those that programs trap (invalid,
// division by zero, overflow, underflow) for samples that are quiet NaNs, infinite or subnormal,
// unless a sum or product of the items does.
#include <cfenv>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <libscan/cpu/vector_targets.hpp>

#include <apps/filter/cpu/vector_predicate.hpp>
#include <libscan/core/half.hpp>
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
#include <libscan/cpu/vector_scan.hpp>
#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/selection.hpp>
#include <libscan/spmv.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/cpu_targets.hpp>

using namespace libscan;

namespace {

constexpr int watched = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW;

/// The watched flags that a call sets on this thread.
std::string flags_of(std::function<void()> const& call) {
  std::feclearexcept(FE_ALL_EXCEPT);
  call();
  int const set = std::fetestexcept(watched);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::string names;
  if ((set & FE_INVALID) != 0) names += "invalid ";
  if ((set & FE_DIVBYZERO) != 0) names += "division by zero ";
  if ((set & FE_OVERFLOW) != 0) names += "overflow ";
  if ((set & FE_UNDERFLOW) != 0) names += "underflow ";
  return names;
}

/// While one lives, flags become signals that end the program.
struct trapping {
  trapping() {
    std::feclearexcept(FE_ALL_EXCEPT);
    ::feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  }
  ~trapping() { ::fedisableexcept(FE_ALL_EXCEPT); }
};

/// Sizes around those of vectors, and such as more than one thread and whole tables are used for.
std::vector<index_t> all_sizes() {
  std::vector<index_t> sizes;
  for (index_t n = 0; n <= 67; ++n) sizes.push_back(n);
  for (index_t const n : {1000, 9001, 300'001}) sizes.push_back(n);
  return sizes;
}

/// Every kind of number; sums are invalid where both infinities are among them.
template <class T>
std::vector<T> numbers(index_t n, bool negative_infinity = true) {
  using limits = std::numeric_limits<T>;
  T const special[] = {limits::quiet_NaN(),
                       limits::infinity(),
                       negative_infinity ? -limits::infinity() : T(7),
                       limits::denorm_min(),
                       -limits::denorm_min(),
                       limits::min() / 2,
                       T(0),
                       T(-0.0),
                       -limits::quiet_NaN()};
  std::vector<T> items(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::size_t const word = (i + 3) * 2654435761u >> 7;
    items[i] = word % 3 == 0 ? special[word / 3 % 9] : T(static_cast<int>(word % 401) - 200) / 8;
  }
  return items;
}

/// A call's name, and the call for a number of threads.
struct named_call {
  std::string name;
  std::function<void(int)> run;
};

/// Calls of scans, sums, sorts and filters of n items.
template <class T>
std::vector<named_call> calls_of(index_t n) {
  auto const in = numbers<T>(n), for_sums = numbers<T>(n, false);
  auto const size = static_cast<std::size_t>(n);
  std::vector<named_call> calls;
  auto const add = [&](std::string name, auto body) { calls.push_back({std::move(name), body}); };
  auto const add_operator = [&](std::string const& name, auto op, std::vector<T> const& items) {
    T const init = op.identity();
    add("inclusive scan by " + name, [=](int threads) {
      std::vector<T> out(size);
      cpu::inclusive_scan(threads, items.data(), out.data(), n, op, init, 256);
    });
    add("exclusive scan by " + name, [=](int threads) {
      std::vector<T> out(size);
      cpu::exclusive_scan(threads, items.data(), out.data(), n, op, init);
    });
    add("scan of iterators by " + name, [=](int threads) {
      std::deque<T> const apart(items.begin(), items.end());
      std::deque<T> out(size);
      cpu::inclusive_scan(threads, apart.begin(), out.begin(), n, op, init, 256);
      std::vector<T> array(size);
      cpu::inclusive_scan(threads, apart.begin(), array.data(), n, op, init, 256);
    });
    add("reduce by " + name, [=](int threads) {
      cpu::reduce(threads, items.data(), n, op, init);
      std::deque<T> const apart(items.begin(), items.end());
      cpu::reduce(threads, apart.begin(), n, op, init, 256);
    });
    add("segmented scan by " + name, [=](int threads) {
      std::vector<T> out(size);
      cpu::inclusive_segmented_scan(threads, items.data(), out.data(), equal_segments{7}, n, op,
                                    init);
      cpu::exclusive_segmented_scan(threads, items.data(), out.data(), segment_keys{items.data()},
                                    n, op, init);
    });
    add("segmented reduce by " + name, [=](int threads) {
      std::vector<T> totals(size + 1);
      cpu::segmented_reduce(threads, items.data(), totals.data(), equal_segments{3}, n, op, init);
    });
    add("reduce by key by " + name, [=](int threads) {
      std::vector<T> keys(size), totals(size);
      cpu::reduce_by_key(threads, items.data(), items.data(), keys.data(), totals.data(), n, op,
                         init);
    });
  };
  add_operator("minimum", minimum<T>{}, in);
  add_operator("maximum", maximum<T>{}, in);
  add_operator("plus", plus<T>{}, for_sums);

  add("host API", [=](int threads) {
    std::vector<T> out(size);
    libscan::inclusive_scan(engine::cpu(threads), for_sums, out);
    libscan::exclusive_scan(engine::cpu(threads), for_sums, out);
    libscan::reduce(engine::cpu(threads), for_sums);
  });
  for (char const* const text : {"> 0", "<= 1.5", "not (< 1 or nan)", "finite", "nan", "!= inf",
                                 "(> 1 and < 5) or (> 10 and < 20) or nan", "== 0", "!= 1"}) {
    auto const keep = parse_predicate<T>(text);
    add(std::string("filter ") + text, [=](int threads) {
      std::vector<T> out(size);
      std::vector<index_t> places(size);
      libscan::filter(engine::cpu(threads), in, out, keep);
      libscan::filter_indices(engine::cpu(threads), in, places, keep);
      libscan::filter_with_indices(engine::cpu(threads), in, out, places, keep);
      libscan::count_if(engine::cpu(threads), in, keep);
      cpu::filter(threads, in.data(), out.data(), n, keep);
      cpu::count_if(threads, in.data(), n, in_interval<T>{T(0), T(3)});
    });
  }
  add("filter by a predicate that compares as C++ does", [=](int threads) {
    auto const keep = [](T x) { return x > T(0); };  // sets the flag for NaN by itself
    std::vector<T> out(size);
    cpu::filter(threads, in.data(), out.data(), n, keep);
    cpu::count_if(threads, in.data(), n, keep);
  });
  add("runs", [=](int threads) {
    std::vector<T> out(size);
    std::vector<index_t> lengths(size), offsets(size);
    cpu::unique(threads, in.data(), out.data(), n);
    libscan::unique<T>(engine::cpu(threads), in, out);
    cpu::run_length_encode(threads, in.data(),
                           cpu::run_outputs<T*, index_t*, index_t*>{out.data(), n, lengths.data(),
                                                                    n, offsets.data(), n},
                           n);
  });
  add("sorts", [=](int threads) {
    std::vector<T> out(size);
    std::vector<T> values(in), values_out(size);
    std::vector<index_t> places(size);
    engine const on = engine::cpu(threads);
    libscan::sort_keys(on, in, out);
    libscan::sort_pairs(on, in, out, values, values_out);
    libscan::argsort(on, in, places);
    cpu::sort_keys(threads, in.data(), out.data(), n);
    cpu::sort_keys(threads, in.data(), out.data(), n, {.direction = sort_direction::descending});
    std::vector<index_t> const offsets{0, n / 3, n / 2, n};
    cpu::sort_keys_in_segments(threads, in.data(), out.data(), n, offsets.data(), 3);
  });
  return calls;
}

/// Histograms of samples of one type.
template <class T>
void add_histograms(std::vector<named_call>& calls, index_t n) {
  auto const in = numbers<T>(n);
  auto const weights = numbers<double>(n, false);
  auto const add = [&](std::string const& name, auto const& rule) {
    calls.push_back({"histogram, " + name, [=](int threads) {
                       std::vector<std::uint32_t> counts(static_cast<std::size_t>(rule.bins()));
                       cpu::histogram(threads, in.data(), counts.data(), rule, n);
                       libscan::histogram(engine::cpu(threads), in, counts, rule);
                       std::vector<double> sums(counts.size());
                       cpu::weighted_histogram(threads, in.data(), weights.data(), sums.data(),
                                               rule, n);
                     }});
  };
  for (index_t const bins : {1, 10, 1000, 70'000}) {
    add(std::to_string(bins) + " even bins", even_bins<T>(-2, 3, bins));
  }
  using limits = std::numeric_limits<T>;
  add("even bins from 0", even_bins<T>(0, 0.9, 10));
  add("bins so wide that small samples are nearly 0", even_bins<T>(0, limits::max() / 2, 3));
  add("such bins from below 0", even_bins<T>(-limits::denorm_min(), limits::max() / 2, 70'000));
  add("even bins of everything", even_bins<T>(limits::lowest() / 2, limits::max() / 2, 10));
  add("even bins of no sample", even_bins<T>(1e300, 2e300, 10));
  static std::vector<T> const edges{-limits::infinity(), T(-1), T(0), T(0), T(2), T(3)};
  add("given edges", edge_bins<T>(edges.data(), 5));
}

}  // namespace

TEMPLATE_TEST_CASE("Calls of the cpu engine set no floating-point flags", "", float, double) {
  for (index_t const n : all_sizes()) {
    auto calls = calls_of<TestType>(n);
    add_histograms<TestType>(calls, n);
    for (auto const& call : calls) {
      INFO(call.name << ", n = " << n);
      CHECK(flags_of([&] { call.run(1); }) == "");
    }
  }
}

TEMPLATE_TEST_CASE("Worker threads of the cpu engine set no floating-point flags", "", float,
                   double) {
  // What an error would end: the program.
  for (index_t const n : {index_t{67}, index_t{300'001}}) {
    auto calls = calls_of<TestType>(n);
    add_histograms<TestType>(calls, n);
    trapping const signals;
    test::with_threads(4, [&] {
      for (auto const& call : calls) call.run(4);
    });
  }
  SUCCEED();
}

TEMPLATE_TEST_CASE("Histograms of 16-bit floats set no floating-point flags", "", float16,
                   bfloat16) {
  auto const numbers_of = numbers<float>(9001);
  std::vector<TestType> in;
  for (float const x : numbers_of) in.push_back(TestType(x));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const edges{-infinity, -1, 0, 1e-320, 2, 1e40, infinity};
  auto const n = static_cast<index_t>(in.size());
  std::vector<std::uint32_t> counts(10);
  CHECK(flags_of([&] {
          cpu::histogram(1, in.data(), counts.data(), edge_bins<TestType, double>(edges.data(), 6),
                         n);
          libscan::histogram(engine::cpu(1), in, counts,
                             edge_bins<TestType, double>(edges.data(), 6));
        }) == "");
  CHECK(flags_of([&] {
          cpu::histogram(1, in.data(), counts.data(), even_bins<TestType>(-2, 3, 10), n);
        }) == "");
}

TEST_CASE("Making even bins sets no floating-point flags") {
  auto const check = [](double lo, double hi, index_t bins) {
    INFO(bins << " bins from " << lo << " to " << hi);
    CHECK(flags_of([&] { (void)even_bins<float>(lo, hi, bins); }) == "");
    CHECK(flags_of([&] { (void)even_bins<double>(lo, hi, bins); }) == "");
    CHECK(flags_of([&] { (void)even_bins<float16>(lo, hi, bins); }) == "");
    CHECK(flags_of([&] { (void)even_bins<std::int64_t>(lo, hi, bins); }) == "");
    CHECK(flags_of([&] { (void)even_bins<std::uint8_t>(lo, hi, bins); }) == "");
  };
  constexpr double most = std::numeric_limits<double>::max();
  for (index_t const bins : {1, 2, 3, 10, 255, 4096, 65536, 65537, 1 << 20}) {
    check(0, 1, bins);
    check(-1, 0, bins);
    check(-1, 1, bins);
    check(-0.1, 0.3, bins);
    check(0, 256, bins);
    check(0, 0x1p64, bins);
    check(-0x1p63, 0x1p63, bins);
    check(0, 1e-30, bins);
    check(-1e-40, 1e-37, bins);
    check(-1e-320, 1e300, bins);
    check(1, 1 + 0x1p-52, bins);
    check(-most / 2, most / 2, bins);
    check(0, most, bins);
    check(-1e-3, most, bins);
    check(0x1p-1020, 0x1p-990, bins);
    check(1e300, 1e301, bins);
    check(-1e301, -1e300, bins);
  }
}

TEST_CASE("A histogram's range that is refused sets no floating-point flags") {
  constexpr double most = std::numeric_limits<double>::max();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  std::pair<double, double> const refused[] = {{nan, 1},      {0, nan},       {nan, nan},
                                               {-most, most}, {0, 0},         {1, 0},
                                               {0, infinity}, {-infinity, 0}, {-most, most / 2}};
  for (auto const& [lo, hi] : refused) {
    INFO(lo << " to " << hi);
    bool thrown = false;
    CHECK(flags_of([&, from = lo, to = hi] {
            try {
              (void)even_bins<float>(from, to, 10);
            } catch (invalid_argument const&) {
              thrown = true;
            }
          }) == "");
    CHECK(thrown);
  }
  CHECK_NOTHROW(even_bins<double>(-most / 2, most / 2, 10));
  CHECK_NOTHROW(even_bins<double>(-0.5, most, 10));
}

TEMPLATE_TEST_CASE("Vector code sets no floating-point flags by any instruction set", "", float,
                   double) {
  using T = TestType;
  using cpu::detail::vector_scan;
  auto const in = numbers<T>(4096);
  test::for_each_target([&] {
    auto const scans = cpu::detail::current_vector_scans();
    auto const markers = cpu::detail::current_interval_markers();
    auto const finders = cpu::detail::current_place_finders();
    CHECK(flags_of([&] {
            std::vector<T> out(in.size());
            auto const n = static_cast<index_t>(in.size()) - 5;
            auto const scan = [&](auto const& code, T carry) {
              code.scan(scan_kind::inclusive, in.data(), out.data(), n, carry,
                        cpu::store_policy::cached, nullptr);
              code.sum(in.data(), n);
            };
            scan(static_cast<vector_scan<minimum<T>> const&>(scans), minimum<T>::identity());
            scan(static_cast<vector_scan<maximum<T>> const&>(scans), maximum<T>::identity());
          }) == "");
    CHECK(flags_of([&] {
            std::vector<std::uint8_t> flags(in.size());
            auto const mark = std::get<cpu::detail::interval_marker<T>>(markers);
            mark({T(-1), T(2)}, in.data(), static_cast<index_t>(in.size()) - 5, flags.data());
          }) == "");
    for (auto const& rule : {even_bins<T>(-1, 2, 10), even_bins<T>(1e300, 2e300, 10)}) {
      CHECK(flags_of([&] {
              auto const find = std::get<cpu::detail::place_finder<T, even_bins<T>>>(finders);
              int places[cpu::detail::histogram_block];
              for (std::size_t i = 0; i < in.size(); i += cpu::detail::histogram_block) {
                find(rule, in.data() + i, places);
              }
            }) == "");
    }
  });
}

TEST_CASE("Products of matrix and vector set no floating-point flags of their own") {
  // A few entries in some rows, many in others, none in the last.
  using T = double;
  constexpr std::int32_t columns = 50;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  for (int r = 0; r < 300; ++r) {
    for (int k = 0; k < (r % 40 == 0 ? 700 : r % 5); ++k) indices.push_back((r + 7 * k) % columns);
    offsets.push_back(static_cast<std::int64_t>(indices.size()));
  }
  std::vector<T> values(indices.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i % 11 == 0 ? std::numeric_limits<T>::quiet_NaN() : T(1 + i % 3);
  }
  std::vector<T> x(columns, T(2)), y(300, T(1));
  x[3] = std::numeric_limits<T>::infinity();
  x[7] = std::numeric_limits<T>::quiet_NaN();
  csr_matrix<T> const matrix{
      300,          columns, static_cast<index_t>(indices.size()), offsets.data(), indices.data(),
      values.data()};
  CHECK(flags_of([&] { cpu::spmv(1, matrix, x.data(), y.data()); }) == "");
  CHECK(flags_of([&] { cpu::spmv(1, matrix, x.data(), y.data(), min_plus<T>{}); }) == "");
  CHECK(flags_of([&] { cpu::spmv(1, matrix, x.data(), y.data(), max_times<T>{}); }) == "");
  CHECK(flags_of([&] { cpu::spmv(1, matrix, x.data(), y.data(), or_and<T>{}); }) == "");
}
