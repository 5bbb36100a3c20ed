// SPDX-License-Identifier: Apache-2.0
// Binds an expression to a type. While only comparisons are combined, a part of the tree is an
// exact set of intervals; tests of bits turn the parts around them into steps of a program.
#include <libscan/predicate_parser.hpp>

#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include <apps/filter/host/interval_set.hpp>
#include <libscan/host/input_types.hpp>

namespace libscan::inline v1 {
namespace {

using detail::interval_set;
using detail::ordinal_t;
using kind = expression::kind;

/// The place of a literal among the numbers of a type.
struct place {
  enum class where { before_all, at, after, after_all };
  where relation;
  ordinal_t ordinal = 0;  ///< of the number equal to the literal, or else the next one above it
};

/// Integers: exactly.
template <std::integral T>
place place_of(number_literal const& literal) {
  using where = place::where;
  where const far = literal.negative ? where::before_all : where::after_all;
  if (literal.infinite || literal.beyond) return {far};
  using wide = __int128;
  wide floor = static_cast<wide>(literal.integer);
  if (literal.negative) floor = -floor - (literal.fraction ? 1 : 0);
  if (floor < static_cast<wide>(std::numeric_limits<T>::min())) return {where::before_all};
  if (floor > static_cast<wide>(std::numeric_limits<T>::max())) return {where::after_all};
  return {literal.fraction ? where::after : where::at, detail::ordinal(static_cast<T>(floor))};
}

/// Floats: after rounding.
template <detail::float_number T>
place place_of(number_literal const& literal) {
  using where = place::where;
  return {where::at, detail::ordinal(literal.rounded<T>())};
}

/// The numbers less than the number at `at` (or, with `or_equal`, not greater).
interval_set numbers_below(place const& at, bool or_equal, ordinal_t last) {
  using where = place::where;
  switch (at.relation) {
    case where::before_all:
      return interval_set(last);
    case where::after_all:
      return interval_set(last, 0, last);
    case where::after:
      return interval_set(last, 0, at.ordinal);
    case where::at:
      break;
  }
  if (or_equal) return interval_set(last, 0, at.ordinal);
  return at.ordinal == 0 ? interval_set(last) : interval_set(last, 0, at.ordinal - 1);
}

template <class T>
interval_set compared(kind relation, number_literal const& literal) {
  ordinal_t const last = detail::last_ordinal<T>();
  interval_set const numbers(last, 0, last);
  place const at = place_of<T>(literal);
  interval_set const less = numbers_below(at, false, last);
  interval_set const less_equal = numbers_below(at, true, last);
  switch (relation) {
    case kind::less:
      return less;
    case kind::less_equal:
      return less_equal;
    case kind::greater:
      return numbers.intersection(less_equal.complement());
    case kind::greater_equal:
      return numbers.intersection(less.complement());
    case kind::equal:
      return less_equal.intersection(less.complement());
    default:
      return less_equal.intersection(less.complement()).complement();  // NaN differs from all
  }
}

template <class T>
interval_set finite_numbers() {
  ordinal_t const last = detail::last_ordinal<T>();
  if constexpr (detail::float_number<T>) {
    return interval_set(last, 1, last - 1);  // -infinity is first, +infinity last
  } else {
    return interval_set(last, 0, last);
  }
}

template <class T>
using steps = std::vector<typename predicate_program<T>::step>;

template <class T>
in_interval<T> interval_test(interval_set::interval const& range, bool outside, bool keeps_nan) {
  in_interval<T> test{};
  test.lo = detail::number_at<T>(range.first);
  test.hi = detail::number_at<T>(range.last);
  if constexpr (detail::float_number<T>) {
    test.keeps_nan = keeps_nan;
  } else {
    test.mask = static_cast<T>(~T(0));
  }
  test.outside = outside;
  return test;
}

/// In one of the intervals, or outside all of the gaps: whichever are fewer.
template <class T>
steps<T> steps_of(interval_set const& set) {
  using operation = typename predicate_program<T>::operation;
  auto const& inside = set.intervals();
  auto const gaps = set.complement().intervals();
  bool const by_gaps = inside.empty() || (!gaps.empty() && gaps.size() < inside.size());
  steps<T> result;
  for (auto const& range : by_gaps ? gaps : inside) {
    bool const first = result.empty();
    result.push_back({operation::test, interval_test<T>(range, by_gaps, set.has_nan())});
    if (!first) {
      result.push_back({by_gaps ? operation::conjunction : operation::disjunction, {}});
    }
  }
  return result;
}

/// Binds the nodes of one tree, operands first.
template <class T>
class binder {
 public:
  explicit binder(expression const& tree) : tree_(tree) {}

  predicate<T> bind() {
    for (auto const& node : tree_.nodes()) parts_.push_back(bound(node));
    predicate_program<T> program;
    for (auto const& step : as_steps(std::move(parts_.back()))) program.append(step);
    return predicate<T>(program);
  }

 private:
  using operation = typename predicate_program<T>::operation;
  using part = std::variant<interval_set, steps<T>>;

  part bound(expression::node const& node) {
    switch (node.what) {
      case kind::nan:
        return interval_set(detail::last_ordinal<T>(), true);
      case kind::finite:
        return finite_numbers<T>();
      case kind::bits:
        return bit_test(node);
      case kind::negation:
        return negated(take(node.left));
      case kind::conjunction:
      case kind::disjunction:
        return combined(node.what, take(node.left), take(node.right));
      default:
        return compared<T>(node.what, node.number);
    }
  }

  part bit_test(expression::node const& node) const {
    if constexpr (detail::float_number<T>) {
      tree_.fail(node.column, "\"bits\" is for integers, the items are floating-point");
    } else {
      using unsigned_type = std::make_unsigned_t<T>;
      if (node.number.integer > std::numeric_limits<unsigned_type>::max()) {
        tree_.fail(node.column, "the mask " + node.number.text + " has bits beyond the " +
                                    std::to_string(8 * sizeof(T)) + " of an item");
      }
      in_interval<T> test{};
      test.mask = static_cast<T>(node.number.integer);
      test.outside = true;
      return steps<T>{{operation::test, test}};
    }
  }

  part negated(part operand) const {
    if (auto const* set = std::get_if<interval_set>(&operand)) return set->complement();
    auto result = std::get<steps<T>>(std::move(operand));
    if (result.size() == 1) {
      result[0].interval.outside = !result[0].interval.outside;
    } else {
      result.push_back({operation::negation, {}});
    }
    return result;
  }

  part combined(kind what, part left, part right) const {
    bool const both = what == kind::conjunction;
    auto const* a = std::get_if<interval_set>(&left);
    auto const* b = std::get_if<interval_set>(&right);
    if (a != nullptr && b != nullptr) return both ? a->intersection(*b) : a->union_with(*b);
    steps<T> result = as_steps(std::move(left));
    steps<T> const second = as_steps(std::move(right));
    result.insert(result.end(), second.begin(), second.end());
    result.push_back({both ? operation::conjunction : operation::disjunction, {}});
    return result;
  }

  static steps<T> as_steps(part value) {
    if (auto const* set = std::get_if<interval_set>(&value)) return steps_of<T>(*set);
    return std::get<steps<T>>(std::move(value));
  }

  /// Moves the part of a node out: a node is the operand of only one operation.
  part take(int node) { return std::move(parts_[static_cast<std::size_t>(node)]); }

  expression const& tree_;
  std::vector<part> parts_;
};

}  // namespace

template <class T>
predicate<T> bind_predicate(expression const& tree) {
  return binder<T>(tree).bind();
}

#define LIBSCAN_INSTANTIATE(name, T) template predicate<T> bind_predicate(expression const&);
LIBSCAN_INPUT_TYPES(LIBSCAN_INSTANTIATE)
#undef LIBSCAN_INSTANTIATE

}  // namespace libscan::inline v1
