// SPDX-License-Identifier: Apache-2.0
// What a filter keeps: a closed set of predicates, each a small value that host and device evaluate
// by the same code. One test of an interval covers nearly all of them without a branch; a short
// postfix program of such tests covers the rest.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/floats.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// Keeps x if lo <= x <= hi, or exactly the others if `outside` is set. Requires lo <= hi. Primary
/// template: see the two specializations.
template <class T>
struct in_interval {
  static_assert(!std::is_same_v<T, T>,
                "in_interval: items are integers, float, double, float16 or bfloat16");
};

/// For integers: tests x & mask (on the bits). So it can also test whether any bit of a mask is
/// set: lo = hi = 0, outside.
template <std::integral T>
struct in_interval<T> {
  T lo;
  T hi;
  T mask = static_cast<T>(~T(0));
  bool outside = false;

  LIBSCAN_HOST_DEVICE bool operator()(T x) const {
    T const y = static_cast<T>(x & mask);
    bool const within = (y >= lo) & (y <= hi);
    return within ^ outside;
  }
};

/// For floats, also those of 16 bits: -0 equals +0, and NaN is kept if and only if `keeps_nan` is
/// set.
template <class T>
requires(std::floating_point<T> || half_float<T>) struct in_interval<T> {
  T lo;
  T hi;
  bool outside = false;
  bool keeps_nan = false;

  LIBSCAN_HOST_DEVICE bool operator()(T x) const {
    bool const from_lo = detail::less_or_equal(lo, x);
    bool const to_hi = detail::less_or_equal(x, hi);
    // Every number is on at least one side, NaN on neither.
    bool const number = from_lo | to_hi;
    return (number & ((from_lo & to_hi) ^ outside)) | (!number & keeps_nan);
  }
};

/// Tests of intervals combined by and, or, not: a postfix program that runs for every item, on the
/// same path for all items.
template <class T>
class predicate_program {
 public:
  enum class operation : std::uint8_t { test, conjunction, disjunction, negation };

  /// Only tests use `interval`.
  struct step {
    operation what;
    in_interval<T> interval;
  };

  /// The most steps of a program. Eight-byte items then take less than 1 KiB as a kernel's
  /// argument.
  static constexpr int max_steps = 31;

  /// Appends a step. Throws `invalid_argument` beyond `max_steps`.
  void append(step const& next) {
    if (size_ == max_steps) {
      throw invalid_argument("predicate: more than " + std::to_string(max_steps) +
                             " steps after simplification; split it over two filters");
    }
    steps_[size_++] = next;
  }

  /// How many bools are left at the end of the program; 0 if an operation lacks operands.
  int results() const {
    int values = 0;
    for (int i = 0; i < size_; ++i) {
      operation const what = steps_[i].what;
      int const needed = what == operation::test ? 0 : what == operation::negation ? 1 : 2;
      if (values < needed) return 0;
      values += 1 - needed;
    }
    return values;
  }

  LIBSCAN_HOST_DEVICE int size() const { return size_; }
  LIBSCAN_HOST_DEVICE step const& operator[](int i) const { return steps_[i]; }

  LIBSCAN_HOST_DEVICE bool operator()(T x) const {
    // Bit 0 is the top of the stack of bools; 31 steps cannot stack more than 16.
    std::uint32_t stack = 0;
    for (int i = 0; i < size_; ++i) {
      std::uint32_t const top = stack & 1;
      switch (steps_[i].what) {
        case operation::test:
          stack = (stack << 1) | static_cast<std::uint32_t>(steps_[i].interval(x));
          break;
        case operation::conjunction:
          stack = (stack >> 1) & (~std::uint32_t{1} | top);
          break;
        case operation::disjunction:
          stack = (stack >> 1) | top;
          break;
        case operation::negation:
          stack ^= 1;
          break;
      }
    }
    return (stack & 1) != 0;
  }

 private:
  step steps_[max_steps] = {};
  int size_ = 0;
};

namespace detail {

/// Items that the filter of the host API is compiled for.
template <class T>
inline constexpr bool compiled_item = half_float<T>;
template <listed_item T>
inline constexpr bool compiled_item<T> = std::is_same_v<T, typename item_type_of<T>::type>;

/// Refuses other types with a message.
template <class T>
constexpr bool refuse_others() {
  static_assert(
      compiled_item<T>,
      "predicates, filter.hpp and selection.hpp are compiled for std::int8_t to "
      "std::uint64_t, float, double, float16 and bfloat16; runs also for bool, and masks "
      "for others that are trivially copyable and aligned to their size of 1, 2, 4 or 8 "
      "bytes. For other items include libscan/filter_callables.hpp, on the cpu engine, or "
      "libscan/cpu/filter.hpp, or in CUDA code libscan/filter.cuh.");
  return compiled_item<T>;
}

}  // namespace detail

/// What a filter of items of type T keeps: one of the ten arithmetic types, or a 16-bit float. Made
/// by `parse_predicate` (<libscan/predicate_parser.hpp>) or from one interval. A trivially copyable
/// value that can be passed to kernels; `visit_predicate` chooses once a call which of its two
/// forms runs.
template <class T>
class predicate {
  static_assert(detail::refuse_others<T>());

 public:
  /// Keeps what `interval` keeps. Throws `invalid_argument` unless lo <= hi.
  predicate(in_interval<T> const& interval) {  // NOLINT: an interval is a predicate
    if (!detail::less_or_equal(interval.lo, interval.hi)) {
      throw invalid_argument("predicate: an interval from low to high expected");
    }
    program_.append({predicate_program<T>::operation::test, interval});
  }

  /// Keeps what `program` keeps. Throws `invalid_argument` unless one bool is left at its
  /// end.
  explicit predicate(predicate_program<T> const& program) : program_(program) {
    if (program.results() != 1) {
      throw invalid_argument("predicate: a program that leaves one bool expected");
    }
  }

  /// True if a single test is enough.
  LIBSCAN_HOST_DEVICE bool is_interval() const { return program_.size() == 1; }

  /// That test, if `is_interval()`.
  LIBSCAN_HOST_DEVICE in_interval<T> const& interval() const { return program_[0].interval; }

  /// The general form, which always exists.
  LIBSCAN_HOST_DEVICE predicate_program<T> const& program() const { return program_; }

  /// Whether x is kept.
  LIBSCAN_HOST_DEVICE bool operator()(T x) const { return program_(x); }

 private:
  predicate_program<T> program_;
};

/// f(test) with the cheapest form that decides as `keep` does: an `in_interval<T>` or a
/// `predicate_program<T>`. Returns what f returns.
template <class T, class F>
decltype(auto) visit_predicate(predicate<T> const& keep, F&& f) {
  if (keep.is_interval()) return f(keep.interval());
  return f(keep.program());
}

}  // namespace libscan::inline v1
