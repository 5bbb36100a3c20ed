// SPDX-License-Identifier: Apache-2.0
// Products of sparse matrices entry by entry, and matrices from lists by a stable sort of places.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <apps/check/case_data.hpp>
#include <apps/check/oracle_parts.hpp>
#include <apps/check/parallel.hpp>

namespace libscan::apps {
namespace {

/// a + b and a b in a wide type; for integers, the last 64 bits.
template <class W>
W add(W a, W b) {
  if constexpr (std::is_integral_v<W>) {
    return static_cast<W>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}
template <class W>
W times(W a, W b) {
  if constexpr (std::is_integral_v<W>) {
    return static_cast<W>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else {
    return a * b;
  }
}

/// A semiring, over a type that is rounded once to T.
template <class T>
struct plain_semiring {
  using wide = wide_of<T>;
  using limits = std::numeric_limits<T>;
  semiring_kind kind;

  wide zero() const {
    if (kind == semiring_kind::min_plus) {
      return limits::has_infinity ? limits::infinity() : limits::max();
    }
    if (kind != semiring_kind::max_times) return 0;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  }
  wide multiply(wide a, wide x) const {
    switch (kind) {
      case semiring_kind::min_plus:
        return a == zero() || x == zero() ? zero() : add(a, x);
      case semiring_kind::max_times:
        return a == zero() || x == zero() ? zero() : times(a, x);
      case semiring_kind::or_and:
        return a != 0 && x != 0 ? 1 : 0;
      default:
        return times(a, x);
    }
  }
  wide sum(wide a, wide b) const {
    switch (kind) {
      case semiring_kind::plus_times:
        return add(a, b);
      case semiring_kind::min_plus:
        return std::min(a, b);
      case semiring_kind::max_times:
        return std::max(a, b);
      default:
        return a != 0 || b != 0 ? 1 : 0;
    }
  }
};

template <class T>
void multiply(check_case const& c, placed in, placed out, tolerances& allowed) {
  using wide = wide_of<T>;
  plain_semiring<T> const s{c.semiring};
  T const* const values = in.at<T>(slot::items);
  T const* const x = in.at<T>(slot::vector);
  T const* const before = in.at<T>(slot::others);
  auto const* const columns = in.at<std::int32_t>(slot::keys);
  auto const* const offsets = in.at<index_t>(slot::places);
  T* const y = out.at<T>(slot::items);
  index_t const rows = out.size(slot::items);
  if (is_float(c.type)) allowed.resize(static_cast<std::size_t>(rows));
  for (index_t r = 0; r < rows; ++r) {
    wide sum = s.zero(), magnitude = 0;
    auto const put = [&](wide product) {
      sum = s.sum(sum, product);
      if constexpr (std::is_floating_point_v<T>) magnitude += std::fabs(product);
    };
    for (index_t k = offsets[r]; k < offsets[r + 1]; ++k) {
      put(s.multiply(values[k], x[columns[k]]));
    }
    auto terms = static_cast<wide>(offsets[r + 1] - offsets[r] + 3);
    if (before != nullptr) {
      sum = s.multiply(product_alpha, sum);
      magnitude *= product_alpha;
      put(s.multiply(product_beta, before[r]));
    }
    y[r] = static_cast<T>(sum);
    if constexpr (std::is_floating_point_v<T>) {
      // Products of the other semirings also round; zeros of either sign are equal.
      if (!std::isfinite(magnitude)) magnitude = 0;
      allowed[static_cast<std::size_t>(r)] = std::max<double>(sum_tolerance<T>(terms, magnitude),
                                                              std::numeric_limits<T>::denorm_min());
    }
  }
}

/// Row and column of an entry in one number, and the index of the entry.
struct entry_place {
  index_t place;
  index_t entry;
};

template <class T>
void compress(check_case const& c, placed in, placed out, tolerances& allowed) {
  using wide = wide_of<T>;
  T const* const values = in.at<T>(slot::items);
  auto const* const columns = in.at<std::int32_t>(slot::keys);
  auto const* const rows = in.at<std::int32_t>(slot::rows);
  auto* const offsets = out.at<index_t>(slot::places);
  std::vector<entry_place> order(static_cast<std::size_t>(c.n));
  in_pieces(c.n, [&](index_t begin, index_t end) {
    for (index_t k = begin; k < end; ++k) {
      order[static_cast<std::size_t>(k)] = {index_t{rows[k]} << 32 | columns[k], k};
    }
  });
  stable_sort_in_pieces(order.data(), c.n, [](entry_place const& a, entry_place const& b) {
    return a.place < b.place;
  });
  std::fill_n(offsets, c.columns + 1, index_t{0});
  index_t entries = 0;
  for (std::size_t at = 0; at < order.size(); ++entries) {
    index_t const here = order[at].place;
    wide sum = 0, magnitude = 0, terms = 1;
    for (; at < order.size() && order[at].place == here; ++at) {
      wide const value = values[order[at].entry];
      sum = add(sum, value);
      if constexpr (std::is_floating_point_v<T>) magnitude += std::fabs(value);
      terms += 1;
    }
    if (!c.form.no_values) out.at<T>(slot::items)[entries] = static_cast<T>(sum);
    out.at<std::int32_t>(slot::keys)[entries] = static_cast<std::int32_t>(here & 0x7fffffff);
    ++offsets[(here >> 32) + 1];
    if constexpr (std::is_floating_point_v<T>) {
      allowed.push_back(terms > 2 ? sum_tolerance<T>(terms, magnitude) : 0);
    }
  }
  std::partial_sum(offsets, offsets + c.columns + 1, offsets);
  // Memory after the entries is not written.
  if (is_float(c.type)) allowed.resize(static_cast<std::size_t>(c.n), 0);
}

}  // namespace

void compute_matrix(check_case const& c, placed in, placed out, tolerances& allowed) {
  visit_item_type(c.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (sizeof(T) >= 4) {
      if (c.what == task::rows_of_list) return compress<T>(c, in, out, allowed);
      multiply<T>(c, in, out, allowed);
    }
  });
}

}  // namespace libscan::apps
