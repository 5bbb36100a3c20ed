// SPDX-License-Identifier: Apache-2.0
// The CPU engine's threads, lent by oneTBB.
#include <libscan/cpu/workers.hpp>

#include <algorithm>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

namespace libscan::inline v1::cpu {

int default_threads() { return std::max(1, tbb::info::default_concurrency()); }

void run_workers(int workers, void (*body)(void*), void* context) {
  // More threads than the process allows would never come; asking for them only costs.
  auto const allowed =
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  int const threads = static_cast<int>(std::min<std::size_t>(std::max(workers, 1), allowed));
  if (threads <= 1) {
    for (int i = 0; i < std::max(workers, 1); ++i) body(context);
    return;
  }
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::parallel_for(
        0, threads,
        [&](int) {
          // A body whose user code waits inside TBB must not be handed a second body there: that
          // one could wait for the chunk which the first still holds.
          tbb::this_task_arena::isolate([&] { body(context); });
        },
        tbb::simple_partitioner{});
  });
}

}  // namespace libscan::inline v1::cpu
