// SPDX-License-Identifier: Apache-2.0
// Which kernel runs a device call, for all calls that have more than one: the one that the call's
// tuning names, or the first of the operation's that suits. And their share of the workspace.
#pragma once

#include <algorithm>
#include <type_traits>

#include <libscan/core/tuning.hpp>
#include <libscan/device/look_back_kernel.cuh>
#include <libscan/device/resident_kernel.cuh>
#include <libscan/device/run_pipeline.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// An operation says how to make its Works, and has the members
//
//   work<Tuning>()     the Work (libscan/device/tile_work.cuh, or pipeline.cuh for the pipeline)
//                      that a kernel with that tuning runs
//   tunings            the tunings to choose from, the best first, as tunings_to_try<...>; `void`
//                      among them stands for one that this operation has no kernel for. The last
//                      is one for the look-back kernel, which runs everywhere

/// Tunings in the order in which they are tried.
template <class... Tunings>
struct tunings_to_try {};

/// The Work of an operation for a tuning.
template <class Operation, class Tuning>
using work_of = decltype(std::declval<Operation const&>().template work<Tuning>());

/// Runs an operation over n items with the kernel that `Tuning` names.
template <class Tuning, class Operation>
void run_as_tuned(workspace& ws, std::byte* memory, Operation const& operation, item_count n) {
  static_assert(
      requires { Tuning::algorithm; },
      "libscan: the tuning does not say for which kernel it is; expected a member like "
      "`static constexpr auto algorithm = libscan::scan_algorithm::look_back`");
  auto const work = operation.template work<Tuning>();
  if constexpr (Tuning::algorithm == scan_algorithm::pipeline) {
    device::run_pipeline<Tuning>(memory, ws.stream(), work, n);
  } else if constexpr (Tuning::algorithm == scan_algorithm::resident) {
    device::run_resident<Tuning>(memory, ws.stream(), work, n);
  } else {
    static_assert(Tuning::algorithm == scan_algorithm::look_back, "libscan: no such algorithm");
    device::run_look_back<Tuning>(memory, ws.stream(), work, n);
  }
}

/// Whether the kernel with that tuning is right for n items on the current device.
template <class Work, class Tuning>
bool suits(index_t n) {
  if constexpr (Tuning::algorithm == scan_algorithm::resident) {
    return device::fits_resident<Work, Tuning>(n);
  } else if constexpr (Tuning::algorithm == scan_algorithm::pipeline) {
    bool enough = true;
    if constexpr (requires { Tuning::min_items; }) enough = n >= Tuning::min_items;
    return enough && simt::device_can_pipeline<pipeline_kernel<Work, Tuning>>();
  } else {
    return true;
  }
}

/// Runs an operation as `Tuning` says, if it suits; says whether it did.
template <class Tuning, class Operation>
bool run_if_suited(workspace& ws, std::byte* memory, Operation const& operation, item_count n) {
  if constexpr (std::is_void_v<Tuning>) {
    return false;
  } else {
    if (!device::suits<work_of<Operation, Tuning>, Tuning>(n.at_most())) return false;
    device::run_as_tuned<Tuning>(ws, memory, operation, n);
    return true;
  }
}

/// Runs an operation with the first tuning that suits. Says whether one did.
template <class Operation, class... Tunings>
bool run_first_suited(workspace& ws, std::byte* memory, Operation const& operation, item_count n,
                      tunings_to_try<Tunings...>) {
  return (device::run_if_suited<Tunings>(ws, memory, operation, n) || ...);
}

/// Runs an operation over n items the way `Tuning` says; void: chooses. `memory`: of `run_bytes`,
/// in the workspace.
template <class Tuning, class Operation>
void run(workspace& ws, std::byte* memory, Operation const& operation, item_count n) {
  if constexpr (std::is_void_v<Tuning>) {
    device::run_first_suited(ws, memory, operation, n, typename Operation::tunings{});
  } else {
    device::run_as_tuned<Tuning>(ws, memory, operation, n);
  }
}

/// No tile of the kernels that may run a call is smaller, and no resident block is larger.
struct tile_bounds {
  index_t look_back_items;
  index_t pipeline_items;
  int resident_threads;
};

/// Bytes of workspace that `run` needs for n items, whichever kernel it takes.
template <class Summary>
constexpr std::size_t run_bytes(index_t n, tile_bounds bounds) {
  return std::max(
      {look_back_bytes<Summary>(n, bounds.look_back_items),
       pipeline_bytes<Summary>(ceil_div(n, bounds.pipeline_items)),
       static_cast<std::size_t>(bounds.resident_threads) * sizeof(stored_summary<Summary>)});
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
