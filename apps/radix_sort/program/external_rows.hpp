// SPDX-License-Identifier: Apache-2.0
// The sort of more rows of text than fit in memory: pieces are sorted as all rows would be, written
// as runs, and merged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <apps/common/text_rows.hpp>
#include <apps/radix_sort/program/sort_columns.hpp>
#include <libscan/core/engine.hpp>

namespace libscan::apps {

/// How rows are sorted that do not fit in memory.
struct external_row_request {
  engine on;
  column_order order;
  bool unique = false;         ///< only the first of rows with equal keys
  bool positions = false;      ///< rows stand for their positions in the input
  std::string directory = {};  ///< of temporary files, unless another one was set for all of them
  /// Receives each row in order, without the LF after it, or its position as the 8 bytes of an
  /// `index_t`.
  std::function<void(std::string_view)> put = {};
};

/// The memory of one piece, on `threads` threads: what fits in it is sorted in memory. Nothing if
/// the memory bound is too small for several pieces.
std::optional<row_limit> limit_of_rows(int threads);

/// Sorts `first` and the rows that follow it. Returns their number. Throws `file_error` or
/// std::bad_alloc.
index_t sort_external_rows(external_row_request const& request, text_rows first,
                           text_row_reader& more);

}  // namespace libscan::apps
