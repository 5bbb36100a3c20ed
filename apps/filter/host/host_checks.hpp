// SPDX-License-Identifier: Apache-2.0
// Checks of the filter's host API: outputs must not overlap what is read, or be too short.
// Internal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

template <class T>
index_t length(std::span<T> items) {
  return static_cast<index_t>(items.size());
}

/// Refuses an overlap of `out` with `what`; the same start is allowed if `in_place`.
inline void check_no_overlap(char const* call, std::span<std::byte const> values,
                             std::span<std::byte const> out, bool in_place,
                             char const* what = "values") {
  if (in_place && values.data() == out.data()) return;
  if (!memory_span(values).overlaps(out)) return;
  throw invalid_argument(std::string(call) + ": an output overlaps " + what +
                         "; expected memory separate from " +
                         (in_place ? "it, or exactly at its start" : "it"));
}

/// Refuses an output that holds fewer than the `count` items that are `done` ("kept").
inline void check_fits(char const* call, index_t count, index_t capacity, char const* done = "kept",
                       char const* out = "out") {
  if (count <= capacity) return;
  throw invalid_argument(std::string(call) + ": " + std::to_string(count) + " items are " + done +
                         ", but " + out + " holds only " + std::to_string(capacity));
}

/// Refuses a least length of runs that is none.
inline void check_min_length(index_t min_length) {
  if (min_length >= 1) return;
  throw invalid_argument("run_length_encode: min_length is " + std::to_string(min_length) +
                         "; expected >= 1");
}

}  // namespace libscan::inline v1::detail
