// SPDX-License-Identifier: Apache-2.0
// The choice of engine: which machine runs a call of the host API.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <libscan/core/compiled_with.hpp>

namespace libscan::inline v1 {

/// A machine that runs scans: the native CPU engine, one CUDA device, or the executor. A small
/// value, freely copied.
class engine {
 public:
  enum class kind { cpu, cuda, executor };

  /// The first usable CUDA device (see `cuda`), or else the CPU with all its threads. Never throws
  /// because there is no GPU, or because it is broken or busy.
  static engine best();

  /// The native CPU engine. `threads` = 0 means one per available core. Results never depend on the
  /// number of threads, which is also bounded by the caller's oneTBB arena: by default one per
  /// core, see `cpu::with_workers`.
  /// Throws: `invalid_argument` if `threads` is negative.
  static engine cpu(int threads = 0);

  /// CUDA device number `device`.
  /// Throws: `engine_unavailable` with the reason (built without CUDA, no driver, no such device,
  /// no kernels for its architecture); `device_error` if an existing device cannot be started.
  static engine cuda(int device = 0);

  /// The kernels of the cuda engine, run on the CPU thread by thread: for tests and for teaching.
  /// They read and write host memory in place of a device's. A scan of 10^6 items takes about a
  /// second, a sort five, so calls refuse more than `executor_limit` items. `seed` = 0 runs threads
  /// in a fixed order; every other seed gives another order, always the same one.
  ///
  /// Throws: `engine_unavailable` if libscan was built without the executor.
  static engine executor(std::uint64_t seed = 0);

  /// `name` = "auto" (as `best`), "cpu", "cuda" or "executor", as in every program's --engine.
  /// `threads` applies if the CPU engine is chosen.
  /// Throws: `invalid_argument` for any other name.
  static engine named(std::string_view name, int threads = 0);

  kind which() const { return kind_; }
  bool is_cuda() const { return kind_ == kind::cuda; }
  bool is_executor() const { return kind_ == kind::executor; }
  /// Whether kernels run: on a GPU or in the executor.
  bool runs_kernels() const { return kind_ != kind::cpu; }

  /// Threads of a CPU engine (>= 1); 0 for the others.
  int threads() const { return threads_; }

  /// Device number of a CUDA engine; -1 for the others.
  int device() const { return device_; }

  /// Seed of an executor; 0 for the others.
  std::uint64_t seed() const { return seed_; }

  /// A description for people: "cpu, 2 threads", "cuda, NVIDIA H200" or "executor, seed 7".
  std::string description() const;

 private:
  engine(kind which, int threads, int device, std::uint64_t seed = 0)
      : kind_(which), threads_(threads), device_(device), seed_(seed) {}

  kind kind_;
  int threads_;
  int device_;
  std::uint64_t seed_;
};

/// The most items, entries or samples of a call on the executor.
inline constexpr std::int64_t executor_limit = std::int64_t{1} << 24;

}  // namespace libscan::inline v1
