// SPDX-License-Identifier: Apache-2.0
// The inputs of a case, and the memory for its outputs.
#pragma once

#include <type_traits>
#include <vector>

#include <apps/check/check_case.hpp>
#include <apps/check/image.hpp>
#include <libscan/core/operators.hpp>

namespace libscan::apps {

/// The arrays that a case reads.
layout input_layout(check_case const& c, index_t segments);

/// The arrays that it writes.
layout output_layout(check_case const& c, index_t segments);

/// The number of segments of a case, or of rows of its matrix; 0 if it has none.
index_t count_segments(check_case const& c);

/// Fills `in`, of `input_layout`.
void make_inputs(check_case const& c, placed in);

/// An output that starts as a copy of an input.
struct copied_slot {
  slot from, to;
};

/// Those of a case: the arrays of calls in place, and the vector that a product is added to.
std::vector<copied_slot> copied_slots(check_case const& c, layout const& in);

/// Fills `out`, of `output_layout`, with canaries and `copied_slots`.
void prepare_outputs(check_case const& c, placed in, placed out);

/// Whether items are integers, whatever their type.
bool are_integers(check_case const& c);

/// The predicate keeps items below this. The same for every engine.
template <class T>
T threshold_of(check_case const& c);

/// The value before the first item of a scan of numbers.
template <class T>
T init_of(check_case const& c) {
  if (!c.has_init) {
    switch (c.op) {
      case operator_kind::plus:
        return plus<T>::identity();
      case operator_kind::minimum:
        return minimum<T>::identity();
      case operator_kind::maximum:
        return maximum<T>::identity();
      case operator_kind::bit_and:
        return static_cast<T>(std::is_integral_v<T> ? -1 : 0);
      case operator_kind::bit_or:
      case operator_kind::bit_xor:
        return T(0);
    }
  }
  return static_cast<T>(static_cast<int>(c.word(200) % 100));
}

/// The same for one part of complex numbers.
template <class T>
T init_part(check_case const& c, int part) {
  return c.has_init ? static_cast<T>(init_of<T>(c) + static_cast<T>(part)) : init_of<T>(c);
}

/// The range of the even bins of a case.
struct value_range {
  double lo, hi;
};
value_range range_of(check_case const& c);

/// The first of a case's bins of integers.
template <class T>
T first_bin(check_case const& c) {
  auto const some = static_cast<int>(c.word(202) % 20);
  return static_cast<T>(std::is_signed_v<T> ? -some : some);
}

/// The factors of products and vectors, in cases that add them.
inline constexpr int product_alpha = 3, product_beta = 2;

/// The bit that decides in `task::split_by_bit`.
inline int split_bit(check_case const& c) {
  return static_cast<int>(c.word(201) % (8 * size_of(c.type)));
}

/// What predicates and masks keep: items below a threshold. NaN is not.
template <class T>
struct is_below {
  T threshold;
  LIBSCAN_HOST_DEVICE bool operator()(T x) const { return x < threshold; }
};

/// The bucket of a key.
template <class T>
struct bucket_by_value {
  unsigned buckets;
  LIBSCAN_HOST_DEVICE unsigned operator()(T key) const {
    return static_cast<unsigned>(static_cast<std::make_unsigned_t<T>>(key) % buckets);
  }
};

}  // namespace libscan::apps
