// SPDX-License-Identifier: Apache-2.0
// Arrays as npy, raw binary or text, on the way to an output file.
#include <apps/common/array_writer.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <apps/common/gzip.hpp>
#include <apps/common/npy.hpp>

namespace libscan::apps {

file_format output_format(std::string const& path, file_format input) {
  file_format const named = format_of_name(path);
  return named == file_format::automatic ? input : named;
}

array_writer::array_writer(std::string const& path) : format_(format_to_write(path)), file_(path) {
  if (named_gzip(path)) {
    gzip_ = std::make_unique<gzip_compressor>(
        [this](std::span<std::byte const> bytes) { file_.write(bytes); });
  }
}

array_writer::~array_writer() = default;

void array_writer::begin(dtype type, index_t count, file_format otherwise) {
  if (format_ == file_format::automatic) format_ = otherwise;
  if (left_ >= 0 || count < 0 || format_ == file_format::automatic) {
    throw invalid_argument("array_writer: begin() once, with a format and a count >= 0");
  }
  type_ = type;
  left_ = count;
  if (format_ != file_format::npy) return;
  std::string const header = npy_header(type, count);
  put(std::as_bytes(std::span<char const>(header)));
}

void array_writer::append(dtype type, std::span<std::byte const> items) {
  std::size_t const count = items.size() / size_of(type);
  if (left_ < 0 || type != type_ || count > static_cast<std::size_t>(left_)) {
    throw invalid_argument("array_writer: append() of other items than begin() announced");
  }
  left_ -= static_cast<index_t>(count);
  if (format_ == file_format::text) {
    visit_item_type(type, [&](auto tag) { put_text<typename decltype(tag)::type>(items); });
  } else {
    put(items);
  }
}

output_file& array_writer::complete() {
  if (left_ != 0) {
    throw invalid_argument("array_writer: complete() before all items were appended");
  }
  if (gzip_) gzip_->finish();
  gzip_.reset();
  file_.complete();
  return file_;
}

void array_writer::put(std::span<std::byte const> bytes) {
  bytes_ += bytes.size();
  if (gzip_) {
    gzip_->write(bytes);
  } else {
    file_.write(bytes);
  }
}

template <class T>
void array_writer::put_text(std::span<std::byte const> items) {
  constexpr std::size_t longest = 32;  // of a number and its line end
  char text[1 << 14];
  char* to = text;
  for (std::size_t at = 0; at < items.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, items.data() + at, sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();  // no "-nan"
    }
    to = std::to_chars(to, to + longest, value).ptr;
    *to++ = '\n';
    if (text + sizeof text - to >= static_cast<std::ptrdiff_t>(longest)) continue;
    put(std::as_bytes(std::span<char const>(text, to)));
    to = text;
  }
  put(std::as_bytes(std::span<char const>(text, to)));
}

}  // namespace libscan::apps
