// SPDX-License-Identifier: Apache-2.0
// Fast reading of plain rows of text: one line each, without quotes, and with numbers that need no
// thought. Everything else is left to `column_reader`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace libscan::apps {

class column_reader;

/// Integers up to here are exact in float64.
inline constexpr std::int64_t max_exact = std::int64_t{1} << 53;

/// Whether a character separates cells where the delimiter is ' '.
inline bool is_tab_or_space(char c) { return c == ' ' || c == '\t'; }

/// Which numbers of a column are plain.
struct plain_number_rule {
  enum class kind : std::uint8_t { integer, float32, float64 };
  kind what = kind::integer;
  std::int64_t min = std::numeric_limits<std::int64_t>::min();  ///< of integers
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  bool minus_zero = true;      ///< whether the integer -0 is plain
  bool large_integers = true;  ///< of floats: whether integers from 2^53 on are plain
  bool exact = false;          ///< whether integers that float64 rounds are not plain
};

/// A column whose cells are wanted: numbers, or text if it has no rule for numbers.
struct plain_column {
  int number = 1;       ///< from 1
  std::size_t key = 0;  ///< its place in `plain_rows::columns`
  std::optional<plain_number_rule> numbers;
};

/// How lines are split into cells, as in `table_rules`.
struct plain_rules {
  char delimiter = ' ';       ///< ' ': runs of blanks
  int cells = 0;              ///< in each row; 0: any number
  bool hash_is_plain = true;  ///< whether a line may begin with '#'
};

/// Successive plain rows.
struct plain_rows {
  char const* begin = nullptr;      ///< of the first row
  std::vector<std::uint32_t> ends;  ///< of each row, after its LF: distances from `begin`

  /// The cells of a column. Numbers: int64, double or float, as the rule says, in the low bits.
  struct cells {
    std::vector<std::uint64_t> numbers;
    std::vector<std::string_view> words;
  };
  std::vector<cells> columns;

  /// Where lines and cells end; as `character_marker` sets them.
  struct marks {
    std::vector<std::uint64_t> line_ends, separators;
  };
  marks marked;  ///< of the text that was scanned

  std::size_t count = 0;  ///< rows
  std::size_t bytes = 0;  ///< that they have, with their LF

  /// The distance from `begin` to a row; to the end for `count`.
  std::size_t place(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }

  /// Removes cells of a row after the last one.
  void drop_partial_row() {
    for (cells& column : columns) {
      if (column.numbers.size() > count) column.numbers.pop_back();
      if (column.words.size() > count) column.words.pop_back();
    }
  }
};

/// What becomes of plain rows, part of a text after part. `slot` is below the number of threads;
/// parts that are in use at the same time have different ones.
struct plain_row_use {
  /// Called on the thread that has scanned a part, at the same time as for other parts. The part
  /// may not be taken.
  std::function<void(plain_rows const&, std::size_t slot)> prepare;

  /// Called for one part at a time, in their order. Returns how many of its rows are taken; if not
  /// all, no others are.
  std::function<std::size_t(plain_rows const&, std::size_t slot)> take;
};

/// Scans texts for plain rows.
class plain_row_scanner {
 public:
  plain_row_scanner(plain_rules const& rules, std::vector<plain_column> columns);

  /// Replaces `to` by the plain rows at the beginning of `text`, up to the first line that is not
  /// plain or has no LF. Their bytes stay in `text`, which has less than 4 GiB. `with_rows`:
  /// whether `ends` are wanted, too. Bytes up to `readable` may be read.
  void scan(std::string_view text, char const* readable, bool with_rows, plain_rows& to) const;

  /// What was found in a text.
  struct outcome {
    std::size_t plain_bytes = 0;             ///< of all plain rows
    std::size_t taken_bytes = 0, taken = 0;  ///< of the rows that were taken, and how many
  };

  /// The same for consecutive parts of `text` on several threads. `to`: memory that is used again.
  outcome scan(std::string_view text, char const* readable, bool with_rows, int threads,
               plain_row_use const& use, std::vector<plain_rows>& to) const;

 private:
  void mark(std::string_view text, plain_rows::marks& to) const;

  plain_rules rules_;
  std::vector<plain_column> columns_;  // in ascending order of their numbers
};

/// Hands out plain rows between those of a `column_reader`, and gives up where few rows are plain.
class plain_row_feed {
 public:
  /// Scans on that many threads, 0: one for each core. `in` must outlive this object.
  plain_row_feed(column_reader& in, int threads);

  /// Whether plain rows may follow the row of `in`. Says no for more and more rows while they do
  /// not.
  bool due();

  /// Whether all rows were plain for so long that whole parts of the text may be.
  bool flows() const { return window_ >= flowing_window; }

  /// Lets `in` pass plain rows that follow its row, and uses them. False if there were none, or not
  /// all of them were taken.
  bool next(std::vector<plain_column> columns, bool with_rows, plain_row_use const& use);

 private:
  static constexpr std::size_t min_window = std::size_t{1} << 14;
  static constexpr std::size_t flowing_window = std::size_t{1} << 18;

  void adapt(std::size_t plain, std::size_t scanned);

  column_reader& in_;
  int threads_;
  std::vector<plain_rows> parts_;
  std::size_t window_ = min_window;         // bytes that are scanned at once
  std::size_t pause_ = 0, next_pause_ = 0;  // rows for which none are due
};

}  // namespace libscan::apps
