// SPDX-License-Identifier: Apache-2.0
// The items of explained scans: 4 bytes each, like an int, naming a value of the recording. Kernels
// move them like ints, and every sum knows its operands.
#pragma once

#include <cstdint>

#include <libscan/core/operators.hpp>

namespace libscan::apps {

/// Names a value of the current recording (`recorded_run::values`).
enum class traced : std::uint32_t {};

/// A new name for 0, and for earlier + later (wrapping around as int32 does), recorded for the
/// running thread. Needs an existing `recorder`.
traced new_identity();
traced new_sum(traced earlier, traced later);

/// The sum of traced items: `plus<std::int32_t>` for kernels, except that it is recorded.
struct traced_plus {
  using value_type = traced;
  static traced identity() { return new_identity(); }
  traced operator()(traced earlier, traced later) const { return new_sum(earlier, later); }
};

}  // namespace libscan::apps

template <>
inline constexpr bool libscan::exactly_associative<libscan::apps::traced_plus> = true;
