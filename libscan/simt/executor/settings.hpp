// SPDX-License-Identifier: Apache-2.0
// How the executor runs kernels, what it counts, and the error it throws.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/simt/executor/compiled_with.hpp>
#include <libscan/simt/executor/vocabulary.hpp>

namespace libscan::inline v1_executor::simt {

/// A kernel broke a rule of the machine, or can never finish. The message names the kernel, the
/// block, the threads, the call and its line.
class kernel_error : public error {
 public:
  using error::error;
};

namespace executor {

/// The order in which threads run. `fixed`: warp by warp, lanes in order; a switch only when a
/// thread must wait. `seeded`: any ready thread may be next, atomics may be preempted, whole blocks
/// and warps stall for a while, and bulk copies land at any time. The same seed gives the same run.
enum class schedule : std::uint8_t { fixed, seeded };

/// The counts of one line of a kernel, summed over all threads since the counts were attached.
struct line_counts {
  std::int64_t warp_calls = 0;         ///< warp collectives (once per warp)
  std::int64_t barriers = 0;           ///< block barriers (once per block)
  std::int64_t operator_calls = 0;     ///< applications of a `counted` operator
  std::int64_t shared_accesses = 0;    ///< warp-wide accesses of shared memory (racecheck build)
  std::int64_t shared_wavefronts = 0;  ///< bank-conflict passes that they took (racecheck build)
  std::int64_t shared_ideal =
      0;  ///< passes that they would take without conflicts (racecheck build)
  std::int64_t shared_worst = 0;     ///< most passes in place of one: n-way (racecheck build)
  std::int64_t global_accesses = 0;  ///< warp-wide accesses of global memory (racecheck build)
  std::int64_t global_sectors = 0;   ///< 32-byte sectors that they touched (racecheck build)

  line_counts& operator+=(line_counts const& other);
};

/// A source line, ordered by file and line.
struct source_line {
  std::string file;
  int line = 0;
  auto operator<=>(source_line const&) const = default;
};

/// Counts per source line. Attach an object to `settings::count`; its counts only grow.
struct counts {
  std::map<source_line, line_counts> by_line;
  std::int64_t launches = 0;

  line_counts& at(call_site site) { return by_line[{site.file, site.line}]; }

  /// The sum over all lines.
  line_counts total() const;
};

/// How the executor runs kernels launched by this OS thread.
struct settings {
  executor::schedule schedule = schedule::fixed;
  std::uint64_t seed = 0;
  int blocks_in_flight = 4;   ///< blocks resident at once; all blocks in a cooperative launch
  int multiprocessors = 2;    ///< the result of `multiprocessor_count()`
  bool early_return = false;  ///< permit a thread to return while others still wait in a barrier
  /// Racecheck: a bulk copy into memory that threads have read also needs a proxy fence, as the PTX
  /// memory model says. Without this setting only memory that threads have written needs one.
  bool fence_after_reads = false;
  /// A launch that takes more steps ends with an error. Steps are switches between threads, atomics
  /// and collectives, and under racecheck also accesses. Bounds endless loops.
  std::uint64_t max_steps = 20'000'000'000;
  /// A launch that takes more CPU time ends with an error, even in a loop without steps. 0: no
  /// bound. (Linux only; under ThreadSanitizer only `max_steps` applies.)
  int launch_seconds = 300;
  executor::counts* count = nullptr;
  int shared_banks = 32;  ///< of 4 bytes each, for the counts; GPUs of 2007 had 16
};

/// The settings of this OS thread; change them directly or through `scoped_settings`.
settings& current_settings();

/// Installs settings for a scope and restores the former ones.
class scoped_settings {
 public:
  explicit scoped_settings(settings const& wanted) : former_(current_settings()) {
    current_settings() = wanted;
  }
  ~scoped_settings() { current_settings() = former_; }
  scoped_settings(scoped_settings const&) = delete;
  scoped_settings& operator=(scoped_settings const&) = delete;

 private:
  settings former_;
};

/// Settings for a seeded schedule; everything else has its default.
inline settings seeded(std::uint64_t seed) {
  settings result;
  result.schedule = schedule::seeded;
  result.seed = seed;
  return result;
}

/// Adds one application of an operator at `site` to the attached counts, if any.
void count_operator(call_site site);

/// `Op`, with each application counted on the line that applies it.
template <class Op>
struct counted : Op {
  using value_type = typename Op::value_type;
  value_type operator()(value_type earlier, value_type later,
                        call_site at = call_site::here()) const {
    count_operator(at);
    return Op::operator()(earlier, later);
  }
};

}  // namespace executor
}  // namespace libscan::inline v1_executor::simt
