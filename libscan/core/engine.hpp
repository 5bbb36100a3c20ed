// SPDX-License-Identifier: Apache-2.0
// The choice of engine: which machine runs a call of the host API.
#pragma once

#include <string>
#include <string_view>

#include <libscan/core/compiled_with.hpp>

namespace libscan::inline v1 {

/// A machine that runs scans: the native CPU engine, or one CUDA device. A small value, freely
/// copied.
class engine {
 public:
  enum class kind { cpu, cuda };

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

  /// `name` = "auto" (as `best`), "cpu" or "cuda", as in every program's --engine. `threads`
  /// applies if the CPU engine is chosen.
  /// Throws: `invalid_argument` for any other name.
  static engine named(std::string_view name, int threads = 0);

  kind which() const { return kind_; }
  bool is_cuda() const { return kind_ == kind::cuda; }

  /// Threads of a CPU engine (>= 1); 0 for a CUDA engine.
  int threads() const { return threads_; }

  /// Device number of a CUDA engine; -1 for a CPU engine.
  int device() const { return device_; }

  /// A description for people: "cpu, 2 threads" or "cuda, NVIDIA H200".
  std::string description() const;

 private:
  engine(kind which, int threads, int device) : kind_(which), threads_(threads), device_(device) {}

  kind kind_;
  int threads_;
  int device_;
};

}  // namespace libscan::inline v1
