// SPDX-License-Identifier: Apache-2.0
// Products by blocks of rows, which have the same bits wherever a row is: the sum of a row depends
// only on its own entries. Ranks multiply their rows so. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <libscan/spmv.hpp>

namespace libscan::inline v1::detail {

/// What a thread multiplies at once: consecutive rows, or a part of a long row.
struct row_block {
  index_t row, last_row;      ///< rows [row, last_row)
  index_t entry, last_entry;  ///< entries [entry, last_entry)
  index_t longest;            ///< the entries of its longest row
  bool is_part;               ///< of the entries of `row`
  bool uses_halo;             ///< which x it multiplies
};

/// Blocks of all rows, in order. Parts of a row begin at multiples of a fixed number of its
/// entries.
std::vector<row_block> blocks_of_rows(std::span<std::int64_t const> offsets);

/// Leaves one run of blocks without the mark `uses_halo`: the one with the most rows of those that
/// have none. All blocks of a row are marked alike.
void mark_around_a_run(std::span<row_block> blocks);

/// y = alpha A x + beta y; `x` for blocks that use no halo, `halo` for those that do. Checks
/// nothing. Throws std::bad_alloc.
template <class T>
void multiply_blocks(int threads, sparse_matrix<T> const& matrix, std::span<row_block const> blocks,
                     T const* x, T const* halo, T* y, product_options<T> const& how);

/// Sorts indices, ascending.
void sort_indices(int threads, std::vector<std::int32_t>& indices);

/// The different indices of the blocks that use the halo, ascending.
std::vector<std::int32_t> halo_indices(int threads, std::span<row_block const> blocks,
                                       std::span<std::int32_t const> indices);

/// Numbers the indices anew: in blocks that use the halo by their place in `halo`, in others from
/// `begin`.
void renumber(int threads, std::span<row_block const> blocks, std::span<std::int32_t const> halo,
              index_t begin, std::span<std::int32_t> indices);

}  // namespace libscan::inline v1::detail
