// SPDX-License-Identifier: Apache-2.0
// Integers that share their width and signedness with those that vector code is compiled for: they
// have that code, too, and its results are those of a loop.
#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <vector>

#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/fixed_width.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {
namespace {

using cpu::fixed_width;
using cpu::detail::vectorized;

static_assert(std::same_as<fixed_width<long long>, std::int64_t>);
static_assert(std::same_as<fixed_width<long>, std::int64_t> ||
              std::same_as<fixed_width<long>, std::int32_t>);
static_assert(std::same_as<fixed_width<unsigned long long>, std::uint64_t>);
static_assert(std::same_as<fixed_width<char>, std::int8_t> ||
              std::same_as<fixed_width<char>, std::uint8_t>);
static_assert(std::same_as<fixed_width<char16_t>, std::uint16_t>);
static_assert(std::same_as<fixed_width<bool>, bool>);
static_assert(std::same_as<fixed_width<double>, double>);
static_assert(std::same_as<fixed_width<std::int64_t>, std::int64_t>);

static_assert(vectorized<plus<long>> && vectorized<plus<long long>> && vectorized<plus<char>>);
static_assert(vectorized<minimum<unsigned long>> && vectorized<bit_xor<unsigned long long>>);
static_assert(vectorized<plus<long long>, char> && vectorized<plus<unsigned long long>, int>);
static_assert(vectorized<plus<std::int64_t>, char> && vectorized<plus<int>, char>);
static_assert(!vectorized<plus<bool>> && !vectorized<plus<int>, long long>);

template <class In, class Out, class Op>
inline constexpr bool by_vectors = cpu::detail::chunk_code<In, Out, Op>::by_vectors;

static_assert(by_vectors<long long const*, long long*, plus<long long>>);
static_assert(by_vectors<long const*, long long*, plus<long long>>);
static_assert(by_vectors<char*, unsigned long long*, plus<std::uint64_t>>);
static_assert(!by_vectors<long long const*, int*, plus<int>>);

/// Around groups and streams, and of several chunks that are summed ahead.
constexpr index_t sizes[] = {0, 1, 17, 64, 1000, 5000, 40000};
constexpr index_t chunk_items = 1000;

/// Scans `in` to `Out`s, out of place and, where types allow it, in place; "" if all is as
/// expected.
template <class Out, class Item, class Op>
std::string scan_faults(std::vector<Item> const& in, Op op) {
  using T = typename Op::value_type;
  auto const n = static_cast<index_t>(in.size());
  T const init = T(3);
  std::string found;
  for (scan_kind const kind : {scan_kind::inclusive, scan_kind::exclusive}) {
    auto const expected = scan_oracle(kind, in, op, init);
    for (int const threads : thread_counts) {
      auto const run = [&](Item const* from, Out* to) {
        return kind == scan_kind::inclusive
                   ? cpu::inclusive_scan(threads, from, to, n, op, init, chunk_items)
                   : cpu::exclusive_scan(threads, from, to, n, op, init, chunk_items);
      };
      std::vector<Out> out(in.size());
      T const total = run(in.data(), out.data());
      found += difference(expected, {{out.begin(), out.end()}, total});
      if constexpr (std::same_as<Item, Out>) {
        std::vector<Out> both = in;
        run(both.data(), both.data());
        found += difference(expected.out, {both.begin(), both.end()});
      }
    }
  }
  return found;
}

using operators_by_any_name =
    types_to_test<std::tuple<plus<long long>, minimum<char>>,
                  std::tuple<maximum<unsigned long>, bit_xor<long long>>,
                  std::tuple<plus<long>, plus<unsigned long long>, plus<char>, plus<char16_t>,
                             minimum<long long>, maximum<unsigned long long>, bit_and<char32_t>>>;
TEMPLATE_LIST_TEST_CASE("scans and sums of integers by any name", "", operators_by_any_name) {
  using T = typename TestType::value_type;
  TestType const op;
  with_threads(16, [&] {
    for (index_t const n : sizes) {
      auto const words = make_input<fixed_width<T>>(pattern::special, n);
      std::vector<T> const in(words.begin(), words.end());
      CHECK(scan_faults<T>(in, op) == "");
      T const total = scan_oracle(scan_kind::inclusive, in, op, T(3)).total;
      for (int const threads : thread_counts) {
        CHECK(cpu::reduce(threads, in.data(), n, op, T(3), chunk_items) == total);
      }
    }
  });
}

TEST_CASE("items and results whose types share a width with those of the code") {
  with_threads(16, [] {
    for (index_t const n : sizes) {
      auto const words = make_input<std::int64_t>(pattern::random, n);
      auto const bytes = make_input<std::int8_t>(pattern::random, n);
      std::vector<long long> const wide(words.begin(), words.end());
      std::vector<char> const text(bytes.begin(), bytes.end());
      CHECK(scan_faults<long>(wide, plus<long long>{}) == "");
      CHECK(scan_faults<long long>(wide, plus<std::int64_t>{}) == "");
      CHECK(scan_faults<long long>(text, plus<long long>{}) == "");
      CHECK(scan_faults<long>(text, maximum<long long>{}) == "");
      std::deque<long long> const scattered(wide.begin(), wide.end());
      auto const expected = scan_oracle(scan_kind::inclusive, wide, plus<long long>{}, 0LL);
      CHECK(cpu::reduce(3, scattered.begin(), n, plus<long long>{}) == expected.total);
    }
  });
}

using long_integers =
    types_to_test<std::tuple<long long>, std::tuple<unsigned long long>, no_types>;
TEMPLATE_LIST_TEST_CASE("segmented scans and ranks of integers by any name", "", long_integers) {
  plus<TestType> const op;
  with_threads(16, [&] {
    for (index_t const n : sizes) {
      auto const words = make_input<std::uint64_t>(pattern::random, n);
      std::vector<TestType> const in(words.begin(), words.end());
      std::vector<std::uint8_t> heads(in.size());
      for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = words[i] % 7 == 0 ? 1 : 0;
      std::vector<TestType> expected(in.size()), ranks_expected(in.size());
      TestType count = 0;
      for (std::size_t i = 0; i < in.size(); ++i) {
        expected[i] = oracle_of(op)(i == 0 || heads[i] != 0 ? TestType{5} : expected[i - 1], in[i]);
        ranks_expected[i] = count;
        count += heads[i];
      }
      for (int const threads : thread_counts) {
        std::vector<TestType> out(in.size());
        cpu::segmented_scan<scan_kind::inclusive>(threads, scan_direction::forward, in.data(),
                                                  out.data(), head_flags{heads.data()}, n, op,
                                                  TestType{5}, chunk_items);
        CHECK(difference(expected, out) == "");
        cpu::exclusive_binary_scan(threads, byte_mask{heads.data()}, out.data(), n);
        CHECK(difference(ranks_expected, out) == "");
      }
    }
  });
}

}  // namespace
}  // namespace libscan::test
