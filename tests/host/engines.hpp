// SPDX-License-Identifier: Apache-2.0
// The engines that a test of the host API runs on: the CPU and the executor; or a GPU, if the
// environment variable LIBSCAN_TEST_ENGINE is "cuda".
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>

namespace libscan::test {

/// Ends the program as skipped if there is no GPU to test on.
inline std::vector<engine> engines() {
  char const* const wanted = std::getenv("LIBSCAN_TEST_ENGINE");
  if (wanted != nullptr && std::string_view(wanted) == "cuda") {
    try {
      return {engine::cuda()};
    } catch (engine_unavailable const& reason) {
      std::printf("skipped: %s\n", reason.what());
      std::exit(77);
    }
  }
  std::vector<engine> result{engine::cpu(1), engine::cpu(3)};
  try {
    result.push_back(engine::executor());
    result.push_back(engine::executor(7));
  } catch (engine_unavailable const&) {
    // A build without the executor tests the CPU.
  }
  return result;
}

/// Those of them that run kernels.
inline std::vector<engine> machines() {
  std::vector<engine> result;
  for (engine const& on : engines()) {
    if (on.runs_kernels()) result.push_back(on);
  }
  return result;
}

}  // namespace libscan::test
