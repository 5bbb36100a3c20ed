// SPDX-License-Identifier: Apache-2.0
// Executor backend: barriers of blocks, clusters and grids, shared memory. See simt.cuh for their
// meaning.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <memory>

#include <libscan/simt/executor/runtime.hpp>
#include <libscan/simt/machine.hpp>

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

/// The result of `arrive_grid`: empty.
struct grid_arrival {};
inline grid_arrival arrive_grid(call_site at = call_site::here()) {
  executor::arrive_among_blocks(executor::call::wait_grid, at);
  return {};
}
inline void wait_grid(grid_arrival /*arrival*/, call_site at = call_site::here()) {
  executor::wait_among_blocks(executor::call::wait_grid, at);
}
inline void arrive_cluster(call_site at = call_site::here()) {
  executor::arrive_among_blocks(executor::call::wait_cluster, at);
}
inline void wait_cluster(call_site at = call_site::here()) {
  executor::wait_among_blocks(executor::call::wait_cluster, at);
}

template <class T>
T& map_shared_rank(T& own, unsigned block, call_site at = call_site::here()) {
  return *static_cast<T*>(executor::shared_of_block(std::addressof(own), block, at));
}

template <int Registers>
void set_max_registers_inc() {}
template <int Registers>
void set_max_registers_dec() {}

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(executor::dynamic_shared_memory());
}

namespace executor {

/// A word that compilers load and store as one, and announce to a checker as one access. All
/// vectors use the same code, so none is split into its items.
template <std::size_t Bytes>
struct wide_word {
  typedef unsigned long long type __attribute__((vector_size(16), may_alias));
};
template <>
struct wide_word<8> {
  typedef unsigned long long type __attribute__((may_alias));
};
template <>
struct wide_word<4> {
  typedef unsigned type __attribute__((may_alias));
};
template <>
struct wide_word<2> {
  typedef unsigned short type __attribute__((may_alias));
};
template <>
struct wide_word<1> {
  typedef unsigned char type __attribute__((may_alias));
};

/// A vector of `Bytes` bytes as the fewest words that hold it.
template <std::size_t Bytes>
struct wide_words {
  // A GPU moves at most 16 bytes per thread in one access.
  static constexpr std::size_t word_bytes = Bytes < 16 ? Bytes : 16;
  using word = wide_word<word_bytes>;
  static_assert(Bytes % word_bytes == 0 && (Bytes & (Bytes - 1)) == 0);
  typename word::type item[Bytes / word_bytes];
};

}  // namespace executor

template <int Count, class T>
vector<T, Count> load_vector(T const* items, call_site at = call_site::here()) {
  using words = executor::wide_words<sizeof(T) * Count>;
  executor::require_aligned(items, sizeof(T) * Count, at);
  words raw;
  auto const* const source = reinterpret_cast<typename words::word::type const volatile*>(items);
  for (std::size_t i = 0; i < sizeof raw / words::word_bytes; ++i) raw.item[i] = source[i];
  return std::bit_cast<vector<T, Count>>(raw);
}

template <std::integral T>
T opaque(T x) {
  static_assert(sizeof(T) == 4);
  return x;
}

namespace executor {

/// Stores items as the words of a GPU's access, so that checkers see the same accesses.
template <int Count, class T>
void store_words(T* items, vector<T, Count> const& values, call_site at) {
  using words = wide_words<sizeof(T) * Count>;
  executor::require_aligned(items, sizeof(T) * Count, at);
  auto const raw = std::bit_cast<words>(values);
  auto* const target = reinterpret_cast<typename words::word::type volatile*>(items);
  for (std::size_t i = 0; i < sizeof raw / words::word_bytes; ++i) target[i] = raw.item[i];
}

}  // namespace executor

template <int Count, class T>
void store_vector(T* items, vector<T, Count> const& values, call_site at = call_site::here()) {
  executor::require_shared(items, false, at);
  executor::store_words(items, values, at);
}

template <int Count, class T>
void store_shared_vector(T* items, vector<T, Count> const& values,
                         call_site at = call_site::here()) {
  executor::require_shared(items, true, at);
  executor::store_words(items, values, at);
}

template <int Count, class T>
vector<T, Count> load_vector_to_keep(T const* items, call_site at = call_site::here()) {
  return simt::load_vector<Count>(items, at);
}

template <int Count, class T>
void stream_vector(T* items, vector<T, Count> const& values, call_site at = call_site::here()) {
  simt::store_vector<Count>(items, values, at);
}

}  // namespace libscan::inline v1_executor::simt
