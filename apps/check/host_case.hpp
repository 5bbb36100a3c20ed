// SPDX-License-Identifier: Apache-2.0
// A case for the host API with its types known, and its segments. Shared by the files of the host
// engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <apps/check/case_data.hpp>
#include <apps/check/case_items.hpp>
#include <libscan/buffer.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/item_mask.hpp>
#include <libscan/predicate.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/reference/operators.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::apps {

/// A case with its types known.
template <class T>
struct host_case {
  check_case const& c;
  engine on;
  placed in;
  placed out;

  std::span<T const> items() const { return array<T const>(c.in_place ? out : in, slot::items); }
  std::span<T> result() const { return array<T>(out, slot::items); }
  template <class Value>
  std::span<Value const> values() const {
    return array<Value const>(c.in_place ? out : in, slot::values);
  }
  template <class U>
  static std::span<U> array(placed where, slot which) {
    return {where.at<U>(which), static_cast<std::size_t>(where.size(which))};
  }
};

/// The same numbers in another type.
template <class To, class From>
buffer<To> converted(std::span<From> from) {
  buffer<To> to(static_cast<index_t>(from.size()));
  std::transform(from.begin(), from.end(), to.begin(),
                 [](auto const& x) { return static_cast<To>(x); });
  return to;
}

/// Calls body(to) with integers for an output, of 32 bits if the case has it so.
template <class T, class Word, class Body>
void with_integers(host_case<T> const& one, std::span<Word> out, Body const& body) {
  if (!one.c.form.narrow_places) return body(out);
  auto narrow = converted<std::uint32_t>(out);
  body(std::span<std::uint32_t>(narrow));
  // What the call left as it was stays so.
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (narrow[i] != static_cast<std::uint32_t>(out[i])) out[i] = narrow[i];
  }
}

/// An operator, a predicate of two items, as a caller has it: libscan does not know what it is.
template <class T>
struct own_operator {
  operator_kind op;
  T operator()(T const& earlier, T const& later) const {
    return reference::combine(op, earlier, later);
  }
};

/// A key of a type that libscan does not know, and where it is.
struct own_key {
  std::int32_t key;
  std::int32_t at;
};

/// Its equality.
struct same_key {
  bool operator()(own_key const& a, own_key const& b) const { return a.key == b.key; }
};

/// The flags or bits of a case.
item_mask mask_of(check_case const& c, placed in);

/// The segments of a case in the description that its form has, and what that refers to.
class described_segments {
 public:
  described_segments(check_case const& c, placed in);

  operator segmentation const&() const { return segments_; }  // NOLINT: converts
  std::span<std::int32_t const> keys() const { return keys_; }
  std::span<double const> numbers() const { return {numbers_.data(), numbers_.size()}; }
  std::span<own_key const> own_keys() const { return {own_keys_.data(), own_keys_.size()}; }

 private:
  segmentation by_task(check_case const& c, placed in);
  segmentation by_form(check_case const& c);
  segmentation by_bounds(check_case const& c, std::span<index_t const> offsets);
  void make_keys(check_case const& c, std::span<index_t const> offsets);

  std::span<std::int32_t const> keys_;
  buffer<std::int32_t> own_memory_;
  buffer<std::uint8_t> flags_;
  buffer<std::uint32_t> bits_;
  buffer<std::int32_t> narrow_;
  buffer<double> numbers_;
  buffer<own_key> own_keys_;
  segmentation segments_;
};

/// The calls on device memory of a case of a scan or of sums, or of that within segments; compiled
/// for every type of items, and for complex numbers.
template <class T>
void run_on_device_memory(host_case<T> const& one);

/// The same of all other cases; for every type of keys but `key_record`.
template <class T>
void run_application_there(host_case<T> const& one);

/// x < threshold. Nothing is below the smallest value.
template <class T>
predicate<T> below(T threshold) {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    in_interval<T> at_least{threshold, limits::infinity()};
    // Items that are neither at least the threshold nor NaN.
    at_least.outside = true;
    return at_least;
  } else {
    return in_interval<T>{.lo = threshold, .hi = limits::max(), .outside = true};
  }
}

/// The order of a sort.
inline sort_options sort_options_of(check_case const& c) {
  return {c.descending ? sort_direction::descending : sort_direction::ascending, c.first_bit,
          c.end_bit};
}

/// What comes before the first item of a case.
template <class T>
T first_of(check_case const& c) {
  if constexpr (libscan::detail::complex_number<T>) {
    using part = typename T::value_type;
    return {init_part<part>(c, 0), init_part<part>(c, 1)};
  } else {
    return init_of<T>(c);
  }
}

/// Runs a case of a scan, of sums or of neighbors; compiled for every type of items.
template <class T>
void run_scan(host_case<T> const& one);

/// The same within segments.
template <class T>
void run_segmented(host_case<T> const& one);

}  // namespace libscan::apps
