// SPDX-License-Identifier: Apache-2.0
// Reading sparse matrices from Matrix Market files (Boisvert, Pozo & Remington, "The Matrix Market
// Exchange Formats", NISTIR 5935, 1996): coordinate format, optionally gzip-compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::apps {

class byte_reader;
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

/// The same matrix, all at once or piece by piece: for those that do not fit in memory. Errors as
/// `read_matrix_market`.
class matrix_stream {
 public:
  /// Opens a file, and looks for its sizes.
  matrix_stream(std::string const& path, progress* meter, int threads);
  ~matrix_stream();
  matrix_stream(matrix_stream const&) = delete;
  matrix_stream& operator=(matrix_stream const&) = delete;

  /// The matrix without its entries, and the number of entries that the file claims; nothing if the
  /// sizes are not in the first bytes. Then, only `read_all` is possible.
  struct claims {
    matrix_file matrix;
    index_t entries = 0;
  };
  std::optional<claims> const& head() const { return head_; }

  /// The bytes of text, if they will have to be in memory; a guess if the file is compressed.
  std::uint64_t text_bytes() const;

  /// All of the matrix.
  matrix_file read_all();

  /// Replaces the entries of `to` by the next ones; false: there are none.
  bool next(matrix_file& to);

 private:
  bool fill();
  void finish(matrix_symmetry kind) const;

  std::string name_;
  progress* meter_;
  int threads_;
  std::unique_ptr<byte_reader> in_;
  std::optional<claims> head_;
  std::vector<char> text_;  // the next bytes
  std::size_t filled_ = 0, taken_ = 0;
  bool at_end_ = false;
  std::uint64_t lines_ = 0;  // that were read
  index_t entries_ = 0;
  index_t above_diagonal_ = 0;
};

/// The same from any source of bytes; `name` stands for the file in messages. A thread takes about
/// `piece_bytes` at once.
matrix_file read_matrix_market(std::unique_ptr<byte_source> source, std::string const& name,
                               int threads = 0, std::size_t piece_bytes = std::size_t{1} << 20);

/// Prints a note on standard error if a matrix that is not general has entries above its diagonal.
void note_above_diagonal(std::string const& name, matrix_symmetry kind, index_t entries);

/// Lines and entries of some text.
struct line_counts {
  std::uint64_t lines = 0;
  index_t entries = 0;
};

/// A part of a matrix's file, for programs whose processes read one part each: the lines that begin
/// in one of several equal ranges of its bytes.
class matrix_market_part {
 public:
  /// Reads the sizes, and the bytes of part `part` of `parts`; counts its lines. Throws: as
  /// `read_matrix_market`; `usage_error` for what is no uncompressed regular file.
  matrix_market_part(std::string const& path, int part, int parts, int threads = 0);
  ~matrix_market_part();
  matrix_market_part(matrix_market_part const&) = delete;
  matrix_market_part& operator=(matrix_market_part const&) = delete;

  /// The sizes, without entries; and how many entries they claim.
  matrix_file const& matrix() const;
  index_t claimed() const { return claimed_; }

  /// The lines and entries of this part.
  line_counts counts() const { return counts_; }

  /// The matrix with the entries of this part. `before`: the lines and entries of earlier parts;
  /// `all`: those of all parts. Once. Throws: as `read_matrix_market`.
  matrix_file parse(line_counts before, line_counts all);

 private:
  struct state;
  std::unique_ptr<state> state_;
  int threads_;
  index_t claimed_ = 0;
  std::uint64_t header_lines_ = 0;
  line_counts counts_;
};

}  // namespace libscan::apps
