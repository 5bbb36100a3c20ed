// SPDX-License-Identifier: Apache-2.0
// Matrix Market files as a whole, piece by piece, and in parts for several ranks.
#include <apps/common/matrix_market.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <apps/common/block_file.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/compression.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/foreign_format.hpp>
#include <apps/common/matrix_lines.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/on_threads.hpp>
#include <apps/common/program.hpp>
#include <apps/common/progress.hpp>

namespace libscan::apps {
namespace {

/// Refuses a file that has fewer entries than it claims.
void require_all(std::string const& name, line_counts const& all, index_t claimed) {
  if (all.entries >= claimed) return;
  throw file_error::at_line(name, all.lines,
                            "the file ends after " + std::to_string(all.entries) +
                                " entries, expected " + std::to_string(claimed));
}

/// All bytes of the source, in one piece of memory.
kept_bytes all_bytes(byte_reader& in) {
  if (auto bytes = in.rest()) return std::move(*bytes);
  return read_up_to(in, std::numeric_limits<std::uint64_t>::max());
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

/// Fills `to` from byte `at` of a file.
void read_bytes(descriptor const& file, std::string const& name, std::uint64_t at,
                std::span<std::byte> to) {
  while (!to.empty()) {
    ssize_t const got = ::pread(file.get(), to.data(), to.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error::from_errno(name, "cannot read", errno);
    if (got == 0) throw file_error(name, "the file shrank while it was read");
    at += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

/// Where the first line begins that is not before byte `at`; a line ends before it. `end` if there
/// is none.
std::uint64_t line_from(descriptor const& file, std::string const& name, std::uint64_t at,
                        std::uint64_t end) {
  std::vector<std::byte> block(std::size_t{1} << 14);
  for (--at; at < end; at += block.size()) {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), end - at)));
    read_bytes(file, name, at, block);
    auto const found = std::ranges::find(block, std::byte{'\n'});
    if (found != block.end()) return at + static_cast<std::uint64_t>(found - block.begin()) + 1;
  }
  return end;
}

/// The bytes of the file up to the end of its size line, or all of them.
std::string_view header_of(byte_reader& in) {
  for (std::size_t n = std::size_t{1} << 12;; n *= 2) {
    auto const bytes = in.peek(n);
    std::string_view const text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    line_reader lines(text);
    lines.next();
    std::optional<std::string_view> line;
    do {
      line = lines.next();
    } while (line && is_done(*line));
    // Without its end, the last line may be cut.
    if (bytes.size() < n || (line && !lines.rest().empty())) {
      return text.substr(0, text.size() - lines.rest().size());
    }
  }
}

/// Throws `file_error` if content has another format than that of matrices. Its first bytes show
/// that: it may have no line end.
void require_matrix_format(byte_reader& content) {
  if (!as_text(content.peek(1)).starts_with('%')) {
    refuse_foreign_content(content, "a Matrix Market file");
  }
  constexpr std::size_t looked_at = 64;
  std::string_view const head = as_text(content.peek(looked_at)).substr(0, looked_at);
  if (!head.empty()) require_banner(without_mark(head), content.name());
}

/// The decompressed content of a matrix file. Throws `file_error` if that has another format.
byte_reader matrix_content(byte_reader in) {
  byte_reader content = plain_content(std::move(in), false);
  require_matrix_format(content);
  return content;
}

matrix_file read_whole(byte_reader& in, int threads, std::size_t piece_bytes) {
  std::string const& name = in.name();
  kept_bytes const bytes = all_bytes(in);
  line_reader lines(without_mark(as_text(bytes.bytes)));
  matrix_file matrix;
  matrix.bytes = bytes.bytes.size();
  index_t const claimed = read_header(lines, name, matrix);
  entry_lines entries(lines.rest(), claimed, name, matrix, piece_bytes);
  entries.require_claimed();
  line_counts const found = entries.count(threads_for(threads));
  entries.parse(threads_for(threads), {lines.lines(), 0});
  require_all(name, {lines.lines() + found.lines, found.entries}, claimed);
  return matrix;
}

}  // namespace

matrix_file read_matrix_market(std::unique_ptr<byte_source> source, std::string const& name,
                               int threads, std::size_t piece_bytes) {
  byte_reader in = matrix_content(byte_reader(std::move(source), name));
  return read_whole(in, threads, piece_bytes);
}

matrix_file read_matrix_market(std::string const& path, progress* meter, int threads) {
  return matrix_stream(path, meter, threads).read_all();
}

void note_above_diagonal(std::string const& name, matrix_symmetry kind, index_t entries) {
  if (entries == 0) return;
  say("note: " + name + ": " + std::to_string(entries) + " entries are above the diagonal of a " +
      std::string(name_of(kind)) + " matrix; each counts on both sides of it, as in SciPy");
}

matrix_stream::matrix_stream(std::string const& path, progress* meter, int threads)
    : name_(input_name(path)), meter_(meter), threads_(threads_for(threads)) {
  in_ = std::make_unique<byte_reader>(matrix_content(byte_reader(open_file(path, meter), name_)));
  // More than the first bytes of a file would not stay where they are.
  constexpr std::size_t looked_at = std::size_t{1} << 16;
  std::string_view text = as_text(in_->peek(in_->bytes_left() ? 1 : looked_at));
  text = text.substr(0, text.rfind('\n') + 1);
  claims found;
  line_reader lines(without_mark(text));
  try {
    found.entries = read_header(lines, name_, found.matrix);
  } catch (file_error const&) {
    return;  // `read_all` says what is wrong
  }
  head_ = std::move(found);
  lines_ = lines.lines();
  taken_ = static_cast<std::size_t>(lines.rest().data() - text.data());
}

matrix_stream::~matrix_stream() = default;

std::uint64_t matrix_stream::text_bytes() const {
  constexpr std::uint64_t of_line = 8;
  if (!in_->bytes_left()) return static_cast<std::uint64_t>(head_ ? head_->entries : 0) * of_line;
  return in_->file() ? 0 : *in_->bytes_left();
}

matrix_file matrix_stream::read_all() {
  matrix_file matrix = read_whole(*in_, threads_, std::size_t{1} << 20);
  above_diagonal_ = matrix.above_diagonal;
  finish(matrix.symmetry);
  return matrix;
}

bool matrix_stream::next(matrix_file& to) {
  if (entries_ == 0 && text_.empty()) {
    if (auto blocks = by_blocks(*in_, meter_)) in_ = std::move(blocks);
    (void)in_->peek(taken_);
    in_->skip(std::exchange(taken_, 0));
    text_.resize(block_bytes());
  }
  if (!fill()) {
    require_all(name_, {lines_, entries_}, head_->entries);
    finish(head_->matrix.symmetry);
    return false;
  }
  to = head_->matrix;
  std::string_view const text(text_.data(), taken_);
  std::size_t const piece =
      std::max<std::size_t>(text.size() / static_cast<std::size_t>(threads_), std::size_t{1} << 14);
  entry_lines lines(text, head_->entries, name_, to, piece);
  line_counts const found = lines.count(threads_);
  lines.parse(threads_, {lines_, entries_});
  lines_ += found.lines;
  entries_ += found.entries;
  above_diagonal_ += to.above_diagonal;
  return true;
}

/// Drops the lines that were taken, and takes the next ones; false: there are none.
bool matrix_stream::fill() {
  std::memmove(text_.data(), text_.data() + taken_, filled_ - taken_);
  filled_ -= std::exchange(taken_, 0);
  for (;;) {
    std::span<char> const left = std::span(text_).subspan(filled_);
    std::size_t const got = at_end_ ? 0 : in_->read(std::as_writable_bytes(left));
    filled_ += got;
    at_end_ = at_end_ || got < left.size();
    std::size_t const last = std::string_view(text_.data(), filled_).rfind('\n');
    taken_ = at_end_ ? filled_ : last == std::string_view::npos ? 0 : last + 1;
    if (taken_ > 0 || at_end_) return taken_ > 0;
    require_memory(memory_held() + 2 * text_.size(), "reading " + name_);
    text_.resize(2 * text_.size());
  }
}

void matrix_stream::finish(matrix_symmetry kind) const {
  if (meter_ != nullptr) meter_->finish();
  note_above_diagonal(name_, kind, above_diagonal_);
}

struct matrix_market_part::state {
  std::string name;
  byte_buffer text;
  matrix_file matrix;
  std::optional<entry_lines> lines;
};

matrix_market_part::matrix_market_part(std::string const& path, int part, int parts, int threads)
    : state_(std::make_unique<state>()), threads_(threads_for(threads)) {
  state_->name = input_name(path);
  byte_reader in(open_file(path, nullptr), state_->name);
  auto const file = in.file();
  if (path == "-" || (!file && !in.peek(1).empty()) || named_gzip(path)) {
    throw usage_error(state_->name +
                      ": no regular file, or compressed, expected an uncompressed Matrix Market "
                      "file, since each rank reads a part");
  }
  std::uint64_t const end = in.bytes_left().value_or(0);
  require_matrix_format(in);
  std::string_view const header = header_of(in);
  line_reader first(without_mark(header));
  claimed_ = read_header(first, state_->name, state_->matrix);
  header_lines_ = first.lines();
  state_->matrix.bytes = end;
  auto const boundary = [&](int number) {
    std::uint64_t const body = end - header.size();
    auto const whole = static_cast<std::uint64_t>(number), of = static_cast<std::uint64_t>(parts);
    std::uint64_t const at = header.size() + body / of * whole + body % of * whole / of;
    return number == 0 ? header.size() : line_from(*file, state_->name, at, end);
  };
  std::uint64_t const begin = boundary(part), last = boundary(part + 1);
  require_memory(memory_held() + last - begin, "a rank's part of " + state_->name);
  auto const bytes = state_->text.grow(static_cast<std::size_t>(last - begin));
  read_bytes(*file, state_->name, begin, bytes);
  state_->lines.emplace(std::string_view(reinterpret_cast<char const*>(bytes.data()), bytes.size()),
                        claimed_, state_->name, state_->matrix, std::size_t{1} << 20);
  counts_ = state_->lines->count(threads_);
}

matrix_market_part::~matrix_market_part() = default;

matrix_file const& matrix_market_part::matrix() const { return state_->matrix; }

matrix_file matrix_market_part::parse(line_counts before, line_counts all) {
  before.lines += header_lines_;
  all.lines += header_lines_;
  state_->lines->parse(threads_, before);
  require_all(state_->name, all, claimed_);
  return std::move(state_->matrix);
}

}  // namespace libscan::apps
