// SPDX-License-Identifier: Apache-2.0
// Writing results past the caches: a cache line that is written whole need not be read from memory
// first, and evicts nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <libscan/core/light_memory.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu {

/// Whether results stay in the caches or bypass them.
enum class store_policy : std::uint8_t { cached, non_temporal };

/// Outputs of at least this many bytes are streamed: a shorter one may already be in a core's
/// last-level cache, or may be read again before it is evicted.
inline constexpr index_t non_temporal_bytes = index_t{32} << 20;

/// The policy of an output of `bytes`. An output over its input is already in the caches.
inline store_policy store_policy_for(index_t bytes, bool in_place = false) {
  return bytes < non_temporal_bytes || in_place ? store_policy::cached : store_policy::non_temporal;
}

namespace detail {

/// Whether items are written where they are read, if that is known.
template <class In, class Out>
bool in_place(In const& in, Out const& out) {
  if constexpr (std::contiguous_iterator<In> && std::contiguous_iterator<Out>) {
    return static_cast<void const*>(std::to_address(in)) ==
           static_cast<void const*>(std::to_address(out));
  } else {
    return false;
  }
}

}  // namespace detail

/// Copies bytes past the caches, except for partial cache lines at both ends; like memcpy if the
/// CPU has no such stores. Other threads may read them after the writing thread has called
/// `stream_fence`. The two must not overlap.
inline void stream_copy(void const* from, void* to, std::size_t bytes) {
#if defined(__SSE2__)
  auto const source = static_cast<unsigned char const*>(from);
  auto const target = static_cast<unsigned char*>(to);
  constexpr std::size_t line = 64;
  std::size_t i = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
  std::memcpy(target, source, i);
  for (; i + line <= bytes; i += line) {
    for (std::size_t k = i; k < i + line; k += sizeof(__m128i)) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + k),
                       _mm_loadu_si128(reinterpret_cast<__m128i const*>(source + k)));
    }
  }
  std::memcpy(target + i, source + i, bytes - i);
#else
  std::memcpy(to, from, bytes);
#endif
}

/// Orders streamed stores before all later stores of this thread.
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// items[0..count-1] to to[0..count-1] by the policy; other threads may read them after
/// synchronizing with this thread.
template <class T>
void copy_by(store_policy policy, T const* items, index_t count, T* to) {
  if (policy == store_policy::cached) {
    std::copy_n(items, count, to);
  } else {
    cpu::stream_copy(items, to, static_cast<std::size_t>(count) * sizeof(T));
    stream_fence();
  }
}

}  // namespace libscan::inline v1::cpu
