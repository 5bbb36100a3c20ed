// SPDX-License-Identifier: Apache-2.0
// The records of an external sort, in files from which any part can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <apps/common/item_stream.hpp>
#include <apps/common/temporary_file.hpp>
#include <apps/radix_sort/program/record_file.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// Keys and values of streams. They are read from the streams' own files if these hold the items as
/// they are; otherwise (pipes, gzip, items that are converted) they are copied to temporary files.
class external_input {
 public:
  /// `begun`: the first keys, which were taken from the stream already. `directory`: of temporary
  /// files. Throws `file_error`.
  external_input(item_stream& keys, std::span<std::byte const> begun,
                 std::optional<item_stream>& values, std::string const& directory);

  /// The number of keys, and of values; 0 if there are none.
  index_t keys() const { return keys_.count; }
  index_t values() const { return values_.count; }

  /// All records, if there are as many values as keys. They live as long as the list or this
  /// object.
  record_list records() const;

 private:
  struct item_file {
    std::shared_ptr<descriptor const> file;
    std::string name;
    std::uint64_t start = 0;
    index_t count = 0;
    std::size_t item = 1;
  };

  static item_file file_of(item_stream& items, std::span<std::byte const> begun,
                           std::string const& directory);

  item_file keys_, values_;
};

}  // namespace libscan::apps
