// SPDX-License-Identifier: Apache-2.0
// Sparse matrices whose rows are spread over ranks: from lists of entries to rows, and products
// with vectors. Whole rows stay whole, and ranks exchange only the components of x that their rows
// need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apps/spmv/core/entry_keys.hpp>
#include <apps/spmv/host/checks.hpp>
#include <apps/spmv/host/halo_plan.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/spmv.hpp>

namespace libscan::inline v1 {

/// A matrix whose rows are spread over ranks. T is float, double or std::int64_t.
template <class T>
struct distributed_rows {
  distribution parts;     ///< which rank holds which rows; the same on all ranks
  sparse_matrix<T> mine;  ///< this rank's rows, with columns numbered as in the whole matrix
};

namespace detail {

/// An entry as it travels to the rank of its row.
template <class T>
struct sent_entry {
  std::int32_t row, column;
  T value;
};

/// A list's entries with their mirror images, in the list's order.
template <class T>
std::vector<sent_entry<T>> entries_of(coo_matrix<T> const& list) {
  entry_keys const keys(list.rows, list.columns, list.kind != symmetry::general);
  expanded_list<T> const all{list, keys};
  std::vector<sent_entry<T>> entries;
  index_t const n = detail::expanded_entries(list);
  entries.reserve(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) {
    std::uint64_t const key = all.key(i);
    if (list.kind != symmetry::general && key == keys.gap()) continue;
    T const value = list.values == nullptr ? T{} : all.value(i);
    entries.push_back({keys.row(key), keys.column(key), value});
  }
  return entries;
}

/// Shares out rows so that each rank has about the same number of rows and entries together.
/// `sorted`: the rows of this rank's entries, ascending.
inline distribution balanced_rows(collective_call& call, index_t rows,
                                  std::span<std::int32_t const> sorted) {
  int const ranks = call.comm().size();
  index_t entries = std::ssize(sorted);
  call.through().sum(call.at("entries"), std::span(&entries, 1), summed_ranks::all);
  auto const even = distribution::even(rows + entries, ranks);
  auto const cuts = static_cast<std::size_t>(ranks - 1);
  std::vector<index_t> low(cuts, 0), high(cuts, rows), before(cuts);
  while (low != high) {
    auto const middle = [&](std::size_t c) { return low[c] + (high[c] - low[c]) / 2; };
    for (std::size_t c = 0; c < cuts; ++c) {
      before[c] = std::ranges::lower_bound(sorted, middle(c), {},
                                           [](std::int32_t row) { return index_t{row}; }) -
                  sorted.begin();
    }
    call.through().sum(call.at("rows"), before, summed_ranks::all);
    for (std::size_t c = 0; c < cuts; ++c) {
      if (low[c] == high[c]) continue;
      index_t const row = middle(c);
      bool const reached = row + before[c] >= even.begin(static_cast<int>(c) + 1);
      (reached ? high : low)[c] = reached ? row : row + 1;
    }
  }
  std::vector<index_t> lengths;
  for (index_t begin = 0; index_t const cut : low)
    lengths.push_back(cut - std::exchange(begin, cut));
  lengths.push_back(rows - (cuts > 0 ? low.back() : 0));
  return distribution(lengths);
}

/// The rows of this rank's entries, ascending.
template <class T>
std::vector<std::int32_t> sorted_rows(int threads, std::vector<sent_entry<T>> const& entries) {
  std::vector<std::int32_t> rows;
  rows.reserve(entries.size());
  for (sent_entry<T> const& one : entries) rows.push_back(one.row);
  detail::sort_indices(threads, rows);
  return rows;
}

/// The rows of the entries that came to this rank.
template <class T>
sparse_matrix<T> rows_of(engine const& on, std::vector<sent_entry<T>> entries, index_t first_row,
                         coo_matrix<T> shape) {
  std::vector<std::int32_t> rows, columns;
  std::vector<T> values;
  rows.reserve(entries.size());
  columns.reserve(entries.size());
  if (shape.values != nullptr) values.reserve(entries.size());
  for (sent_entry<T> const& one : entries) {
    rows.push_back(static_cast<std::int32_t>(one.row - first_row));
    columns.push_back(one.column);
    if (shape.values != nullptr) values.push_back(one.value);
  }
  shape.entries = std::ssize(entries);
  entries = {};
  shape.row_indices = rows.data();
  shape.indices = columns.data();
  shape.values = shape.values != nullptr ? values.data() : nullptr;
  return libscan::to_rows(on, shape);
}

}  // namespace detail

/// The matrix of a list of entries that is spread over ranks in any way. `list` holds this rank's
/// entries; its rows and columns are those of the whole matrix, and the same on all ranks.
/// Each rank gets the next `rows_here` rows; if no rank says how many, they are shared out so that
/// each rank has about the same number of rows and entries together. A row stays whole.
///
/// Result: the rows that `to_rows` of all lists, one after the other, has on one rank, bit for bit.
/// Types: T is float, double or std::int64_t. Lists have values on all ranks that have entries, or
/// on none. Memory: three copies of the entries, 8 to 16 bytes each; twice that for symmetric
/// lists. Synchronization: collective; each entry is sent at most once. Throws: `invalid_argument`
/// on a rank with an invalid list, or another shape than rank 0, and `remote_error` on all others;
/// `invalid_argument` on all ranks for other lengths; std::bad_alloc; `communicator_lost`.
template <class T>
distributed_rows<T> to_rows(ranks const& on, coo_matrix<T> const& list,
                            std::optional<index_t> rows_here = {}) {
  return detail::collective(on.comm(), "to_rows", [&](detail::collective_call& call) {
    auto const all = call.gather("lists", [&] {
      detail::check_list<std::int64_t>("to_rows", list);
      cpu::detail::check_indices("to_rows", on.threads(), list.row_indices, list.entries,
                                 list.rows);
      cpu::detail::check_indices("to_rows", on.threads(), list.indices, list.entries, list.columns);
      return detail::rank_shape{list.rows, list.columns,     rows_here.value_or(-1),
                                list.kind, list.entries > 0, list.values != nullptr};
    });
    bool const values = detail::agree_on_shape(call, all);
    auto parts = detail::wanted_lengths(call, list.rows, all);
    std::vector<detail::sent_entry<T>> entries;
    std::vector<std::int32_t> rows;
    call.agree("entries", [&] {
      entries = detail::entries_of(list);
      if (!parts) rows = detail::sorted_rows(on.threads(), entries);
    });
    if (!parts) parts = detail::balanced_rows(call, list.rows, rows);
    auto received = detail::exchange_by_rank(
        call, [&] { return std::exchange(entries, {}); },
        [&](detail::sent_entry<T> const& one) { return parts->rank_of(one.row); });
    distributed_rows<T> result{*parts, {}};
    call.agree("rows", [&] {
      T const some{};
      coo_matrix<T> const shape{parts->size(on.rank()),   list.columns,     0, nullptr, nullptr,
                                values ? &some : nullptr, symmetry::general};
      result.mine =
          detail::rows_of(on.local(), (std::move)(received), parts->begin(on.rank()), shape);
    });
    return result;
  });
}

/// A matrix on ranks, prepared for many products: like `prepared_matrix`. The constructor finds out
/// once which components of x each rank needs from which other (the halo). T is float, double or
/// std::int64_t. One call at a time.
///
///   libscan::distributed_matrix<double> a(on, libscan::to_rows(on, entries));
///   a.multiply(x, y);  // x: a.columns().size(rank) components, y: a.rows().size(rank)
template <class T>
class distributed_matrix {
 public:
  /// Each rank holds the next `columns_here` components of x. If no rank says how many, x is spread
  /// like the rows of a square matrix, else evenly.
  /// Memory: besides the rows, 12 bytes or less for each component that this rank needs of x or
  /// sends. Synchronization: collective; each number of such a component is sent once.
  /// Throws: `invalid_argument` on a rank with invalid rows, `remote_error` on others;
  /// `invalid_argument` on all ranks for other lengths; std::bad_alloc; `communicator_lost`.
  distributed_matrix(ranks on, distributed_rows<T> rows, std::optional<index_t> columns_here = {})
      : on_((std::move)(on)),
        plan_(detail::collective(on_.comm(), "distributed_matrix",
                                 [&](detail::collective_call& call) {
                                   return detail::halo_plan<T>(call, on_, (std::move)(rows.parts),
                                                               (std::move)(rows.mine), columns_here,
                                                               detail::halo_blocks::as_needed);
                                 })) {
    detail::collective(on_.comm(), "distributed_matrix", [&](detail::collective_call& call) {
      call.agree("buffers", [&] {
        out_.resize(plan_.sent.size());
        halo_.resize(plan_.received());
      });
    });
  }

  /// Which rank holds which components of y, and of x.
  distribution const& rows() const { return plan_.rows; }
  distribution const& columns() const { return plan_.columns; }

  /// The components of x that come from other ranks in each product.
  index_t halo() const { return plan_.halo(on_.rank()); }

  /// y = alpha A x + beta y; see `prepared_matrix::multiply` for `how`.
  /// Types: x and y are this rank's components. y must not overlap x.
  /// Determinism: the order of a row's additions depends only on the number of its entries: y has
  /// the same bits for any number of ranks, any lengths and any number of threads. It may differ
  /// from that of `prepared_matrix` in rounding, within the same bounds.
  /// Synchronization: collective. Ranks exchange the halo, then multiply.
  /// Throws: `invalid_argument` on a rank with wrong lengths or an overlap, `remote_error` on
  /// others; then y is unspecified. std::bad_alloc, `communicator_lost`.
  void multiply(std::span<T const> x, std::span<T> y, product_options<T> const& how = {}) {
    detail::collective(on_.comm(), "multiply", [&](detail::collective_call& call) {
      std::exception_ptr wrong;
      try {
        plan_.check_vectors(on_.rank(), std::as_bytes(x), std::ssize(x), std::as_bytes(y),
                            std::ssize(y));
        for (std::size_t i = 0; i < plan_.sent.size(); ++i) {
          out_[i] = x[static_cast<std::size_t>(plan_.sent[i])];
        }
      } catch (...) {
        wrong = std::current_exception();
      }
      detail::exchange_pieces(call, "halo", std::span<T const>(out_),
                              std::span<index_t const>(plan_.send), std::span<T>(halo_),
                              std::span<index_t const>(plan_.receive));
      call.agree("product", [&] {
        if (wrong) std::rethrow_exception(wrong);
        detail::multiply_blocks(on_.threads(), plan_.matrix, plan_.blocks, x.data(), halo_.data(),
                                y.data(), how);
      });
    });
  }

 private:
  ranks on_;
  detail::halo_plan<T> plan_;
  std::vector<T> out_, halo_;
};

}  // namespace libscan::inline v1
