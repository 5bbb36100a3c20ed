// SPDX-License-Identifier: Apache-2.0
// Selects the kernel of a device call: the one that `Tuning` names, or the first in the operation's
// list that can run. Also computes its workspace.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include <libscan/core/tuning.hpp>
#include <libscan/device/look_back_kernel.cuh>
#include <libscan/device/pipeline.cuh>
#include <libscan/device/resident_kernel.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// An operation says how to make its Works, and has the members
//
//   work<Tuning>()     the Work (libscan/device/tile_work.cuh, or pipeline.cuh for the pipeline)
//                      that a kernel with that tuning runs
//   tunings            the tunings to choose from, the best first, as tunings_to_try<...>; `void`
//                      among them stands for one that this operation has no kernel for. The last
//                      is one for the look-back kernel, which runs everywhere
//
// and, where a kernel processes another number of items than n, or cannot run for some counts,
//
//   count<Tuning>(n)     the number of items that it processes; none if it cannot run

/// Tunings in the order in which they are tried.
template <class... Tunings>
struct tunings_to_try {};

/// The Work of an operation for a tuning.
template <class Operation, class Tuning>
using work_of = decltype(std::declval<Operation const&>().template work<Tuning>());

/// The number of items that the kernel with that tuning processes; none if it cannot run.
template <class Tuning, class Operation>
std::optional<item_count> count_for(Operation const& operation, item_count n) {
  if constexpr (requires { operation.template count<Tuning>(n); }) {
    return operation.template count<Tuning>(n);
  } else {
    return n;
  }
}

/// Throws `invalid_argument`: only the device knows the number of items.
[[noreturn]] inline void refuse_count_on_device() {
  throw invalid_argument("the tuning selects a kernel that needs the number of items on the host");
}

/// Runs an operation over n items with the kernel that `Tuning` names.
template <class Tuning, class Operation>
void run_as_tuned(workspace& ws, std::byte* memory, Operation const& operation, item_count n) {
  static_assert(
      requires { Tuning::algorithm; },
      "libscan: the tuning does not say for which kernel it is; expected a member like "
      "`static constexpr auto algorithm = libscan::scan_algorithm::look_back`");
  auto const work = operation.template work<Tuning>();
  auto const count = device::count_for<Tuning>(operation, n);
  if (!count) device::refuse_count_on_device();
  n = *count;
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
    if (!device::count_for<Tuning>(operation, n)) return false;
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

/// Runs an operation over n items with the kernel of `Tuning`; void selects one. `memory`: of
/// `run_bytes`, in the workspace.
template <class Tuning, class Operation>
void run(workspace& ws, std::byte* memory, Operation const& operation, item_count n) {
  if constexpr (std::is_void_v<Tuning>) {
    device::run_first_suited(ws, memory, operation, n, typename Operation::tunings{});
  } else {
    device::run_as_tuned<Tuning>(ws, memory, operation, n);
  }
}

/// Bytes of workspace that the kernel with that tuning needs for n items.
template <class Tuning, class Operation>
std::size_t bytes_as_tuned(Operation const& operation, item_count n) {
  if constexpr (std::is_void_v<Tuning>) {
    return 0;
  } else {
    using work = work_of<Operation, Tuning>;
    using summary = typename work::summary;
    index_t const max_items = device::count_for<Tuning>(operation, n).value_or(n).at_most();
    if constexpr (Tuning::algorithm == scan_algorithm::pipeline) {
      return device::pipeline_bytes<summary>(ceil_div(max_items, index_t{work::tile_items}));
    } else if constexpr (Tuning::algorithm == scan_algorithm::resident) {
      return resident_bytes<summary, Tuning>;
    } else {
      return tile_chain<summary>::bytes(device::look_back_tiles<work>(max_items));
    }
  }
}
template <class Operation, class... Tunings>
std::size_t bytes_of_any(Operation const& operation, item_count n, tunings_to_try<Tunings...>) {
  return std::max({device::bytes_as_tuned<Tunings>(operation, n)...});
}

/// Bytes of workspace that `run` needs for an operation over n items.
template <class Tuning, class Operation>
std::size_t run_bytes(Operation const& operation, item_count n) {
  if constexpr (std::is_void_v<Tuning>) {
    return device::bytes_of_any(operation, n, typename Operation::tunings{});
  } else {
    return device::bytes_as_tuned<Tuning>(operation, n);
  }
}

/// Runs an operation over n items the way `Tuning` says, in the whole workspace.
template <class Tuning, class Operation>
void run(workspace& ws, Operation const& operation, item_count n) {
  std::byte* const memory = ws.reserve(device::run_bytes<Tuning>(operation, n));
  device::run<Tuning>(ws, memory, operation, n);
}

/// What holds for all operations of a call, whatever the types of its arguments: no tile is
/// smaller, and no resident block has more threads. 0: none is.
struct tile_bounds {
  index_t look_back_items;
  index_t pipeline_items = 0;
  int resident_threads = 0;
};

/// The most bytes of workspace that `run` needs for n items, as a pure function of its arguments.
template <class Summary>
constexpr std::size_t max_run_bytes(index_t n, tile_bounds bounds) {
  std::size_t const look_back = tile_chain<Summary>::bytes(ceil_div(n, bounds.look_back_items));
  std::size_t const pipeline =
      bounds.pipeline_items == 0
          ? 0
          : device::pipeline_bytes<Summary>(ceil_div(n, bounds.pipeline_items));
  std::size_t const resident = static_cast<std::size_t>(bounds.resident_threads) *
                               sizeof(typename resident_format<Summary>::stored);
  return std::max({look_back, pipeline, resident});
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
