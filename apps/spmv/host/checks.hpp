// SPDX-License-Identifier: Apache-2.0
// What the host API refuses: invalid offsets and indices. Internal.
#pragma once

#include <cstdint>
#include <string>

#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/cpu/index_checks.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/matrix.hpp>

namespace libscan::inline v1::detail {

/// Threads for work on the host, for any engine.
inline int host_threads(engine const& on) {
  return on.runs_kernels() ? cpu::default_threads() : on.threads();
}

/// Throws `invalid_argument` unless n + 1 offsets ascend from 0 to `last`.
inline void check_offsets(char const* who, int threads, std::int64_t const* offsets, index_t n,
                          index_t last) {
  if (offsets[0] != 0 || offsets[n] != last) {
    throw invalid_argument(std::string(who) + ": offsets from " + std::to_string(offsets[0]) +
                           " to " + std::to_string(offsets[n]) + "; expected 0 to " +
                           std::to_string(last));
  }
  cpu::detail::check_offsets(who, threads, offsets, n, last);
}

}  // namespace libscan::inline v1::detail
