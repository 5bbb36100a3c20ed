// SPDX-License-Identifier: Apache-2.0
// A sequential scan, one item after the other, and comparisons with it.
#include <apps/prefix/verify.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include <apps/common/verifiers.hpp>
#include <libscan/reference/operators.hpp>

namespace libscan::apps {
namespace {

/// Item i of an array of any type.
template <class T>
T item_of(dtype type, void const* items, index_t i) {
  return visit_item_type(type, [&]<class Item>(std::type_identity<Item>) {
    return static_cast<T>(static_cast<Item const*>(items)[i]);
  });
}

/// Where segments begin; queried one item after the other.
class plain_segments {
 public:
  explicit plain_segments(prefix_call const& call)
      : call_(call), reverse_(call.direction == scan_direction::reverse) {}

  /// Whether a segment begins at item i in the direction of the scan.
  bool begins(index_t i) {
    if (reverse_) return i == call_.n - 1 || is_head(i + 1);
    return i == 0 || is_head(i);
  }

 private:
  /// Whether a segment begins at item i > 0 of the array.
  bool is_head(index_t i) {
    segmentation const& s = call_.segments;
    switch (s.how()) {
      case segmentation::form::none:
        return false;
      case segmentation::form::flags:
        return static_cast<std::uint8_t const*>(s.data())[i] != 0;
      case segmentation::form::bits:
        return (static_cast<std::uint32_t const*>(s.data())[i / 32] >> (i % 32) & 1) != 0;
      case segmentation::form::offsets:
        return is_offset(static_cast<index_t const*>(s.data()), s.count(), i);
      default:
        break;
    }
    return libscan::detail::visit_input_type(s.type(), [&]<class Key>(std::type_identity<Key>) {
      auto const* const keys = static_cast<Key const*>(s.data());
      return !(keys[i] == keys[i - 1]);
    });
  }

  /// Items come in order, from either end: the next offset is near the previous one.
  bool is_offset(index_t const* offsets, index_t segments, index_t i) {
    while (near_ < segments && offsets[near_] < i) ++near_;
    while (near_ > 0 && offsets[near_] > i) --near_;
    return offsets[near_] == i;
  }

  prefix_call const& call_;
  bool reverse_;
  index_t near_ = 0;
};

/// A running result that must be equal.
template <class T>
class exact_result {
 public:
  exact_result(operator_kind op, index_t) : op_(op) {}

  void restart(T init) { value_ = init; }
  void add(T x) { value_ = reference::combine(op_, value_, x); }
  bool known() const { return true; }
  T expected() const { return value_; }

  bool admits(T got) const { return agree(value_, got, {.any_nan = true}); }

 private:
  operator_kind op_;
  T value_{};
};

/// A running sum of floats that must be within the bound of rounding.
template <class T>
class bounded_sum {
  using wide = std::conditional_t<sizeof(T) == 4, double, long double>;

 public:
  bounded_sum(operator_kind, index_t deepest) : deepest_(deepest) {}

  void restart(T init) {
    *this = bounded_sum(operator_kind::plus, deepest_);
    add(init);
  }

  void add(T x) {
    ++terms_;
    if (std::isfinite(x)) {
      sum_ += static_cast<wide>(x);
      magnitude_ += std::abs(static_cast<wide>(x));
    } else {
      special_ += x;  // both infinities make a NaN
    }
  }

  /// False if an order of association might overflow.
  bool known() const {
    return std::isnan(special_) ||
           magnitude_ <= static_cast<wide>(std::numeric_limits<T>::max()) / 4;
  }

  T expected() const { return special_ != 0 ? special_ : static_cast<T>(sum_); }

  bool admits(T got) const {
    if (std::isnan(special_)) return std::isnan(got);
    if (special_ != 0) return got == special_;
    return std::abs(static_cast<wide>(got) - sum_) <= bound();
  }

 private:
  wide bound() const {
    wide const unit = std::numeric_limits<T>::epsilon() / 2;
    wide const wide_unit = std::numeric_limits<wide>::epsilon() / 2;
    auto const additions = static_cast<wide>(terms_ - 1);
    wide const depth = std::min(additions, static_cast<wide>(deepest_)) * unit;
    wide const relative = depth < wide(0.5) ? depth / (1 - depth) : additions * unit;
    // `sum_` and `magnitude_` are themselves rounded in each addition.
    return (relative + 2 * additions * wide_unit) * (1 + 2 * additions * wide_unit) * magnitude_;
  }

  index_t deepest_;
  index_t terms_ = 0;
  wide sum_ = 0;
  wide magnitude_ = 0;
  T special_ = 0;  // the sum of what is not finite
};

template <class T, class Result>
verdict compare(prefix_call const& call, Result result) {
  T const init = *static_cast<T const*>(call.init);
  T const* const out = static_cast<T const*>(call.out);
  bool const reverse = call.direction == scan_direction::reverse;
  plain_segments segments(call);
  verdict found;
  for (index_t k = 0; k < call.n; ++k) {
    index_t const i = reverse ? call.n - 1 - k : k;
    if (segments.begins(i)) result.restart(init);
    if (call.kind == scan_kind::inclusive) result.add(item_of<T>(call.type, call.in, i));
    if (!result.known()) {
      ++found.unknown;
    } else if (!result.admits(out[i])) {
      found.difference = wrong_item(static_cast<std::size_t>(i), out[i], result.expected());
      if (!reverse) return found;
      // The first by its index is the last that a reverse scan reads.
    }
    if (call.kind == scan_kind::exclusive) result.add(item_of<T>(call.type, call.in, i));
  }
  return found;
}

}  // namespace

verdict verify_prefix(prefix_call const& call, index_t deepest) {
  return visit_item_type(call.accumulator, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      if (call.op == operator_kind::plus) {
        verdict found = compare<T>(call, bounded_sum<T>(call.op, deepest));
        found.exact = false;
        return found;
      }
    }
    return compare<T>(call, exact_result<T>(call.op, deepest));
  });
}

void prefix_by_standard(prefix_call const& call) {
  visit_item_type(call.accumulator, [&]<class T>(std::type_identity<T>) {
    std::vector<T> items(static_cast<std::size_t>(call.n));
    for (index_t i = 0; i < call.n; ++i) {
      items[static_cast<std::size_t>(i)] = item_of<T>(call.type, call.in, i);
    }
    T const init = *static_cast<T const*>(call.init);
    auto const op = [&](T a, T b) { return reference::combine(call.op, a, b); };
    auto const scan = [&](auto first, auto last, auto to) {
      if (call.kind == scan_kind::inclusive) {
        std::inclusive_scan(first, last, to, op, init);
      } else {
        std::exclusive_scan(first, last, to, init, op);
      }
    };
    T* const out = static_cast<T*>(call.out);
    if (call.direction == scan_direction::reverse) {
      scan(items.rbegin(), items.rend(), std::make_reverse_iterator(out + call.n));
    } else {
      scan(items.begin(), items.end(), out);
    }
  });
}

}  // namespace libscan::apps
