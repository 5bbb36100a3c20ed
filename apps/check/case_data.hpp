// SPDX-License-Identifier: Apache-2.0
// The inputs of a case and the room for its outputs.
#pragma once

#include <type_traits>

#include <apps/check/check_case.hpp>
#include <apps/check/image.hpp>
#include <libscan/core/operators.hpp>

namespace libscan::apps {

/// What a case reads.
layout input_layout(check_case const& c, index_t segments);

/// What it writes.
layout output_layout(check_case const& c);

/// How many segments a case has: 0 if none.
index_t count_segments(check_case const& c);

/// Fills `in`, of `input_layout`.
void make_inputs(check_case const& c, placed in);

/// Fills `out`, of `output_layout`, with canaries, and with the items if they are sorted in place.
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
      case operation::sum:
        return plus<T>::identity();
      case operation::minimum:
        return minimum<T>::identity();
      case operation::maximum:
        return maximum<T>::identity();
      case operation::bit_and:
        return static_cast<T>(std::is_integral_v<T> ? -1 : 0);
      default:
        return T(0);
    }
  }
  return static_cast<T>(static_cast<int>(c.word(200) % 100));
}

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
