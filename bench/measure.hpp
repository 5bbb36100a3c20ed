// SPDX-License-Identifier: Apache-2.0
// The measurement: contenders that do the same work on the same input are verified once and then
// timed in turn, round after round, so that drift of the machine's speed affects all alike.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <bench/options.hpp>
#include <libscan/core/types.hpp>

namespace libscan::bench {

/// Times one call of `run` in microseconds, with the caches in a state of its choice.
using stopwatch = std::function<double(std::function<void()> const& run)>;

/// One way to do the work. `run` does it once; `verify` (may be empty) returns whether the output
/// of `run` is right. The first word of the name is its implementation: "cub" of "cub int".
struct contender {
  std::string name;
  std::function<void()> run;
  std::function<bool()> verify;
  int shared_bytes = 0;  ///< of a block, if the contenders are kernels compared for it
  stopwatch time{};      ///< if it differs from that of the others
  /// Called before each `run` and not timed: restores the input that `run` overwrites.
  std::function<void()> prepare{};
  int resident_blocks = 0;  ///< that fit a multiprocessor at once, where compared
};

/// One piece of work. `bytes` is the least traffic it needs: each input read once, each output
/// written once. The contender named "memcpy" moves the same number of bytes.
struct workload {
  std::string engine;     ///< "cpu" or "cuda"
  std::string operation;  ///< "exclusive_scan", "filter 50 %", ...
  std::string type;
  index_t n = 0;
  double bytes = 0;
  std::vector<contender> contenders;
  int repetitions = 1;  ///< how often one run does the work
};

/// The times of one contender for one workload, in microseconds.
struct result {
  std::string engine, operation, type, name;
  index_t n = 0;
  double bytes = 0;
  double median_us = 0, min_us = 0, max_us = 0;
  double p95_us = 0;  ///< 19 of 20 samples take no longer
  int beside = 0;     ///< busy processes that ran at the same time
  int repetitions = 1, shared_bytes = 0, resident_blocks = 0;
  double noise = 0;  ///< the width of the middle half of the samples, relative to the median
  /// The median over the rounds of its time divided by libscan's; 0 for libscan, or if libscan is
  /// missing.
  double ratio = 0;
  int samples = 0;
  int calls = 1;        ///< a sample is the mean of this many
  std::string problem;  ///< what is wrong with its result, which is then not timed
};

/// Up to `rounds` rounds for a workload while all of them take less than `us`.
struct more_rounds {
  double us = 0;
  int rounds = 51;
};

/// Verifies all contenders, then times them in turn, in another order each round, `rounds` times
/// after two rounds of warm-up, or as often as `more` permits. Contenders that take seconds stop
/// earlier, after at least seven rounds. A contender with a wrong output is not timed, and its
/// result says so; if `rounds` is 0, only such results are returned. A sample repeats a call for at
/// least `min_us`, and is the mean.
std::vector<result> measure(workload const& work, int rounds, stopwatch const& time,
                            double min_us = 0, more_rounds const& more = {});

/// Whether a contender of that name is libscan's default, whose time is the unit of the others'
/// ratios: among strategies, the production scan.
inline bool is_libscan(std::string const& name) {
  return name == "libscan" || name == "production";
}

/// Median, extremes and noise of `samples`, at least one, in microseconds.
result summary(std::vector<double> samples);

/// Receives the results of a workload as soon as they exist.
using report = std::function<void(std::vector<result> const&)>;

/// What is requested, on an engine that can measure it.
struct session {
  options const& wanted;
  stopwatch time;
  report tell;
  double min_us = 0;   ///< of a sample (see `measure`)
  more_rounds more{};  ///< for short workloads

  /// Measures the contenders whose implementations are requested, and reports. Requesting libscan
  /// also selects the production scan among strategies.
  void run(workload work) const;

  /// Calls `body`, which runs workloads of one choice of axes. If it throws `invalid_argument`,
  /// because the engine has none for them, prints that once on standard error and goes on.
  void where_known(std::function<void()> const& body) const;

  std::shared_ptr<std::set<std::string>> said = std::make_shared<std::set<std::string>>();
};

/// The requested workloads, on the cpu engine and its competitors. Types and operators that it
/// lacks are skipped with a line.
/// Throws: `libscan::invalid_argument` for other axes that it lacks.
void run_cpu_workloads(options const& wanted, report const& tell);

/// The same for the cuda engine, which also refuses types and operators. Does nothing without a
/// usable GPU.
void run_cuda_workloads(options const& wanted, report const& tell);

/// The part of them that reproduces the chapter's figures; needs a usable GPU.
void run_chapter_workloads(options const& wanted, stopwatch const& time, report const& tell);

/// Names and values that describe the machine: processor, clocks, driver, versions.
using facts = std::vector<std::pair<std::string, std::string>>;

/// Those of the host, including the number of threads.
facts cpu_facts(int threads);

/// Those of the GPU and its driver; empty without a usable GPU.
facts cuda_facts();

}  // namespace libscan::bench
