// SPDX-License-Identifier: Apache-2.0
// Executor backend: mbarriers and bulk copies. The schedule chooses when a copy lands, between its
// issue and the wait that needs it. So early reads, early reuse and wrong byte counts are found.
#pragma once

#include <cstdlib>

#include <libscan/simt/executor/runtime.hpp>
#include <libscan/simt/machine.hpp>

namespace libscan::inline v1_executor::simt {

class mbarrier {
 public:
  void init(unsigned arrivals, call_site at = call_site::here()) {
    executor::mbarrier_init(this, arrivals, at);
  }
  void invalidate(call_site at = call_site::here()) { executor::mbarrier_invalidate(this, at); }
  void arrive(call_site at = call_site::here()) { executor::mbarrier_arrive(this, 0, at); }
  void arrive_expect(unsigned bytes, call_site at = call_site::here()) {
    executor::mbarrier_arrive(this, bytes, at);
  }
  bool try_wait(unsigned parity, call_site at = call_site::here()) {
    return executor::mbarrier_try_wait(this, parity, at);
  }
  void wait(unsigned parity, call_site at = call_site::here()) {
    executor::mbarrier_wait(this, parity, at);
  }

 private:
  // The executor keeps the state elsewhere; kernels see the size and alignment of a GPU's mbarrier.
  [[maybe_unused]] alignas(8) unsigned char opaque_[8];
};

inline constexpr bool has_bulk_copy = true;
inline constexpr bool always_pipelines = false;  // tests choose

inline void trap() { std::abort(); }

inline void bulk_load(void* shared_target, void const* global_source, unsigned bytes,
                      mbarrier& barrier, l2_priority = l2_normal,
                      call_site at = call_site::here()) {
  executor::bulk_load(shared_target, global_source, bytes, &barrier, at);
}

inline void fence_mbarrier_init() {}
inline void fence_proxy_async() { executor::proxy_fence(); }

}  // namespace libscan::inline v1_executor::simt
