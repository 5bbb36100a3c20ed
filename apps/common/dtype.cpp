// SPDX-License-Identifier: Apache-2.0
// Names of the item types.
#include <apps/common/dtype.hpp>

#include <string>
#include <type_traits>
#include <vector>

#include <apps/common/exit_code.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {

namespace {

struct names {
  std::string brief;  // counts bits: "i32"
  std::string full;   // "int32"
  std::string numpy;  // counts bytes: "<i4"
};

std::vector<names> names_of_all() {
  std::vector<names> all;
#define LIBSCAN_NAME(name, type)                                              \
  all.push_back({#name,                                                       \
                 (std::is_floating_point_v<type> ? "float"                    \
                  : std::is_signed_v<type>       ? "int"                      \
                                                 : "uint") +                        \
                     std::to_string(8 * sizeof(type)),                        \
                 (sizeof(type) == 1 ? "|" : "<") + std::string(1, #name[0]) + \
                     std::to_string(sizeof(type))});
  LIBSCAN_ITEM_TYPES(LIBSCAN_NAME)
#undef LIBSCAN_NAME
  return all;
}

names const& of(dtype type) {
  static std::vector<names> const table = names_of_all();
  return table[static_cast<std::size_t>(type)];
}

}  // namespace

std::string_view name_of(dtype type) { return of(type).full; }

std::string_view npy_descr(dtype type) { return of(type).numpy; }

bool is_float(dtype type) {
  return visit_item_type(
      type, []<class T>(std::type_identity<T>) { return std::is_floating_point_v<T>; });
}

bool is_unsigned(dtype type) {
  return visit_item_type(type,
                         []<class T>(std::type_identity<T>) { return std::is_unsigned_v<T>; });
}

dtype dtype_from_name(std::string_view name, std::string_view further) {
  for (dtype const type : all_item_types) {
    bool const one_byte_short = size_of(type) == 1 && name.size() == 3 && name[0] == '<' &&
                                name.substr(1) == npy_descr(type).substr(1);
    if (name == of(type).brief || name == of(type).full || name == of(type).numpy ||
        one_byte_short) {
      return type;
    }
  }
  std::string known;
  for (dtype const type : all_item_types) known.append(" ").append(name_of(type));
  known.append(further);
  throw usage_error(for_people(name) + " is no item type, expected one of" + known);
}

std::optional<half_dtype> half_from_name(std::string_view name) {
  if (name == "f16" || name == "float16" || name == "<f2") return half_dtype::f16;
  if (name == "bf16" || name == "bfloat16") return half_dtype::bf16;
  return std::nullopt;
}

stored_type stored_type_from_name(std::string_view name) {
  if (auto const half = half_from_name(name)) return {{}, half};
  return {dtype_from_name(name, " float16 bfloat16"), {}};
}

std::string_view name_of(half_dtype type) {
  return type == half_dtype::f16 ? "float16" : "bfloat16";
}

}  // namespace libscan::apps
