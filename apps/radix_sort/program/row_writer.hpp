// SPDX-License-Identifier: Apache-2.0
// Writing lines of text to a file, gzip-compressed if the name ends in ".gz".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <apps/common/gzip.hpp>
#include <apps/common/output_file.hpp>

namespace libscan::apps {

/// A text being written; nothing appears under its name before it is committed.
class row_writer {
 public:
  /// Opens `path`, as `output_file` does.
  explicit row_writer(std::string const& path);

  /// Appends text. Throws as `output_file::write`.
  void write(std::string_view text);

  /// Writes everything left, as `output_file::complete`, and returns the file, which must then be
  /// committed.
  output_file& complete();

  /// Bytes written so far, before any compression.
  std::uint64_t bytes_written() const { return bytes_; }

 private:
  output_file file_;
  std::unique_ptr<gzip_compressor> gzip_;
  std::uint64_t bytes_ = 0;
};

}  // namespace libscan::apps
