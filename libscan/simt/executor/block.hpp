// SPDX-License-Identifier: Apache-2.0
// Executor backend: block and grid barriers, shared memory. See simt.cuh for what each means.
#pragma once

#include <libscan/simt/executor/runtime.hpp>

namespace libscan::inline v1_executor::simt {

inline int thread_rank() { return executor::thread_rank(); }

inline void sync_block(call_site at = call_site::here()) {
  executor::block_barrier(executor::call::sync_block, false, at);
}

inline int sync_block_count(bool predicate, call_site at = call_site::here()) {
  return executor::block_barrier(executor::call::sync_block_count, predicate, at);
}

inline bool sync_block_and(bool predicate, call_site at = call_site::here()) {
  return executor::block_barrier(executor::call::sync_block_and, predicate, at) != 0;
}

inline bool sync_block_or(bool predicate, call_site at = call_site::here()) {
  return executor::block_barrier(executor::call::sync_block_or, predicate, at) != 0;
}

inline void sync_grid(call_site at = call_site::here()) { executor::grid_barrier(at); }

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(executor::dynamic_shared_memory());
}

template <int N, class T>
vector<T, N> load_vector(T const* items, call_site at = call_site::here()) {
  executor::require_aligned(items, sizeof(T) * N, at);
  vector<T, N> result;
  for (int i = 0; i < N; ++i) result.item[i] = items[i];
  return result;
}

template <int N, class T>
void store_vector(T* items, vector<T, N> const& values, call_site at = call_site::here()) {
  executor::require_aligned(items, sizeof(T) * N, at);
  for (int i = 0; i < N; ++i) items[i] = values.item[i];
}

}  // namespace libscan::inline v1_executor::simt
