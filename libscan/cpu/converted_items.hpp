// SPDX-License-Identifier: Apache-2.0
// Items for vector code of another type, and results from it. Contiguous
// items of the operator's own type need neither; all others are converted a piece at a time in the
// L1 cache.
#pragma once

#include <algorithm>
#include <concepts>

#include <libscan/core/half.hpp>
#include <libscan/core/light_memory.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/fixed_width.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_halves.hpp>
#include <libscan/cpu/vector_scan.hpp>

namespace libscan::inline v1::cpu::detail {

/// Items that vector code can read: contiguous, of the operator's own type or another one with
/// vector code.
template <class It, class Op>
concept vector_input = std::contiguous_iterator<It> && vectorized<Op, std::iter_value_t<It>>;

/// Items that vector code can write.
template <class It, class Op>
concept vector_output = vectorized<Op> && std::contiguous_iterator<It> &&
    std::same_as<fixed_width<std::iter_value_t<It>>, fixed_width<typename Op::value_type>>;

/// 16-bit floats, to which float results are rounded.
template <class Out, class T>
concept rounds_from = half_float<Out> && std::same_as<T, float>;

/// Such an output of vector code.
template <class It, class Op>
concept rounded_output =
    vectorized<Op> && std::contiguous_iterator<It> && rounds_from < std::iter_value_t<It>,
typename Op::value_type > ;

/// The number of items converted together for vector code, in the L1 cache.
template <class T>
inline constexpr index_t converted_at_once = 16384 / static_cast<index_t>(sizeof(T));

/// to[k] = in[k] as T, for n items. An iterator may do that by itself, as in.copy_to(0, n, to).
template <class T, class In>
void convert_items(In in, index_t n, T* to) {
  using item = std::iter_value_t<In>;
  if constexpr (requires { in.copy_to(index_t{0}, n, to); }) return in.copy_to(0, n, to);
  if constexpr (std::contiguous_iterator<In> && half_float<item> && std::same_as<T, float>) {
    detail::code_for_halves<item>().widen(std::to_address(in), n, to);
  } else {
    for (index_t k = 0; k < n; ++k) to[k] = static_cast<T>(in[k]);
  }
}

/// to[k] = items[k], converted to the item type of `to`, for n items.
template <class T, class Out>
void convert_results(T const* items, index_t n, Out to) {
  using item = std::iter_value_t<Out>;
  if constexpr (std::contiguous_iterator<Out> && rounds_from<item, T>) {
    detail::code_for_halves<item>().narrow(items, n, std::to_address(to));
  } else if constexpr (std::same_as<std::iter_reference_t<Out>, item&>) {
    for (index_t k = 0; k < n; ++k) to[k] = static_cast<item>(items[k]);
  } else {
    for (index_t k = 0; k < n; ++k) to[k] = items[k];
  }
}

/// Calls work(i, items, count) for pieces of in[0..n-1] in order: items[0..count-1] are in[i], in[i
/// + 1], ... as T, and may be overwritten.
template <class T, class In, class Work>
void for_converted(In in, index_t n, Work work) {
  alignas(cache_line) T items[converted_at_once<T>];
  for (index_t i = 0; i < n; i += converted_at_once<T>) {
    index_t const count = std::min(converted_at_once<T>, n - i);
    detail::convert_items(in + i, count, items);
    work(i, items, count);
  }
}

/// to[k] = items[k], rounded, for up to `converted_at_once` floats.
template <half_float Half>
void round_to(float const* items, index_t n, Half* to, store_policy policy) {
  if (policy == store_policy::cached) return detail::code_for_halves<Half>().narrow(items, n, to);
  alignas(cache_line) Half rounded[converted_at_once<float>];
  detail::code_for_halves<Half>().narrow(items, n, rounded);
  cpu::copy_by(policy, rounded, n, to);
}

}  // namespace libscan::inline v1::cpu::detail
