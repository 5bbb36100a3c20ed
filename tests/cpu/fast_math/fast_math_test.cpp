// SPDX-License-Identifier: Apache-2.0
// Two units of a program, one of them compiled with -ffast-math, share the inline functions of
// their names: both compute what one unit does by itself, bit for bit, whichever comes first for
// the linker; and that is right by plain loops.
#include <tests/cpu/fast_math/outcomes.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>

#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

template <class T>
std::vector<std::uint64_t> bits_of(std::vector<T> const& items) {
  std::vector<std::uint64_t> bits(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) std::memcpy(&bits[i], &items[i], sizeof(T));
  return bits;
}

/// Scans say that a result is NaN, not which one.
template <class T>
std::vector<std::uint64_t> bits_of_numbers(std::vector<T> items) {
  for (T& x : items) x = std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x;
  return bits_of(items);
}

/// Every `rarity`-th item is special, about.
template <class T>
unit_inputs<T> inputs(std::size_t n, unsigned rarity) {
  using limits = std::numeric_limits<T>;
  T const special[] = {limits::quiet_NaN(),  limits::infinity(),
                       -limits::infinity(),  T(-0.0),
                       limits::denorm_min(), T(0),
                       -limits::quiet_NaN(), T(1)};
  std::mt19937 random(static_cast<unsigned>(n) * 31 + rarity);
  unit_inputs<T> in;
  for (std::size_t i = 0; i < n; ++i) {
    T const plain = static_cast<T>(static_cast<int>(random() % 2000) - 1000) / 256;
    in.items.push_back(random() % rarity == 0 ? special[random() % 8] : plain);
    in.summands.push_back(
        std::ldexp(T(1) + static_cast<T>(random() % 1000) / 1000, static_cast<int>(random() % 20)));
  }
  return in;
}

template <class T>
T smaller(T a, T b) {
  return !std::isnan(a) && (std::isnan(b) || b < a) ? b : a;
}
template <class T>
T larger(T a, T b) {
  return !std::isnan(a) && (std::isnan(b) || b > a) ? b : a;
}

/// What plain loops say of the calls whose results have no rounding.
template <class T>
outcomes expected(unit_inputs<T> const& in) {
  outcomes all;
  std::vector<T> least, greatest, nan, not_nan, finite, sorted = in.items, distinct;
  T low = std::numeric_limits<T>::infinity(), high = -low;
  for (std::size_t i = 0; i < in.items.size(); ++i) {
    T const x = in.items[i];
    low = smaller(low, x);
    high = larger(high, x);
    least.push_back(low);
    greatest.push_back(high);
    (std::isnan(x) ? nan : not_nan).push_back(x);
    if (std::isfinite(x)) finite.push_back(x);
    if (i == 0 || !(x == in.items[i - 1])) distinct.push_back(x);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](T a, T b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
  all["minimum, inclusive scan"] = all["minimum, scan of an array"] = bits_of_numbers(least);
  all["maximum, inclusive scan"] = all["maximum, scan of an array"] = bits_of_numbers(greatest);
  all["filter nan"] = bits_of(nan);
  all["filter not nan"] = bits_of(not_nan);
  all["filter finite"] = bits_of(finite);
  all["unique"] = bits_of(distinct);
  all["refused ranges"] = {1, 1, 1, 1, 1, 1};
  std::vector<std::uint64_t> places, is_nan;
  for (T const x : in.items) {
    is_nan.insert(is_nan.end(), 3, std::isnan(x) ? 1 : 0);
    is_nan.push_back(std::isfinite(x) ? 1 : 0);
    int place = std::isnan(x) ? 12 : x < -2 ? 10 : x > 3 ? 11 : 0;
    for (int k = 1; place < 10 && k < 10; ++k) place = x >= -2 + 0.5 * k ? k : place;
    places.push_back(static_cast<std::uint64_t>(place));
  }
  all["10 even bins, places"] = places;
  all["NaN"] = is_nan;
  all["sort"] = bits_of(sorted);
  return all;
}

/// The names of calls whose results differ.
std::string differences(outcomes const& wanted, outcomes const& got) {
  std::string names;
  for (auto const& [name, bits] : wanted) {
    auto const found = got.find(name);
    if (found == got.end() || found->second != bits) names += name + "; ";
  }
  return names;
}

}  // namespace

#ifdef LIBSCAN_TEST_QUICK
using types = std::tuple<float>;
#else
using types = std::tuple<float, double>;
#endif

TEMPLATE_LIST_TEST_CASE("Units with and without -ffast-math compute the same", "", types) {
  for (std::size_t const n : {1, 2, 3, 7, 8, 50, 333, 20'000}) {
    for (unsigned const rarity : {2, 9, 1000}) {
      auto const in = inputs<TestType>(n, rarity);
      outcomes const lone = lone_unit(in);
      INFO("n = " << n << ", special one in " << rarity);
      CHECK(differences(expected(in), lone) == "");
      CHECK(differences(lone, clean_unit(in)) == "");
      CHECK(differences(lone, fast_unit(in)) == "");
    }
  }
}

TEST_CASE("The sums of the inputs depend on the order of additions") {
  auto const in = inputs<float>(333, 9).summands;
  float forward = 0, backward = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    forward += in[i];
    backward += in[in.size() - 1 - i];
  }
  CHECK(forward != backward);
}

}  // namespace libscan::test
