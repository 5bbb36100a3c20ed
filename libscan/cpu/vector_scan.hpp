// SPDX-License-Identifier: Apache-2.0
// Sums and scans of consecutive items in vector registers: one core's part of a scan. Compiled for
// several instruction sets in vector_scan.cpp; the best one the CPU has is chosen at run time.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/fixed_width.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::inline v1::cpu::detail {

/// Items to sum, and their sum.
template <class Item, class T = Item>
struct wanted_sum {
  Item const* items;
  index_t n;
  T sum;
};

/// The vector code of one operator for items of its own type or of a narrower one, converted.
/// Results depend only on the items, `carry` and n, bit for bit: not on the instruction set, the
/// addresses or the policy.
template <class Op, class Item>
struct vector_scan_of_items {
  using T = typename Op::value_type;

  /// items[0] op ... op items[n - 1], n >= 1.
  T (*sum)(Item const* items, index_t n);
  /// out[i] = carry op in[0] op ... op in[i] (inclusive) or op in[i - 1] (exclusive) for the n
  /// items; `out` may be `in`, of its own type. Returns carry op in[0] op ... op in[n - 1], the
  /// last inclusive result, for either kind. `beside`, unless null, gets the `sum` of its items, so
  /// that memory is read while results are written.
  T(*scan)
  (scan_kind kind, Item const* in, T* out, index_t n, T carry, store_policy policy,
   wanted_sum<Item, T>* beside);
};

template <class Op>
using vector_scan = vector_scan_of_items<Op, typename Op::value_type>;

/// The same within segments: bit i % 64 of `heads[i / 64]` is set if item i begins one, and `init`
/// comes before each new one. `carry` is the sum so far of the segment that continues. Prefetches
/// the two pieces of memory on the way.
template <class Op>
struct vector_segmented_scan {
  using T = typename Op::value_type;

  T(*scan)
  (scan_kind kind, T const* in, head_word const* heads, T* out, index_t n, T carry, T init,
   store_policy policy, memory_piece const& items_ahead, memory_piece const& heads_ahead);
};

/// Code of different types, or tables of such code. The base classes take the place of a
/// std::tuple, which takes half a second to compile wherever it is included.
template <class... Code>
struct code_table : Code... {
  /// Calls f(code) for all code.
  template <class Function>
  void for_each(Function const& f) {
    (call<Code>(f), ...);
  }

 private:
  template <class One, class Function>
  void call(Function const& f) {
    One& one = *this;
    if constexpr (requires { one.for_each(f); }) {
      one.for_each(f);
    } else {
      f(one);
    }
  }
};

template <template <class> class Code, template <class> class Op>
using code_for_integers =
    code_table<Code<Op<std::int8_t>>, Code<Op<std::int16_t>>, Code<Op<std::int32_t>>,
               Code<Op<std::int64_t>>, Code<Op<std::uint8_t>>, Code<Op<std::uint16_t>>,
               Code<Op<std::uint32_t>>, Code<Op<std::uint64_t>>>;
template <template <class> class Code, template <class> class Op>
using code_for_floats = code_table<Code<Op<float>>, Code<Op<double>>>;

#define LIBSCAN_INTEGERS(name, word) code_for_integers<Code, name>,
#define LIBSCAN_FLOATING(name, word) code_for_floats<Code, name>,
/// Code<Op> for every operator of the list and the types that it is for.
template <template <class> class Code>
using vector_code = code_table<LIBSCAN_OPERATORS(LIBSCAN_INTEGERS)
                                   LIBSCAN_NUMBER_OPERATORS(LIBSCAN_FLOATING) code_table<>>;
#undef LIBSCAN_INTEGERS
#undef LIBSCAN_FLOATING

struct vector_scans : vector_code<vector_scan> {};
struct vector_segmented_scans : vector_code<vector_segmented_scan> {};

template <class T, class... Item>
using sums_of_items = code_table<vector_scan_of_items<plus<T>, Item>...>;
template <class T>
using sums_of_short_items =
    sums_of_items<T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;

/// Sums in wider types than the items': counts and lengths to places, for example.
struct vector_widening_scans
    : code_table<sums_of_short_items<std::int32_t>, sums_of_short_items<std::uint32_t>,
                 sums_of_short_items<std::int64_t>, sums_of_short_items<std::uint64_t>,
                 sums_of_items<std::int64_t, std::int32_t, std::uint32_t>,
                 sums_of_items<std::uint64_t, std::int32_t, std::uint32_t>,
                 sums_of_items<double, float>> {};

template <class Op>
struct fixed_width_operator {
  using type = Op;
};
template <template <class> class Op, many_valued_integer T>
struct fixed_width_operator<Op<T>> {
  using type = Op<fixed_width<T>>;
};

/// The vector code that is compiled for `Op` and such items, or would be: that of integers of the
/// same widths and signedness.
template <class Op, class Item>
using code_for = vector_scan_of_items<typename fixed_width_operator<Op>::type, fixed_width<Item>>;

template <class Op, class Item>
concept widens = std::is_base_of_v<code_for<Op, Item>, vector_widening_scans>;

template <class T>
class chosen_operator;

/// Whether `Op` has vector code for such items.
template <class Op, class Item = typename Op::value_type>
concept vectorized = std::is_base_of_v<code_for<Op, Item>, vector_scans> || widens<Op, Item> ||
    std::is_same_v<Op, chosen_operator<Item>>;

#define LIBSCAN_ASSERT(name, type) \
  static_assert(vectorized<minimum<type>>, "an item type of the list has no vector code");
LIBSCAN_ITEM_TYPES(LIBSCAN_ASSERT)
#undef LIBSCAN_ASSERT

/// For the best instruction set of this CPU among those that Highway may currently use.
vector_scans current_vector_scans();
vector_widening_scans current_vector_widening_scans();
vector_segmented_scans current_vector_segmented_scans();

/// The same, cached.
vector_scans const& best_vector_scans();
vector_widening_scans const& best_vector_widening_scans();
vector_segmented_scans const& best_vector_segmented_scans();

/// An operator over T, chosen at run time among those with vector code: with it a scan is compiled
/// once for all of them.
template <class T>
class chosen_operator {
 public:
  using value_type = T;

  template <class Op>
  explicit chosen_operator(Op op)
      : call_([](T earlier, T later) -> T { return Op{}(earlier, later); }),
        identity_(op.identity()) {
    vector_scan<Op> const& best = best_vector_scans();
    vector_code_ = {best.sum, best.scan};
  }

  T operator()(T earlier, T later) const { return call_(earlier, later); }
  T identity() const { return identity_; }
  vector_scan<chosen_operator> const& vector_code() const { return vector_code_; }

 private:
  T (*call_)(T, T);
  T identity_;
  vector_scan<chosen_operator> vector_code_;
};

/// A `vector_scan_of_items` for item and result types whose `fixed_width` has code.
template <class Op, class Item>
class scan_code {
  using T = typename Op::value_type;
  using code = code_for<Op, Item>;
  using word = typename code::T;

 public:
  explicit scan_code(code const& compiled) : code_(compiled) {}

  T sum(Item const* items, index_t n) const {
    return static_cast<T>(code_.sum(detail::as_fixed_width(items), n));
  }

  template <class Out>
  T scan(scan_kind kind, Item const* in, Out* out, index_t n, T carry, store_policy policy,
         wanted_sum<Item, T>* beside) const {
    wanted_sum<fixed_width<Item>, word> wanted{};
    if (beside != nullptr) wanted = {detail::as_fixed_width(beside->items), beside->n, word{}};
    word const last =
        code_.scan(kind, detail::as_fixed_width(in), detail::as_fixed_width(out), n,
                   static_cast<word>(carry), policy, beside != nullptr ? &wanted : nullptr);
    if (beside != nullptr) beside->sum = static_cast<T>(wanted.sum);
    return static_cast<T>(last);
  }

 private:
  code const& code_;
};

/// A `vector_segmented_scan` in the same way.
template <class Op>
class segmented_scan_code {
  using T = typename Op::value_type;
  using code = vector_segmented_scan<typename fixed_width_operator<Op>::type>;
  using word = typename code::T;

 public:
  explicit segmented_scan_code(code const& compiled) : code_(compiled) {}

  T scan(scan_kind kind, T const* in, head_word const* heads, T* out, index_t n, T carry, T init,
         store_policy policy, memory_piece const& items_ahead,
         memory_piece const& heads_ahead) const {
    return static_cast<T>(code_.scan(kind, detail::as_fixed_width(in), heads,
                                     detail::as_fixed_width(out), n, static_cast<word>(carry),
                                     static_cast<word>(init), policy, items_ahead, heads_ahead));
  }

 private:
  code const& code_;
};

/// The best code for an operator and items that have some. It may refer to `op`.
template <class Item, class Op>
requires vectorized<Op, Item> scan_code<Op, Item> vector_scan_of(Op const& op) {
  if constexpr (std::is_same_v<Op, chosen_operator<Item>>) {
    return scan_code<Op, Item>(op.vector_code());
  } else if constexpr (widens<Op, Item>) {
    return scan_code<Op, Item>(best_vector_widening_scans());
  } else {
    return scan_code<Op, Item>(best_vector_scans());
  }
}

template <vectorized Op>
segmented_scan_code<Op> vector_segmented_scan_of() {
  return segmented_scan_code<Op>(best_vector_segmented_scans());
}

}  // namespace libscan::inline v1::cpu::detail
