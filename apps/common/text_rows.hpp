// SPDX-License-Identifier: Apache-2.0
// A text in memory as rows that stay whole, with the keys that are read from their columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/column_reader.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/lazy_buffer.hpp>

namespace libscan::apps {

/// The cells of one column as keys, one per row.
struct key_column {
  column_key how;
  array numbers;      ///< of numbers: the values; of dates: int64 seconds since 1970
  array nanoseconds;  ///< of dates: uint32; empty if all are 0
  std::vector<std::string_view> words;  ///< of text, without quotes
  std::vector<std::uint8_t> missing;    ///< 1 for a missing value; empty if there is none
  /// Hold words with doubled quotes made single.
  std::vector<std::unique_ptr<std::string>> unquoted;

  /// The bytes of all of it, except those of the text.
  std::uint64_t bytes() const;
};

/// Rows of one text, in its order. A row takes four bytes here while all are lines that begin in
/// the first 4 GiB: where it begins. Otherwise it takes eight.
class row_list {
 public:
  static constexpr std::size_t row_bytes = sizeof(std::uint64_t);  // at most

  /// Space for so many rows.
  void reserve(std::size_t rows);

  /// Appends a row: a part of the same text, after those before it.
  void push_back(std::string_view row) {
    if (!wide_) widen();
    push_place(row);
  }

  /// The same for a line: a row without LF in it, which a LF follows unless it is the last one.
  void push_line(std::string_view line) {
    if (wide_ || !may_begin(line.data(), line.data())) return push_back(line);
    words_.push_back(static_cast<std::uint32_t>(line.data() - text_));
    end_ = line.data() + line.size();
  }

  std::string_view operator[](std::size_t i) const {
    if (!wide_) return line_at(words_[i]);
    std::uint64_t const place = place_of(i), size = place & max_size;
    if (size == max_size) return long_.at(i);
    return {text_ + (place >> size_bits), static_cast<std::size_t>(size)};
  }

  /// Appends lines that follow each other from `begin` on, each with a LF; `ends` as in
  /// `plain_rows`.
  void append(char const* begin, std::span<std::uint32_t const> ends);

  /// Whether all rows are known by where they begin, so that each is one line.
  bool are_lines() const { return !wide_; }

  /// Where each line begins, as a distance from `text`; and the line that begins there. Requires
  /// `are_lines`.
  std::span<std::uint32_t const> begins() const { return words_; }
  char const* text() const { return text_; }
  std::string_view line_at(std::uint32_t begin) const {
    char const* const line = text_ + begin;
    auto const left = static_cast<std::size_t>(end_ - line);
    return {line, std::min(std::string_view(line, left).find('\n'), left)};
  }

  /// Where a row begins. Does not read the row.
  char const* begin_of(std::size_t i) const {
    return wide_ ? (*this)[i].data() : text_ + words_[i];
  }

  /// Brings into the cache what `begin_of` reads.
  void prefetch(std::size_t i) const { __builtin_prefetch(&words_[wide_ ? 2 * i : i]); }

  std::size_t size() const { return wide_ ? words_.size() / 2 : words_.size(); }
  bool empty() const { return words_.empty(); }
  void clear();

  /// The bytes that the rows take here.
  std::size_t bytes() const { return words_.size() * sizeof(std::uint32_t); }

 private:
  static constexpr int size_bits = 24;
  static constexpr std::uint64_t max_size = (std::uint64_t{1} << size_bits) - 1;

  /// Whether 32 bits hold where each line begins, if the first begins at `first` and the last at
  /// `last`.
  bool may_begin(char const* first, char const* last) {
    if (words_.empty()) text_ = first;
    return static_cast<std::uint64_t>(last - text_) >> 32 == 0;
  }

  std::uint64_t place_of(std::size_t i) const {
    std::uint64_t place;
    std::memcpy(&place, &words_[2 * i], sizeof place);
    return place;
  }

  void push_place(std::string_view row);
  void widen();

  bool wide_ = false;
  char const* text_ = nullptr;  // where the first row begins
  char const* end_ = nullptr;   // of the last line
  /// Where lines begin. Wide: two words for each row, which are the distance from `text_`, and the
  /// size in the low bits.
  std::vector<std::uint32_t> words_;
  std::map<std::size_t, std::string_view> long_;  // rows that do not fit
};

/// Rows, and the bytes around them.
struct text_rows {
  row_list rows;          ///< lines without their LF
  std::string_view mark;  ///< of UTF-8, at the start of the text; may be empty
  std::optional<std::string> header;
  std::string_view last_end = "\n";  ///< of the text's last line: that of the first if it has none
  kept_bytes text;                   ///< holds the rows
  std::vector<key_column> keys;      ///< as many as were chosen
  std::vector<std::string> notes;    ///< as `array::notes`
  std::uint64_t header_line = 0;     ///< as `array::header_line`
  bool is_sequence = false;          ///< the items are the numbers of the only row; no rows

  /// The bytes of all of it.
  std::uint64_t bytes() const;
};

/// How many rows come in a piece.
struct row_limit {
  std::uint64_t bytes = ~std::uint64_t{0};  ///< of rows, their keys and what is done with them
  std::uint64_t per_row = 0;                ///< what is done with them takes that for each row
  std::size_t enough = ~std::size_t{0};     ///< the piece soon ends after that many rows
  bool wait = true;                         ///< for more rows where a pipe pauses
  bool all = true;                          ///< else it ends where plain rows are to be passed
};

/// Reads a text as rows and their keys, in pieces that take limited memory. Rows are all lines but
/// the header, empty lines, comments and skipped rows.
class text_row_reader {
 public:
  /// The rest of `in`, with these keys; without `keys`, `options.column` as a number. `in` and
  /// `options` must outlive this object. Without a limit all rows are one piece. Throws
  /// `file_error` as `column_reader`, and `error` beyond the memory bound: before a byte is read,
  /// if the file's size shows it.
  text_row_reader(byte_reader& in, read_options const& options, std::vector<column_key> const& keys,
                  std::optional<row_limit> limit = {});
  ~text_row_reader();
  text_row_reader(text_row_reader const&) = delete;
  text_row_reader& operator=(text_row_reader const&) = delete;

  /// The next rows; only the last piece may be empty. Those of another piece may take the memory of
  /// this one if it is gone. Numbers of different pieces may have different types: they are read as
  /// int64 while all fit, as uint64 while all fit, and then as float64. Throws as the constructor.
  text_rows next();

  /// Uses plain rows that come next, which are in no piece then, if many rows were plain. True
  /// where a pipe pauses. Requires a limit without `all`, and one key of numbers, of the type
  /// `plain_type` for these rows. Throws as the constructor.
  bool pass_plain_rows(plain_row_use const& use);
  dtype plain_type() const;

  /// Whether the last piece has been read.
  bool at_end() const { return at_end_; }

  /// The bytes that no row holds yet, if the file's size gives their number in advance.
  std::optional<std::uint64_t> bytes_left() const { return from_->bytes_left(); }

  /// How many of these bytes are empty lines and comments, or may be skipped rows. Reads the rest
  /// of the file for that.
  std::uint64_t bytes_without_rows() const;

  /// The bytes read so far from a file that does not stay in memory: they do not come through `in`.
  std::uint64_t bytes_by_blocks() const { return blocks_in_ ? blocks_in_->offset() : 0; }

 private:
  class key_builder;

  std::size_t expected_rows(std::string_view text, int threads) const;
  std::uint64_t max_row_bytes() const;
  bool ends(text_rows const& piece);
  bool add_row(text_rows& to);
  bool add_plain_rows(text_rows& to);
  std::vector<plain_column> plain_columns() const;
  std::size_t add_part(plain_rows const& part, text_rows& to);
  std::size_t fitting(plain_rows const& part) const;
  std::size_t row_bytes(std::size_t size) const;
  char* keep(std::string_view rows, std::size_t bytes);
  std::string_view keep_row(std::string_view row);
  void begin_piece(text_rows& to);
  void finish_piece(text_rows& to);

  read_options const& options_;
  std::shared_ptr<descriptor const> file_;  // of the text, if it is one
  std::optional<row_limit> limit_;
  kept_bytes whole_;  // all of the text, if it stays in memory
  std::unique_ptr<byte_reader> whole_in_;
  std::unique_ptr<byte_reader> blocks_in_;  // the text, if it is a file that does not stay
  byte_reader const* from_ = nullptr;       // one of these, or the caller's
  std::uint64_t texts_ = 0;                 // columns of text
  std::size_t rows_expected_ = 0;           // of a piece: an estimate
  bool has_mark_ = false;
  std::unique_ptr<column_reader> cells_;
  std::unique_ptr<plain_row_feed> feed_;  // none: rows are never plain
  std::vector<std::unique_ptr<key_builder>> builders_;
  std::shared_ptr<lazy_buffer<char>> copies_;  // of the rows of a piece, if the text does not stay
  std::size_t copied_ = 0;                     // bytes
  std::size_t text_end_ = 0;                   // of the rows there
  std::uint64_t taken_ = 0;                    // by the rows of this piece
  bool begun_ = false;                         // a piece was read
  bool waits_ = false;                         // the row in `cells_` did not fit in the last piece
  bool at_end_ = false;
};

/// All rows in one piece.
text_rows read_text_rows(byte_reader& in, read_options const& options,
                         std::vector<column_key> const& keys = {});

}  // namespace libscan::apps
