// SPDX-License-Identifier: Apache-2.0
// Running vector code by every instruction set that this CPU has and that was compiled.
#pragma once

#include <cstdint>

#include <libscan/cpu/vector_targets.hpp>

#include <hwy/targets.h>

#include <tests/support/catch.hpp>

namespace libscan::test {

/// Calls body() with Highway told to use one instruction set after another, then all again.
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
