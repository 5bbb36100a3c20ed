// SPDX-License-Identifier: Apache-2.0
// The machine that a translation unit is compiled for, as the host API's calls name it. What they
// compile of kernels are templates over it: nvcc instantiates them for `cuda_device`, the C++
// compiler for `executor_run`, from the same source. What they call is in a namespace of the
// machine, or has an argument of it: the linker keeps one of the functions with the same name
// (the test tree.machine_names). Internal.
#pragma once

#include <cstdint>

#include <libscan/host/device_call.hpp>
#include <libscan/host/on_engine.hpp>
#include <libscan/host/scan_call.hpp>
#include <libscan/simt/simt.cuh>
#include <libscan/workspace.cuh>

#ifdef __CUDACC__
#include <libscan/simt/cuda/check.cuh>
#endif

namespace libscan::inline LIBSCAN_MACHINE::device {

#ifdef __CUDACC__

/// The machine of this translation unit.
using this_machine = libscan::detail::cuda_device;

/// Makes a GPU the thread's current device for a scope.
class on_machine : simt::selected_device {
 public:
  explicit on_machine(this_machine on) : selected_device(on.number) {}
};

#else

/// The machine of this translation unit.
using this_machine = libscan::detail::executor_run;

/// Gives the executor a schedule for a scope: seed 0 the fixed one, each other seed its own, also
/// with another number of multiprocessors and of blocks at once.
class on_machine {
 public:
  explicit on_machine(this_machine on) : now_(settings_of(on.seed)) {}

 private:
  static simt::executor::settings settings_of(std::uint64_t seed) {
    simt::executor::settings how = simt::executor::current_settings();
    if (seed == 0) return how;
    how.schedule = simt::executor::schedule::seeded;
    how.seed = seed;
    how.blocks_in_flight = 1 + static_cast<int>(seed % 5);
    how.multiprocessors = 1 + static_cast<int>(seed / 8 % 5);
    return how;
  }

  simt::executor::scoped_settings now_;
};

#endif

/// Calls f(op) with the operator of `kind` over T, or what does the same. On a GPU each operator
/// has kernels of its own. In the executor, where none is fast, one kernel serves all: it is
/// compiled once.
template <class T, class F>
void visit_operator_of(operator_kind kind, F&& f) {
#ifdef __CUDACC__
  libscan::detail::visit_operator_of<T>(kind, f);
#else
  f(libscan::detail::operator_on_words<T>(kind));
#endif
}

/// The stream of a queue.
inline simt::stream stream_of([[maybe_unused]] libscan::detail::queue_place const& place) {
#ifdef __CUDACC__
  return static_cast<simt::stream>(place.stream);
#else
  return {};
#endif
}

/// The workspace of a call in a queue.
inline workspace workspace_of(libscan::detail::queue_place const& place) {
  simt::stream const stream = device::stream_of(place);
  if (place.workspace != nullptr) return {place.workspace, place.workspace_bytes, stream};
  if (place.memory.allocate != nullptr) return workspace(place.memory, stream);
  return workspace(stream);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
