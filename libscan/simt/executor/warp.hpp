// SPDX-License-Identifier: Apache-2.0
// Executor backend: warp collectives. See simt.cuh for their meaning.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <libscan/simt/executor/runtime.hpp>
#include <libscan/simt/machine.hpp>

namespace libscan::inline v1_executor::simt {

namespace executor {

/// Any of the four shuffles.
template <class T>
T shuffle(call what, unsigned mask, T value, int argument, int width, call_site at) {
  static_assert(std::is_trivially_copyable_v<T>);
  T result = value;
  executor::warp_collective(
      {what, mask, std::addressof(value), std::addressof(result), sizeof(T), argument, width, at});
  return result;
}

template <class T>
T reduce(call what, unsigned mask, T value, call_site at) {
  static_assert(std::is_integral_v<T> && sizeof(T) == 4, "warp reductions take 32-bit integers");
  return static_cast<T>(
      executor::warp_collective({what, mask, &value, nullptr, sizeof(T), 0, 32, at}));
}

}  // namespace executor

inline int lane_id() { return executor::lane_id(); }

inline unsigned active_mask(call_site at = call_site::here()) { return executor::active_lanes(at); }

inline void sync_warp(unsigned mask = full_warp, call_site at = call_site::here()) {
  executor::warp_collective({executor::call::sync_warp, mask, nullptr, nullptr, 0, 0, 32, at});
}

inline unsigned ballot(unsigned mask, bool predicate, call_site at = call_site::here()) {
  return executor::warp_collective(
      {executor::call::ballot, mask, &predicate, nullptr, sizeof predicate, 0, 32, at});
}

inline bool any(unsigned mask, bool predicate, call_site at = call_site::here()) {
  return executor::warp_collective(
             {executor::call::any, mask, &predicate, nullptr, sizeof predicate, 0, 32, at}) != 0;
}

inline bool all(unsigned mask, bool predicate, call_site at = call_site::here()) {
  return executor::warp_collective(
             {executor::call::all, mask, &predicate, nullptr, sizeof predicate, 0, 32, at}) != 0;
}

template <class T>
T shfl(unsigned mask, T value, int source_lane, int width = warp_size,
       call_site at = call_site::here()) {
  return executor::shuffle(executor::call::shfl, mask, value, source_lane, width, at);
}

template <class T>
T shfl_up(unsigned mask, T value, unsigned distance, int width = warp_size,
          call_site at = call_site::here()) {
  return executor::shuffle(executor::call::shfl_up, mask, value, static_cast<int>(distance), width,
                           at);
}

template <class T>
T shfl_down(unsigned mask, T value, unsigned distance, int width = warp_size,
            call_site at = call_site::here()) {
  return executor::shuffle(executor::call::shfl_down, mask, value, static_cast<int>(distance),
                           width, at);
}

template <class T>
T shfl_xor(unsigned mask, T value, int lane_mask, int width = warp_size,
           call_site at = call_site::here()) {
  return executor::shuffle(executor::call::shfl_xor, mask, value, lane_mask, width, at);
}

template <class T>
unsigned match_any(unsigned mask, T value, call_site at = call_site::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return executor::warp_collective(
      {executor::call::match_any, mask, &value, nullptr, sizeof(T), 0, 32, at});
}

template <class T>
unsigned match_all(unsigned mask, T value, call_site at = call_site::here()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return executor::warp_collective(
      {executor::call::match_all, mask, &value, nullptr, sizeof(T), 0, 32, at});
}

template <class T>
T reduce_add(unsigned mask, T value, call_site at = call_site::here()) {
  return executor::reduce(executor::call::reduce_add, mask, value, at);
}

template <class T>
T reduce_min(unsigned mask, T value, call_site at = call_site::here()) {
  using executor::call;
  return executor::reduce(std::is_signed_v<T> ? call::reduce_min_signed : call::reduce_min_unsigned,
                          mask, value, at);
}

template <class T>
T reduce_max(unsigned mask, T value, call_site at = call_site::here()) {
  using executor::call;
  return executor::reduce(std::is_signed_v<T> ? call::reduce_max_signed : call::reduce_max_unsigned,
                          mask, value, at);
}

inline unsigned reduce_and(unsigned mask, unsigned value, call_site at = call_site::here()) {
  return executor::reduce(executor::call::reduce_and, mask, value, at);
}

inline unsigned reduce_or(unsigned mask, unsigned value, call_site at = call_site::here()) {
  return executor::reduce(executor::call::reduce_or, mask, value, at);
}

inline unsigned reduce_xor(unsigned mask, unsigned value, call_site at = call_site::here()) {
  return executor::reduce(executor::call::reduce_xor, mask, value, at);
}

inline unsigned lanemask_lt() { return (1u << lane_id()) - 1u; }
inline unsigned lanemask_le() { return lanemask_lt() | 1u << lane_id(); }
inline unsigned lanemask_eq() { return 1u << lane_id(); }
inline unsigned lanemask_gt() { return ~lanemask_le(); }
inline unsigned lanemask_ge() { return ~lanemask_lt(); }

inline int popc(unsigned word) { return std::popcount(word); }
inline int popc(unsigned long long word) { return std::popcount(word); }
inline int clz(unsigned word) { return std::countl_zero(word); }
inline int ffs(unsigned word) { return word == 0 ? 0 : std::countr_zero(word) + 1; }

inline unsigned brev(unsigned word) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (word >> bit & 1u) << (31 - bit);
  return reversed;
}

inline unsigned byte_perm(unsigned low, unsigned high, unsigned selector) {
  std::uint64_t const both = std::uint64_t{high} << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned const from = selector >> (4 * i) & 7u;
    result |= static_cast<unsigned>(both >> (8 * from) & 0xff) << (8 * i);
  }
  return result;
}

template <class Small>
unsigned dp4a(unsigned word, unsigned weights, unsigned sum) {
  static_assert(sizeof(Small) <= 2);
  constexpr int bits = 8 * static_cast<int>(sizeof(Small));
  for (int i = 0; i < 32 / bits; ++i) {
    auto const item = static_cast<Small>(word >> (bits * i));
    auto const weight = weights >> (8 * i) & 0xffu;
    sum += static_cast<unsigned>(item) * weight;
  }
  return sum;
}

}  // namespace libscan::inline v1_executor::simt
