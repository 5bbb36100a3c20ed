// SPDX-License-Identifier: Apache-2.0
// The CPU engine's threads without a pool: started for each call. Used with ThreadSanitizer, which
// cannot see through a oneTBB that was not built for it.
#include <libscan/cpu/workers.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace libscan::inline v1::cpu {

int default_threads() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void run_workers(int workers, libscan::detail::function_ref<void()> body) {
  std::exception_ptr thrown;
  std::mutex mutex;
  auto const guarded = [&] {
    try {
      body();
    } catch (...) {
      std::lock_guard const alone(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < workers; ++i) others.emplace_back(guarded);
    guarded();
  }
  if (thrown) std::rethrow_exception(thrown);
}

// Starts the requested threads.
void detail::call_with_workers(int /*threads*/, libscan::detail::function_ref<void()> body) {
  body();
}

}  // namespace libscan::inline v1::cpu
