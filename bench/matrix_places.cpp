// SPDX-License-Identifier: Apache-2.0
#include <bench/matrix_places.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <apps/common/matrix_market.hpp>
#include <bench/matrices.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/spmv.hpp>

namespace libscan::bench {

namespace {

constexpr index_t too_many = index_t{1} << 31;

void require_fewer(std::string const& name, index_t count, char const* what) {
  if (count < too_many) return;
  throw invalid_argument("matrix " + name + ": " + std::to_string(count) + " " + what +
                         ", expected fewer than 2^31");
}

/// The matrix of a list of entries, ignoring their values.
matrix_places from_list(std::string name, coo_matrix<float> const& list) {
  sparse_matrix<float> by_rows = to_rows(engine::cpu(), list);
  require_fewer(name, by_rows.nonzeros(), "entries");
  matrix_places result;
  result.name = std::move(name);
  result.rows = by_rows.rows;
  result.columns = by_rows.columns;
  result.offsets.assign(by_rows.offsets.begin(), by_rows.offsets.end());
  result.indices = std::move(by_rows.indices);
  return result;
}

/// The row or the column of edge k of a random graph: one bit per choice of a quarter.
struct rmat_end_at {
  int scale;
  bool column;

  std::int32_t operator()(index_t k) const {
    // Of 2^32: upper left, and with upper right, and with lower left.
    constexpr auto of_32_bits = [](double chance) {
      return static_cast<std::uint32_t>(chance * 4294967296.0);
    };
    constexpr std::uint32_t a = of_32_bits(0.57), ab = of_32_bits(0.76), abc = of_32_bits(0.95);
    std::int32_t end = 0;
    std::uint64_t word = 0;
    for (int level = 0; level < scale; ++level, word >>= 32) {
      if (level % 2 == 0) word = random_word(16, k * 32 + level);
      auto const draw = static_cast<std::uint32_t>(word);
      bool const lower = draw >= ab;
      bool const right = lower ? draw >= abc : draw >= a;
      end = 2 * end + ((column ? right : lower) ? 1 : 0);
    }
    return end;
  }
};

matrix_places rmat(index_t n) {
  constexpr index_t edges_of_vertex = 16;
  int const scale =
      static_cast<int>(std::lround(std::log2(static_cast<double>(std::max(n, 2 * edges_of_vertex)) /
                                             static_cast<double>(edges_of_vertex))));
  index_t const vertices = index_t{1} << scale;
  index_t const edges = vertices * edges_of_vertex;
  require_fewer("rmat", edges, "edges");
  auto const from = generated<std::int32_t>(edges, rmat_end_at{scale, false});
  auto const to = generated<std::int32_t>(edges, rmat_end_at{scale, true});
  return from_list("rmat", {vertices, vertices, edges, from.begin(), to.begin()});
}

}  // namespace

matrix_places places_of(std::string const& name, index_t n) {
  if (name == "rmat") return rmat(n);
  matrix_at const shape(name, n);
  matrix_places result;
  result.name = name;
  result.rows = result.columns = shape.rows();
  for (index_t r = 0; r < result.rows; ++r) {
    index_t const length = shape.length(r);
    require_fewer(name, result.nonzeros() + length, "entries");
    for (index_t k = 0; k < length; ++k) result.indices.push_back(shape.column(r, k));
    result.offsets.push_back(static_cast<std::int32_t>(result.indices.size()));
  }
  return result;
}

matrix_places places_in(std::string const& path) {
  apps::matrix_file const file = apps::read_matrix_market(path);
  std::string name = path.substr(path.rfind('/') + 1);
  for (char const* ending : {".gz", ".mtx"}) {
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  }
  matrix_places result =
      from_list(name, {file.rows, file.columns, file.entries(), file.row_indices.data(),
                       file.column_indices.data(), nullptr, static_cast<symmetry>(file.symmetry)});
  if (result.indices.empty()) {
    throw invalid_argument("matrix " + name + " has no entries to measure with");
  }
  return result;
}

matrix_places repeated(matrix_places const& one, index_t n) {
  index_t const times = std::max<index_t>(1, ceil_div(n, one.nonzeros()));
  if (times == 1) return one;
  require_fewer(one.name, times * std::max(one.rows, one.columns), "rows or columns");
  require_fewer(one.name, times * one.nonzeros(), "entries");
  matrix_places result;
  result.name = one.name + " x " + std::to_string(times);
  result.rows = times * one.rows;
  result.columns = times * one.columns;
  result.offsets.reserve(static_cast<std::size_t>(result.rows) + 1);
  result.indices.reserve(static_cast<std::size_t>(times * one.nonzeros()));
  for (index_t block = 0; block < times; ++block) {
    auto const entries_before = static_cast<std::int32_t>(block * one.nonzeros());
    auto const columns_before = static_cast<std::int32_t>(block * one.columns);
    for (auto end = one.offsets.begin() + 1; end != one.offsets.end(); ++end) {
      result.offsets.push_back(entries_before + *end);
    }
    for (std::int32_t const column : one.indices) result.indices.push_back(columns_before + column);
  }
  return result;
}

std::vector<std::string> matrix_names(options const& wanted) {
  if (!wanted.matrix_files.empty()) return wanted.matrices;
  return or_standard<std::string>(wanted.matrices, names_of(matrix_axis));
}

std::vector<index_t> file_sizes(options const& wanted) {
  return or_standard<index_t>(wanted.sizes, {1});
}

}  // namespace libscan::bench
