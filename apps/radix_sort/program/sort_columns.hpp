// SPDX-License-Identifier: Apache-2.0
// The order of rows by several columns, by text, by dates, and with missing values. Strings are
// ordered by their bytes, as sort does with LC_ALL=C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/text_rows.hpp>
#include <libscan/core/types.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::apps {

/// Orders `positions` so that words[positions[j]] never decrease (or never increase, depending on
/// `direction`). Words compare by their bytes as unsigned numbers; a word precedes the longer ones
/// that begin with it. Positions of equal words keep their order. `positions` are distinct and
/// below the number of words. Takes 8 bytes per position, and what `sort_pairs` takes.
///
/// An MSD radix sort: each step sorts a group of words that agree so far by their next seven bytes.
void sort_words(engine const& on, std::span<std::string_view const> words,
                std::span<index_t> positions, sort_direction direction);

/// Whether keys are more than one column of numbers, so that they are no array.
bool are_columns(std::vector<column_key> const& keys, missing_rule const& missing);

/// Which rows precede others.
struct column_order {
  bool descending = false;     ///< for keys without a direction of their own
  bool missing_first = false;  ///< where missing values go, in either direction
  bool may_miss = true;        ///< whether values may be missing
};

/// Sets `positions` to the order of `n` rows by `keys`, the first key first; rows whose keys are
/// all equal keep their order. Takes what `sort_words`, and `sort_pairs` of 8-byte keys and values,
/// take, and 8 bytes per row.
void order_by_columns(engine const& on, std::span<key_column const> keys, column_order const& order,
                      std::span<index_t> positions);

/// Whether two rows have equal keys. Missing values are equal to each other, NaN to nothing.
bool same_keys(std::span<key_column const> keys, std::size_t a, std::size_t b);

/// Appends the keys of a row as bytes. Rows, also those whose numbers were read as other types, are
/// ordered as these bytes, compared like text, and have equal keys if they are equal. Returns false
/// for a row with NaN: it equals no other row.
bool append_key_bytes(std::span<key_column const> keys, column_order const& order, std::size_t row,
                      std::string& to);

/// The order by one std::stable_sort that compares row by row, for --verify. With `unique`, only
/// the first of each run of rows with equal keys.
std::vector<index_t> expected_order(std::span<key_column const> keys, column_order const& order,
                                    std::size_t n, bool unique);

}  // namespace libscan::apps
