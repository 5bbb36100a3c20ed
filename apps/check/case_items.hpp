// SPDX-License-Identifier: Apache-2.0
// The types of keys and values of sorts that are no `dtype`, and the step from a case to types.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <apps/check/check_case.hpp>
#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/half.hpp>

namespace libscan::apps {

/// A key of several fields; the first is the most significant.
struct key_record {
  std::int32_t group;
  float weight;
  std::uint16_t place;
  std::int16_t shade;
};

/// Its words.
struct record_words {
  LIBSCAN_HOST_DEVICE std::array<std::uint32_t, 3> operator()(key_record const& key) const {
    std::uint32_t const shade = number_order<std::int16_t>{}(key.shade);
    return {number_order<std::int32_t>{}(key.group), number_order<float>{}(key.weight),
            std::uint32_t{key.place} << 16 | shade};
  }
};

/// A value of 16 bytes.
struct wide_value {
  std::uint64_t first, second;
};

/// How keys of a type are split into words.
template <class Key>
using key_words =
    std::conditional_t<std::is_same_v<Key, key_record>, record_words, number_order<Key>>;

/// The order of a case's sort.
template <class Key>
sort_order<Key, key_words<Key>> order_of(check_case const& c) {
  return {c.descending ? sort_direction::descending : sort_direction::ascending, c.first_bit,
          c.end_bit};
}

/// The type of values of this many bytes.
template <int Bytes>
using value_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<
        Bytes == 2, std::uint16_t,
        std::conditional_t<Bytes == 4, std::uint32_t,
                           std::conditional_t<Bytes == 8, std::uint64_t, wide_value>>>>;

/// `value_bytes_on_device` for a type of key.
template <class Key>
constexpr int value_bytes_with() {
  if constexpr (std::is_same_v<Key, key_record>) {
    return value_bytes_on_device(dtype::u32, key_kind::record);
  } else if constexpr (half_float<Key>) {
    return value_bytes_on_device(dtype::u16, key_kind::half);
  } else {
    return value_bytes_on_device(dtype_of<Key>(), key_kind::number);
  }
}

/// f(std::type_identity<Key>{}) for the type of a case's items.
template <class F>
decltype(auto) visit_items(check_case const& c, F&& f) {
  switch (c.keys) {
    case key_kind::half:
      return f(std::type_identity<float16>{});
    case key_kind::bfloat:
      return f(std::type_identity<bfloat16>{});
    case key_kind::record:
      return f(std::type_identity<key_record>{});
    case key_kind::number:
      break;
  }
  return visit_item_type(c.type, f);
}

/// The number type of the same kind with half the bits; T if there is none.
template <class T>
struct narrower {
  using type = T;
};
template <>
struct narrower<double> {
  using type = float;
};
template <std::integral T>
requires(sizeof(T) > 1) struct narrower<T> {
  using bits = std::conditional_t<sizeof(T) == 8, std::int32_t,
                                  std::conditional_t<sizeof(T) == 4, std::int16_t, std::int8_t>>;
  using type = std::conditional_t<std::is_signed_v<T>, bits, std::make_unsigned_t<bits>>;
};

/// f(std::type_identity<Source>{}) for the type of the items that a case reads, of results of T.
template <class T, class F>
decltype(auto) visit_source(check_case const& c, F&& f) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (c.form.source == item_source::boolean) return f(std::type_identity<bool>{});
  }
  if constexpr (std::is_same_v<T, float>) {
    if (c.form.source == item_source::half) return f(std::type_identity<float16>{});
    if (c.form.source == item_source::bfloat) return f(std::type_identity<bfloat16>{});
  }
  if constexpr (!std::is_same_v<T, typename narrower<T>::type>) {
    if (c.form.source == item_source::narrower) {
      return f(std::type_identity<typename narrower<T>::type>{});
    }
  }
  return f(std::type_identity<T>{});
}

/// f(std::type_identity<Value>{}) for the type of a case's values.
template <class F>
decltype(auto) visit_values(check_case const& c, F&& f) {
  switch (c.value_bytes) {
    case 1:
      return f(std::type_identity<value_of<1>>{});
    case 2:
      return f(std::type_identity<value_of<2>>{});
    case 4:
      return f(std::type_identity<value_of<4>>{});
    case 8:
      return f(std::type_identity<value_of<8>>{});
    default:
      return f(std::type_identity<value_of<16>>{});
  }
}

}  // namespace libscan::apps
