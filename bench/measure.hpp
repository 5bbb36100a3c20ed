// SPDX-License-Identifier: Apache-2.0
// The measuring stick: contenders that do the same work on the same input are verified once and
// then timed in turn, round after round, so that a drift of the machine's speed meets all alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::bench {

/// One way to do the work. `run` does it once; `verify` (may be empty) says whether the output left
/// by `run` is right.
struct contender {
  std::string name;
  std::function<void()> run;
  std::function<bool()> verify;
};

/// One piece of work. `bytes` is the least traffic it needs: each input read once, each output
/// written once. The contender named "memcpy" moves as many bytes.
struct workload {
  std::string engine;     ///< "cpu" or "cuda"
  std::string operation;  ///< "exclusive_scan", "filter 50 %", ...
  std::string type;
  index_t n = 0;
  double bytes = 0;
  std::vector<contender> contenders;
};

/// What one contender took for one workload, in microseconds.
struct result {
  std::string engine, operation, type, name;
  index_t n = 0;
  double bytes = 0;
  double median_us = 0, least_us = 0, most_us = 0;
};

/// Times one call of `run` in microseconds, with caches as it finds right.
using stopwatch = std::function<double(std::function<void()> const& run)>;

/// What is asked for on the command line.
struct options {
  std::vector<std::string> operations{"scan", "filter"};
  std::vector<std::string> engines{"cpu", "cuda"};
  std::vector<index_t> sizes;  ///< empty: the standard ones
  int rounds = 21;
  int threads = 0;
};

/// Verifies all contenders, then times them in turn, `rounds` times after two rounds of warm-up.
/// Throws libscan::error naming a contender whose output is wrong.
std::vector<result> measure(workload const& work, int rounds, stopwatch const& time);

/// Where results of a workload go as soon as they are there.
using report = std::function<void(std::vector<result> const&)>;

/// The standard workloads of an engine. Returns a description of the machine for the record.
std::string run_cpu_workloads(options const& wanted, report const& tell);

/// Returns "" where there is no usable GPU.
std::string run_cuda_workloads(options const& wanted, report const& tell);

}  // namespace libscan::bench
