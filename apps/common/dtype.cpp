// SPDX-License-Identifier: Apache-2.0
// Names and sizes of the item types.
#include <apps/common/dtype.hpp>

#include <string>

#include <apps/common/exit_code.hpp>

namespace libscan::apps {
namespace {

struct names {
  std::string_view brief;  // counts bits
  std::string_view full;
  std::string_view numpy;  // counts bytes
};

constexpr names table[] = {{"i8", "int8", "|i1"},     {"u8", "uint8", "|u1"},
                           {"i16", "int16", "<i2"},   {"u16", "uint16", "<u2"},
                           {"i32", "int32", "<i4"},   {"u32", "uint32", "<u4"},
                           {"i64", "int64", "<i8"},   {"u64", "uint64", "<u8"},
                           {"f32", "float32", "<f4"}, {"f64", "float64", "<f8"}};

names const& of(dtype type) { return table[static_cast<std::size_t>(type)]; }

}  // namespace

std::size_t size_of(dtype type) {
  return visit_dtype(type, [](auto tag) { return sizeof(typename decltype(tag)::type); });
}

std::string_view name_of(dtype type) { return of(type).full; }

std::string_view npy_descr(dtype type) { return of(type).numpy; }

dtype dtype_from_name(std::string_view name, std::string_view further) {
  for (dtype const type : all_dtypes) {
    bool const one_byte_short = size_of(type) == 1 && name.size() == 3 && name[0] == '<' &&
                                name.substr(1) == npy_descr(type).substr(1);
    if (name == of(type).brief || name == of(type).full || name == of(type).numpy ||
        one_byte_short) {
      return type;
    }
  }
  std::string known;
  for (dtype const type : all_dtypes) known.append(" ").append(name_of(type));
  known.append(further);
  throw usage_error(std::string("'").append(name) + "' is no item type, expected one of" + known);
}

}  // namespace libscan::apps
