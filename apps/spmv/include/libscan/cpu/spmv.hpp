// SPDX-License-Identifier: Apache-2.0
// The product of a sparse matrix and a vector on CPU threads: pieces with equal numbers of entries
// and rows together (Merrill & Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication",
// 2016).
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include <apps/radix_sort/cpu/split.hpp>
#include <apps/spmv/core/row_result.hpp>
#include <apps/spmv/cpu/vector_rows.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/fixed_width.hpp>
#include <libscan/cpu/index_checks.hpp>
#include <libscan/cpu/small_buffer.hpp>
#include <libscan/matrix.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// Entries and rows of a piece of `all`: enough to be read in one go, few enough to balance.
inline index_t spmv_piece_items(index_t all) {
  constexpr index_t min_items = index_t{1} << 14, max_items = index_t{1} << 17, pieces = 64;
  index_t items = min_items;
  while (items < max_items && items * pieces < all) items *= 2;
  return items;
}

/// A piece's rows, and its sums of those that it shares with other pieces.
template <class T>
struct piece_sums {
  index_t row = 0, last_row = 0;  // the rows that end in it
  bool good = true;               // their offsets ascend, and are those of entries
  index_t closed = -1;            // the row begun in an earlier piece that ends in this one
  T head{};                       // its sum within the piece
  T tail{};                       // the sum of the piece's part of the row open at its end
};

/// Entries and row ends in one sequence, a row's end after its entries: the number of ends among
/// the first `items` of them, if it is in [low, high].
template <class Offset>
index_t rows_ended_before(Offset const* offsets, index_t items, index_t low, index_t high) {
  while (low < high) {
    index_t const middle = low + (high - low) / 2;
    if (static_cast<index_t>(offsets[middle + 1]) <= items - middle - 1) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Throws `invalid_argument` if y overlaps anything that is read.
template <class Value, class Offset, class X, class Y>
void require_no_product_overlap(csr_matrix<Value, Offset> const& matrix, X const* x, Y const* y) {
  auto const refuse = [written = detail::memory_of(y, matrix.rows)](char const* what,
                                                                    memory_span read) {
    detail::require_no_overlap("spmv", what, read, written);
  };
  refuse("x and y", detail::memory_of(x, matrix.columns));
  refuse("offsets and y", detail::memory_of(matrix.offsets, matrix.rows + 1));
  refuse("indices and y", detail::memory_of(matrix.indices, matrix.nonzeros));
  if constexpr (!std::is_same_v<Value, no_values>) {
    refuse("values and y", detail::memory_of(matrix.values, matrix.nonzeros));
  }
}

/// Throws `invalid_argument` unless the first row begins with the first entry, and the last one
/// ends with the last.
template <class Value, class Offset>
void check_ends(csr_matrix<Value, Offset> const& matrix) {
  if (matrix.rows == 0) return;
  auto const first = static_cast<index_t>(matrix.offsets[0]);
  auto const last = static_cast<index_t>(matrix.offsets[matrix.rows]);
  if (first == 0 && last == matrix.nonzeros) return;
  throw invalid_argument("spmv: offsets from " + std::to_string(first) + " to " +
                         std::to_string(last) + "; expected 0 to " +
                         std::to_string(matrix.nonzeros));
}

/// Whether there is vector code for a product.
template <class Value, class Offset, class X, class Y, class S>
inline constexpr bool has_vector_rows =
    std::is_same_v<S, plus_times<Y>>&& std::is_same_v<Value, Y>&& std::is_same_v<X, Y> &&
    (std::is_same_v<Y, float> ||
     std::is_same_v<Y, double>)&&(std::is_same_v<fixed_width<Offset>, std::int32_t> ||
                                  std::is_same_v<fixed_width<Offset>, std::int64_t>);

/// One product of a call, of any types.
template <class Value, class Offset, class X, class Y, class S>
class product {
 public:
  using T = typename S::value_type;

  product(csr_matrix<Value, Offset> const& matrix, X const* x, row_result<Y, S> const& out)
      : matrix_(matrix), x_(x), out_(out) {}

  void run(int threads) const {
    index_t const all = matrix_.rows + matrix_.nonzeros;
    index_t const items = spmv_piece_items(all);
    index_t const pieces = ceil_div(all, items);
    small_buffer<piece_sums<T>> const sums(pieces);
    detail::for_each_of(threads, pieces, [&](int, index_t p) {
      sums[p] = run_piece(p * items, std::min(all, (p + 1) * items));
    });
    T open = add_.identity();
    index_t row = 0;
    for (index_t p = 0; p < pieces; ++p) {
      piece_sums<T> const& piece = sums[p];
      if (!piece.good || piece.row != row) refuse_offsets(threads);
      row = piece.last_row;
      if (piece.closed >= 0) {
        out_.put(piece.closed, add_(open, piece.head));
        open = add_.identity();
      }
      open = add_(open, piece.tail);
    }
  }

  /// Writes rows [row, last_row), in an order of additions that depends only on each row's number
  /// of entries. `longest`: of the longest of them.
  void put_rows_in_order(index_t row, index_t last_row, index_t longest) const {
    if constexpr (in_vectors) {
      auto const& code = detail::best_row_sums<T, fixed_width<Offset>>();
      bool const gather = best_gathers() == gathers::fast && longest <= rows_in_turn;
      put_rows_in_vectors(row, last_row, [&](index_t begin, index_t end, T* sums) {
        if (gather) return code.whole(arrays(), begin, end, matrix_.nonzeros, sums);
        code.runs(arrays(), begin, end, sums);
      });
    } else {
      put_rows_one_by_one(row, last_row, static_cast<index_t>(matrix_.offsets[row]));
    }
  }

  /// The sum of products of entries [k, end), in an order that depends only on their number.
  T sum_in_order(index_t k, index_t end) const {
    if constexpr (in_vectors) {
      return detail::best_row_sums<T, fixed_width<Offset>>().part(arrays(), k, end);
    } else {
      return sum(k, end);
    }
  }

 private:
  static constexpr bool in_vectors = has_vector_rows<Value, Offset, X, Y, S>;

  /// The piece of entries and row ends [begin, end).
  piece_sums<T> run_piece(index_t begin, index_t end) const {
    piece_sums<T> result;
    index_t row = detail::rows_ended_before(matrix_.offsets, begin,
                                            std::max<index_t>(begin - matrix_.nonzeros, 0),
                                            std::min(begin, matrix_.rows));
    index_t const last_row =
        detail::rows_ended_before(matrix_.offsets, end, std::max(row, end - matrix_.nonzeros),
                                  std::min(matrix_.rows, row + (end - begin)));
    index_t entry = begin - row;
    index_t const last_entry = end - last_row;
    result.head = result.tail = add_.identity();
    result.row = row;
    result.last_row = last_row;
    result.good = row == last_row || are_offsets(row, last_row);
    if (!result.good) return result;
    if (row < last_row && static_cast<index_t>(matrix_.offsets[row]) < entry) {
      result.closed = row;
      result.head = sum(entry, static_cast<index_t>(matrix_.offsets[row + 1]));
      entry = static_cast<index_t>(matrix_.offsets[++row]);
    }
    if (row < last_row) {
      put_rows(row, last_row, entry);
      entry = static_cast<index_t>(matrix_.offsets[last_row]);
    }
    if (entry < last_entry) result.tail = sum(entry, last_entry);
    return result;
  }

  /// Whether the offsets of rows [row, last_row) ascend within the entries. A piece's are read for
  /// its sums anyway: to check all of them before would take longer.
  bool are_offsets(index_t row, index_t last_row) const {
    Offset const* const from = matrix_.offsets;
    auto const at = [=](index_t r) { return static_cast<index_t>(from[r]); };
    index_t all = at(last_row) | detail::difference(matrix_.nonzeros, at(last_row));
    for (; row < last_row; ++row) all |= at(row) | detail::difference(at(row + 1), at(row));
    return all >= 0;
  }

  /// Throws, since some offsets do not ascend.
  void refuse_offsets(int threads) const {
    detail::check_offsets("spmv", threads, matrix_.offsets, matrix_.rows, matrix_.nonzeros);
  }

  /// Whether entries [k, end) begin with entries for consecutive components of x.
  bool begins_with_run(index_t k, index_t end) const {
    index_t const n = std::min(end - k, run_entries);
    return n > 1 && matrix_.indices[k + n - 1] - matrix_.indices[k] == n - 1;
  }

  /// Whether most rows begin so, and are long enough for it to pay, judging by the first of them.
  bool runs_pay(index_t row, index_t last_row) const {
    constexpr index_t samples = 32;
    if constexpr (!runs_help) return false;
    Offset const* const ends = matrix_.offsets;
    index_t const last = std::min(last_row, row + samples);
    if (static_cast<index_t>(ends[last] - ends[row]) < run_entries * (last - row)) return false;
    index_t found = 0;
    for (index_t r = row; r < last; ++r) {
      found += begins_with_run(static_cast<index_t>(ends[r]), static_cast<index_t>(ends[r + 1]));
    }
    return 8 * found >= 7 * (last - row);
  }

  /// Whether gathers are faster for these rows. If the CPU's gathers are slow, they are faster only
  /// if most rows are empty, or very short and of unpredictable lengths, judging by the first of
  /// them.
  bool gathers_pay(index_t row, index_t last_row, index_t entry) const {
    constexpr index_t shortest = 3, samples = 32;
    if (best_gathers() == gathers::fast) return true;
    Offset const* const ends = matrix_.offsets;
    index_t const entries = static_cast<index_t>(ends[last_row]) - entry;
    if (entries >= shortest * (last_row - row)) return false;
    if (2 * entries < last_row - row) return true;
    index_t const last = std::min(last_row, row + samples + 1);
    index_t changes = 0;
    for (index_t r = row + 1; r < last; ++r) {
      changes += ends[r + 1] - ends[r] != ends[r] - ends[r - 1] ? 1 : 0;
    }
    return 8 * changes >= last - row;
  }

  /// Writes rows [row, last_row); the first begins at `entry`.
  void put_rows(index_t row, index_t last_row, index_t entry) const {
    if constexpr (in_vectors) {
      auto const& code = detail::best_row_sums<T, fixed_width<Offset>>();
      if (runs_pay(row, last_row)) {
        return put_rows_in_vectors(row, last_row, [&](index_t begin, index_t end, T* sums) {
          code.runs(arrays(), begin, end, sums);
        });
      }
      if (gathers_pay(row, last_row, entry)) {
        return put_rows_in_vectors(row, last_row, [&](index_t begin, index_t end, T* sums) {
          code.whole(arrays(), begin, end, matrix_.nonzeros, sums);
        });
      }
    }
    put_rows_one_by_one(row, last_row, entry);
  }

  /// Whether y is the sums themselves.
  bool is_plain() const {
    return libscan::detail::equal(out_.alpha, S::one()) &&
           libscan::detail::equal(out_.beta, S::zero());
  }

  /// Writes rows [row, last_row) without vector code; the first begins at `entry`.
  void put_rows_one_by_one(index_t row, index_t last_row, index_t entry) const {
    if (is_plain()) {
      // The same with constants, which is much faster for short rows.
      put_rows_by(row, last_row, entry, [y = out_.y, s = out_.s](index_t r, T total) {
        row_result<Y, S>{y, s, S::one(), S::zero()}.put(r, total);
      });
    } else {
      put_rows_by(row, last_row, entry, [this](index_t r, T total) { out_.put(r, total); });
    }
  }

  /// `sum_rows(begin, end, sums)` stores the sums of rows [begin, end).
  template <class SumRows>
  void put_rows_in_vectors(index_t row, index_t last_row, SumRows sum_rows) const {
    if (is_plain()) return sum_rows(row, last_row, out_.y + row);
    constexpr index_t max_sums = 1024;
    T sums[max_sums];
    for (; row < last_row; row += max_sums) {
      index_t const next = std::min(last_row, row + max_sums);
      sum_rows(row, next, sums);
      for (index_t r = row; r < next; ++r) out_.put(r, sums[r - row]);
    }
  }

  product_arrays<T, fixed_width<Offset>> arrays() const {
    return {detail::as_fixed_width(matrix_.offsets), matrix_.indices, matrix_.values, x_};
  }

  /// Not inlined, since registers would run short in its loops.
  template <class Put>
  [[gnu::noinline]] void put_rows_by(index_t row, index_t last_row, index_t entry,
                                     Put const put) const {
    auto const matrix = matrix_;
    auto const* const x = x_;
    auto const add = add_;
    auto const s = out_.s;
    for (; row < last_row; ++row) {
      auto const end = static_cast<index_t>(matrix.offsets[row + 1]);
      T total = end == entry ? S::zero() : add.identity();
      if (end - entry < many_entries_) {
        for (; entry < end; ++entry) total = add(total, libscan::product_at(matrix, x, s, entry));
      } else {
        total = sum(entry, end);
      }
      entry = end;
      put(row, total);
    }
  }

  /// The sum of products of entries [k, end): many are summed in parts, so that additions overlap;
  /// few in turn, since those of other rows overlap.
  [[gnu::noinline]] T sum(index_t k, index_t end) const {
    if constexpr (in_vectors) {
      if (best_gathers() == gathers::fast || (runs_help && begins_with_run(k, end)))
        return detail::best_row_sums<T, fixed_width<Offset>>().part(arrays(), k, end);
    }
    if (end - k < some_entries) return sum_few(k, end);
    T a = add_.identity(), b = a, c = a, d = a;
    for (; k + 4 <= end; k += 4) {
      a = add_(a, product_of(k));
      b = add_(b, product_of(k + 1));
      c = add_(c, product_of(k + 2));
      d = add_(d, product_of(k + 3));
    }
    return add_(add_(add_(a, b), add_(c, d)), sum_few(k, end));
  }

  T sum_few(index_t k, index_t end) const {
    T total = add_.identity();
    for (; k < end; ++k) total = add_(total, product_of(k));
    return total;
  }

  T product_of(index_t k) const { return libscan::product_at(matrix_, x_, out_.s, k); }

  static constexpr index_t some_entries = 64;
  static constexpr bool runs_help = sizeof(T) <= 4;  // for doubles memory is the limit either way
  static constexpr index_t run_entries = 16;         // entries per step of the vector code

  // Entries of whole rows. If gathers are slow, components of x arrive no sooner than such
  // additions end.
  index_t many_entries_ = in_vectors && best_gathers() == gathers::slow
                              ? std::numeric_limits<index_t>::max()
                              : some_entries;

  csr_matrix<Value, Offset> matrix_;
  X const* x_;
  row_result<Y, S> out_;
  typename S::sum_type add_{};
};

}  // namespace detail

/// y[r] = alpha (A x)[r] + beta y[r] on up to `threads` threads. Types, semirings, beta and the
/// empty row are as in the device's `spmv` (spmv.cuh). y must not overlap anything that is read.
///
/// Determinism: bitwise the same in every run and for any number of threads: the order of a row's
/// additions, which is not the device's, depends only on the offsets, the indices and the CPU. If
/// your compiler fuses products and sums (-ffp-contract), last bits may differ between programs.
/// Memory: about 48 bytes per 2^14 to 2^17 entries and rows, allocated above 8 KiB.
/// Throws: `invalid_argument` (threads < 1, invalid sizes, overlap, and offsets that do not ascend
/// from 0 to the number of entries; then rows may have been written), std::bad_alloc; what
/// `multiply` throws. Indices are not checked: those out of range read outside of x.
template <class Value, class Offset, class X, class Y, class S = plus_times<accumulator_t<Y>>>
void spmv(int threads, csr_matrix<Value, Offset> const& matrix, X const* x, Y* y, S s = {},
          std::type_identity_t<typename S::value_type> alpha = S::one(),
          std::type_identity_t<typename S::value_type> beta = S::zero()) {
  if constexpr (!std::is_same_v<Value, no_values>) libscan::refuse_entries<Value>();
  static_assert(semiring<S>, "a product needs value_type, sum_type, multiply, one and zero");
  libscan::detail::check_shape("spmv", matrix.rows, matrix.columns, matrix.nonzeros);
  if (threads < 1) {
    throw invalid_argument("spmv: " + std::to_string(threads) + " threads; expected >= 1");
  }
  detail::require_no_product_overlap(matrix, x, y);
  detail::check_ends(matrix);
  detail::product<Value, Offset, X, Y, S>(matrix, x, {y, s, alpha, beta}).run(threads);
}

}  // namespace libscan::inline v1::cpu
