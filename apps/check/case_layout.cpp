// SPDX-License-Identifier: Apache-2.0
// Which arrays a case reads and writes.
#include <apps/check/case_data.hpp>

namespace libscan::apps {
namespace {

/// Adds an array of the items of sorts.
void add_items(layout& to, slot which, check_case const& c, int offset) {
  to.add(which, c.type, c.n, offset, words_of_item(c));
}

/// Adds an array of the values that move with them.
void add_values(layout& to, slot which, check_case const& c, int offset) {
  dtype const word = c.value_bytes == 1   ? dtype::u8
                     : c.value_bytes == 2 ? dtype::u16
                     : c.value_bytes == 4 ? dtype::u32
                                          : dtype::u64;
  to.add(which, word, c.n, offset, c.value_bytes == 16 ? 2 : 1);
}

/// For histograms and matrices.
layout table_layout(check_case const& c, index_t segments) {
  layout result(c.slack);
  if (c.what == task::rows_of_list) {
    result.add(slot::places, dtype::i64, c.columns + 1, c.in_offset);
    result.add(slot::keys, dtype::i32, c.n, c.out_offset);
    result.add(slot::items, c.type, c.n, c.out_offset);
  } else if (family_of(c.what) == family::spmv) {
    result.add(slot::items, c.type, segments, c.out_offset);
  } else if (c.what == task::sparse_histogram) {
    result.add(slot::places, dtype::i64, c.bins, c.out_offset);
    result.add(slot::counts, dtype::u64, c.bins, c.in_offset);
    result.add(slot::total, dtype::i64, 1, 0);
    result.add(slot::count, dtype::i64, 4, 0);
  } else {
    bool const weighted = c.what == task::weighted_histogram;
    result.add(weighted ? slot::sums : slot::counts, weighted ? dtype::f64 : dtype::u64, c.bins,
               c.out_offset);
    result.add(slot::count, dtype::i64, 4, 0);
  }
  return result;
}

/// For reductions and binary scans.
layout sums_layout(check_case const& c, index_t segments) {
  layout result(c.slack);
  if (c.what == task::reduce) {
    result.add(slot::total, c.type, 1, 0, words_of_item(c));
    return result;
  }
  if (is_ranks(c.what)) {
    result.add(slot::places, dtype::i64, c.n, c.out_offset);
  } else {
    result.add(slot::items, c.type, segments, c.out_offset, words_of_item(c));
    if (c.what == task::sums_by_keys) result.add(slot::keys, dtype::i32, segments, c.in_offset);
  }
  result.add(slot::count, dtype::i64, 1, 0);
  return result;
}

bool described_by_flags(task what) {
  return what == task::segmented_by_flags || what == task::sums_by_flags;
}

bool described_by_bits(task what) {
  return what == task::segmented_by_bits || what == task::sums_by_bits;
}

bool described_by_offsets(task what) {
  return what == task::segmented_by_offsets || what == task::segmented_by_ranges ||
         what == task::sums_by_offsets || what == task::sums_by_ranges;
}

}  // namespace

layout input_layout(check_case const& c, index_t segments) {
  layout result(c.slack);
  bool const segmented = family_of(c.what) == family::segmented;
  add_items(result, slot::items, c, c.in_offset);
  if (with_values(c.what)) add_values(result, slot::values, c, c.in_offset);
  if (by_flags(c.what) || described_by_flags(c.what)) {
    result.add(slot::flags, dtype::u8, c.n, c.in_offset);
  }
  if (by_bits(c.what) || described_by_bits(c.what)) {
    result.add(slot::bits, dtype::u32, ceil_div(c.n, index_t{32}), c.out_offset % 3);
  }
  if (described_by_offsets(c.what) || (!segmented && in_segments(c.what))) {
    result.add(slot::places, dtype::i64, segments + 1, c.out_offset % 3);
  }
  if (c.what == task::weighted_histogram) {
    result.add(slot::values, dtype::f64, c.n, c.out_offset);
  }
  if (c.what == task::edge_histogram) result.add(slot::edges, c.type, c.bins + 1, c.out_offset);
  if (family_of(c.what) == family::spmv) {
    result.add(slot::keys, dtype::i32, c.n, c.out_offset);
    if (c.what == task::rows_of_list) {
      result.add(slot::rows, dtype::i32, c.n, c.in_offset);
    } else {
      result.add(slot::vector, c.type, c.columns, c.out_offset);
      if (c.has_init) result.add(slot::others, c.type, segments, c.out_offset);
    }
  }
  if (c.what == task::segmented_by_keys || c.what == task::sums_by_keys) {
    result.add(slot::keys, dtype::i32, c.n, c.out_offset);
  }
  result.add(slot::count, dtype::i64, 1, 0);
  return result;
}

layout output_layout(check_case const& c, index_t segments) {
  if (family_of(c.what) >= family::histogram) return table_layout(c, segments);
  if (c.what == task::reduce || is_ranks(c.what) || sums_segments(c.what)) {
    return sums_layout(c, segments);
  }
  layout result(c.slack);
  bool const splits = family_of(c.what) == family::split;
  bool const filters = family_of(c.what) == family::filter;
  bool const positions = c.what == task::positions_if || c.what == task::positions_flagged ||
                         c.what == task::positions_masked || c.what == task::argsort ||
                         c.what == task::argsort_in_segments;
  bool const indexed = c.what == task::indexed_if || c.what == task::indexed_flagged ||
                       c.what == task::indexed_masked;
  bool const counts =
      c.what == task::count_if || c.what == task::count_flagged || c.what == task::count_masked;
  if (!positions && !counts) add_items(result, slot::items, c, c.out_offset);
  if (positions || indexed || c.what == task::run_lengths) {
    result.add(slot::places, dtype::i64, c.n, c.out_offset);
  }
  if (c.what == task::run_lengths) result.add(slot::lengths, dtype::i64, c.n, c.in_offset);
  bool const two =
      c.what == task::split_if || c.what == task::split_flagged || c.what == task::split_masked;
  if (two) result.add(slot::others, c.type, c.n, c.in_offset);
  if (with_values(c.what)) add_values(result, slot::values, c, c.in_offset);
  if (c.two_buffers) {
    add_items(result, slot::spare, c, c.in_offset);
    if (with_values(c.what)) add_values(result, slot::spare_values, c, c.out_offset);
  }
  if (by_buckets(c.what)) {
    result.add(slot::places, dtype::i64, c.buckets + 1, c.in_offset);
  } else if (splits || filters) {
    result.add(slot::count, dtype::i64, 1, 0);
  }
  if (c.what == task::scan || c.what == task::reverse_scan) {
    result.add(slot::total, c.type, 1, 0, words_of_item(c));
  }
  return result;
}

std::vector<copied_slot> copied_slots(check_case const& c, layout const& in) {
  std::vector<copied_slot> result;
  if (c.in_place) result.push_back({slot::items, slot::items});
  if (c.in_place && in.has(slot::values)) result.push_back({slot::values, slot::values});
  if (family_of(c.what) == family::spmv && in.has(slot::others)) {
    result.push_back({slot::others, slot::items});
  }
  return result;
}

}  // namespace libscan::apps
