// SPDX-License-Identifier: Apache-2.0
// Finding and naming engines.
#include <libscan/core/engine.hpp>

#include <libscan/core/error.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::inline v1 {

namespace {

void require_threads(int threads) {
  if (threads >= 0) return;
  throw invalid_argument("engine: the number of threads must be 0 (all cores) or more, got " +
                         std::to_string(threads));
}

}  // namespace

engine engine::best() { return named("auto"); }

engine engine::cpu(int threads) {
  require_threads(threads);
  return {kind::cpu, threads == 0 ? libscan::cpu::default_threads() : threads, -1};
}

engine engine::cuda(int device) {
  if constexpr (detail::has_cuda) {
    detail::require_cuda_device(device);
    return {kind::cuda, 0, device};
  }
  detail::refuse_cuda();
}

engine engine::executor(std::uint64_t seed) {
  if constexpr (detail::has_executor) return {kind::executor, 0, -1, seed};
  detail::refuse_executor();
}

engine engine::named(std::string_view name, int threads) {
  require_threads(threads);
  if (name == "cpu") return cpu(threads);
  if (name == "cuda") return cuda();
  if (name == "executor") return executor();
  if (name != "auto") {
    throw invalid_argument("engine: expected auto, cpu, cuda or executor, got '" +
                           std::string(name) + "'");
  }
  if constexpr (detail::has_cuda) {
    for (int device = 0, devices = detail::cuda_devices(); device < devices; ++device) {
      try {
        return cuda(device);
      } catch (engine_unavailable const&) {  // of an architecture without kernels
      } catch (device_error const&) {        // broken, or used by another process exclusively
      }
    }
  }
  return cpu(threads);
}

std::string engine::description() const {
  if constexpr (detail::has_cuda) {
    if (is_cuda()) return "cuda, " + detail::cuda_device_name(device_);
  }
  if (is_executor()) {
    return "executor, " + (seed_ == 0 ? "fixed order" : "seed " + std::to_string(seed_));
  }
  return "cpu, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
}

}  // namespace libscan::inline v1
