// SPDX-License-Identifier: Apache-2.0
// Items and their head flags as pairs, which only exist while they are accessed.
#pragma once

#include <libscan/core/operators.hpp>
#include <libscan/core/segmented.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/segment_heads.hpp>

namespace libscan::inline v1::cpu::detail {

/// The items of a chunk in the form of `segmented<Op>`, with `init` before each head.
template <class Op>
struct flagged_items {
  using T = typename Op::value_type;
  T const* items;
  head_word const* heads;
  Op op;
  T init;

  flagged<T> operator[](index_t i) const {
    bool const head = is_head(heads, i);
    return {head ? op(init, items[i]) : items[i], head};
  }
};

/// Stores the results of `segmented<Op>` for a chunk. The exclusive prefix at a head is `init`, not
/// the segment before.
template <scan_kind Kind, class T>
struct unflagged_output {
  T* out;
  head_word const* heads;
  T init;

  struct place {
    T& to;
    bool head;
    T init;
    void operator=(flagged<T> const& prefix) const {
      to = Kind == scan_kind::exclusive && head ? init : prefix.value;
    }
  };
  place operator[](index_t i) const { return {out[i], is_head(heads, i), init}; }

  friend T* operator+(unflagged_output const& output, index_t i) { return output.out + i; }
};

}  // namespace libscan::inline v1::cpu::detail
