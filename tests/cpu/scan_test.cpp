// SPDX-License-Identifier: Apache-2.0
// Tests of the CPU scans against a serial oracle: sizes, operators, types, threads, places in
// memory, and the bits of floating-point results.
#include <libscan/cpu/scan.hpp>

#include <deque>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

constexpr scan_kind both_kinds[] = {scan_kind::inclusive, scan_kind::exclusive};

template <class In, class Out, class Op>
typename Op::value_type run(scan_kind kind, int threads, In in, Out out, index_t n, Op op,
                            typename Op::value_type init,
                            index_t chunk_items = cpu::default_chunk_items) {
  return kind == scan_kind::inclusive
             ? cpu::inclusive_scan(threads, in, out, n, op, init, chunk_items)
             : cpu::exclusive_scan(threads, in, out, n, op, init, chunk_items);
}

/// Where the buffers of a scan lie.
struct placement {
  bool in_place;
  int in_offset;
  int out_offset;
};

/// Scans a copy of `in` between canaries; `complaint` gets what was written where it should not.
template <class Op>
scan_result<typename Op::value_type> guarded_scan(scan_kind kind, int threads,
                                                  std::vector<typename Op::value_type> const& in,
                                                  Op op, typename Op::value_type init,
                                                  index_t chunk_items, placement place,
                                                  std::string& complaint) {
  using T = typename Op::value_type;
  auto const n = static_cast<index_t>(in.size());
  guarded_buffer<T> source(in, place.in_offset);
  guarded_buffer<T> target(n, place.out_offset);
  T* const out = place.in_place ? source.data() : target.data();
  T const total =
      run(kind, threads, static_cast<T const*>(source.data()), out, n, op, init, chunk_items);
  complaint = source.damage() + target.damage();
  if (!place.in_place) complaint += bit_difference(in, source.copy());
  if (place.in_place) complaint += target.written_from(0);
  return {place.in_place ? source.copy() : target.copy(), total};
}

/// Both kinds of scan in two places, against the oracle; "" if all is well.
template <class Op>
std::string scan_faults(int threads, index_t n, Op op, typename Op::value_type init,
                        index_t chunk_items) {
  auto const in = make_items<typename Op::value_type>(n);
  int const offset = static_cast<int>(n % 17);
  for (auto const kind : both_kinds) {
    for (placement const place : {placement{false, offset, 16 - offset}, {true, offset, 0}}) {
      std::string complaint;
      auto const got = guarded_scan(kind, threads, in, op, init, chunk_items, place, complaint);
      complaint += difference(scan_oracle(kind, in, op, init), got);
      if (complaint.empty()) continue;
      return std::to_string(threads) + " threads, n = " + std::to_string(n) + ", chunks of " +
             std::to_string(chunk_items) +
             (kind == scan_kind::inclusive ? ", inclusive" : ", exclusive") +
             (place.in_place ? ", in place: " : ": ") + complaint;
    }
  }
  return "";
}

/// An operator with an init other than its identity.
template <class Op>
typename Op::value_type some_init() {
  using T = typename Op::value_type;
  if constexpr (std::is_same_v<T, affine>) {
    return {3, 5};
  } else if constexpr (std::is_same_v<T, maybe>) {
    return {-9, 1};
  } else if constexpr (std::is_same_v<T, interval>) {
    return interval::over(-1, 0);
  } else {
    return T(5);
  }
}

using small_operators = types_to_test<
    std::tuple<plus<std::int32_t>, minimum<float>, compose, tripwire>,
    std::tuple<plus<std::uint8_t>, bit_or<std::uint32_t>>,
    std::tuple<plus<std::uint32_t>, plus<std::int64_t>, minimum<std::int32_t>,
               maximum<std::uint8_t>, maximum<double>, bit_xor<std::int64_t>, keep_last>>;
TEMPLATE_LIST_TEST_CASE("scans agree with a serial loop for every small n and tiny chunks", "",
                        small_operators) {
  TestType const op;
  auto const check = [&](int threads, index_t n, index_t chunk_items) {
    auto const init = n % 2 == 0 ? op.identity() : some_init<TestType>();
    auto const faults = scan_faults(threads, n, op, init, chunk_items);
    if (!faults.empty()) FAIL_CHECK(faults);
  };
  for (index_t const n : tiny_sizes()) {
    for (index_t const chunk_items : {1, 3, 4, 9, 32}) {
      check(1 + static_cast<int>((n + chunk_items) % 2), n, chunk_items);
    }
  }
  // More threads than cores take their time; a few sizes will do.
  with_threads(16, [&] {
    for (index_t const n : {0, 1, 5, 31, 64, 199}) {
      for (int const threads : thread_counts) check(threads, n, 3);
    }
    SUCCEED();
  });
}

/// What is wrong with scans of the sizes in which chunks of `chunk_items` can go wrong; "" if
/// nothing.
template <class Op>
std::string ladder_faults(index_t chunk_items) {
  index_t const limit = sized(index_t{1} << 62, 33 * chunk_items);
  for (index_t const n : size_ladder(chunk_items, 256, limit)) {
    auto faults = scan_faults(2, n, Op{}, some_init<Op>(), chunk_items);
    if (!faults.empty()) return faults;
  }
  return "";
}

using ladder_operators =
    types_to_test<std::tuple<plus<std::int32_t>, tripwire>, std::tuple<minimum<double>>,
                  std::tuple<plus<std::uint8_t>, compose>>;
TEMPLATE_LIST_TEST_CASE("scans agree with a serial loop up the ladder of sizes", "",
                        ladder_operators) {
  CHECK(ladder_faults<TestType>(512) == "");
}

TEST_CASE("scans in chunks as large as ever agree with a serial loop up the ladder of sizes") {
  CHECK(ladder_faults<plus<std::int32_t>>(cpu::default_chunk_items) == "");
}

using ahead_operators = types_to_test<std::tuple<plus<std::int16_t>>,
                                      std::tuple<plus<std::int32_t>, maximum<double>>, no_types>;
TEMPLATE_LIST_TEST_CASE("scans that sum ahead agree with a serial loop, by either policy", "",
                        ahead_operators) {
  using T = typename TestType::value_type;
  TestType const op;
  for (index_t const n : {1, 1023, 1024, 5000, 100003}) {
    auto const in = make_items<T>(n);
    auto const expected = scan_oracle(scan_kind::exclusive, in, op, T(5));
    for (int const threads : {1, 3}) {
      for (auto const policy : {cpu::store_policy::cached, cpu::store_policy::non_temporal}) {
        std::vector<T> out(in.size());
        T const total = cpu::detail::scan_ahead<scan_kind::exclusive>(
            threads, in.data(), out.data(), n, op, T(5), index_t{1024}, policy);
        CHECK(difference(expected, {out, total}) == "");
      }
    }
  }
}

using patterned_types =
    types_to_test<std::tuple<std::int8_t, float>, std::tuple<std::uint64_t>, no_types>;
TEMPLATE_LIST_TEST_CASE("scans agree with a serial loop on inputs of every pattern", "",
                        patterned_types) {
  auto const check = [](auto op) {
    using T = typename decltype(op)::value_type;
    for (auto const p : all_patterns()) {
      auto const in = make_input<T>(p, 3000);
      for (auto const kind : both_kinds) {
        std::string complaint;
        auto const got =
            guarded_scan(kind, 2, in, op, op.identity(), 100, {false, 1, 2}, complaint);
        INFO("pattern " << static_cast<int>(p));
        CHECK(complaint == "");
        CHECK(difference(scan_oracle(kind, in, op, op.identity()), got) == "");
      }
    }
  };
  check(minimum<TestType>{});
  check(maximum<TestType>{});
  if constexpr (std::is_integral_v<TestType>) {
    check(plus<TestType>{});
    check(bit_and<TestType>{});
    check(bit_or<TestType>{});
    check(bit_xor<TestType>{});
  }
}

using floating_types = types_to_test<std::tuple<float>, std::tuple<double>, no_types>;
TEMPLATE_LIST_TEST_CASE("floating sums are within the error bound, exact where they can be", "",
                        floating_types) {
  plus<TestType> const op;
  for (index_t const n : {1, 2, 100, 1000, 40000, 1000003}) {
    auto const random = make_input<TestType>(pattern::random, n);
    auto const exact = make_input<TestType>(pattern::small, n);
    for (auto const kind : both_kinds) {
      std::vector<TestType> out(random.size());
      auto total = run(kind, 2, random.data(), out.data(), n, op, TestType(3));
      CHECK(sum_error(kind, random, TestType(3), {out, total}) == "");
      // Beyond 2^24 / 8 items a float could no longer hold every sum of small integers.
      total = run(kind, 2, exact.data(), out.data(), n, op, TestType(3));
      auto const expected = scan_oracle(kind, exact, op, TestType(3));
      CHECK(difference(expected, {out, total}) == "");
    }
  }
}

TEMPLATE_LIST_TEST_CASE("floating results have the same bits for any threads, run and place", "",
                        floating_types) {
  with_threads(16, [&] {
    plus<TestType> const op;
    TestType const init = 1;
    for (index_t const chunk_items : {index_t{7}, index_t{1000}, cpu::default_chunk_items}) {
      // Of the last one, chunks are summed ahead.
      for (index_t const n : {5, 999, 1000, 33000, 100003, 2100003}) {
        if (n > 1000000 && chunk_items != cpu::default_chunk_items) continue;
        if (reduced() && n > 1000 * chunk_items) continue;
        auto const in = make_input<TestType>(pattern::random, n);
        TestType inclusive_total{};
        for (auto const kind : both_kinds) {
          std::vector<TestType> reference(in.size());
          auto const total = run(kind, 1, in.data(), reference.data(), n, op, init, chunk_items);
          if (kind == scan_kind::inclusive) inclusive_total = reference.back();
          CHECK(bit_difference<TestType>({inclusive_total}, {total}) == "");
          for (int const threads : thread_counts) {
            for (placement const place : {placement{false, 0, 3}, {false, 1, 0}, {true, 2, 0}}) {
              INFO(threads << " threads, n = " << n << ", chunks of " << chunk_items);
              std::string complaint;
              auto const got =
                  guarded_scan(kind, threads, in, op, init, chunk_items, place, complaint);
              CHECK(complaint == "");
              CHECK(bit_difference(reference, got.out) == "");
              CHECK(bit_difference<TestType>({total}, {got.total}) == "");
            }
          }
        }
      }
    }
  });
}

TEST_CASE("padding or an identity never changes the sign of zero") {
  std::vector<float> const in(100, -0.0F);
  std::vector<float> out(100);
  auto const total = cpu::inclusive_scan(2, in.begin(), out.begin(), 100, plus<float>{},
                                         plus<float>::identity(), 9);
  CHECK(bit_difference(in, out) == "");
  CHECK(bit_difference<float>({-0.0F}, {total}) == "");
}

using extremes = types_to_test<std::tuple<minimum<float>, maximum<double>>,
                               std::tuple<maximum<float>, minimum<double>>, no_types>;
TEMPLATE_LIST_TEST_CASE("of zeros that compare equal the first is the minimum and the maximum", "",
                        extremes) {
  using T = typename TestType::value_type;
  TestType const op;
  index_t const n = 1 << 16;
  // In the order of lanes and streams other zeros come first than in that of the items.
  for (index_t const negative : {1, 16, 20000}) {
    std::vector<T> in(n, op(T{-1}, T{1}) == T{1} ? T{-1} : T{1});
    for (index_t const i : {1, 16, 300, 20000, 40000}) in[i] = i == negative ? T(-0.0) : T(0.0);
    auto const expected = scan_oracle(scan_kind::inclusive, in, op, op.identity());
    for (int const threads : {1, 2, 5}) {
      std::vector<T> out(n);
      auto const total =
          cpu::inclusive_scan(threads, in.data(), out.data(), n, op, op.identity(), 1024);
      CHECK(bit_difference(expected.out, out) == "");
      CHECK(bit_difference<T>({expected.total}, {total}) == "");
    }
  }
}

TEST_CASE("NaN reaches every later minimum and maximum") {
  std::vector<double> in(200, 1.0);
  in[57] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> out(200);
  cpu::inclusive_scan(2, in.begin(), out.begin(), 200, minimum<double>{},
                      minimum<double>::identity(), 16);
  for (std::size_t i = 0; i < 200; ++i) CHECK(std::isnan(out[i]) == (i >= 57));
}

/// Scans `in`, held by each of two kinds of container as `Held`, into each of two kinds of place,
/// and the oracle's way; "" if all agree.
template <class Held, class Op>
std::string container_faults(index_t n, Op op, typename Op::value_type init, index_t chunk_items) {
  using T = typename Op::value_type;
  auto const items = make_input<Held>(pattern::random, n);
  std::vector<Held> const held(items.begin(), items.end());
  std::deque<Held> const scattered(items.begin(), items.end());
  for (auto const kind : both_kinds) {
    auto const expected = scan_oracle(kind, items, op, init);
    auto const faults = [&](char const* what, auto in, auto out) {
      T const total = run(kind, 2, in, out.begin(), n, op, init, chunk_items);
      std::string const found = difference(expected, {{out.begin(), out.end()}, total});
      return found.empty() ? "" : what + (", n = " + std::to_string(n) + ": ") + found;
    };
    std::vector<T> const side_by_side(held.size());
    std::deque<T> const apart(held.size());
    std::string const found = faults("vector to vector", held.data(), side_by_side) +
                              faults("vector to deque", held.data(), apart) +
                              faults("deque to vector", scattered.begin(), side_by_side) +
                              faults("deque to deque", scattered.begin(), apart);
    if (!found.empty()) return found;
  }
  return "";
}

/// An operator and the items it is given.
template <class Op, class Held>
struct converted {
  using op = Op;
  using held = Held;
};
using converted_items = types_to_test<std::tuple<converted<plus<std::int64_t>, std::uint8_t>,
                                                 converted<plus<std::int32_t>, std::int32_t>,
                                                 converted<minimum<float>, std::int16_t>>,
                                      std::tuple<converted<plus<std::int32_t>, std::int8_t>,
                                                 converted<maximum<std::int16_t>, std::int64_t>>,
                                      no_types>;
TEMPLATE_LIST_TEST_CASE(
    "items are converted to the operator's type, and iterators need not be contiguous", "",
    converted_items) {
  using op = typename TestType::op;
  // Converted a few thousand at a time, so that some chunks take several pieces.
  for (index_t const n : {0, 1, 15, 200, 2048, 4096, 4097, 5000, 20000, 100000}) {
    for (index_t const chunk_items : {index_t{100}, index_t{9000}, cpu::default_chunk_items}) {
      for (int const init : {7, -9}) {
        CHECK(container_faults<typename TestType::held>(
                  n, op{}, static_cast<typename op::value_type>(init), chunk_items) == "");
      }
    }
  }
}

TEST_CASE("floating sums of converted items have the same bits for any number of threads") {
  auto const in = make_input<std::int16_t>(pattern::random, 300000);
  std::vector<float> first(in.size()), again(in.size());
  auto const sum = [&](int threads, std::vector<float>& out) {
    return cpu::inclusive_scan(threads, in.data(), out.data(), 300000, plus<float>{}, 0.1F);
  };
  float const total = sum(1, first);
  with_threads(16, [&] {
    for (int const threads : thread_counts) {
      CHECK(bit_difference<float>({total}, {sum(threads, again)}) == "");
      CHECK(bit_difference(first, again) == "");
    }
  });
}

TEST_CASE("streamed results of converted items are all there, wherever they begin") {
  constexpr index_t n = 9 << 20;  // 36 MiB, which pass the caches by
  auto const in = make_input<std::int8_t>(pattern::random, n);
  auto const expected = scan_oracle(scan_kind::exclusive, in, plus<std::int32_t>{}, 4);
  for (index_t const offset : sized_list<index_t>({0, 1, 15}, {15})) {
    std::vector<std::int32_t> out(static_cast<std::size_t>(n + offset));
    auto const total =
        cpu::exclusive_scan(2, in.data(), out.data() + offset, n, plus<std::int32_t>{}, 4);
    CHECK(difference(expected, {{out.begin() + offset, out.end()}, total}) == "");
  }
}

TEST_CASE("an operator that throws stops the scan and is reported") {
  with_threads(16, [&] {
    struct up_to {
      using value_type = int;
      static int identity() { return 0; }
      int operator()(int earlier, int later) const {
        if (later == 13 || earlier == 13) throw std::domain_error("thirteen");
        return later;
      }
    };
    std::vector<int> in(1000, 1);
    std::vector<int> out(1000);
    in[700] = 13;
    for (int const threads : thread_counts) {
      CHECK_THROWS_WITH(cpu::inclusive_scan(threads, in.data(), out.data(), 1000, up_to{}, 0, 10),
                        "thirteen");
      CHECK_NOTHROW(cpu::inclusive_scan(threads, in.data(), out.data(), 700, up_to{}, 0, 10));
    }
  });
}

TEST_CASE("scans refuse to write over their input otherwise than in place") {
  std::vector<std::int32_t> items(20, 1);
  auto* const in = items.data();
  for (auto const kind : both_kinds) {
    auto const scan = [&](auto from, auto to) {
      return run(kind, 2, from, to, 10, plus<std::int32_t>{}, 0);
    };
    CHECK_NOTHROW(scan(in, in));
    CHECK_NOTHROW(scan(in, in + 10));
    CHECK_THROWS_AS(scan(in, in + 1), invalid_argument);
    CHECK_THROWS_AS(scan(in + 9, in), invalid_argument);
    CHECK_THROWS_AS(scan(items.begin() + 9, items.begin()), invalid_argument);
    // Of another size, results of early items lie where later ones are.
    CHECK_THROWS_AS(scan(in, reinterpret_cast<std::int64_t*>(in)), invalid_argument);
  }
}

}  // namespace
}  // namespace libscan::test
