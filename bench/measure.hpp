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
  int shared_bytes = 0;  ///< of a block, where the contenders are kernels compared for it
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
  int repetitions = 1;  ///< how often one run does the work
};

/// What one contender took for one workload, in microseconds.
struct result {
  std::string engine, operation, type, name;
  index_t n = 0;
  double bytes = 0;
  double median_us = 0, least_us = 0, most_us = 0;
  int repetitions = 1, shared_bytes = 0;
};

/// Times one call of `run` in microseconds, with caches as it finds right.
using stopwatch = std::function<double(std::function<void()> const& run)>;

/// What is asked for on the command line.
struct options {
  std::vector<std::string> operations{"scan", "filter"};
  std::vector<std::string> engines{"cpu", "cuda"};
  std::vector<index_t> sizes;  ///< empty: the standard ones
  int rounds = 21;             ///< 0: run and verify once, time nothing
  int threads = 0;
  std::vector<int> blocks;  ///< grids of the chapter's figures; empty: 1, 2, 4 ... 4096
  int repetitions = 1024;   ///< of a primitive of the chapter within its kernel
};

/// Verifies all contenders, then times them in turn, `rounds` times after two rounds of warm-up; no
/// results if that is 0. Throws libscan::error naming a contender whose output is wrong.
std::vector<result> measure(workload const& work, int rounds, stopwatch const& time);

/// Where results of a workload go as soon as they are there.
using report = std::function<void(std::vector<result> const&)>;

/// The standard workloads of an engine. Returns a description of the machine for the record.
std::string run_cpu_workloads(options const& wanted, report const& tell);

/// Returns "" where there is no usable GPU.
std::string run_cuda_workloads(options const& wanted, report const& tell);

/// The part of them that redoes the chapter's figures; needs a usable GPU.
void run_chapter_workloads(options const& wanted, stopwatch const& time, report const& tell);

}  // namespace libscan::bench
