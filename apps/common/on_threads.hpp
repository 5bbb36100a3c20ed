// SPDX-License-Identifier: Apache-2.0
// Work on several threads for readers of files. They run before an engine is chosen, and do without
// its thread pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace libscan::apps {

/// The number of threads for a request, where 0 or less means one for each core.
inline int threads_for(int requested) {
  static int const cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return requested > 0 ? requested : cores;
}

/// Calls work(i) for each i below `count`, on up to `threads` threads. A thread takes the next i
/// when it is free. Rethrows an exception of `work`; the thread that threw it takes no more.
template <class Work>
void for_each_on_threads(std::size_t count, int threads, Work const& work) {
  std::atomic<std::size_t> ticket{0};
  std::mutex lock;
  std::exception_ptr failure;
  auto const run = [&] {
    try {
      for (std::size_t i = ticket++; i < count; i = ticket++) work(i);
    } catch (...) {
      std::scoped_lock const held(lock);
      failure = std::current_exception();
    }
  };
  std::size_t const used = std::min(count, static_cast<std::size_t>(threads));
  std::vector<std::jthread> helpers;
  try {
    while (helpers.size() + 1 < used) helpers.emplace_back(run);
  } catch (std::system_error const&) {
    // Fewer threads are enough.
  }
  run();
  helpers.clear();
  if (failure) std::rethrow_exception(failure);
}

/// Calls make(i, put) for each i below `count`, on up to `threads` threads. Each call of put(piece)
/// becomes one of take(piece): one at a time, in the order of i and of the calls. Rethrows an
/// exception of either; nothing is taken after it.
template <class Make, class Take>
void for_each_in_order(std::size_t count, int threads, Make const& make, Take const& take) {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t turn = 0;
  bool failed = false;
  auto const wait_for_turn = [&](std::size_t i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return failed || turn == i; });
    return !failed;
  };
  auto const end_turn = [&](std::size_t i, bool good) {
    std::scoped_lock const lock(mutex);
    turn = i + 1;
    failed = failed || !good;
    changed.notify_all();
  };
  auto const has_failed = [&] {
    std::scoped_lock const lock(mutex);
    return failed;
  };
  for_each_on_threads(count, threads, [&](std::size_t i) {
    if (has_failed()) return;
    try {
      make(i, [&](auto const& piece) {
        if (wait_for_turn(i)) take(piece);
      });
      if (wait_for_turn(i)) end_turn(i, true);
    } catch (...) {
      end_turn(i, false);
      throw;
    }
  });
}

/// Starts work that runs while the caller goes on; if there is no thread for it, `get` runs it. One
/// instance of std::async for all kinds of work: it takes seconds to compile for each.
inline std::future<void> in_background(std::function<void()> const& work) {
  // Not moved: if no thread starts, libstdc++ passes it on a second time, and it would be empty.
  return std::async(work);
}

}  // namespace libscan::apps
