// SPDX-License-Identifier: Apache-2.0
// The CPU engine's threads, lent by oneTBB.
#include <libscan/cpu/workers.hpp>

#include <algorithm>
#include <cstddef>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace libscan::inline v1::cpu {

namespace {

int allowed_threads() {
  return static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

}  // namespace

int default_threads() { return std::max(1, tbb::info::default_concurrency()); }

// Works in the caller's own arena: an arena per call becomes slower with every call (seen with
// oneTBB 2021.8), and the caller may have limited its own on purpose.
void run_workers(int workers, libscan::detail::function_ref<void()> body) {
  if (workers <= 1) return body();
  // More threads than the arena holds would never come; requesting them only costs time.
  int const threads =
      std::min({workers, tbb::this_task_arena::max_concurrency(), allowed_threads()});
  if (threads <= 1) return body();
  // A group of its own: in the caller's, which may have been canceled, no body would run. Every
  // thread uses the caller's rounding and flushing modes.
  using group = tbb::task_group_context;
  group own(group::isolated, group::default_traits | group::fp_settings);
  // A thread that waits in here gets no other work: neither the caller other tasks of its program,
  // nor a body, whose user code may wait inside oneTBB, a second body: that one could wait for the
  // chunk that the first still holds.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        0, threads, [&](int) { tbb::this_task_arena::isolate([&] { body(); }); },
        tbb::simple_partitioner{}, own);
  });
}

void detail::call_with_workers(int threads, libscan::detail::function_ref<void()> body) {
  if (threads < 1) return body();
  tbb::global_control const allowed(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute([&] { body(); });
}

}  // namespace libscan::inline v1::cpu
