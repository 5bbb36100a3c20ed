// SPDX-License-Identifier: Apache-2.0
// What scan-check asks of an engine: to run a case.
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

  /// Runs case `c` of inputs `in`; `out` has been prepared. Throws what the library throws.
  virtual void run(check_case const& c, placed in, placed out) = 0;

  /// Runs the case just run by another library, if that has a direct counterpart; says whether it
  /// has. Inputs and outputs as for `run`, but for a total.
  virtual bool run_rival(check_case const&, placed, placed) { return false; }

  /// For people: "cpu, 2 threads".
  virtual std::string description() const = 0;
};

/// The plain C++ facades and headers on the CPU.
std::unique_ptr<check_engine> make_cpu_engine();

/// Kernels on CUDA device 0. Only in builds with nvcc.
std::unique_ptr<check_engine> make_cuda_engine();

/// The same kernels in the executor. Only in builds with it.
std::unique_ptr<check_engine> make_executor_engine();

}  // namespace libscan::apps
