// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/program/external_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <apps/common/block_file.hpp>
#include <apps/common/lazy_buffer.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/radix_sort/program/memory_needs.hpp>
#include <apps/radix_sort/program/row_runs.hpp>

namespace libscan::apps {
namespace {

/// The memory for rows: without that of the program, of the input's buffers and of two writers.
/// Nothing if that is too little.
std::optional<std::uint64_t> memory_for_rows() {
  constexpr std::uint64_t program_bytes = std::uint64_t{8} << 20;
  constexpr std::uint64_t stream_bytes = std::uint64_t{1} << 20;
  constexpr std::uint64_t min_bytes = std::uint64_t{1} << 20;
  constexpr std::uint64_t blocks = 12;  // of a reader and two writers
  std::uint64_t const taken = program_bytes + stream_bytes + blocks * block_bytes();
  if (memory_bound() < taken + min_bytes) return std::nullopt;
  return memory_bound() - taken;
}

/// Sorts rows, and adds them to a run.
class run_maker {
 public:
  run_maker(external_row_request const& request, run_writer& to) : request_(request), to_(to) {}

  void add(text_rows const& rows) {
    std::size_t const n = rows.rows.size();
    lazy_buffer<index_t> order(n);
    auto const positions = order.items();
    order_by_columns(request_.on, rows.keys, request_.order, positions);
    first_rows firsts;
    // Rows are at random places: the next ones are prefetched, and before that their addresses.
    constexpr std::size_t ahead = 32;
    auto const at = [&](std::size_t i) { return static_cast<std::size_t>(positions[i]); };
    for (std::size_t i = 0; i < n; ++i) {
      if (i + 2 * ahead < n) rows.rows.prefetch(at(i + 2 * ahead));
      if (i + ahead < n) __builtin_prefetch(rows.rows.begin_of(at(i + ahead)));
      key_.clear();
      keyed_row row;
      row.comparable = append_key_bytes(rows.keys, request_.order, at(i), key_);
      row.key = key_;
      if (request_.unique && !firsts.begins(row)) continue;
      row.row = request_.positions ? position(positions[i]) : content(rows, at(i));
      to_.add(row);
    }
    to_.end_run();
    before_ += static_cast<index_t>(n);
  }

  /// The rows of all runs so far.
  index_t rows() const { return before_; }

 private:
  std::string_view position(index_t in_piece) {
    position_ = before_ + in_piece;
    return {reinterpret_cast<char const*>(&position_), sizeof position_};
  }

  /// The row as it is written, without its LF. The last one of a text may have to get a CR.
  std::string_view content(text_rows const& rows, std::size_t i) {
    std::string_view const row = rows.rows[i];
    if (i + 1 < rows.rows.size() || rows.last_end.size() == 1) return row;
    return last_ = std::string(row) + '\r';
  }

  external_row_request const& request_;
  run_writer& to_;
  std::string key_, last_;
  index_t before_ = 0, position_ = 0;
};

/// The least that the runs of all rows take, if the size of the input shows it: whole rows, each
/// with a size in place of its line end. More than `enough` only if that is certain.
std::uint64_t min_bytes_of_runs(external_row_request const& request, text_rows const& first,
                                text_row_reader const& more, std::uint64_t enough) {
  if (request.unique || request.positions) return 0;
  std::uint64_t bytes = more.bytes_left().value_or(0);
  if (bytes + first.text.bytes.size() + first.rows.size() <= enough) return bytes;
  for (std::size_t i = 0; i < first.rows.size(); ++i) bytes += first.rows[i].size() + 1;
  if (bytes > enough) bytes -= std::min(bytes, more.bytes_without_rows());
  return bytes;
}

}  // namespace

std::optional<row_limit> limit_of_rows(int threads) {
  auto const memory = memory_for_rows();
  if (!memory) return std::nullopt;
  std::uint64_t const bytes = *memory;
  // Many rows share the memory that is each thread's; few are charged more for each row instead.
  auto const max_bytes = [threads](std::uint64_t rows) {
    sort_shape shape{rows, sizeof(std::uint64_t), sizeof(index_t)};
    shape.threads = threads;
    return needs_of(shape).max_bytes;
  };
  constexpr std::uint64_t many = std::uint64_t{1} << 24, more = 2 * many;
  std::uint64_t const per_row = (max_bytes(more) - max_bytes(many)) / many + 1;
  std::uint64_t const fixed = max_bytes(many) - std::min(max_bytes(many), many * (per_row - 1));
  row_limit const few{bytes, max_bytes(1)};
  if (bytes <= fixed) return few;
  row_limit const shared{bytes - fixed, per_row};
  return few.bytes / few.per_row > shared.bytes / shared.per_row ? few : shared;
}

index_t sort_external_rows(external_row_request const& request, text_rows first,
                           text_row_reader& more) {
  auto runs = std::make_unique<run_writer>(request.directory);
  runs->require_space(min_bytes_of_runs(request, first, more, runs->free_space()));
  run_maker maker(request, *runs);
  text_rows rows = std::move(first);
  maker.add(rows);
  while (!more.at_end()) {
    rows = {};  // its memory is used again
    rows = more.next();
    maker.add(rows);
  }
  rows = {};
  runs->finish();
  merge_plan const plan{memory_for_rows().value()};
  merge_runs(std::move(runs), plan, request.unique, request.directory, request.put);
  return maker.rows();
}

}  // namespace libscan::apps
