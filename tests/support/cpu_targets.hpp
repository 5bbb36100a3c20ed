// SPDX-License-Identifier: Apache-2.0
// Running vector code with every instruction set that was compiled and that this CPU has.
#pragma once

#include <cstdint>

#include <libscan/cpu/vector_targets.hpp>

#include <hwy/targets.h>

#include <tests/support/catch.hpp>

namespace libscan::test {

/// Calls body() with Highway restricted to one instruction set after another, then to all again.
template <class Body>
void for_each_target(Body body) {
  for (std::int64_t const target : hwy::SupportedAndGeneratedTargets()) {
    INFO(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace libscan::test
