// SPDX-License-Identifier: Apache-2.0
// Threads for the CPU engine: runs one function on several threads at once. The one place that
// knows the thread pool (oneTBB, in workers.cpp); nothing that includes this header needs it.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace libscan::inline v1::cpu {

/// Threads the CPU engine takes if not told otherwise: one per core this process may run on (>= 1).
int default_threads();

/// Calls `body(context)` at least once and at most `workers` times, the calls running side by side
/// on threads of which the caller is one, and returns when all have returned. As many threads come
/// as the caller's oneTBB arena has to spare, maybe none, so a call must never wait for one that
/// has not begun. `body` must not throw. `workers` <= 1 calls it in place, and knows no thread
/// pool.
void run_workers(int workers, void (*body)(void*), void* context);

/// Calls `body(context)` where up to `threads` threads come to `run_workers`, more than there are
/// cores if it says so, and no more: in an oneTBB arena of its own, under a limit that holds for
/// the whole process until it returns; a smaller one that is there already stays. Programs do so
/// for their --threads; 0 leaves all as it is. Lets pass what `body` throws.
void with_workers(int threads, void (*body)(void*), void* context);

namespace detail {

/// Calls the callable that `context` points to.
template <class Body>
void call_body(void* context) {
  (*static_cast<Body*>(context))();
}

template <class Body>
void* context_of(Body& body) {
  return const_cast<void*>(static_cast<void const*>(std::addressof(body)));
}

}  // namespace detail

/// Both for any callable, the latter with what it returns.
template <class Body>
void run_workers(int workers, Body&& body) {
  cpu::run_workers(workers, detail::call_body<std::remove_reference_t<Body>>,
                   detail::context_of(body));
}
template <class Body>
auto with_workers(int threads, Body&& body) {
  using result = std::invoke_result_t<Body&>;
  if constexpr (std::is_void_v<result>) {
    cpu::with_workers(threads, detail::call_body<std::remove_reference_t<Body>>,
                      detail::context_of(body));
  } else {
    std::optional<result> returned;
    cpu::with_workers(threads, [&] { returned.emplace(body()); });
    return *std::move(returned);
  }
}

}  // namespace libscan::inline v1::cpu
