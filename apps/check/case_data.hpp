// SPDX-License-Identifier: Apache-2.0
// The inputs of a case and the room for its outputs.
#pragma once

#include <type_traits>
#include <vector>

#include <apps/check/check_case.hpp>
#include <apps/check/image.hpp>
#include <libscan/core/operators.hpp>

namespace libscan::apps {

/// What a case reads.
layout input_layout(check_case const& c, index_t segments);

/// What it writes.
layout output_layout(check_case const& c, index_t segments);

/// How many segments a case has, or rows of a matrix: 0 if none.
index_t count_segments(check_case const& c);

/// Fills `in`, of `input_layout`.
void make_inputs(check_case const& c, placed in);

/// An output that begins as an input is.
struct copied_slot {
  slot from, to;
};

/// Those of a case: what is worked on in place, and what a product is added to.
std::vector<copied_slot> copied_slots(check_case const& c, layout const& in);

/// Fills `out`, of `output_layout`, with canaries and `copied_slots`.
void prepare_outputs(check_case const& c, placed in, placed out);

/// Whether items are integers, whatever their type.
bool are_integers(check_case const& c);

/// What is kept by a predicate: items below this. The same for every engine.
template <class T>
T threshold_of(check_case const& c);

/// What precedes the first item of a scan.
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

/// What the even bins of a case cover.
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

/// What products and vectors are multiplied by before they are added, where a case does so.
inline constexpr int product_alpha = 3, product_beta = 2;

/// Which bit `task::split_by_bit` goes by.
inline int split_bit(check_case const& c) {
  return static_cast<int>(c.word(201) % (8 * size_of(c.type)));
}

/// What a predicate and a mask keep in common: items below a threshold. NaN is not.
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
