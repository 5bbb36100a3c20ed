// SPDX-License-Identifier: Apache-2.0
// The places of the entries of the measured sparse matrices, on the host: matrices computed row by
// row, random graphs, and matrices in files. Values are made where they are used.
#pragma once

#include <string>
#include <vector>

#include <bench/options.hpp>
#include <libscan/core/types.hpp>

namespace libscan::bench {

/// The places of a matrix's entries, by rows: those of row r are in columns indices[offsets[r]] ...
/// indices[offsets[r + 1] - 1].
struct matrix_places {
  std::string name;
  index_t rows = 0;
  index_t columns = 0;
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> indices;

  index_t nonzeros() const { return static_cast<index_t>(indices.size()); }
};

/// The matrix of a name on `matrix_axis` with about `n` entries.
///
/// "rmat" is a random graph (Chakrabarti, Zhan & Faloutsos, "R-MAT: A Recursive Model for Graph
/// Mining", 2004) as in Graph500, without its shuffling of the vertices: 2^S vertices, S the power
/// of two nearest to n / 16, and 16 edges per vertex. An edge falls into a quarter of the matrix,
/// then into a quarter of that, and so on, with probabilities 0.57, 0.19, 0.19 and 0.05. Repeated
/// edges count once.
/// Throws: `invalid_argument` for other names, and for 2^31 entries or more.
matrix_places places_of(std::string const& name, index_t n);

/// The matrix in a Matrix Market file, optionally gzip-compressed: both triangles of a symmetric
/// one, entries at the same place once. It is named after the file, without folders and endings.
/// Throws: `file_error` if it cannot be read, `invalid_argument` if it has no entries, or 2^31 or
/// more.
matrix_places places_in(std::string const& path);

/// The matrix repeated along the diagonal of a larger one until that has n entries; once if it has
/// at least n itself. Throws `invalid_argument` if there are then 2^31 or more rows, columns or
/// entries.
matrix_places repeated(matrix_places const& one, index_t n);

/// The matrices that a command line requests by name: all there are, unless it names matrices or
/// files.
std::vector<std::string> matrix_names(options const& wanted);

/// The numbers of entries to repeat a file's matrix to; its own number if none is requested.
std::vector<index_t> file_sizes(options const& wanted);

}  // namespace libscan::bench
