// SPDX-License-Identifier: Apache-2.0
// Blocks of rows: as many entries and rows in each as one thread reads in one go.
#include <apps/spmv/host/row_blocks.hpp>

#include <algorithm>
#include <iterator>

#include <apps/spmv/host/semiring_choice.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/spmv.hpp>

namespace libscan::inline v1::detail {
namespace {

constexpr index_t block_items = index_t{1} << 14;

/// The product of one kind of entries in one semiring.
template <class Value, class T, class S>
void multiply_by(int threads, csr_matrix<Value> const& matrix, std::span<row_block const> blocks,
                 T const* x, T const* halo, row_result<T, S> const& out) {
  using product = cpu::detail::product<Value, std::int64_t, T, T, S>;
  product const own(matrix, x, out), with_halo(matrix, halo, out);
  cpu::detail::small_buffer<T> const sums(static_cast<index_t>(blocks.size()));  // of parts
  cpu::detail::for_each_of(threads, static_cast<index_t>(blocks.size()), [&](int, index_t b) {
    row_block const& one = blocks[static_cast<std::size_t>(b)];
    product const& by = one.uses_halo ? with_halo : own;
    if (one.is_part) {
      sums[b] = by.sum_in_order(one.entry, one.last_entry);
    } else {
      by.put_rows_in_order(one.row, one.last_row, one.longest);
    }
  });
  typename S::sum_type const add{};
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (!blocks[b].is_part) continue;
    index_t const row = blocks[b].row;
    T total = sums[static_cast<index_t>(b)];
    for (; b + 1 < blocks.size() && blocks[b + 1].is_part && blocks[b + 1].row == row; ++b) {
      total = add(total, sums[static_cast<index_t>(b) + 1]);
    }
    out.put(row, total);
  }
}

}  // namespace

std::vector<row_block> blocks_of_rows(std::span<std::int64_t const> offsets) {
  std::vector<row_block> blocks;
  row_block open{0, 0, 0, 0, 0, false, false};
  auto const close = [&](index_t row, index_t entry) {
    if (open.last_row > open.row) blocks.push_back(open);
    open = {row, row, entry, entry, 0, false, false};
  };
  auto const rows = static_cast<index_t>(offsets.size()) - 1;
  for (index_t row = 0; row < rows; ++row) {
    index_t const entry = offsets[static_cast<std::size_t>(row)];
    index_t const last = offsets[static_cast<std::size_t>(row) + 1];
    if (last - entry > block_items) {
      close(row, entry);
      for (index_t k = entry; k < last; k += block_items) {
        index_t const end = std::min(last, k + block_items);
        blocks.push_back({row, row + 1, k, end, end - k, true, false});
      }
      open = {row + 1, row + 1, last, last, 0, false, false};
      continue;
    }
    if (last - open.entry + row + 1 - open.row > block_items) close(row, entry);
    open.last_row = row + 1;
    open.last_entry = last;
    open.longest = std::max(open.longest, last - entry);
  }
  close(rows, 0);
  return blocks;
}

void mark_around_a_run(std::span<row_block> blocks) {
  for (std::size_t b = 1; b < blocks.size(); ++b) {  // the parts of a row, from both ends
    if (blocks[b].row == blocks[b - 1].row) blocks[b].uses_halo |= blocks[b - 1].uses_halo;
  }
  for (std::size_t b = blocks.size(); b-- > 1;) {
    if (blocks[b].row == blocks[b - 1].row) blocks[b - 1].uses_halo |= blocks[b].uses_halo;
  }
  index_t begin = 0, end = 0;  // the rows of the longest run
  for (std::size_t b = 0; b < blocks.size();) {
    index_t const first = blocks[b].row;
    bool const marked = blocks[b].uses_halo;
    while (b < blocks.size() && blocks[b].uses_halo == marked) ++b;
    index_t const last = blocks[b - 1].last_row;
    if (marked || last - first <= end - begin) continue;
    begin = first;
    end = last;
  }
  for (row_block& one : blocks) one.uses_halo = one.row < begin || one.row >= end;
}

template <class T>
void multiply_blocks(int threads, sparse_matrix<T> const& matrix, std::span<row_block const> blocks,
                     T const* x, T const* halo, T* y, product_options<T> const& how) {
  detail::with_product(matrix.view(), how, [&](auto const& entries, auto s, T alpha, T beta) {
    detail::multiply_by(threads, entries, blocks, x, halo,
                        row_result<T, decltype(s)>{y, s, alpha, beta});
  });
}

template void multiply_blocks(int, sparse_matrix<float> const&, std::span<row_block const>,
                              float const*, float const*, float*, product_options<float> const&);
template void multiply_blocks(int, sparse_matrix<double> const&, std::span<row_block const>,
                              double const*, double const*, double*,
                              product_options<double> const&);
template void multiply_blocks(int, sparse_matrix<std::int64_t> const&, std::span<row_block const>,
                              std::int64_t const*, std::int64_t const*, std::int64_t*,
                              product_options<std::int64_t> const&);

void sort_indices(int threads, std::vector<std::int32_t>& indices) {
  cpu::sort_keys(threads, indices.data(), indices.data(), std::ssize(indices));
}

std::vector<std::int32_t> halo_indices(int threads, std::span<row_block const> blocks,
                                       std::span<std::int32_t const> indices) {
  std::vector<std::int32_t> found;
  for (row_block const& one : blocks) {
    if (!one.uses_halo) continue;
    auto const own = indices.subspan(static_cast<std::size_t>(one.entry),
                                     static_cast<std::size_t>(one.last_entry - one.entry));
    found.insert(found.end(), own.begin(), own.end());
  }
  detail::sort_indices(threads, found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  found.shrink_to_fit();
  return found;
}

void renumber(int threads, std::span<row_block const> blocks, std::span<std::int32_t const> halo,
              index_t begin, std::span<std::int32_t> indices) {
  cpu::detail::for_each_of(threads, static_cast<index_t>(blocks.size()), [&](int, index_t b) {
    row_block const& one = blocks[static_cast<std::size_t>(b)];
    for (index_t k = one.entry; k < one.last_entry; ++k) {
      auto& index = indices[static_cast<std::size_t>(k)];
      index = one.uses_halo
                  ? static_cast<std::int32_t>(std::ranges::lower_bound(halo, index) - halo.begin())
                  : static_cast<std::int32_t>(index - begin);
    }
  });
}

}  // namespace libscan::inline v1::detail
