// SPDX-License-Identifier: Apache-2.0
// Lines on the way to a file.
#include <apps/radix_sort/program/row_writer.hpp>

#include <cstddef>
#include <span>

#include <apps/common/data_file.hpp>

namespace libscan::apps {

row_writer::row_writer(std::string const& path) : file_((format_to_write(path), path)) {
  if (!named_gzip(path)) return;
  gzip_ = std::make_unique<gzip_compressor>(
      [this](std::span<std::byte const> bytes) { file_.write(bytes); });
}

void row_writer::write(std::string_view text) {
  auto const bytes = std::as_bytes(std::span<char const>(text));
  bytes_ += bytes.size();
  if (gzip_) {
    gzip_->write(bytes);
  } else {
    file_.write(bytes);
  }
}

output_file& row_writer::complete() {
  if (gzip_) gzip_->finish();
  gzip_.reset();
  file_.complete();
  return file_;
}

}  // namespace libscan::apps
