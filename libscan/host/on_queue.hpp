// SPDX-License-Identifier: Apache-2.0
// How compiled calls on device memory go to the machine of their queue. Internal: included by
// compiled code only.
#pragma once

#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::inline v1::detail {

/// Where a queue's kernels run and take their memory from.
inline queue_place place_of(device_queue const& queue) {
  return {queue.stream, queue.memory, queue.workspace, queue.workspace_bytes};
}

/// Returns body(machine), a Result, for a call on n items of device memory. Throws
/// `invalid_argument` for an engine that runs no kernels, and for n < 0.
template <class Result = void, class Body>
Result on_machine_of(engine const& on, index_t n, Body const& body) {
  if (n < 0) {
    throw invalid_argument("number of items is " + std::to_string(n) + "; expected >= 0");
  }
  return detail::on_engine(on, n, body, [&](int) -> Result {
    throw invalid_argument(
        "calls on device memory run on the engines cuda and executor, not on the cpu engine; use "
        "the calls of the host API on host memory");
  });
}

}  // namespace libscan::inline v1::detail
