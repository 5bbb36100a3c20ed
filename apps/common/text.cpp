// SPDX-License-Identifier: Apache-2.0
// Reads a column into an array, and lines as they are.
#include <apps/common/text.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/compression.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/table.hpp>
#include <apps/common/utf8.hpp>

namespace libscan::apps {

number_reader::number_reader(byte_reader& in, read_options const& options)
    : cells_(in, options),
      numbers_(cells_, 0, options.type, in.name()),
      feed_(cells_, options.threads) {}

array number_reader::next(std::size_t enough, bool wait) {
  auto const ends = [&] { return numbers_.bytes() >= enough || (!wait && cells_.waits()); };
  while (cells_.next()) {
    numbers_.add();
    while (!ends() && add_plain_rows()) {
    }
    if (ends()) break;
  }
  array result = numbers_.release();
  result.header_line = cells_.header_line();
  result.notes = cells_.notes();
  return result;
}

/// Adds rows that are plain; false if there is none.
bool number_reader::add_plain_rows() {
  if (!feed_.due()) return false;
  plain_column column{cells_.number(0), 0, numbers_.rule_of_plain_numbers()};
  return feed_.next({column}, false, {nullptr, [this](plain_rows const& part, std::size_t) {
                                        numbers_.add_plain(part.columns[0].numbers);
                                        return part.count;
                                      }});
}

array read_text(byte_reader& in, read_options const& options) {
  return number_reader(in, options).next(std::numeric_limits<std::size_t>::max());
}

std::vector<std::string> read_lines(std::string const& path) {
  byte_reader in = plain_content(byte_reader(open_file(path, nullptr), input_name(path)), false);
  table_reader table(in, {});
  std::vector<std::string> lines;
  for (std::uint64_t taken = 0; table.next_line();) {
    if (!is_printable(table.text())) {
      table.fail(for_people(table.text()) + " does not print, expected text in UTF-8");
    }
    taken += table.text().size() + 2 * sizeof(lines[0]);  // twice while the vector grows
    require_memory(memory_held() + taken, "reading " + in.name());
    lines.emplace_back(table.text());
  }
  return lines;
}

}  // namespace libscan::apps
