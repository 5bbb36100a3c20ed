// SPDX-License-Identifier: Apache-2.0
// Reads keys, and notes where their rows are.
#include <apps/common/text_rows.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <apps/common/cells.hpp>
#include <apps/common/column_reader.hpp>
#include <apps/common/date.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number_column.hpp>

namespace libscan::apps {
namespace {

array as_array(dtype type, byte_buffer& items) {
  kept_bytes bytes = items.release();
  return {type,
          {static_cast<index_t>(bytes.bytes.size() / size_of(type))},
          file_format::text,
          bytes.bytes,
          std::move(bytes.owner)};
}

/// Those bytes of a text.
std::string_view part_of(std::string_view text, column_reader::place const& at) {
  return text.substr(static_cast<std::size_t>(at.begin), at.size);
}

/// Collects one column's keys.
class key_builder {
 public:
  key_builder(column_reader& in, std::size_t k, column_key key, read_options const& options,
              std::string_view text, std::string const& name)
      : in_(in),
        text_(text),
        k_(k),
        numbers_(in, k, options.type, name),
        seconds_(name),
        fractions_(name) {
    column_.how = std::move(key);
  }

  void add() {
    note_missing();
    switch (column_.how.kind) {
      case cell_kind::number:
        numbers_.add();
        break;
      case cell_kind::date:
        add_date();
        break;
      case cell_kind::text:
        add_word();
    }
    ++rows_;
  }

  /// Space for the keys of that many rows.
  void reserve(std::size_t rows) {
    if (column_.how.kind == cell_kind::text) column_.words.reserve(rows);
  }

  key_column release() {
    if (column_.how.kind == cell_kind::number) column_.numbers = numbers_.release();
    if (column_.how.kind == cell_kind::date) {
      column_.numbers = as_array(dtype::i64, seconds_);
      if (fractions_used_) column_.nanoseconds = as_array(dtype::u32, fractions_);
    }
    if (!any_missing_) column_.missing.clear();
    return std::move(column_);
  }

 private:
  void note_missing() {
    if (!in_.missing(k_) && !any_missing_) return;
    if (!any_missing_) column_.missing.assign(rows_, 0);
    any_missing_ = true;
    column_.missing.push_back(in_.missing(k_) ? 1 : 0);
  }

  void add_word() {
    std::string_view word = part_of(text_, in_.cell_place(k_));
    if (in_.quoted(k_) && word.find('"') != std::string_view::npos) {
      word = column_.unquoted.emplace_back(without_doubled_quotes(word));
    }
    column_.words.push_back(word);
  }

  void add_date() {
    std::optional<moment> const date = in_.missing(k_) ? moment{0, 0} : parse_date(in_.shown(k_));
    if (!date) in_.refuse(k_, "a date as 2024-02-29 or 2024-02-29T23:59:59.5Z");
    seconds_.push(date->seconds);
    fractions_.push(date->nanoseconds);
    fractions_used_ = fractions_used_ || date->nanoseconds != 0;
  }

  column_reader& in_;
  std::string_view text_;
  std::size_t k_;
  key_column column_;
  number_column numbers_;
  byte_buffer seconds_, fractions_;
  bool fractions_used_ = false;
  bool any_missing_ = false;
  std::size_t rows_ = 0;
};

/// All of a text.
kept_bytes whole_text(byte_reader& in) {
  std::string const what = "reading " + in.name();
  if (auto const left = in.bytes_left()) require_memory(*left, what);
  auto all = in.rest();
  if (!all) return read_up_to(in, std::numeric_limits<std::uint64_t>::max());
  require_memory(all->bytes.size(), what);
  return std::move(*all);
}

/// Sets what is around the rows of `all`.
void find_ends(std::string_view all, text_rows& result) {
  std::size_t const first_end = all.find('\n');
  bool const carriage_returns =
      first_end != 0 && first_end < all.size() && all[first_end - 1] == '\r';
  if (carriage_returns && !all.ends_with('\n') && !all.ends_with('\r')) result.last_end = "\r\n";
  if (all.starts_with("\xef\xbb\xbf")) result.mark = all.substr(0, 3);
}

}  // namespace

std::uint64_t key_column::bytes() const {
  return numbers.bytes.size() + nanoseconds.bytes.size() + words.size() * sizeof(words[0]) +
         missing.size();
}

std::uint64_t text_rows::bytes() const {
  std::uint64_t total = text.bytes.size() + rows.size() * sizeof(rows[0]);
  for (key_column const& key : keys) total += key.bytes();
  return total;
}

text_rows read_text_rows(byte_reader& in, read_options const& options,
                         std::vector<column_key> const& keys) {
  text_rows result;
  std::string const& name = in.name();
  result.text = whole_text(in);
  auto const bytes = result.text.bytes;
  std::string_view const all(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  find_ends(all, result);
  auto const lines = static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n')) + 1;
  auto const texts = static_cast<std::size_t>(std::count_if(
      keys.begin(), keys.end(), [](column_key const& key) { return key.kind == cell_kind::text; }));
  require_memory(memory_held() + (1 + texts) * lines * sizeof(result.rows[0]), "reading " + name);
  result.rows.reserve(lines);
  byte_reader lines_in(from_memory(result.text), name);
  column_reader cells(lines_in, options, keys);
  std::vector<std::unique_ptr<key_builder>> builders;
  for (std::size_t k = 0; k < std::max<std::size_t>(keys.size(), 1); ++k) {
    column_key const key = keys.empty() ? column_key{options.column.value_or(1)} : keys[k];
    builders.push_back(std::make_unique<key_builder>(cells, k, key, options, all, name));
    builders.back()->reserve(lines);
  }
  while (cells.next()) {
    for (auto const& builder : builders) builder->add();
    if (!cells.is_sequence()) result.rows.push_back(part_of(all, cells.row_place()));
  }
  for (auto const& builder : builders) result.keys.push_back(builder->release());
  result.is_sequence = cells.is_sequence();
  if (result.is_sequence) result.rows.clear();
  result.header_line = cells.header_line();
  if (result.header_line > 0) result.header = part_of(all, cells.header_place());
  result.notes = cells.notes();
  return result;
}

}  // namespace libscan::apps
