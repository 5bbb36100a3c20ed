// SPDX-License-Identifier: Apache-2.0
// Reads a column into an array, and lines as they are.
#include <apps/common/text.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/column_reader.hpp>
#include <apps/common/compression.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number_column.hpp>
#include <apps/common/on_threads.hpp>
#include <apps/common/plain_rows.hpp>
#include <apps/common/table.hpp>
#include <apps/common/utf8.hpp>

namespace libscan::apps {

array read_text(byte_reader& in, read_options const& options) {
  column_reader cells(in, options);
  number_column numbers(cells, 0, options.type, in.name());
  plain_row_feed feed(cells, options.threads);
  std::vector<std::span<std::uint64_t const>> found;
  while (cells.next()) {
    numbers.add();
    for (bool more = true; more;) {
      auto const parts = feed.next({{cells.number(0), 0, numbers.rule_of_plain_numbers()}}, false);
      found.clear();
      for (plain_rows const& part : parts) {
        found.emplace_back(part.columns[0].numbers);
        cells.pass(part.bytes, part.count);
      }
      numbers.add_plain(found, threads_for(options.threads));
      more = !parts.empty();
    }
  }
  array result = numbers.release();
  result.header_line = cells.header_line();
  result.notes = cells.notes();
  return result;
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
