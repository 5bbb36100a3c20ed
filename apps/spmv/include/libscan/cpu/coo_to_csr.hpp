// SPDX-License-Identifier: Apache-2.0
// From a list of entries to a matrix by rows on CPU threads: a radix sort by row and column, then
// one pass that counts the places in each chunk and writes them after those of earlier chunks.
#pragma once

#include <algorithm>
#include <type_traits>

#include <apps/radix_sort/cpu/sorter.hpp>
#include <apps/spmv/core/entry_keys.hpp>
#include <apps/spmv/core/row_result.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/index_checks.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// The item of the sort: the word of a place, with the value of the entry if there are values.
template <class Word, class Value>
using entry_item =
    std::conditional_t<std::is_same_v<Value, no_values>, Word, keyed_value<Word, Value>>;

/// The entries of a list and their mirror images.
template <class Word, class Value>
struct entry_source {
  static constexpr meeting meets = meeting::none;
  libscan::detail::expanded_list<Value> all;

  entry_item<Word, Value> operator[](index_t i) const {
    auto const place = static_cast<Word>(all.key(i));
    if constexpr (std::is_same_v<Value, no_values>) {
      return place;
    } else {
      return {place, all.value(i)};
    }
  }
};

/// Takes sorted items unchanged.
template <class Item>
struct item_sink {
  Item* items;

  bool holds(Item const* sorted, index_t place) const { return sorted == items + place; }
  Item* words_in_place() const { return items; }
  void put(Item const* sorted, index_t place, index_t count) const {
    if (!holds(sorted, place)) std::copy_n(sorted, count, items + place);
  }
  void finish() const {}
};

/// The entries of a list and their mirror images by place, without the gaps; words hold the bits of
/// keys.
template <class Word, class Value>
class sorted_entries {
  using item = entry_item<Word, Value>;

 public:
  sorted_entries(int threads, libscan::detail::expanded_list<Value> const& all)
      : keys_of_(all.keys_of), items_(libscan::detail::expanded_entries(all.list)) {
    index_t const n = libscan::detail::expanded_entries(all.list);
    sorter<item, counting_bits<Word>>(threads, {static_cast<Word>(~Word{0})}, {})
        .sort(entry_source<Word, Value>{all}, n, item_sink<item>{items_.data()}, items_.data());
    auto const before = [](item const& one, std::uint64_t key) {
      return detail::key_of(one) < key;
    };
    count_ =
        std::lower_bound(items_.data(), items_.data() + n, keys_of_.gap(), before) - items_.data();
  }

  index_t count() const { return count_; }
  index_t row(index_t k) const { return keys_of_.row(key(k)); }

  /// Whether item k is the first of its place.
  bool begins(index_t k) const { return k == 0 || key(k) != key(k - 1); }

  /// Writes the places that begin in [k, end), the first as entry s; returns the number after the
  /// last.
  template <class Offset>
  index_t write_places(index_t k, index_t end, index_t s, Offset* offsets, std::int32_t* indices,
                       Value* values) const {
    while (k < end && !begins(k)) ++k;
    index_t next_row = k == 0 || k == end ? 0 : row(k - 1) + 1;
    for (; k < end; ++s) {
      auto const here = key(k);
      for (index_t const own = keys_of_.row(here); next_row <= own; ++next_row) {
        offsets[next_row] = static_cast<Offset>(s);
      }
      indices[s] = keys_of_.column(here);
      if constexpr (std::is_same_v<Value, no_values>) {
        for (++k; k < count_ && key(k) == here;) ++k;
      } else {
        using T = accumulator_t<Value>;
        T sum = libscan::as_number<T>(items_.data()[k].value);
        for (++k; k < count_ && key(k) == here; ++k) {
          sum = plus<T>{}(sum, libscan::as_number<T>(items_.data()[k].value));
        }
        values[s] = libscan::as_entry<Value>(sum);
      }
    }
    return s;
  }

 private:
  std::uint64_t key(index_t k) const { return detail::key_of(items_.data()[k]); }

  entry_keys keys_of_;
  sort_memory<item> items_;
  index_t count_;
};

struct no_state {};

/// `coo_to_csr` through words that hold the bits of keys.
template <class Word, class Value, class Offset>
index_t write_rows(int threads, libscan::detail::expanded_list<Value> const& list, Offset* offsets,
                   std::int32_t* indices, Value* values) {
  sorted_entries<Word, Value> const sorted(threads, list);
  auto const count = [&](no_state, chunk const& c) {
    index_t begun = 0;
    for (index_t k = c.begin; k < c.end; ++k) begun += sorted.begins(k) ? 1 : 0;
    return begun;
  };
  auto const write = [&](no_state, chunk const& c, index_t before) {
    sorted.write_places(c.begin, c.end, before, offsets, indices, values);
  };
  // A single chunk need not be counted first.
  index_t const entries =
      sorted.count() <= default_chunk_items
          ? sorted.write_places(0, sorted.count(), 0, offsets, indices, values)
          : cpu::run_chunks(
                threads, sorted.count(), default_chunk_items, plus<index_t>{}, index_t{0},
                [] { return no_state{}; }, count, write, aggregates::repeatable);
  index_t const last_row = sorted.count() == 0 ? -1 : sorted.row(sorted.count() - 1);
  std::fill(offsets + last_row + 1, offsets + list.list.rows + 1, static_cast<Offset>(entries));
  return entries;
}

/// Throws `invalid_argument` if an output overlaps the list or another output.
template <class Value, class Offset>
void require_no_row_overlap(char const* call, coo_matrix<Value> const& list, Offset const* offsets,
                            std::int32_t const* indices, Value const* values) {
  index_t const max_entries = libscan::detail::expanded_entries(list);
  memory_span read[] = {detail::memory_of(list.row_indices, list.entries),
                        detail::memory_of(list.indices, list.entries),
                        {}};
  memory_span written[] = {
      detail::memory_of(offsets, list.rows + 1), memory_of(indices, max_entries), {}};
  if constexpr (!std::is_same_v<Value, no_values>) {
    read[2] = detail::memory_of(list.values, list.entries);
    written[2] = detail::memory_of(values, max_entries);
  }
  for (memory_span const to : written) {
    for (memory_span const from : read) require_no_overlap(call, "list and matrix", from, to);
  }
  detail::require_no_overlap(call, "offsets and indices", written[0], written[1]);
  detail::require_no_overlap(call, "offsets and values", written[0], written[2]);
  detail::require_no_overlap(call, "indices and values", written[1], written[2]);
}

/// `cpu::coo_to_csr` as another call, which errors name.
template <class Value, class Offset>
index_t coo_to_csr(char const* call, int threads, coo_matrix<Value> const& list, Offset* offsets,
                   std::int32_t* indices, Value* values) {
  libscan::detail::check_list<Offset>(call, list);
  if (threads < 1) {
    throw invalid_argument(std::string(call) + ": " + std::to_string(threads) +
                           " threads; expected >= 1");
  }
  detail::require_no_row_overlap(call, list, offsets, indices, values);
  detail::check_indices(call, threads, list.row_indices, list.entries, list.rows);
  detail::check_indices(call, threads, list.indices, list.entries, list.columns);
  entry_keys const keys_of(list.rows, list.columns, list.kind != symmetry::general);
  libscan::detail::expanded_list<Value> const all{list, keys_of};
  return keys_of.bits() <= 32
             ? detail::write_rows<std::uint32_t>(threads, all, offsets, indices, values)
             : detail::write_rows<std::uint64_t>(threads, all, offsets, indices, values);
}

}  // namespace detail

/// Converts a list of entries to a matrix by rows, on up to `threads` threads; returns the number
/// of its entries.
/// Types, Aliasing: lists, results and the space for outputs are as in the device's `coo_to_csr`
/// (coo_to_csr.cuh).
/// Determinism: sums of one place are the same for any number of threads.
/// Memory: a place of 4 or 8 bytes and a value for each entry, for twice the entries unless the
/// list is general; twice as much if most entries are in few rows.
/// Throws: `invalid_argument` (threads < 1, invalid sizes, offsets too narrow, overlap, and, before
/// anything is written, an index out of range), std::bad_alloc.
template <class Value, class Offset>
index_t coo_to_csr(int threads, coo_matrix<Value> const& list, Offset* offsets,
                   std::int32_t* indices, Value* values) {
  if constexpr (!std::is_same_v<Value, no_values>) libscan::refuse_entries<Value>();
  return detail::coo_to_csr("coo_to_csr", threads, list, offsets, indices, values);
}

}  // namespace libscan::inline v1::cpu
