// SPDX-License-Identifier: Apache-2.0
// The sparse matrices of the measurements. All follow from positions. Values (also those of
// matrices in files) and vectors are small integers around 0, whose sums are exact in any order.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <bench/distributions.hpp>
#include <libscan/core/error.hpp>

namespace libscan::bench {

/// A 7-point stencil on a cube; one dense row among rows of one entry; rows of 0 to 2 entries; 16
/// random entries per row; row lengths by a power law, the longest an eighth of the columns; a band
/// of 27; a dense row, a dense column and the diagonal; an entry in every 16th row; a random graph
/// of 16 edges per vertex (see `places_of`).
inline constexpr std::array<std::string_view, 9> matrix_axis{
    "stencil7", "dense-row", "none-to-two", "uniform16", "power-law",
    "banded27", "arrow",     "hypersparse", "rmat"};

/// A square matrix, computed row by row.
class matrix_at {
 public:
  /// One of `matrix_axis` except rmat, with about `n` entries. Throws `invalid_argument` for other
  /// names.
  matrix_at(std::string_view name, index_t n) {
    while (kind_ < static_cast<int>(matrix_axis.size()) &&
           matrix_axis[static_cast<std::size_t>(kind_)] != name) {
      ++kind_;
    }
    switch (kind_) {
      case stencil7:
        side_ = std::max<index_t>(2, std::llround(std::cbrt(static_cast<double>(n) / 6.97)));
        rows_ = side_ * side_ * side_;
        break;
      case power_law:
        // The mean length is about rows^0.388 / 3.1.
        for (rows_ = 16; 2.0 * static_cast<double>(rows_) *
                             std::pow(2.0 * static_cast<double>(rows_), 0.388) / 3.1 <
                         1.1 * static_cast<double>(n);) {
          rows_ *= 2;
        }
        break;
      default: {
        constexpr double lengths[] = {1, 2, 1, 16, 1, 27, 3, 1.0 / 16};
        if (kind_ > hypersparse) {
          throw invalid_argument("matrices \"" + std::string(name) +
                                 "\" are not computed row by row");
        }
        rows_ = std::max<index_t>(64, std::llround(static_cast<double>(n) / lengths[kind_]));
      }
    }
  }

  LIBSCAN_HOST_DEVICE index_t rows() const { return rows_; }

  /// The number of entries of row r.
  LIBSCAN_HOST_DEVICE index_t length(index_t r) const {
    std::uint64_t const word = random_word(9, r);
    switch (kind_) {
      case stencil7: {
        index_t const x = r % side_, y = r / side_ % side_, z = r / side_ / side_;
        return 7 - (x == 0) - (x == side_ - 1) - (y == 0) - (y == side_ - 1) - (z == 0) -
               (z == side_ - 1);
      }
      case dense_row:
        return r == rows_ / 2 ? rows_ : 1;
      case none_to_two:
        return static_cast<index_t>(word % 3);
      case uniform16:
        return 16;
      case power_law: {
        auto const rank = static_cast<double>((r * 2654435761 & (rows_ - 1)) + 1);
        auto const wanted =
            static_cast<index_t>(static_cast<double>(rows_) / 8 * pow(rank, -0.612));
        return wanted > 1 ? wanted : 1;
      }
      case banded27:
        return (r + 13 < rows_ ? r + 13 : rows_ - 1) - (r < 13 ? 0 : r - 13) + 1;
      case arrow:
        return r == 0 ? rows_ : 2;
      default:
        return word % 16 == 0 ? 1 : 0;
    }
  }

  /// The column of entry k of row r.
  LIBSCAN_HOST_DEVICE std::int32_t column(index_t r, index_t k) const {
    switch (kind_) {
      case stencil7:
        return static_cast<std::int32_t>(neighbor(r, k));
      case dense_row:
        return static_cast<std::int32_t>(r == rows_ / 2 ? k : r);
      case none_to_two:
        return static_cast<std::int32_t>(r + k < rows_ ? r + k : rows_ - 1);
      case banded27:
        return static_cast<std::int32_t>((r < 13 ? 0 : r - 13) + k);
      case arrow:
        return static_cast<std::int32_t>(r == 0 ? k : k == 0 ? 0 : r);
      default:
        return static_cast<std::int32_t>(
            (random_word(10, (r << 20) + k) >> 32) * static_cast<std::uint64_t>(rows_) >> 32);
    }
  }

 private:
  enum kinds : int {
    stencil7,
    dense_row,
    none_to_two,
    uniform16,
    power_law,
    banded27,
    arrow,
    hypersparse
  };

  /// The k-th point of the stencil around point r that is in the cube.
  LIBSCAN_HOST_DEVICE index_t neighbor(index_t r, index_t k) const {
    index_t const x = r % side_, y = r / side_ % side_, z = r / side_ / side_;
    index_t const plane = side_ * side_;
    index_t const steps[] = {-plane, -side_, -1, 0, 1, side_, plane};
    bool const inside[] = {z > 0, y > 0, x > 0, true, x + 1 < side_, y + 1 < side_, z + 1 < side_};
    for (int p = 0; p < 7; ++p) {
      if (inside[p] && k-- == 0) return r + steps[p];
    }
    return r;
  }

  int kind_ = 0;
  index_t rows_ = 0;
  index_t side_ = 0;
};

/// Value k of a matrix's entries, or component k of a vector: -2 ... 2.
template <class T>
struct small_integer_at {
  std::uint64_t stream;
  LIBSCAN_HOST_DEVICE T operator()(index_t k) const {
    return static_cast<T>(static_cast<int>(random_word(stream, k) % 5) - 2);
  }
};

/// A row or column of entry k of a list in any order.
struct list_index_at {
  std::uint64_t stream;
  index_t size;
  LIBSCAN_HOST_DEVICE std::int32_t operator()(index_t k) const {
    return static_cast<std::int32_t>(
        (random_word(stream, k) >> 32) * static_cast<std::uint64_t>(size) >> 32);
  }
};

/// A list of n entries in any order, some of them at the same place: the input for a square matrix.
struct entry_list {
  index_t rows;  ///< and the number of columns; on average 16 entries each
  list_index_at row{13, rows}, column{14, rows};
  small_integer_at<float> value{15};

  explicit entry_list(index_t n) : rows(std::max<index_t>(16, n / 16)) {}
};

/// The number of entries of each matrix in the standard set for a GPU.
inline index_t standard_entries(std::string_view name) {
  if (name == "stencil7") return 49324032;
  if (name == "dense-row" || name == "none-to-two") return index_t{1} << 25;
  if (name == "uniform16" || name == "rmat") return index_t{1} << 26;
  if (name == "power-law") return 500000000;
  if (name == "banded27") return 56622922;
  return name == "arrow" ? 25165822 : index_t{1} << 22;
}

}  // namespace libscan::bench
