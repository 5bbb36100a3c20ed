// SPDX-License-Identifier: Apache-2.0
// The interface of an engine for scan-check: it runs cases.
#pragma once

#include <memory>
#include <string>

#include <apps/check/check_case.hpp>
#include <apps/check/image.hpp>

namespace libscan::apps {

/// Runs cases.
class check_engine {
 public:
  virtual ~check_engine() = default;

  /// Runs case `c` with inputs `in`; `out` has been prepared. Throws the library's exceptions.
  virtual void run(check_case const& c, placed in, placed out) = 0;

  /// Runs the same case by another library, if that has a direct counterpart; returns whether it
  /// has. Inputs and outputs as for `run`, except for a total.
  virtual bool run_competitor(check_case const&, placed, placed) { return false; }

  /// A description for people: "cpu, 2 threads".
  virtual std::string description() const = 0;
};

/// The host API on an engine of this build, and on the cpu engine also headers without a host API.
std::unique_ptr<check_engine> make_host_engine(engine_kind on);

/// Kernels on CUDA device 0. Only in builds with nvcc.
std::unique_ptr<check_engine> make_cuda_engine();

/// The same kernels in the executor. Only in builds with it.
std::unique_ptr<check_engine> make_executor_engine();

}  // namespace libscan::apps
