// SPDX-License-Identifier: Apache-2.0
// Threads for the CPU engine: runs one function on several threads at once. Only this layer uses
// the thread pool (oneTBB, in workers.cpp); code that includes this header does not need it.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include <libscan/core/compiled_with.hpp>
#include <libscan/core/function_ref.hpp>

namespace libscan::inline v1::cpu {

/// The CPU engine's default number of threads: one per core that this process may use (>= 1).
int default_threads();

/// Calls `body()` at least once and at most `workers` times, concurrently, on threads that
/// include the caller, and returns when all have returned. The caller's oneTBB arena may lend any
/// number of threads, even none, so a call must never wait for one that has not begun. `workers` <=
/// 1 calls it in place, without the thread pool. If a body throws, those that have not begun may be
/// omitted, and what one of them threw leaves this call after all have ended.
void run_workers(int workers, libscan::detail::function_ref<void()> body);

namespace detail {
/// `with_workers` of a body without a result.
void call_with_workers(int threads, libscan::detail::function_ref<void()> body);
}  // namespace detail

/// Calls `body()` in an oneTBB arena of its own, where up to `threads` threads come to
/// `run_workers`, even more than there are cores, and no more. The limit holds for the whole
/// process until it returns; a smaller existing one stays. Programs use it for --threads; 0 changes
/// nothing. Exceptions of `body` pass through. Returns its result.
template <class Body>
auto with_workers(int threads, Body&& body) {
  using result = std::invoke_result_t<Body&>;
  if constexpr (std::is_void_v<result>) {
    detail::call_with_workers(threads, body);
  } else {
    std::optional<result> returned;
    detail::call_with_workers(threads, [&] { returned.emplace(body()); });
    return *(std::move)(returned);
  }
}

}  // namespace libscan::inline v1::cpu
