// SPDX-License-Identifier: Apache-2.0
// Where the sparse matrices that products are measured with have their entries, on the host: those
// that are told row by row, random graphs, and those of files. Values are made where they are used.
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
/// Mining", 2004) as Graph500 draws them, without its shuffling of the vertices: 2^S vertices, S
/// the power of two nearest to n / 16; 16 edges a vertex, each in a quarter of the matrix, of that
/// quarter, and so on, with chances 0.57, 0.19, 0.19 and 0.05. An edge that is drawn again counts
/// once. Throws `invalid_argument` for other names, and for 2^31 entries or more.
matrix_places places_of(std::string const& name, index_t n);

/// The matrix in a Matrix Market file, gzip-compressed or not: both triangles of a symmetric one,
/// entries of one place once. It is named as the file is, without folders and endings. Throws
/// `file_error` if it cannot be read, `invalid_argument` if it has no entries, or 2^31 or more.
matrix_places places_in(std::string const& path);

/// The matrix as often along the diagonal of a larger one as it takes to have n entries: once, if
/// it has as many. Throws `invalid_argument` if a number of rows, columns or entries is then 2^31
/// or more.
matrix_places repeated(matrix_places const& one, index_t n);

/// The matrices by name that a command line asks for: all there are, unless it names matrices or
/// files.
std::vector<std::string> matrix_names(options const& wanted);

/// How often to repeat a file's matrix: until it has so many entries; once, if nothing is asked
/// for.
std::vector<index_t> file_sizes(options const& wanted);

}  // namespace libscan::bench
