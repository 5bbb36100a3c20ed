// SPDX-License-Identifier: Apache-2.0
// The measuring stick: contenders that do the same work on the same input are verified once and
// then timed in turn, round after round, so that a drift of the machine's speed meets all alike.
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

/// Times one call of `run` in microseconds, with caches as it finds right.
using stopwatch = std::function<double(std::function<void()> const& run)>;

/// One way to do the work. `run` does it once; `verify` (may be empty) says whether the output left
/// by `run` is right. The first word of its name is its implementation: "cub" of "cub int".
struct contender {
  std::string name;
  std::function<void()> run;
  std::function<bool()> verify;
  int shared_bytes = 0;  ///< of a block, where the contenders are kernels compared for it
  stopwatch time{};      ///< where it is not that of the others
  /// Called before each `run`, outside of the clock: puts back what `run` finds and writes over.
  std::function<void()> prepare{};
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
  double p95_us = 0;  ///< of 20 samples, 19 take no longer
  int beside = 0;     ///< busy processes that ran beside
  int repetitions = 1, shared_bytes = 0;
  double noise = 0;  ///< the middle half of the samples: its width by the median
  /// The median over the rounds of its time by libscan's; 0 for libscan, or where that is missing.
  double ratio = 0;
  int samples = 0;
  int calls = 1;        ///< a sample is the mean of so many
  std::string problem;  ///< what is wrong with its result, which was not timed then
};

/// Verifies all contenders, then times them in turn, in another order each round, `rounds` times
/// after two rounds of warm-up, and more often, up to 51 times, while that takes less than
/// `short_us` together.
/// Contenders that take seconds stop earlier, after seven rounds at least. One whose output is
/// wrong is not timed, and its result says so; if `rounds` is 0, only such results are returned. A
/// sample repeats a call that takes less than `least_us` until it takes so long, and is the mean.
std::vector<result> measure(workload const& work, int rounds, stopwatch const& time,
                            double least_us = 0, double short_us = 0);

/// Whether a contender of that name is what libscan does by default, by whose time those of others
/// are divided: among its strategies, the production scan.
inline bool is_libscan(std::string const& name) {
  return name == "libscan" || name == "production";
}

/// Median, extremes and noise of `samples`, at least one, in microseconds.
result summary(std::vector<double> samples);

/// Where results of a workload go as soon as they are there.
using report = std::function<void(std::vector<result> const&)>;

/// What is asked for, on an engine that can measure it.
struct session {
  options const& wanted;
  stopwatch time;
  report tell;
  double least_us = 0;  ///< of a sample (see `measure`)
  double short_us = 0;  ///< of all rounds (see `measure`)

  /// Measures the contenders whose implementations are asked for, and tells. Who asks for libscan
  /// gets the production scan among strategies, too.
  void run(workload work) const;

  /// Calls `body`, which runs workloads of one choice of axes. Where it throws `invalid_argument`,
  /// as the engine has none for them, says so on standard error, once, and the rest goes on.
  void where_known(std::function<void()> const& body) const;

  std::shared_ptr<std::set<std::string>> said = std::make_shared<std::set<std::string>>();
};

/// The workloads that are asked for, on the cpu engine and its rivals. Types and operators it has
/// none for are skipped with a line; `libscan::invalid_argument` is thrown for other axes without.
void run_cpu_workloads(options const& wanted, report const& tell);

/// The same for the cuda engine, which refuses types and operators, too; nothing where no usable
/// GPU is.
void run_cuda_workloads(options const& wanted, report const& tell);

/// The part of them that redoes the chapter's figures; needs a usable GPU.
void run_chapter_workloads(options const& wanted, stopwatch const& time, report const& tell);

/// Names and values that say what was measured on: processor, clocks, driver, versions.
using facts = std::vector<std::pair<std::string, std::string>>;

/// Those of the host, the number of threads included.
facts cpu_facts(int threads);

/// Those of the GPU and of what drives it; none where no usable GPU is.
facts cuda_facts();

}  // namespace libscan::bench
