// SPDX-License-Identifier: Apache-2.0
// Objects that a thread keeps between calls, such as buffers.
#pragma once

#include <utility>

namespace libscan::inline v1::detail {

/// The object of type T that the calling thread keeps; the thread deletes it at its end. Calls may
/// come even later, from destructors of static objects. They get a new object, which stays.
template <class T>
T& kept_by_thread() {
  thread_local T* kept = nullptr;  // has no destructor, so it outlives `owner`
  struct deleter {
    ~deleter() { delete std::exchange(kept, nullptr); }
  };
  thread_local deleter const owner;
  (void)owner;
  if (kept == nullptr) kept = new T;
  return *kept;
}

}  // namespace libscan::inline v1::detail
