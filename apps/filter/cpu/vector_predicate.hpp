// SPDX-License-Identifier: Apache-2.0
// The rule of a filter on a CPU that keeps what a predicate keeps, in vector instructions. Compiled
// for several instruction sets in vector_predicate.cpp; the best one is chosen at run time.
#pragma once

#include <cstdint>
#include <tuple>

#include <apps/filter/cpu/rules.hpp>
#include <libscan/core/types.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1::cpu {

/// Keeps items that the predicate keeps; predicate and items must outlive it. T: every type
/// that the host API reads. A rule like those of rules.hpp.
template <class T>
struct keep_predicate {
  T const* in;
  predicate<T> const* keep;

  bool mark(index_t begin, index_t items, std::uint8_t* flags) const;

  libscan::detail::memory_span memory(index_t begin, index_t end) const {
    return detail::bytes_of(in + begin, in + end);
  }
};

namespace detail {

/// Sets flags[k] to 1 if items[k] passes the test, to 0 if not, for k < n.
template <class T>
using interval_marker = void (*)(in_interval<T> const& test, T const* items, index_t n,
                                 std::uint8_t* flags);

/// The vector code for all types that have some.
using interval_markers = std::tuple<interval_marker<std::int8_t>, interval_marker<std::uint8_t>,
                                    interval_marker<std::int16_t>, interval_marker<std::uint16_t>,
                                    interval_marker<std::int32_t>, interval_marker<std::uint32_t>,
                                    interval_marker<std::int64_t>, interval_marker<std::uint64_t>,
                                    interval_marker<float>, interval_marker<double>>;

/// The code for the best instruction set of this CPU among those that Highway is currently set to
/// use.
interval_markers current_interval_markers();

}  // namespace detail
}  // namespace libscan::inline v1::cpu
