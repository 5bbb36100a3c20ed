// SPDX-License-Identifier: Apache-2.0
// From a list of entries to a matrix by rows on CPU threads: a radix sort by row and column, then
// one pass that counts the places of each piece, a scan of the counts, and one that writes.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <apps/radix_sort/radix_sort_cpu.hpp>
#include <apps/radix_sort/split_cpu.hpp>
#include <apps/spmv/entry_keys.hpp>
#include <apps/spmv/numbers.hpp>
#include <libscan/core/operators.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// The keys and values of all entries of a list and of their images.
template <class Value>
struct sorted_entries {
  static constexpr bool has_values = !std::is_same_v<Value, no_values>;
  sort_memory<std::uint64_t> keys;
  sort_memory<Value> values;
  index_t count;  // without the gaps

  sorted_entries(int threads, coo_matrix<Value> const& list, entry_keys const& keys_of)
      : keys(libscan::detail::expanded_entries(list)),
        values(has_values ? libscan::detail::expanded_entries(list) : 0) {
    index_t const n = libscan::detail::expanded_entries(list);
    pieces const all(threads, list.entries);
    for_each_of(threads, all.count, [&](int, index_t p) {
      for (index_t k = all.begin(p); k < all.end(p); ++k) {
        libscan::detail::expand_entry(list, keys_of, k, keys.data(), values.data());
      }
    });
    sort_order<std::uint64_t> order;
    order.end_bit = keys_of.bits();
    if constexpr (has_values) {
      sort_pairs(threads, keys.data(), keys.data(), values.data(), values.data(), n, order);
    } else {
      sort_keys(threads, keys.data(), keys.data(), n, order);
    }
    count = std::lower_bound(keys.data(), keys.data() + n, keys_of.gap()) - keys.data();
  }

  /// Whether item k is the first of its place.
  bool begins(index_t k) const { return k == 0 || keys.data()[k] != keys.data()[k - 1]; }
};

/// Writes the places that begin in [k, end) of the sorted entries, the first as entry s.
template <class Value, class Offset>
void write_places(sorted_entries<Value> const& sorted, entry_keys const& keys_of, index_t k,
                  index_t end, index_t s, Offset* offsets, std::int32_t* indices, Value* values) {
  std::uint64_t const* const keys = sorted.keys.data();
  while (k < end && !sorted.begins(k)) ++k;
  for (; k < end; ++s) {
    std::uint64_t const key = keys[k];
    index_t const row = keys_of.row(key);
    index_t const row_before = k == 0 ? -1 : index_t{keys_of.row(keys[k - 1])};
    for (index_t r = row_before + 1; r <= row; ++r) offsets[r] = static_cast<Offset>(s);
    indices[s] = keys_of.column(key);
    if constexpr (!std::is_same_v<Value, no_values>) {
      using T = accumulator_t<Value>;
      T sum = as_number<T>(sorted.values.data()[k]);
      for (++k; k < sorted.count && keys[k] == key; ++k) {
        sum = plus<T>{}(sum, as_number<T>(sorted.values.data()[k]));
      }
      values[s] = as_entry<Value>(sum);
    } else {
      for (++k; k < sorted.count && keys[k] == key;) ++k;
    }
  }
}

}  // namespace detail

/// The matrix that a list of entries is, by rows, on up to `threads` threads; returns the number of
/// its entries. Lists, results, room for outputs and aliasing are those of the device's
/// `coo_to_csr` (coo_to_csr.cuh); sums of one place are the same for any number of threads. Memory:
/// keys of 8 bytes and values, for twice the entries unless the list is general, and that of their
/// sort. Throws `invalid_argument` (threads < 1, sizes that no matrix has, offsets too narrow),
/// std::bad_alloc.
template <class Value, class Offset>
index_t coo_to_csr(int threads, coo_matrix<Value> const& list, Offset* offsets,
                   std::int32_t* indices, Value* values) {
  libscan::detail::check_list<Offset>(list);
  if (threads < 1) {
    throw invalid_argument("coo_to_csr: " + std::to_string(threads) + " threads; expected >= 1");
  }
  entry_keys const keys_of(list.rows, list.columns, list.kind != symmetry::general);
  detail::sorted_entries<Value> const sorted(threads, list, keys_of);
  detail::pieces const all(threads, sorted.count);
  std::vector<index_t> places(static_cast<std::size_t>(all.count) + 1);
  detail::for_each_of(threads, all.count, [&](int, index_t p) {
    index_t begun = 0;
    for (index_t k = all.begin(p); k < all.end(p); ++k) begun += sorted.begins(k) ? 1 : 0;
    places[static_cast<std::size_t>(p) + 1] = begun;
  });
  for (std::size_t p = 1; p < places.size(); ++p) places[p] += places[p - 1];
  detail::for_each_of(threads, all.count, [&](int, index_t p) {
    detail::write_places(sorted, keys_of, all.begin(p), all.end(p),
                         places[static_cast<std::size_t>(p)], offsets, indices, values);
  });
  index_t const entries = places.back();
  index_t const last_row =
      sorted.count == 0 ? -1 : index_t{keys_of.row(sorted.keys.data()[sorted.count - 1])};
  std::fill(offsets + last_row + 1, offsets + list.rows + 1, static_cast<Offset>(entries));
  return entries;
}

}  // namespace libscan::inline v1::cpu
