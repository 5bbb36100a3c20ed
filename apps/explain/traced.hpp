// SPDX-License-Identifier: Apache-2.0
// The items that explained scans run on: 4 bytes each, as an int has, that name a value of the
// recording. So kernels move them as they would move ints, and every sum knows what it is the sum
// of.
#pragma once

#include <cstdint>

#include <libscan/core/operators.hpp>

namespace libscan::apps {

/// Names a value of the recording under way (`recorded_run::values`).
enum class traced : std::uint32_t {};

/// A new name for 0, and for earlier + later (wrapping around as int32 does), noted for the running
/// thread. To be called while a `recorder` exists.
traced new_identity();
traced new_sum(traced earlier, traced later);

/// The sum of traced items: `plus<std::int32_t>` for kernels, but that it is recorded.
struct traced_plus {
  using value_type = traced;
  static traced identity() { return new_identity(); }
  traced operator()(traced earlier, traced later) const { return new_sum(earlier, later); }
};

}  // namespace libscan::apps

template <>
inline constexpr bool libscan::exactly_associative<libscan::apps::traced_plus> = true;
