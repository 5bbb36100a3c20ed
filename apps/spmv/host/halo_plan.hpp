// SPDX-License-Identifier: Apache-2.0
// How ranks share a product of a matrix and a vector: which components of x each rank's rows need,
// and which of its own components others need. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apps/spmv/host/checks.hpp>
#include <apps/spmv/host/row_blocks.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/spmv.hpp>

namespace libscan::inline v1::detail {

/// What ranks tell each other about their lists and vectors. `own_length`: how many rows, or
/// columns, this rank wants to hold; -1 if it leaves that to libscan.
struct rank_shape {
  index_t rows, columns, own_length;
  symmetry kind;
  bool has_entries, has_values;

  std::string size() const { return std::to_string(rows) + " x " + std::to_string(columns); }
};

/// Throws `invalid_argument` on all ranks unless their shapes agree. Returns whether there are
/// values.
inline bool agree_on_shape(collective_call& call, std::vector<rank_shape> const& all) {
  bool values = false;
  for (rank_shape const& one : all) values = values || (one.has_entries && one.has_values);
  call.agree("shapes", [&] {
    rank_shape const& mine = all[static_cast<std::size_t>(call.comm().rank())];
    if (mine.size() != all[0].size() || mine.kind != all[0].kind) {
      throw invalid_argument("a matrix of " + mine.size() + ", expected " + all[0].size() +
                             " and the symmetry of rank 0");
    }
    if (mine.has_entries && mine.has_values != values) {
      throw invalid_argument("entries without values, expected values as on other ranks");
    }
  });
  return values;
}

/// The lengths that all ranks want, which have the sum `total`; nothing if no rank wants one.
inline std::optional<distribution> wanted_lengths(collective_call& call, index_t total,
                                                  std::vector<rank_shape> const& all) {
  std::vector<index_t> lengths;
  for (rank_shape const& one : all) lengths.push_back(one.own_length);
  if (std::ranges::all_of(lengths, [](index_t length) { return length == -1; })) return {};
  call.agree("lengths", [&] {
    bool const valid = std::ranges::all_of(lengths, [](index_t length) { return length >= 0; });
    if (valid && distribution(lengths).total() == total) return;
    throw invalid_argument("the ranks' lengths have another sum than " + std::to_string(total) +
                           ", expected lengths on all ranks or on none");
  });
  return distribution(lengths);
}

/// Which blocks of rows multiply components from other ranks.
enum class halo_blocks {
  as_needed,     ///< those that need some
  around_a_run,  ///< all blocks before and after one run of blocks that need none
};

/// A rank's rows, whose indices are numbered anew: see `renumber`. Marked blocks multiply the
/// components that come from all ranks, this one included, others this rank's own.
template <class T>
struct halo_plan {
  distribution rows, columns;  ///< which rank holds which components of y, and of x
  sparse_matrix<T> matrix;
  std::vector<row_block> blocks;
  std::vector<index_t> send, receive;  ///< components for and from each rank, this one included
  std::vector<std::int32_t> sent;      ///< which of this rank's components, in that order

  /// See `distributed_matrix`. Collective.
  halo_plan(collective_call& call, ranks const& on, distribution row_parts, sparse_matrix<T> mine,
            std::optional<index_t> columns_here, halo_blocks which)
      : rows((std::move)(row_parts)), columns(rows), matrix((std::move)(mine)) {
    int const me = on.rank();
    auto const all = call.gather("rows", [&] {
      check_rows(on);
      return rank_shape{rows.total(),      matrix.columns,        columns_here.value_or(-1),
                        symmetry::general, matrix.nonzeros() > 0, !matrix.values.empty()};
    });
    detail::agree_on_shape(call, all);
    bool const square = rows.total() == matrix.columns;
    auto const wanted = detail::wanted_lengths(call, matrix.columns, all);
    if (wanted || !square) {
      columns = wanted ? *wanted : distribution::even(matrix.columns, on.size());
    }
    receive.assign(static_cast<std::size_t>(on.size()), 0);
    send = receive;
    std::vector<std::int32_t> needed;
    call.agree("halo", [&] {
      blocks = detail::blocks_of_rows(matrix.offsets);
      for (row_block& one : blocks) one.uses_halo = leaves_own_columns(one, me);
      if (which == halo_blocks::around_a_run) detail::mark_around_a_run(blocks);
      needed = detail::halo_indices(on.threads(), blocks, matrix.indices);
      for (std::int32_t const column : needed) {
        ++receive[static_cast<std::size_t>(columns.rank_of(column))];
      }
      detail::renumber(on.threads(), blocks, needed, columns.begin(me), matrix.indices);
    });
    call.through().transpose(call.at("counts"), receive, send);
    call.agree("buffers", [&] { sent.resize(sum_of(send)); });
    detail::exchange_pieces(call, "columns", std::span<std::int32_t const>(needed),
                            std::span<index_t const>(receive), std::span<std::int32_t>(sent),
                            std::span<index_t const>(send));
    for (std::int32_t& column : sent) {
      column = static_cast<std::int32_t>(column - columns.begin(me));
    }
    call.agree("end", [] {});
  }

  /// The components that come from other ranks in each product.
  index_t halo(int me) const {
    return static_cast<index_t>(received()) - receive[static_cast<std::size_t>(me)];
  }

  /// The components that come from all ranks.
  std::size_t received() const { return sum_of(receive); }

  /// Throws `invalid_argument` unless x and y have this rank's lengths and are separate.
  void check_vectors(int me, memory_span const& x, index_t x_size, memory_span const& y,
                     index_t y_size) const {
    auto const refuse = [](char const* what, index_t got, index_t expected) {
      if (got == expected) return;
      throw invalid_argument("multiply: " + std::string(what) + " has length " +
                             std::to_string(got) + " on this rank, expected " +
                             std::to_string(expected));
    };
    refuse("x", x_size, columns.size(me));
    refuse("y", y_size, rows.size(me));
    if (!x.overlaps(y)) return;
    throw invalid_argument("multiply: y overlaps x, expected memory separate from it");
  }

 private:
  static std::size_t sum_of(std::vector<index_t> const& counts) {
    return static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), index_t{0}));
  }

  bool leaves_own_columns(row_block const& one, int me) const {
    index_t const begin = columns.begin(me), end = columns.end(me);
    return std::any_of(matrix.indices.begin() + one.entry, matrix.indices.begin() + one.last_entry,
                       [=](std::int32_t column) { return column < begin || column >= end; });
  }

  void check_rows(ranks const& on) const {
    if (rows.ranks() != on.size() || rows.size(on.rank()) != matrix.rows ||
        std::ssize(matrix.offsets) != matrix.rows + 1 ||
        (!matrix.values.empty() && matrix.values.size() != matrix.indices.size())) {
      throw invalid_argument(
          "distributed_matrix: arrays of other lengths than the ranks' rows and entries have, "
          "expected the result of to_rows");
    }
    detail::check_shape("distributed_matrix", matrix.rows, matrix.columns, matrix.nonzeros());
    detail::check_offsets("distributed_matrix", on.threads(), matrix.offsets.data(), matrix.rows,
                          matrix.nonzeros());
    cpu::detail::check_indices("distributed_matrix", on.threads(), matrix.indices.data(),
                               matrix.nonzeros(), matrix.columns);
  }
};

}  // namespace libscan::inline v1::detail
