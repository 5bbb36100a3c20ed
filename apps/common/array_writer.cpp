// SPDX-License-Identifier: Apache-2.0
// Arrays as npy, raw binary or text, on the way to an output file.
#include <apps/common/array_writer.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <apps/common/compression.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/npy.hpp>
#include <apps/common/temporary_file.hpp>

namespace libscan::apps {

file_format output_format(std::string const& path, file_format input) {
  file_format const named = format_of_name(path);
  return named == file_format::automatic ? input : named;
}

array_writer::array_writer(std::string const& path)
    : format_(format_to_write(path)),
      file_(path),
      to_terminal_(same_output(path, "-") && ::isatty(STDOUT_FILENO) == 1) {
  if (named_gzip(path)) {
    gzip_ = std::make_unique<gzip_compressor>(
        [this](std::span<std::byte const> bytes) { file_.write(bytes); });
  }
}

array_writer::~array_writer() = default;

void array_writer::start(dtype type, std::optional<index_t> count, file_format otherwise) {
  if (format_ == file_format::automatic) format_ = otherwise;
  if (begun_ || (count && *count < 0) || format_ == file_format::automatic) {
    throw invalid_argument("array_writer: begin() once, with a format and a count >= 0");
  }
  if (format_ != file_format::text && to_terminal_) {
    throw usage_error("binary data would go to a terminal, expected a file (-o), a pipe, or text");
  }
  begun_ = true;
  type_ = type;
  count_ = count;
}

void array_writer::begin(dtype type, std::optional<index_t> count, file_format otherwise) {
  start(type, count, otherwise);
  if (format_ != file_format::npy) return;
  header_last_ = !count && !gzip_ && file_.may_seek();
  if (count || header_last_) {
    std::string const header = npy_header(type, count.value_or(0));
    put(std::as_bytes(std::span<char const>(header)));
  } else {
    header_first_ = true;
  }
}

bool array_writer::may_begin_from_end(file_format otherwise) const {
  file_format const format = format_ == file_format::automatic ? otherwise : format_;
  return !gzip_ && format != file_format::text && file_.may_write_from_end();
}

void array_writer::begin_from_end(dtype type, index_t count, file_format otherwise) {
  start(type, count, otherwise);
  header_last_ = format_ == file_format::npy;
  std::size_t const header = header_last_ ? npy_header(type, count).size() : 0;
  bytes_ += header;
  file_.write_from_end(header + static_cast<std::uint64_t>(count) * size_of(type));
}

void array_writer::append(dtype type, std::span<std::byte const> items) {
  auto const count = static_cast<index_t>(items.size() / size_of(type));
  if (!begun_ || type != type_ || (count_ && count > *count_ - items_)) {
    throw invalid_argument("array_writer: append() of other items than begin() announced");
  }
  items_ += count;
  if (format_ == file_format::text) {
    visit_item_type(type, [&](auto tag) { put_text<typename decltype(tag)::type>(items); });
  } else if (header_first_) {
    hold(items);
  } else {
    put(items);
  }
}

void array_writer::begin_text() {
  begin(dtype::u8, 0, file_format::text);
  takes_text_ = format_ == file_format::text;
  if (!takes_text_) throw invalid_argument("array_writer: begin_text() under a name of an array");
}

void array_writer::append_text(std::string_view text) {
  if (!takes_text_) throw invalid_argument("array_writer: append_text() without begin_text()");
  put_lines();
  put(std::as_bytes(std::span<char const>(text)));
}

void array_writer::append_line(std::string_view line) {
  constexpr std::size_t max_bytes = std::size_t{1} << 16;
  if (!takes_text_) throw invalid_argument("array_writer: append_line() without begin_text()");
  lines_ += line;
  lines_ += '\n';
  if (lines_.size() >= max_bytes) put_lines();
}

void array_writer::put_lines() {
  if (!lines_.empty()) put(std::as_bytes(std::span<char const>(lines_)));
  lines_.clear();
}

void array_writer::flush() {
  put_lines();
  if (!gzip_) file_.flush();
}

output_file& array_writer::complete() {
  if (!begun_ || items_ != count_.value_or(items_)) {
    throw invalid_argument("array_writer: complete() before all items were appended");
  }
  put_lines();
  if (header_last_ || header_first_) finish_header();
  if (gzip_) gzip_->finish();
  gzip_.reset();
  file_.complete();
  return file_;
}

/// Writes the header, now that the number of items is known.
void array_writer::finish_header() {
  std::string const header = npy_header(type_, items_);
  auto const bytes = std::as_bytes(std::span<char const>(header));
  if (std::exchange(header_last_, false)) return file_.write_at(0, bytes);
  header_first_ = false;
  put(bytes);
  put(held_);
  if (!more_held_) return;
  more_held_->finish();
  block_reader items(more_held_->file(), more_held_->name(), 0, more_held_->size(), block_bytes());
  for (auto some = items.next(); !some.empty(); some = items.next()) put(some);
  more_held_.reset();
}

void array_writer::hold(std::span<std::byte const> bytes) {
  if (!more_held_ && held_.size() + bytes.size() <= block_bytes()) {
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    return;
  }
  if (!more_held_) more_held_ = std::make_unique<temporary_file>();
  more_held_->write(bytes);
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
