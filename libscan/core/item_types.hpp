// SPDX-License-Identifier: Apache-2.0
// The one list of item types that compiled code knows: the host API, the programs and scan-check.
// A new type is one line here; whatever lacks it then does not compile or link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/half.hpp>

// Each list calls use(name, type) for its types. The groups are what one source is compiled for:
// see libscan_compile_for_types in script/cmake/item_types.cmake.
#define LIBSCAN_INT8(use) use(i8, std::int8_t)
#define LIBSCAN_UINT8(use) use(u8, std::uint8_t)
#define LIBSCAN_INT16(use) use(i16, std::int16_t)
#define LIBSCAN_UINT16(use) use(u16, std::uint16_t)
#define LIBSCAN_INT32(use) use(i32, std::int32_t)
#define LIBSCAN_UINT32(use) use(u32, std::uint32_t)
#define LIBSCAN_INT64(use) use(i64, std::int64_t)
#define LIBSCAN_UINT64(use) use(u64, std::uint64_t)
#define LIBSCAN_8_BITS(use) LIBSCAN_INT8(use) LIBSCAN_UINT8(use)
#define LIBSCAN_16_BITS(use) LIBSCAN_INT16(use) LIBSCAN_UINT16(use)
#define LIBSCAN_BYTES(use) LIBSCAN_8_BITS(use) LIBSCAN_16_BITS(use)
#define LIBSCAN_WORDS(use) LIBSCAN_INT32(use) LIBSCAN_UINT32(use)
#define LIBSCAN_LONG_WORDS(use) LIBSCAN_INT64(use) LIBSCAN_UINT64(use)
#define LIBSCAN_FLOAT(use) use(f32, float)
#define LIBSCAN_DOUBLE(use) use(f64, double)
#define LIBSCAN_FLOATS(use) LIBSCAN_FLOAT(use) LIBSCAN_DOUBLE(use)
#define LIBSCAN_HALVES(use) use(f16, libscan::float16) use(bf16, libscan::bfloat16)
// For what takes only some of them.
#define LIBSCAN_UNSIGNED_BYTES(use) LIBSCAN_UINT8(use) LIBSCAN_UINT16(use)
#define LIBSCAN_UNSIGNED_WORDS(use) LIBSCAN_UINT32(use) LIBSCAN_UINT64(use)

/// The types that every operation of the host API takes.
#define LIBSCAN_ITEM_TYPES(use) \
  LIBSCAN_BYTES(use) LIBSCAN_WORDS(use) LIBSCAN_LONG_WORDS(use) LIBSCAN_FLOATS(use)

namespace libscan::inline v1 {

/// A type of items, known at run time.
#define LIBSCAN_NAME(name, type) name,
enum class item_type : std::uint8_t { LIBSCAN_ITEM_TYPES(LIBSCAN_NAME) };
#undef LIBSCAN_NAME

/// Every item type, in the order of the enumeration.
#define LIBSCAN_NAME(name, type) item_type::name,
inline constexpr item_type all_item_types[] = {LIBSCAN_ITEM_TYPES(LIBSCAN_NAME)};
#undef LIBSCAN_NAME

/// Returns f(std::type_identity<T>{}) for the C++ type T of `type`. Throws `invalid_argument` for
/// a value that is no item type.
template <class F>
decltype(auto) visit_item_type(item_type type, F&& f) {
  switch (type) {
#define LIBSCAN_VISIT(name, type) \
  case item_type::name:           \
    return f(std::type_identity<type>{});
    LIBSCAN_ITEM_TYPES(LIBSCAN_VISIT)
#undef LIBSCAN_VISIT
  }
  throw invalid_argument("item_type " + std::to_string(static_cast<int>(type)) +
                         ": no such type of items");
}

/// Bytes of one item.
inline std::size_t size_of(item_type type) {
  return libscan::visit_item_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

namespace detail {

/// The item type with T's size and kind of number (so `long long` and `long` are both i64), and
/// its C++ type. Empty for all other types.
template <class T>
struct item_type_of {};

template <class T, class U>
concept same_number =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) == sizeof(U) &&
    std::is_floating_point_v<T> == std::is_floating_point_v<U> &&
    std::is_signed_v<T> == std::is_signed_v<U>;

#define LIBSCAN_TYPE_OF(name, item)                     \
  template <same_number<item> T>                        \
  struct item_type_of<T> {                              \
    using type = item;                                  \
    static constexpr item_type value = item_type::name; \
  };
LIBSCAN_ITEM_TYPES(LIBSCAN_TYPE_OF)
#undef LIBSCAN_TYPE_OF

/// True for the types of the list, by whichever name.
template <class T>
concept listed_item = requires {
  typename item_type_of<T>::type;
};

}  // namespace detail

}  // namespace libscan::inline v1
