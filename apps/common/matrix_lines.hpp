// SPDX-License-Identifier: Apache-2.0
// What the lines of a Matrix Market file say: its header, and its entries, parsed by several
// threads. Pieces of whole lines are counted first, so that each piece then has its line numbers
// and the place of its entries. Internal to matrix_market.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/matrix_market.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// Takes lines off the front of a text.
class line_reader {
 public:
  explicit line_reader(std::string_view text) : rest_(text) {}

  /// The next line without its end; nothing at the end of the text.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    std::size_t const end = std::min(rest_.find('\n'), rest_.size());
    std::string_view const line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++lines_;
    return line;
  }

  std::uint64_t lines() const { return lines_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::uint64_t lines_ = 0;
};

/// Throws `file_error` unless a text begins with the first word of Matrix Market files.
void require_banner(std::string_view text, std::string const& name);

/// Whether nothing is left of a line, or only a comment.
bool is_done(std::string_view rest);

/// Takes the lines up to the size line; returns how many entries that claims. Throws `file_error`.
index_t read_header(line_reader& lines, std::string const& name, matrix_file& matrix);

/// The lines after the size line, or a part of them.
class entry_lines {
 public:
  entry_lines(std::string_view text, index_t claimed, std::string const& name, matrix_file& matrix,
              std::size_t piece_bytes);

  /// Counts lines and entries; returns how many there are.
  line_counts count(int threads);

  /// Reads the entries. `before`: lines and entries before the text.
  void parse(int threads, line_counts before);

  /// Refuses entries before they are read, where the file is long enough for all that it claims.
  void require_claimed() const;

 private:
  /// What is wrong with a line.
  struct complaint {
    std::uint64_t line = std::numeric_limits<std::uint64_t>::max();
    std::string reason;
  };

  static constexpr index_t min_line = 4;  // bytes: "1 1" and its end

  void require_entries(index_t n) const;

  static line_counts count_in(std::string_view text);

  complaint parse_piece(std::size_t piece);

  /// Empty, or the error.
  std::string parse_entry(std::string_view line, std::size_t at);

  /// Takes an index from 1 to `max_index`; false if there is none.
  static bool take_index(std::string_view& line, index_t max_index, index_t& index);

  /// The message for the index that `take_index` refused: the line's first or second.
  std::string wrong_index(std::string_view line, int which) const;

  template <class T>
  static std::string take_value(std::string_view& line, T& value);

  index_t claimed_;
  index_t bytes_;
  std::string const& name_;
  matrix_file& matrix_;
  std::vector<std::string_view> pieces_;
  std::vector<line_counts> counts_;  // before each piece, and at the end
  line_counts before_;               // before the first piece
};

}  // namespace libscan::apps
