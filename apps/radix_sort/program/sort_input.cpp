// SPDX-License-Identifier: Apache-2.0
// Reading keys and rows within a bound on memory.
#include <apps/radix_sort/program/sort_input.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <apps/common/counted_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/gzip.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/npy.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/table.hpp>
#include <apps/common/text.hpp>

namespace libscan::apps {
namespace {

/// A source whose bytes are all kept in memory, unless they are too many.
class bounded_source final : public byte_source {
 public:
  explicit bounded_source(byte_reader in) : in_(std::move(in)) {
    if (auto const all = in_.bytes_left()) check(*all);
    total_ = 0;
  }

  std::span<std::byte const> next() override {
    in_.skip(std::exchange(pending_, 0));
    auto const piece = in_.peek(1);
    pending_ = piece.size();
    check(pending_);
    return piece;
  }

  std::optional<kept_bytes> rest() override {
    in_.skip(std::exchange(pending_, 0));
    auto all = in_.rest();
    if (all) check(all->bytes.size());
    return all;
  }

  std::optional<std::uint64_t> bytes_left() const override {
    auto left = in_.bytes_left();
    if (left) *left -= pending_;
    return left;
  }

 private:
  void check(std::uint64_t more) {
    total_ += more;
    require_memory(total_, "reading " + in_.name());
  }

  byte_reader in_;
  std::size_t pending_ = 0;
  std::uint64_t total_ = 0;
};

/// Finds the line of each row of `in.text`: the rows from which `read_text` took keys, and the
/// header.
void find_rows(sort_input& in, std::string const& name, read_options const& options) {
  byte_reader reader(from_memory(in.text), name);
  table_reader table(reader, options.column.value_or(1), options.comments);
  std::string_view left(reinterpret_cast<char const*>(in.text.bytes.data()), in.text.bytes.size());
  std::size_t const first_end = left.find('\n');
  bool const carriage_returns =
      first_end != 0 && first_end < left.size() && left[first_end - 1] == '\r';
  if (carriage_returns && !left.ends_with('\n') && !left.ends_with('\r')) in.last_end = "\r\n";
  if (left.starts_with("\xef\xbb\xbf")) in.mark = left.substr(0, 3);
  left.remove_prefix(in.mark.size());
  require_memory(memory_held() + (in.keys.count() + 1) * sizeof(in.rows[0]), "reading " + name);
  in.rows.reserve(in.keys.count() + 1);
  for (std::uint64_t line = 0; table.next_row();) {
    std::string_view row;
    for (; line < table.line(); ++line) {
      row = left.substr(0, left.find('\n'));
      left.remove_prefix(std::min(left.size(), row.size() + 1));
    }
    in.rows.push_back(row);
  }
  if (in.rows.size() == in.keys.count()) return;
  in.header = in.rows.front();
  in.rows.erase(in.rows.begin());
}

sort_input read_rows(byte_reader& in, read_options const& options) {
  sort_input result;
  std::string const name = in.name();
  auto all = in.rest();
  result.text = all ? std::move(*all) : read_up_to(in, std::numeric_limits<std::uint64_t>::max());
  if (options.meter != nullptr) options.meter->finish();
  byte_reader numbers(from_memory(result.text), name);
  read_options of_rows = options;
  of_rows.whole_rows = true;
  result.keys = read_text(numbers, of_rows);
  find_rows(result, name, options);
  return result;
}

}  // namespace

std::uint64_t sort_input::bytes() const {
  return keys.bytes.size() + text.bytes.size() + rows.size() * sizeof(rows[0]);
}

sort_source open_sort_input(std::string const& path, read_options const& options, bool with_rows,
                            std::uint64_t& bytes_read) {
  file_format format = options.format;
  if (format == file_format::automatic) format = format_of_name(path);
  std::string const name = input_name(path);
  auto file = std::make_unique<counted_source>(open_file(path, options.meter), bytes_read);
  byte_reader in = plain_content(byte_reader(std::move(file), name), format == file_format::raw);
  if (format == file_format::automatic) {
    format = starts_npy(in) ? file_format::npy : file_format::text;
  }
  sort_source result;
  if (format == file_format::text && with_rows) {
    byte_reader bounded(std::make_unique<bounded_source>(std::move(in)), name);
    result.rows = read_rows(bounded, options);
    say_notes(result.rows->keys);
  } else {
    result.items = std::make_unique<item_stream>(std::move(in), format, options,
                                                 item_stream::request{}, bytes_read);
  }
  return result;
}

}  // namespace libscan::apps
