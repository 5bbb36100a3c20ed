// SPDX-License-Identifier: Apache-2.0
// The CPU engine's threads without a pool: started for each call. Used with ThreadSanitizer, which
// cannot see through a oneTBB that was not built for it.
#include <libscan/cpu/workers.hpp>

#include <algorithm>
#include <thread>
#include <vector>

namespace libscan::inline v1::cpu {

int default_threads() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void run_workers(int workers, libscan::detail::function_ref<void()> body) {
  std::vector<std::jthread> others;
  for (int i = 1; i < workers; ++i) others.emplace_back(body);
  body();
}

// Starts the requested threads.
void detail::call_with_workers(int /*threads*/, libscan::detail::function_ref<void()> body) {
  body();
}

}  // namespace libscan::inline v1::cpu
