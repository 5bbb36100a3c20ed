// SPDX-License-Identifier: Apache-2.0
// From the bytes of a file, a pipe or a decompressor to pieces of items.
#include <apps/common/item_stream.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <apps/common/compression.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/dtype.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/program.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/steps.hpp>
#include <apps/common/text.hpp>

namespace libscan::apps {

namespace {

file_format format_of(std::string const& path, read_options const& options) {
  return options.format == file_format::automatic ? format_of_name(path) : options.format;
}

/// The numbers of a text as bytes of items.
class number_source final : public byte_source {
 public:
  /// Sets `notes`, and `header_line` as in `array`.
  number_source(byte_reader& in, read_options const& options, std::vector<std::string>& notes,
                std::uint64_t& header_line)
      : numbers_(in, options), notes_(notes), header_line_(header_line) {}

  std::span<std::byte const> next() override {
    constexpr std::size_t enough = std::size_t{1} << 16;
    piece_ = numbers_.next(enough, false);
    notes_ = piece_.notes;
    header_line_ = piece_.header_line;
    return piece_.bytes;
  }

  bool waits() const override { return numbers_.waits(); }

 private:
  number_reader mutable numbers_;
  array piece_;
  std::vector<std::string>& notes_;
  std::uint64_t& header_line_;
};

}  // namespace

item_stream::item_stream(std::string const& path, read_options const& options, request how,
                         std::uint64_t& bytes_read)
    : options_(options),
      bytes_read_(bytes_read),
      name_(input_name(path)),
      how_(how),
      format_(format_of(path, options)),
      others_read_(bytes_read) {
  auto source = std::make_unique<counted_source>(open_file(path, options.meter), bytes_read);
  in_.emplace(plain_content(byte_reader(std::move(source), name_), format_ == file_format::raw));
  start();
}

item_stream::item_stream(byte_reader in, file_format format, read_options const& options,
                         request how, std::uint64_t& bytes_read)
    : options_(options),
      bytes_read_(bytes_read),
      in_(std::move(in)),
      name_(in_->name()),
      how_(how),
      format_(format),
      others_read_(bytes_read) {
  start();
}

/// Reads up to the items.
void item_stream::start() {
  if (format_ == file_format::automatic) {
    format_ = starts_npy(*in_) ? file_format::npy : file_format::text;
  }
  if (how_.any_npy && format_ == file_format::npy) options_.type.reset();
  check_options(name_, format_, options_);
  descriptor_ = in_->file();
  if (how_.whole || !streams()) return hold();
  bool const from_end = descriptor_ && !streams_text_;
  bool const unfit =
      (how_.from_end && !from_end) || (how_.known_count && !count_) || !layout_.in_c_order();
  if (unfit) hold();
}

/// Prepares to stream the items, if that is possible.
bool item_stream::streams() {
  if (format_ == file_format::text) return stream_text();
  format_ == file_format::raw ? stream_raw() : stream_npy();
  return true;
}

bool item_stream::converts() const {
  return layout_.half || layout_.big_endian || layout_.truth_values ||
         (options_.half && format_ == file_format::raw);
}

std::shared_ptr<descriptor const> item_stream::plain_file(std::uint64_t& start) const {
  start = start_;
  bool const aligned = start_ % size_of(layout_.type) == 0;
  return held_ || streams_text_ || converts() || !aligned ? nullptr : descriptor_;
}

void item_stream::restrict_to(index_t first, index_t end) {
  rewind();
  std::size_t const item = size_of(layout_.type);
  start_ += static_cast<std::uint64_t>(first) * item - left_out_;
  left_out_ = static_cast<std::uint64_t>(first) * item;
  layout_.bytes = static_cast<std::uint64_t>(end - first) * item;
  count_ = end - first;
}

void item_stream::hold() {
  streams_text_ = false;
  if (at_items_) {
    held_ = aligned(read_npy_items(*in_, layout_, options_));
  } else if (how_.rows && format_ == file_format::text) {
    hold_rows();
  } else {
    held_ = read_content(*in_, format_, options_);
  }
  say_notes(*held_);
  type_ = held_->type;
  layout_.truth_values = held_->truth_values;
  count_ = static_cast<index_t>(held_->count());
}

void item_stream::hold_rows() {
  row_reader_.emplace(*in_, options_, how_.keys, how_.row_memory);
  rows_ = row_reader_->next();
  bytes_read_ = std::max(bytes_read_, row_reader_->bytes_by_blocks());
  bool const all = row_reader_->at_end();
  if (all && options_.meter != nullptr) options_.meter->finish();
  held_ = rows_->keys[0].numbers;
  held_->format = file_format::text;
  held_->header_line = rows_->header_line;
  held_->notes = rows_->notes;
}

text_rows item_stream::take_rows() {
  held_.reset();
  text_rows rows = std::move(*rows_);
  rows_.reset();
  return rows;
}

void item_stream::join() {
  if (!held_) hold();
  how_.whole = true;
}

void item_stream::rewind() {
  file_.reset();
  others_read_ = bytes_read_ - start_;
  items_ = 0;
  stored_bytes_ = 0;
  returned_all_ = false;
}

void item_stream::stream_raw() {
  layout_.type = options_.half ? dtype::u16 : *options_.type;
  type_ = options_.half ? dtype::f32 : layout_.type;
  if (!descriptor_) return;
  layout_.bytes = *in_->bytes_left();
  check_raw_size(name_, layout_.type, layout_.bytes);
  count_ = static_cast<index_t>(layout_.bytes / size_of(layout_.type));
}

void item_stream::stream_npy() {
  layout_ = read_npy_header(*in_, options_);
  type_ = layout_.half ? dtype::f32 : layout_.type;
  start_ = in_->offset();
  at_items_ = true;
  count_ = static_cast<index_t>(layout_.bytes / size_of(layout_.type));
  if (descriptor_) check_npy_size(name_, layout_, start_, *in_->bytes_left());
}

/// Numbers of text, and what is computed from them, take up to eight times its bytes.
constexpr std::uint64_t bytes_of_text_byte = 8;

bool item_stream::stream_text() {
  if (how_.rows) return false;
  if (descriptor_ && *in_->bytes_left() <= memory_bound() / bytes_of_text_byte) return false;
  if (!options_.type) {
    if (!descriptor_) return false;
    find_type();
  }
  type_ = layout_.type = *options_.type;
  return streams_text_ = true;
}

/// Reads all of a text file, for a type that fits all numbers, and their count.
void item_stream::find_type() {
  auto const text = by_blocks(*in_, options_.meter);
  number_reader numbers(*text, options_);
  dtype type = dtype::i64;
  index_t count = 0;
  for (;;) {
    array const some = numbers.next(block_bytes());
    if (some.bytes.empty()) break;
    type = some.type;
    count += static_cast<index_t>(some.count());
  }
  options_.type = type;
  count_ = count;
  others_read_ += text->offset();
  if (options_.meter != nullptr) options_.meter->finish();
}

index_t item_stream::piece_items(index_t unit, std::size_t bytes) {
  auto const fit = static_cast<index_t>(block_bytes() / bytes);
  return std::max(unit, fit / unit * unit);
}

void item_stream::begin(index_t piece, index_t unit, std::function<void()> on_pause) {
  std::size_t const item = size_of(held_ ? type_ : layout_.type);
  piece_bytes_ = static_cast<std::size_t>(piece) * item;
  unit_bytes_ = static_cast<std::size_t>(unit) * item;
  on_pause_ = std::move(on_pause);
  if (held_) return;
  if (streams_text_) {
    begin_text();
  } else if (descriptor_) {
    bytes_read_ = others_read_ + start_;
    if (options_.meter != nullptr) options_.meter->start("reading " + name_, layout_.bytes);
    file_.emplace(descriptor_, name_, start_, start_ + layout_.bytes, piece_bytes_, how_.from_end);
  } else {
    pool_.emplace(1, piece_bytes_);
  }
}

void item_stream::begin_text() {
  pool_.emplace(1, piece_bytes_);
  filled_ = returned_ = 0;
  at_end_ = false;
  if (descriptor_) {
    if (options_.meter != nullptr) options_.meter->start("reading " + name_, *in_->bytes_left());
    text_in_ = by_blocks(*in_, options_.meter);
  }
  auto source =
      std::make_unique<number_source>(text_in_ ? *text_in_ : *in_, options_, notes_, header_line_);
  numbers_ = std::make_unique<byte_reader>(std::move(source), name_);
}

std::optional<std::span<std::byte const>> item_stream::next() {
  if (held_) return next_held();
  std::span<std::byte const> piece = next_bytes();
  if (piece.empty()) {
    if (!std::exchange(notes_shown_, true)) {
      for (std::string const& note : notes_) say("note: " + note);
    }
    if (options_.meter != nullptr) options_.meter->finish();
    return std::nullopt;
  }
  stored_bytes_ += piece.size();
  auto const count = static_cast<index_t>(piece.size() / size_of(layout_.type));
  items_ += count;
  array part{layout_.type, {count}, format_, piece, nullptr};
  auto const address = reinterpret_cast<std::uintptr_t>(piece.data());
  bool const misplaced = address % size_of(layout_.type) != 0;  // after a header of odd length
  if (options_.half && format_ == file_format::raw) {
    converted_ = widened(part, *options_.half);
  } else if (converts() || misplaced) {
    converted_ = aligned(in_usual_form(std::move(part), layout_));
  } else {
    return piece;
  }
  return converted_->bytes;
}

std::optional<std::span<std::byte const>> item_stream::next_held() {
  std::size_t const all = held_->bytes.size();
  std::size_t const left = all - static_cast<std::size_t>(items_) * size_of(type_);
  if (how_.whole ? std::exchange(returned_all_, true) : left == 0) return std::nullopt;
  std::size_t const n = how_.whole ? all : std::min(left, piece_bytes_);
  items_ += static_cast<index_t>(n / size_of(type_));
  return held_->bytes.subspan(how_.from_end ? left - n : all - left, n);
}

std::span<std::byte const> item_stream::next_bytes() {
  if (streams_text_) {
    auto const piece = next_of_reader(*numbers_);
    if (text_in_) bytes_read_ = others_read_ + text_in_->offset();
    return piece;
  }
  if (!file_) return next_of_reader(*in_);
  auto const piece = file_->next();
  bytes_read_ += piece.size();
  if (options_.meter != nullptr) options_.meter->advance(piece.size());
  return piece;
}

/// Fills a piece; what is left of the last one comes first.
std::span<std::byte const> item_stream::next_of_reader(byte_reader& in) {
  std::span<std::byte> const block = (*pool_)[0];
  std::memmove(block.data(), block.data() + returned_, filled_ - returned_);
  filled_ -= std::exchange(returned_, 0);
  std::uint64_t const left = format_ == file_format::npy ? layout_.bytes - stored_bytes_ : ~0ull;
  auto const wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes_, left));
  while (filled_ < wanted && !at_end_) {
    if (in.waits()) {
      if (filled_ >= unit_bytes_) break;
      if (on_pause_) on_pause_();
    }
    auto const some = in.peek(1);
    std::size_t const n = std::min(some.size(), wanted - filled_);
    if (n > 0) std::memcpy(block.data() + filled_, some.data(), n);
    in.skip(n);
    filled_ += n;
    at_end_ = n == 0;
  }
  if (at_end_ || left == 0) check_end();
  bool const all = at_end_ || filled_ == left;
  returned_ = all ? filled_ : filled_ / unit_bytes_ * unit_bytes_;
  return block.first(returned_);
}

/// Called after the last byte was read.
void item_stream::check_end() {
  if (format_ == file_format::text) return;
  std::uint64_t const size = stored_bytes_ + filled_;
  if (format_ == file_format::raw) return check_raw_size(name_, layout_.type, size);
  check_npy_size(name_, layout_, start_, size + (in_->peek(1).empty() ? 0 : 1));
}

std::string item_stream::words() const {
  if (held_) return items_read(*held_);
  return items_read(static_cast<std::size_t>(items_), type_, header_line_);
}

}  // namespace libscan::apps
