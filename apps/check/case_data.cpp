// SPDX-License-Identifier: Apache-2.0
// Inputs from random words, one per item, so that all cores can make them.
#include <apps/check/case_data.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <apps/check/case_items.hpp>
#include <apps/check/case_parts.hpp>
#include <apps/check/parallel.hpp>

namespace libscan::apps {
namespace {

/// A float in [-1, 1) with the full precision of T.
template <class T>
T evenly(std::uint64_t word) {
  constexpr int digits = std::numeric_limits<T>::digits;
  auto const half = std::int64_t{1} << (digits - 1);
  return static_cast<T>(static_cast<std::int64_t>(word >> (64 - digits)) - half) /
         static_cast<T>(half);
}

template <class T>
T any_item(std::uint64_t word) {
  if constexpr (std::is_floating_point_v<T>) {
    return evenly<T>(word);
  } else {
    return static_cast<T>(word);
  }
}

template <class T>
T small_item(std::uint64_t word) {
  int const value = static_cast<int>(word % 16);
  return static_cast<T>(std::is_signed_v<T> ? value - 8 : value);
}

template <class T>
T special_item(std::uint64_t word) {
  using limits = std::numeric_limits<T>;
  bool const has = std::is_floating_point_v<T>;
  switch (word % 8) {
    case 0:
      return has ? limits::infinity() : limits::max();
    case 1:
      return has ? static_cast<T>(-limits::infinity()) : limits::lowest();
    case 2:
      return has ? limits::quiet_NaN() : T(0);
    case 3:
      return has ? static_cast<T>(-0.0) : T(1);
    case 4:
      return T(0);
    default:
      return any_item<T>(word);
  }
}

/// Most are near 0.
template <class T>
T skewed_item(std::uint64_t word) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(std::ldexp(evenly<T>(word), -static_cast<int>(word % 40)));
  } else {
    auto const bits = static_cast<std::uint64_t>(8 * sizeof(T));
    return static_cast<T>(word >> (64 - bits) >> (word % bits));
  }
}

/// Item k of n ascending ones.
template <class T>
T ascending_item(index_t k, index_t n) {
  constexpr index_t most = sizeof(T) == 1 || std::is_floating_point_v<T> ? 64 : 30000;
  return static_cast<T>(n <= most ? k : k / (n / most + 1));
}

/// Sums of non-finite floats have no error bound; differences are exact.
distribution values_of(check_case const& c) {
  bool const scanned = family_of(c.what) <= family::segmented && c.what != task::difference &&
                       c.op == operator_kind::plus;
  bool const sums = scanned || family_of(c.what) == family::spmv;
  if (c.values == distribution::special && sums && is_float(c.type)) return distribution::uniform;
  return c.values;
}

template <class T>
void make_items(check_case const& c, stream purpose, T* items, index_t n) {
  std::uint64_t const words = c.word(purpose);
  std::uint64_t const constant = c.word(for_constant);
  auto const fill = [&](auto item) {
    in_pieces(n, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        items[i] = item(random_word(words, static_cast<std::uint64_t>(i)), i);
      }
    });
  };
  switch (values_of(c)) {
    case distribution::uniform:
      return fill([](std::uint64_t word, index_t) { return any_item<T>(word); });
    case distribution::small:
      return fill([](std::uint64_t word, index_t) { return small_item<T>(word); });
    case distribution::few:
      return fill([=](std::uint64_t word, index_t) {
        std::uint64_t const one = random_word(constant, word % 4);
        return std::is_floating_point_v<T> ? small_item<T>(one) : any_item<T>(one);
      });
    case distribution::constant:
      return fill([=](std::uint64_t, index_t) {
        return std::is_floating_point_v<T> ? small_item<T>(constant) : any_item<T>(constant);
      });
    case distribution::sorted:
      return fill([=](std::uint64_t, index_t i) { return ascending_item<T>(i, n); });
    case distribution::reversed:
      return fill([=](std::uint64_t, index_t i) { return ascending_item<T>(n - 1 - i, n); });
    case distribution::skewed:
      return fill([](std::uint64_t word, index_t) { return skewed_item<T>(word); });
    case distribution::special:
      return fill([](std::uint64_t word, index_t) { return special_item<T>(word); });
  }
}

/// The halves nearest to floats; for `special`, also arbitrary bits.
template <half_float T>
void make_halves(check_case const& c, T* items) {
  std::vector<float> near(static_cast<std::size_t>(c.n));
  make_items(c, for_items, near.data(), c.n);
  std::uint64_t const words = c.word(for_values);
  in_pieces(c.n, [&, any = c.values == distribution::special](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      std::uint64_t const word = random_word(words, static_cast<std::uint64_t>(i));
      if (any && word % 2 == 0) {
        items[i] = T{static_cast<std::uint16_t>(word >> 16)};
      } else {
        items[i] = near[static_cast<std::size_t>(i)];
      }
    }
  });
}

/// Keys that are numbers of buckets.
template <class T>
void make_bucket_numbers(check_case const& c, T* items) {
  make_items(c, for_items, items, c.n);
  auto const most = static_cast<unsigned>(std::numeric_limits<T>::max() < 255 ? 128 : 256);
  bucket_by_value<T> const bucket{std::min(static_cast<unsigned>(c.buckets), most)};
  in_pieces(c.n, [=](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) items[i] = static_cast<T>(bucket(items[i]));
  });
}

/// The item of a narrower type that an item becomes, as T. Of bools, half are true.
template <class Source, class T>
T narrowed(T item) {
  if constexpr (std::is_same_v<Source, bool>) {
    return static_cast<T>(item & 1);
  } else {
    return static_cast<T>(static_cast<Source>(item));
  }
}

/// Makes each item one that the call's type of items holds, too.
template <class T>
void narrow_items(check_case const& c, T* items) {
  if (c.form.source == item_source::same) return;
  visit_source<T>(c, [&]<class Source>(std::type_identity<Source>) {
    in_pieces(c.n, [=](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) items[i] = narrowed<Source>(items[i]);
    });
  });
}

/// What entries of a matrix without values count as.
template <class T>
T entry_without_value(semiring_kind kind) {
  return kind == semiring_kind::min_plus ? T(0) : T(1);
}

/// The items of a case.
void make_items(check_case const& c, placed in) {
  visit_items(c, [&]<class T>(std::type_identity<T>) {
    T* const items = in.at<T>(slot::items);
    if constexpr (half_float<T>) {
      make_halves(c, items);
    } else if constexpr (std::is_same_v<T, key_record>) {
      make_items(c, for_items, in.at<std::uint32_t>(slot::items), c.n * words_of_item(c));
    } else {
      if constexpr (std::is_integral_v<T>) {
        bool const numbers = c.what == task::split_by_number || c.what == task::split_numbers;
        if (numbers) return make_bucket_numbers(c, items);
      }
      make_items(c, for_items, items, c.n * words_of_item(c));
      narrow_items(c, items);
      if (c.form.no_values) std::fill_n(items, c.n, entry_without_value<T>(c.semiring));
    }
  });
}

/// The values that move with keys: random bytes.
void make_values(check_case const& c, placed in) {
  auto* const values = in.at<std::byte>(slot::values);
  std::uint64_t const words = c.word(for_values);
  auto const size = static_cast<std::size_t>(c.value_bytes);
  in_pieces(c.n, [=](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      auto const k = static_cast<std::uint64_t>(i);
      std::uint64_t const pair[] = {random_word(words, k), random_word(~words, k)};
      std::memcpy(values + static_cast<std::size_t>(i) * size, pair, size);
    }
  });
}

/// n random indices below `end`.
void make_indices(check_case const& c, stream purpose, index_t end, std::int32_t* indices) {
  std::uint64_t const words = c.word(purpose);
  in_pieces(c.n, [=](index_t begin, index_t stop) {
    for (index_t i = begin; i < stop; ++i) {
      std::uint64_t const word = random_word(words, static_cast<std::uint64_t>(i));
      indices[i] = static_cast<std::int32_t>(word % static_cast<std::uint64_t>(end));
    }
  });
}

/// The data of a matrix other than its entries' values.
void make_matrix(check_case const& c, placed in) {
  make_indices(c, for_columns, c.columns, in.at<std::int32_t>(slot::keys));
  if (c.what == task::rows_of_list) {
    return make_indices(c, for_rows, c.columns, in.at<std::int32_t>(slot::rows));
  }
  visit_item_type(c.type, [&]<class T>(std::type_identity<T>) {
    make_items(c, for_vector, in.at<T>(slot::vector), c.columns);
    if (in.where.has(slot::others)) {
      make_items(c, for_sum, in.at<T>(slot::others), in.size(slot::others));
    }
  });
}

/// Edges among the samples, ascending; some may be equal.
template <class T>
void make_edges(check_case const& c, T* edges) {
  std::uint64_t const words = c.word(for_edges);
  for (index_t k = 0; k <= c.bins; ++k) {
    std::uint64_t const word = random_word(words, static_cast<std::uint64_t>(k));
    edges[k] = word % 3 == 0 ? any_item<T>(word) : small_item<T>(word >> 8);
  }
  std::sort(edges, edges + c.bins + 1);
}

/// The data of a histogram other than its samples.
void make_bins(check_case const& c, placed in) {
  if (auto* const weights = in.at<double>(slot::values)) {
    std::uint64_t const words = c.word(for_weights);
    in_pieces(c.n, [=](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        weights[i] = evenly<double>(random_word(words, static_cast<std::uint64_t>(i)));
      }
    });
  }
  if (!in.where.has(slot::edges)) return;
  visit_item_type(c.type,
                  [&]<class T>(std::type_identity<T>) { make_edges(c, in.at<T>(slot::edges)); });
}

}  // namespace

value_range range_of(check_case const& c) {
  static constexpr value_range ranges[] = {{-1, 1},         {0, 1},      {-8, 8},
                                           {0.1, 0.7},      {-0.5, 3e4}, {-128, 127},
                                           {0, 4294967296}, {-2e9, 2e9}, {-1e300, 1e300}};
  return ranges[c.word(for_range) % std::size(ranges)];
}

template <class T>
T threshold_of(check_case const& c) {
  // Small numbers for the distributions that only have small items.
  std::uint64_t const word = c.word(for_threshold);
  return word % 2 == 0 ? any_item<T>(word / 2) : small_item<T>(word / 2);
}

template std::int8_t threshold_of(check_case const&);
template std::uint8_t threshold_of(check_case const&);
template std::int16_t threshold_of(check_case const&);
template std::uint16_t threshold_of(check_case const&);
template std::int32_t threshold_of(check_case const&);
template std::uint32_t threshold_of(check_case const&);
template std::int64_t threshold_of(check_case const&);
template std::uint64_t threshold_of(check_case const&);
template float threshold_of(check_case const&);
template double threshold_of(check_case const&);

bool are_integers(check_case const& c) {
  distribution const how = values_of(c);
  return !is_float(c.type) || (how != distribution::uniform && how != distribution::skewed &&
                               how != distribution::special);
}

void make_inputs(check_case const& c, placed in) {
  std::memset(in.base, canary, in.where.bytes());
  make_items(c, in);
  if (with_values(c.what)) make_values(c, in);
  *in.at<index_t>(slot::count) = c.n;
  if (family_of(c.what) == family::histogram) make_bins(c, in);
  if (family_of(c.what) == family::spmv) make_matrix(c, in);
  make_marks(c, in);
}

void prepare_outputs(check_case const& c, placed in, placed out) {
  std::memset(out.base, canary, out.where.bytes());
  for (auto const [from, to] : copied_slots(c, in.where)) {
    std::memcpy(out.at<std::byte>(to), in.at<std::byte>(from), in.where[from].bytes());
  }
}

}  // namespace libscan::apps
