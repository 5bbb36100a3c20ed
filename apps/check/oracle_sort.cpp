// SPDX-License-Identifier: Apache-2.0
// The oracle of sorts, and of splits by buckets: std::stable_sort.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <apps/check/case_data.hpp>
#include <apps/check/case_items.hpp>
#include <apps/check/oracle_parts.hpp>
#include <apps/check/parallel.hpp>

namespace libscan::apps {
namespace {

/// A key, or a word that represents it, and its original position.
template <class Key>
struct placed_key {
  Key key;
  index_t at;
};

/// The value by which halves and numbers are compared.
double number_of(float16 x) {
  int const exponent = x.bits >> 10 & 31;
  int const fraction = x.bits & 1023;
  double const sign = (x.bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31 && fraction != 0) return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 31) return sign * std::numeric_limits<double>::infinity();
  return sign * std::ldexp(exponent == 0 ? fraction : 1024 + fraction, std::max(exponent, 1) - 25);
}
double number_of(bfloat16 x) {
  std::uint32_t const bits = std::uint32_t{x.bits} << 16;
  float wide = 0;
  std::memcpy(&wide, &bits, sizeof wide);
  return wide;
}
template <class T>
requires std::is_arithmetic_v<T> T number_of(T x) { return x; }

/// Whether a number comes before another.
template <class T>
bool is_less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  }
  return a < b;
}

/// The same for a record: the first field that differs decides.
bool is_less(key_record const& a, key_record const& b) {
  if (a.group != b.group) return a.group < b.group;
  if (is_less(a.weight, b.weight)) return true;
  if (is_less(b.weight, a.weight)) return false;
  if (a.place != b.place) return a.place < b.place;
  return a.shade < b.shade;
}

/// Up to 128 bits; the second word is less significant.
using key_bits = std::pair<std::uint64_t, std::uint64_t>;
bool is_less(key_bits const& a, key_bits const& b) { return a < b; }

/// The order of a sort. It is compiled for a type of keys, not for each type of items.
template <class Key>
struct stretch_order {
  bool down;
  bool operator()(placed_key<Key> const& a, placed_key<Key> const& b) const {
    return down ? is_less(b.key, a.key) : is_less(a.key, b.key);
  }
};

/// The number with the order of x, as scan-sort --help describes it.
template <class T>
std::uint64_t word_of(T x) {
  if constexpr (std::is_integral_v<T>) {
    using bits = std::make_unsigned_t<T>;
    return static_cast<bits>(static_cast<bits>(x) -
                             static_cast<bits>(std::numeric_limits<T>::min()));
  } else {
    using bits =
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
    if (std::isnan(number_of(x))) return static_cast<bits>(~bits{0});
    bits word = 0;
    if (number_of(x) != 0) std::memcpy(&word, &x, sizeof word);
    return static_cast<bits>((word & sign) != 0 ? ~word : word | sign);
  }
}

template <class T>
key_bits bits_of(T const& x) {
  if constexpr (std::is_same_v<T, key_record>) {
    return {word_of(x.group),
            word_of(x.weight) << 32 | std::uint64_t{x.place} << 16 | word_of(x.shade)};
  } else {
    return {0, word_of(x)};
  }
}

/// Bits [first, end) of a word; the range may be empty.
std::uint64_t some_bits(std::uint64_t word, int first, int end) {
  auto const below = [](int bit) {
    return bit >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << std::max(bit, 0)) - 1;
  };
  return word & below(end) & ~below(first);
}

/// f(order, key_of) for the order of a case.
template <class T, class F>
void with_order(check_case const& c, T const* items, F f) {
  if constexpr (std::is_integral_v<T>) {
    if (by_buckets(c.what)) {
      bucket_by_value<T> const bucket{static_cast<unsigned>(c.buckets)};
      return f(stretch_order<unsigned>{false}, [=](index_t i) { return bucket(items[i]); });
    }
  }
  if (c.end_bit >= 0) {
    auto const key_of = [=, first = c.first_bit, end = c.end_bit](index_t i) {
      auto const [high, low] = bits_of(items[i]);
      return key_bits{some_bits(high, first - 64, end - 64), some_bits(low, first, end)};
    };
    return f(stretch_order<key_bits>{c.descending}, key_of);
  }
  auto const key_of = [=](index_t i) {
    if constexpr (std::is_same_v<T, key_record>) {
      return items[i];
    } else {
      return number_of(items[i]);
    }
  };
  f(stretch_order<decltype(key_of(0))>{c.descending}, key_of);
}

/// Sorts positions within [begin, end) by their keys.
template <class Key, class KeyOf>
void sort_stretch(index_t begin, index_t end, stretch_order<Key> order, KeyOf key_of,
                  index_t* positions) {
  std::vector<placed_key<Key>> keys(static_cast<std::size_t>(end - begin));
  in_pieces(end - begin, [&](index_t from, index_t to) {
    for (index_t k = from; k < to; ++k) {
      keys[static_cast<std::size_t>(k)] = {key_of(begin + k), begin + k};
    }
  });
  stable_sort_in_pieces(keys.data(), end - begin, order);
  for (index_t k = begin; k < end; ++k) positions[k] = keys[static_cast<std::size_t>(k - begin)].at;
}

template <class T>
void sort_items(check_case const& c, placed in, placed out) {
  T const* const items = in.at<T>(slot::items);
  std::vector<index_t> own;
  index_t* positions = nullptr;
  if (c.what == task::argsort || c.what == task::argsort_in_segments) {
    positions = out.at<index_t>(slot::places);
  } else {
    own.resize(static_cast<std::size_t>(c.n));
    positions = own.data();
  }
  with_order<T>(c, items, [&]<class Key>(stretch_order<Key> order, auto key_of) {
    if (auto const* const offsets = in.at<index_t>(slot::places)) {
      for (index_t s = 0; s + 1 < in.size(slot::places); ++s) {
        sort_stretch(offsets[s], offsets[s + 1], order, key_of, positions);
      }
    } else {
      sort_stretch(0, c.n, order, key_of, positions);
    }
    if constexpr (std::is_same_v<Key, unsigned>) {
      if (!by_buckets(c.what)) return;
      index_t* const begins = out.at<index_t>(slot::places);
      index_t at = 0;
      for (int b = 0; b <= c.buckets; ++b) {
        while (at < c.n && static_cast<int>(key_of(positions[at])) < b) ++at;
        begins[b] = at;
      }
    }
  });
  if (T* const sorted = out.at<T>(slot::items)) {
    in_pieces(c.n, [&](index_t begin, index_t end) {
      for (index_t k = begin; k < end; ++k) sorted[k] = items[positions[k]];
    });
  }
  if (!with_values(c.what)) return;
  visit_values(c, [&]<class Value>(std::type_identity<Value>) {
    auto const* const values = in.at<Value>(slot::values);
    auto* const moved = out.at<Value>(slot::values);
    in_pieces(c.n, [&](index_t begin, index_t end) {
      for (index_t k = begin; k < end; ++k) moved[k] = values[positions[k]];
    });
  });
}

}  // namespace

void compute_sorted(check_case const& c, placed in, placed out) {
  visit_items(c, [&]<class T>(std::type_identity<T>) { sort_items<T>(c, in, out); });
}

}  // namespace libscan::apps
