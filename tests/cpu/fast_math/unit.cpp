// SPDX-License-Identifier: Apache-2.0
// Calls of the cpu engine's templates, compiled several times: LIBSCAN_TEST_UNIT is the function's
// name.
#include <cstring>
#include <deque>
#include <limits>
#include <utility>

#include <libscan/core/half.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/spmv.hpp>
#include <libscan/predicate_parser.hpp>
#include <tests/cpu/fast_math/outcomes.hpp>

namespace libscan::test {
namespace {

template <class T>
std::vector<std::uint64_t> bits_of(std::vector<T> const& items) {
  std::vector<std::uint64_t> bits(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) std::memcpy(&bits[i], &items[i], sizeof(T));
  return bits;
}

/// The same of results that say that they are NaN, not which one.
template <class Items>
std::vector<std::uint64_t> bits_of_numbers(Items const& items) {
  std::vector<typename Items::value_type> numbers(items.begin(), items.end());
  for (auto& x : numbers) {
    if (libscan::detail::is_nan(x))
      x = std::numeric_limits<typename Items::value_type>::quiet_NaN();
  }
  return bits_of(numbers);
}

template <class T, class Op>
void scan_and_reduce(outcomes& all, std::string const& name, std::vector<T> const& items, Op op) {
  auto const n = static_cast<index_t>(items.size());
  // Where items and results do not lie side by side, code that is compiled here scans them.
  std::deque<T> const apart(items.begin(), items.end());
  std::deque<T> out(items.size());
  T const first = op.identity();
  std::vector<T> totals{cpu::inclusive_scan(1, apart.begin(), out.begin(), n, op, first, 100)};
  all[name + ", inclusive scan"] = bits_of_numbers(out);
  totals.push_back(cpu::exclusive_scan(2, apart.begin(), out.begin(), n, op, T(1), 64));
  all[name + ", exclusive scan"] = bits_of_numbers(out);
  cpu::inclusive_segmented_scan(1, apart.begin(), out.begin(), equal_segments{5}, n, op, first);
  all[name + ", scan within segments"] = bits_of_numbers(out);
  std::vector<T> array(items.size());
  cpu::inclusive_scan(1, items.data(), array.data(), n, op, first);
  all[name + ", scan of an array"] = bits_of_numbers(array);
  T total = first, chained = first;
  for (T const x : items) total = op(total, x);
  for (std::size_t i = 0; i + 4 <= items.size(); i += 4) {
    chained = op(op(op(op(chained, items[i]), items[i + 1]), items[i + 2]), items[i + 3]);
  }
  totals.push_back(total);
  totals.push_back(chained);
  totals.push_back(cpu::reduce(1, apart.begin(), n, op, first));
  totals.push_back(cpu::reduce(2, apart.begin(), n, op, first, 50));
  totals.push_back(cpu::reduce(1, items.data(), n, op, first));
  all[name + ", totals"] = bits_of_numbers(totals);
  std::vector<T> sums(items.size());
  cpu::segmented_reduce(1, apart.begin(), sums.begin(), equal_segments{7}, n, op, first);
  all[name + ", totals of segments"] = bits_of_numbers(sums);
}

template <class T, class Rule>
void count(outcomes& all, std::string const& name, unit_inputs<T> const& in, Rule const& rule) {
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(rule.bins()));
  auto const n = static_cast<index_t>(in.items.size());
  auto const found = cpu::histogram(1, in.items.data(), counts.data(), rule, n);
  all[name] = bits_of(counts);
  all[name + ", others"] = bits_of(std::vector<index_t>{found.below, found.above, found.nan});
  std::vector<int> places;
  for (T const x : in.items) places.push_back(rule.find(x));
  all[name + ", places"] = bits_of(places);
  std::vector<T> sums(counts.size());
  cpu::weighted_histogram(1, in.items.data(), in.summands.data(), sums.data(), rule, n);
  all[name + ", weights"] = bits_of(sums);
}

template <class T>
bool refuses(double lo, double hi) {
  try {
    even_bins<T> const rule(lo, hi, 10);
    return rule.bins() == 0;
  } catch (invalid_argument const&) {
    return true;
  }
}

template <class T, class S>
void multiply(outcomes& all, std::string const& name, unit_inputs<T> const& in, S s) {
  constexpr std::int32_t rows = 40;
  auto const n = static_cast<index_t>(in.items.size());
  std::vector<std::int64_t> offsets;
  for (std::int64_t r = 0; r <= rows; ++r) offsets.push_back(n * r * r / (rows * rows));
  std::vector<std::int32_t> indices(in.items.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    indices[k] = static_cast<std::int32_t>(k * 7 % in.summands.size());
  }
  csr_matrix<T> const matrix{
      rows,           static_cast<index_t>(in.summands.size()), n, offsets.data(), indices.data(),
      in.items.data()};
  std::vector<T> y(rows);
  cpu::spmv(1, matrix, in.summands.data(), y.data(), s);
  all[name] = bits_of_numbers(y);
  csr_matrix<T> const of_summands{rows,
                                  static_cast<index_t>(in.items.size()),
                                  n,
                                  offsets.data(),
                                  indices.data(),
                                  in.summands.data()};
  cpu::spmv(1, of_summands, in.items.data(), y.data(), s, T(2),
            std::numeric_limits<T>::quiet_NaN());
  all[name + ", beta NaN"] = bits_of_numbers(y);
}

template <class T>
outcomes compute(unit_inputs<T> const& in) {
  outcomes all;
  auto const n = static_cast<index_t>(in.items.size());
  scan_and_reduce(all, "minimum", in.items, minimum<T>{});
  scan_and_reduce(all, "maximum", in.items, maximum<T>{});
  scan_and_reduce(all, "plus", in.summands, plus<T>{});
  scan_and_reduce(all, "plus of zeros", std::vector<T>(90, T(-0.0)), plus<T>{});

  count(all, "10 even bins", in, even_bins<T>(-2, 3, 10));
  count(all, "7 even bins", in, even_bins<T>(-0.1, 0.7, 7));
  count(all, "many even bins", in, even_bins<T>(-1, 1, 70'000));
  using limits = std::numeric_limits<T>;
  std::vector<T> const edges{-limits::infinity(), T(-1), T(0), T(2), T(2), limits::infinity()};
  count(all, "given edges", in, edge_bins<T>(edges.data(), 5));
  double const nan = limits::quiet_NaN(), infinity = limits::infinity();
  all["refused ranges"] = {refuses<T>(nan, 1),        refuses<T>(0, nan),
                           refuses<T>(0, infinity),   refuses<T>(-infinity, 0),
                           refuses<T>(-1e308, 1e308), !refuses<T>(0, 1)};

  for (char const* const text : {"nan", "not nan", "finite", "!= 1", "< 2", "not (< 2 or nan)",
                                 "<= inf", "> 1 or nan", "not finite"}) {
    std::vector<T> out(in.items.size());
    auto const keep = parse_predicate<T>(text);
    out.resize(static_cast<std::size_t>(
        cpu::filter(1, in.items.data(), out.data(), n, [=](T x) { return keep(x); })));
    all[std::string("filter ") + text] = bits_of(out);
  }
  std::vector<T> distinct(in.items.size());
  distinct.resize(static_cast<std::size_t>(cpu::unique(1, in.items.data(), distinct.data(), n)));
  all["unique"] = bits_of(distinct);
  std::vector<T> keys(in.items.size()), totals(in.items.size());
  std::deque<T> const apart(in.items.begin(), in.items.end());
  cpu::reduce_by_key(1, apart.begin(), in.summands.data(), keys.data(), totals.data(), n,
                     plus<T>{});
  all["reduce by key"] = bits_of(totals);
  std::vector<T> sorted(in.items.size());
  cpu::sort_keys(1, in.items.data(), sorted.data(), n);
  all["sort"] = bits_of(sorted);
  std::vector<std::uint32_t> order(in.items.size());
  cpu::argsort(1, in.items.data(), order.data(), n, {.direction = sort_direction::descending});
  all["argsort"] = bits_of(order);

  multiply(all, "plus-times", in, plus_times<T>{});
  multiply(all, "min-plus", in, min_plus<T>{});
  multiply(all, "max-times", in, max_times<T>{});
  multiply(all, "or-and", in, or_and<T>{});

  std::vector<bool> nans;
  for (T const x : in.items) {
    nans.push_back(detail::is_nan(x));
    nans.push_back(detail::is_nan(float16(x)));
    nans.push_back(detail::is_nan(bfloat16(x)));
    nans.push_back(detail::is_finite(x));
  }
  all["NaN"].assign(nans.begin(), nans.end());
  return all;
}

}  // namespace

outcomes LIBSCAN_TEST_UNIT(unit_inputs<float> const& in) { return compute(in); }
#ifndef LIBSCAN_TEST_QUICK  // which takes half the time to compile
outcomes LIBSCAN_TEST_UNIT(unit_inputs<double> const& in) { return compute(in); }
#endif

}  // namespace libscan::test
