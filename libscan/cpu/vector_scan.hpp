// SPDX-License-Identifier: Apache-2.0
// Sums and scans of consecutive items in vector registers: one core's part of a scan. Compiled for
// several instruction sets in vector_scan.cpp; the best one the CPU has is chosen at run time.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::inline v1::cpu::detail {

/// Items whose sum is wanted, and the sum.
template <class T>
struct wanted_sum {
  T const* items;
  index_t n;
  T sum;
};

/// The vector code of one operator. Results depend on the items, `carry` and n alone, bit for bit:
/// not on the instruction set, the addresses or the road.
template <class Op>
struct vector_scan {
  using T = typename Op::value_type;

  /// items[0] op ... op items[n - 1], n >= 1.
  T (*sum)(T const* items, index_t n);
  /// out[i] = carry op in[0] op ... op in[i] (inclusive) or op in[i - 1] (exclusive) for the n
  /// items; `out` may be `in`. Returns carry op in[0] op ... op in[n - 1], the last of the
  /// inclusive results, of either kind. `beside`, unless null: gets the `sum` of its items on the
  /// way, so that memory is read while results are written.
  T(*scan)
  (scan_kind kind, T const* in, T* out, index_t n, T carry, store_road road, wanted_sum<T>* beside);
};

/// The same within segments: bit i % 64 of heads[i / 64] says whether item i begins one, and `init`
/// stands before each that begins. `carry` is what the segment under way sums to so far. Asks for
/// the two pieces of memory on the way.
template <class Op>
struct vector_segmented_scan {
  using T = typename Op::value_type;

  T(*scan)
  (scan_kind kind, T const* in, head_word const* heads, T* out, index_t n, T carry, T init,
   store_road road, memory_piece const& items_ahead, memory_piece const& heads_ahead);
};

template <template <class> class Code, template <class> class Op, class... T>
using code_for_types = std::tuple<Code<Op<T>>...>;

template <template <class> class Code, template <class> class Op>
using code_for_integers =
    code_for_types<Code, Op, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t>;

/// Code<Op> for every operator that has vector code.
template <template <class> class Code>
using vector_code = decltype(std::tuple_cat(
    code_for_integers<Code, plus>{}, code_for_types<Code, plus, float, double>{},
    code_for_integers<Code, minimum>{}, code_for_types<Code, minimum, float, double>{},
    code_for_integers<Code, maximum>{}, code_for_types<Code, maximum, float, double>{},
    code_for_integers<Code, bit_and>{}, code_for_integers<Code, bit_or>{},
    code_for_integers<Code, bit_xor>{}));

using vector_scans = vector_code<vector_scan>;
using vector_segmented_scans = vector_code<vector_segmented_scan>;

template <class Op, class Tuple>
inline constexpr bool holds_code_for = false;
template <class Op, class... Others>
inline constexpr bool holds_code_for<Op, std::tuple<vector_scan<Others>...>> =
    (std::is_same_v<Op, Others> || ...);

/// Whether `Op` has vector code.
template <class Op>
concept vectorised = holds_code_for<Op, vector_scans>;

/// For the best instruction set this CPU has, among those that Highway is told to use at the
/// moment.
vector_scans current_vector_scans();
vector_segmented_scans current_vector_segmented_scans();

/// The same, found once.
vector_scans const& best_vector_scans();
vector_segmented_scans const& best_vector_segmented_scans();

template <vectorised Op>
vector_scan<Op> const& vector_scan_of() {
  return std::get<vector_scan<Op>>(best_vector_scans());
}

template <vectorised Op>
vector_segmented_scan<Op> const& vector_segmented_scan_of() {
  return std::get<vector_segmented_scan<Op>>(best_vector_segmented_scans());
}

}  // namespace libscan::inline v1::cpu::detail
