// SPDX-License-Identifier: Apache-2.0
// What scan-spmv and scan-spmv-mpi accept.
#include <apps/spmv/program/spmv_input.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

#include <apps/common/table.hpp>

namespace libscan::apps {

semiring_kind semiring_named(std::string const& name) {
  auto const* const found = std::ranges::find(semiring_names, name);
  if (found != std::end(semiring_names)) {
    return static_cast<semiring_kind>(found - std::begin(semiring_names));
  }
  throw usage_error("--semiring: " + for_people(name) +
                    " is no semiring, expected plus-times, min-plus, max-times or or-and");
}

std::optional<std::uint64_t> seed_of(std::string const& x) {
  std::string const prefix = "random:";
  if (!x.starts_with(prefix)) return std::nullopt;
  std::uint64_t seed = 0;
  if (!parse_digits(std::string_view(x).substr(prefix.size()), seed)) {
    throw usage_error("--x: " + for_people(x) + ", expected random: and a whole number");
  }
  return seed;
}

void check_product_type(spmv_arguments const& arguments) {
  dtype const type = arguments.common.type.value_or(dtype::f64);
  if (type == dtype::f32 || type == dtype::f64 || type == dtype::i64) return;
  throw usage_error("--dtype " + std::string(name_of(type)) +
                    " is no type of a product, expected float32, float64 or int64");
}

dtype product_type(spmv_arguments const& arguments, matrix_file const& file) {
  dtype const of_file = file.field == matrix_field::integer ? dtype::i64 : dtype::f64;
  dtype const wanted = arguments.common.type.value_or(of_file);
  if (wanted == dtype::i64 && file.field == matrix_field::real) {
    throw usage_error("--dtype int64: the values of " + input_name(arguments.matrix) +
                      " are real, expected float32 or float64");
  }
  return wanted;
}

void transpose(matrix_file& file) {
  std::swap(file.rows, file.columns);
  std::swap(file.row_indices, file.column_indices);
}

read_options reading_of_x(spmv_arguments const& arguments, progress* meter) {
  read_options options = arguments.common.reading(meter);
  if (options.format != file_format::raw && format_of_name(arguments.x) != file_format::raw) {
    options.type.reset();
  }
  return options;
}

index_t places_listed(matrix_file const& file) {
  if (file.symmetry == matrix_symmetry::general) return file.entries();
  index_t places = 0;
  for (std::size_t k = 0; k < file.row_indices.size(); ++k) {
    places += file.row_indices[k] == file.column_indices[k] ? 1 : 2;
  }
  return places;
}

}  // namespace libscan::apps
