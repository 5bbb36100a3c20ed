// SPDX-License-Identifier: Apache-2.0
// What scan-sort reads: an array of keys, and where text is sorted the rows they stand in; never
// more than memory may be taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/radix_sort/memory_needs.hpp>

namespace libscan::apps {

/// How much memory scan-sort may take.
class memory_bound {
 public:
  /// `bytes` = 0: as much as the machine has.
  explicit memory_bound(std::uint64_t bytes);

  /// Throws `error` unless `bytes` may be taken; `what` (as in "sorting x.npy") takes them.
  void require(std::uint64_t bytes, std::string const& what) const;

  /// The same for a sort. What it may take must not be more than a bound that was given; what it
  /// takes at least, than the machine has.
  void require(memory_needs const& needs, std::string const& what) const;

 private:
  void require(std::uint64_t bytes, std::string const& what, char const* how) const;

  std::uint64_t bytes_;
  bool given_;
};

/// Keys, and the lines of the text in which they stand.
struct sort_input {
  array keys;
  std::vector<std::string_view> rows;  ///< one for each key, without line ends; empty if no text
  std::string_view mark;               ///< of UTF-8, at the beginning of the text; may be empty
  std::optional<std::string_view> header;
  std::string_view last_end =
      "\n";         ///< of the text's last line: as that of the first if it has none
  kept_bytes text;  ///< holds all of these lines

  /// Bytes that all of it takes.
  std::uint64_t bytes() const;
};

/// Reads the input `path` ("-" is standard input) as `read_array` does. If it is text and
/// `with_rows`, its rows are kept; empty lines and comments are not.
///
/// Throws as `read_array`, and as `memory_bound::require` as soon as what is read takes too much.
sort_input read_sort_input(std::string const& path, read_options const& options, bool with_rows,
                           memory_bound const& memory);

}  // namespace libscan::apps
