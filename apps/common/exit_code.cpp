// SPDX-License-Identifier: Apache-2.0
// Wording of file errors, and the word that was perhaps meant by another.
#include <apps/common/exit_code.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <system_error>
#include <utility>

namespace libscan::apps {

file_error::file_error(std::string const& path, std::string const& reason)
    : error(path + ": " + reason) {}

file_error file_error::at_line(std::string const& path, std::uint64_t line,
                               std::string const& reason) {
  return file_error(path + ":" + std::to_string(line) + ": " + reason);
}

file_error file_error::at_byte(std::string const& path, std::uint64_t offset,
                               std::string const& reason) {
  return file_error(path + ": byte " + std::to_string(offset) + ": " + reason);
}

file_error file_error::from_errno(std::string const& path, std::string const& doing,
                                  int error_number) {
  return file_error(path + ": " + doing + ": " + std::generic_category().message(error_number));
}

namespace {

std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      bool const exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string closest_word(std::string_view word, std::vector<std::string> const& words) {
  constexpr std::size_t max_length = 64;  // longer words are no typing mistakes
  if (word.size() > max_length) return "";
  // Some of the word must remain.
  std::size_t fewest = std::min(std::max<std::size_t>(word.size() / 3, 1) + 1, word.size());
  std::string closest;
  for (std::string const& one : words) {
    if (one.size() > max_length || one.empty()) continue;
    std::size_t const edits = edits_between(word, one);
    if (edits >= fewest) continue;
    fewest = edits;
    closest = one;
  }
  return closest;
}

}  // namespace libscan::apps
