// SPDX-License-Identifier: Apache-2.0
// From the arguments and files of scan-spmv and scan-spmv-mpi to numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/matrix_market.hpp>
#include <apps/common/number.hpp>
#include <apps/spmv/program/run_spmv.hpp>

namespace libscan::apps {

/// The semiring of a name. Throws `usage_error` for another name.
semiring_kind semiring_named(std::string const& name);

/// The seed in "random:SEED"; nothing if x is something else. Throws `usage_error`.
std::optional<std::uint64_t> seed_of(std::string const& x);

/// Throws `usage_error` unless --dtype is a type of a product.
void check_product_type(spmv_arguments const& arguments);

/// The type of the product: the requested one, else that of the file's numbers. Throws
/// `usage_error` for int64 and real numbers.
dtype product_type(spmv_arguments const& arguments, matrix_file const& file);

/// body(std::type_identity<T>{}) for the type of the product. Throws as `product_type`.
template <class Body>
decltype(auto) with_product_type(spmv_arguments const& arguments, matrix_file const& file,
                                 Body&& body) {
  switch (product_type(arguments, file)) {
    case dtype::f32:
      return body(std::type_identity<float>{});
    case dtype::i64:
      return body(std::type_identity<std::int64_t>{});
    default:
      return body(std::type_identity<double>{});
  }
}

/// Transposes a matrix, by exchanging rows and columns; the omitted part of a symmetric list stays
/// the same.
void transpose(matrix_file& file);

/// How to read the file of x. --dtype is the product's type: unless it is raw, the file has its
/// own.
read_options reading_of_x(spmv_arguments const& arguments, progress* meter);

/// The number of places in the list, including those above the diagonal, counting repetitions.
index_t places_listed(matrix_file const& file);

/// Numbers from a counter and a mixing function (splitmix64): floats in [-1, 1), integers in [-8,
/// 8).
template <class T>
T random_component(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t word = seed * 0x9e3779b97f4a7c15U + i * 0xd1342543de82ef95U;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  word ^= word >> 31;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(word >> 60) - 8;
  } else {
    constexpr int bits = std::numeric_limits<T>::digits;
    return std::ldexp(static_cast<T>(word >> (64 - bits)), 1 - bits) - 1;
  }
}

/// A number of a file as a T; refuses a finite one that would become infinite.
template <class T, class From>
T rounded(std::string const& path, From value) {
  T const result = static_cast<T>(value);
  if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<From>) {
    if (std::isinf(result) && !std::isinf(value)) {
      throw file_error(input_name(path), "the value " + number_text(value) +
                                             " is out of range, expected " + expected_number<T>());
    }
  }
  return result;
}

/// The values of a matrix. Throws `file_error` for one that is out of range.
template <class T>
std::vector<T> values_as(matrix_file const& file, std::string const& path) {
  std::vector<T> values;
  values.reserve(file.reals.size() + file.integers.size());
  for (std::int64_t const value : file.integers) values.push_back(static_cast<T>(value));
  for (double const value : file.reals) values.push_back(rounded<T>(path, value));
  return values;
}

/// The list of the file's entries with these values, or without if it is a pattern.
template <class T>
coo_matrix<T> list_of(matrix_file const& file, std::vector<T> const& values) {
  return {file.rows,
          file.columns,
          file.entries(),
          file.row_indices.data(),
          file.column_indices.data(),
          file.field == matrix_field::pattern ? nullptr : values.data(),
          static_cast<symmetry>(file.symmetry)};
}

/// Appends the items of the file of x. Throws `usage_error` for items that an integer cannot hold,
/// `file_error` for a float that is out of range.
template <class T>
void components_as(array const& items, std::string const& path, std::vector<T>& x) {
  visit_item_type(items.type, [&]<class From>(std::type_identity<From>) {
    if constexpr (std::is_integral_v<T> &&
                  (std::is_floating_point_v<From> || std::is_same_v<From, std::uint64_t>)) {
      throw usage_error("--x: " + std::string(name_of(items.type)) +
                        " components for an int64 matrix, expected integers of at most 64 bits "
                        "with sign, or --dtype float64");
    } else {
      for (From const value : items.values<From>()) x.push_back(rounded<T>(path, value));
    }
  });
}

}  // namespace libscan::apps
