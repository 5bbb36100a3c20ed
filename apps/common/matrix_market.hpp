// SPDX-License-Identifier: Apache-2.0
// Reading sparse matrices from Matrix Market files (Boisvert, Pozo & Remington, "The Matrix Market
// Exchange Formats", NISTIR 5935, 1996): coordinate format, optionally gzip-compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::apps {

class byte_source;
class progress;

/// The kind of values in a file; a pattern has none.
enum class matrix_field : std::uint8_t { real, integer, pattern };

/// What a file omits: nothing; or the part above the diagonal, which is equal to the part below or
/// its negative. A skew-symmetric file has no diagonal either.
enum class matrix_symmetry : std::uint8_t { general, symmetric, skew_symmetric };

/// The format's names: "real", "skew-symmetric", ...
std::string_view name_of(matrix_field field);
std::string_view name_of(matrix_symmetry kind);

/// A matrix as its file lists it: entry k is in row row_indices[k] and column column_indices[k],
/// both from 0, in the file's order. Its value is reals[k] or integers[k], depending on `field`.
struct matrix_file {
  index_t rows = 0;
  index_t columns = 0;
  matrix_field field = matrix_field::real;
  matrix_symmetry symmetry = matrix_symmetry::general;
  std::vector<std::int32_t> row_indices;
  std::vector<std::int32_t> column_indices;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::uint64_t bytes = 0;     ///< of text, decompressed
  index_t above_diagonal = 0;  ///< entries above the diagonal, unless the matrix is general

  index_t entries() const { return static_cast<index_t>(row_indices.size()); }
};

/// Reads the matrix in the file `path` on up to `threads` threads (0: one per core); "-" is
/// standard input. Prints a note on standard error if a symmetric matrix lists entries above its
/// diagonal.
///
/// Accepted: "%%MatrixMarket matrix coordinate", then real, integer, unsigned-integer or pattern,
/// then general, symmetric or skew-symmetric, in any case. Below that: lines that begin with '%'
/// (comments) and blank ones, and comments after sizes and entries; LF or CR LF; a UTF-8 byte order
/// mark; reals as decimals, rounded to nearest, inf or nan; 64-bit integers, which never pass
/// through a double. Rows and columns are at most 2^31 - 1. Entries of a symmetric or
/// skew-symmetric matrix may be on either side of the diagonal and stand for both, as in SciPy;
/// those on the diagonal of a skew-symmetric one must be 0.
///
/// Refused with file and line: another header, a skew-symmetric pattern, sizes that are no numbers
/// or do not fit the symmetry, indices outside 1 to rows or columns, numbers out of range, missing
/// or surplus words in a line, fewer or more entries than the size line claims. Repeated entries of
/// one place are all kept. Memory is taken for the lines that exist, not for the claims of a
/// header.
///
/// Throws: `file_error`, `error` beyond `memory_bound()`, std::bad_alloc.
matrix_file read_matrix_market(std::string const& path, progress* meter = nullptr, int threads = 0);

/// The same from any source of bytes; `name` stands for the file in messages. A thread takes about
/// `piece_bytes` at once.
matrix_file read_matrix_market(std::unique_ptr<byte_source> source, std::string const& name,
                               int threads = 0, std::size_t piece_bytes = std::size_t{1} << 20);

}  // namespace libscan::apps
