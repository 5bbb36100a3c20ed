// SPDX-License-Identifier: Apache-2.0
// The sources of an input's bytes (a mapped file, a stream, memory, or a decompressor), and a
// reader that looks ahead in any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <apps/common/block_file.hpp>

namespace libscan::apps {

class byte_reader;
class progress;

/// Bytes as characters.
inline std::string_view as_text(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// Bytes that stay valid while `owner` lives.
struct kept_bytes {
  std::span<std::byte const> bytes;
  std::shared_ptr<void const> owner;
};

/// A sequence of bytes handed out in pieces.
class byte_source {
 public:
  virtual ~byte_source() = default;

  /// The next piece, valid until the next call; empty at the end. Throws `file_error`.
  virtual std::span<std::byte const> next() = 0;

  /// All bytes that `next` has not returned yet, if they stay in memory; they directly follow the
  /// pieces returned before. Nothing if this source is a stream.
  virtual std::optional<kept_bytes> rest() { return std::nullopt; }

  /// The number of bytes that `next` has not returned yet, if the file's size gives it in advance.
  virtual std::optional<std::uint64_t> bytes_left() const { return std::nullopt; }

  /// The regular file whose bytes, from its first, are those of this source; null if there is none,
  /// or if this process may write to it.
  virtual std::shared_ptr<descriptor const> file() const { return nullptr; }

  /// Whether `next` would wait for a tenth of a second or longer.
  virtual bool waits() const { return false; }
};

/// Opens the file `path`, or standard input for "-". Regular files are mapped, unless a descriptor
/// of this process may write to the same file. Such a file is read into memory at once: writing
/// must not change bytes that are still to be read. A file that is large for RLIMIT_AS is not
/// mapped (`mappable_bytes`). Reports the bytes read to `meter`, which may be
/// null. Throws `file_error` if the file is missing, unreadable or a directory; `error` if it is
/// read at once and exceeds the memory bound.
std::unique_ptr<byte_source> open_file(std::string const& path, progress* meter);

/// The same bytes as `in`, which reads a regular file from its first byte, by a `block_reader`:
/// they do not fill the page cache. Null if `in` reads anything else. `meter` as `open_file`.
std::unique_ptr<byte_reader> by_blocks(byte_reader const& in, progress* meter);

/// Bytes in memory.
std::unique_ptr<byte_source> from_memory(kept_bytes memory);

/// The name of `path` in messages: "<stdin>" for "-", '' for an empty name.
std::string input_name(std::string const& path);

/// Reads a source with look-ahead.
class byte_reader {
 public:
  /// `name` stands for the input in messages.
  byte_reader(std::unique_ptr<byte_source> source, std::string name);

  /// The next bytes, without consuming them: at least `n`, fewer only at the end.
  std::span<std::byte const> peek(std::size_t n);

  /// The same, but also fewer where the source pauses after some.
  std::span<std::byte const> peek_arrived(std::size_t n);

  /// Consumes `n` bytes, no more than the last `peek` returned.
  void skip(std::size_t n);

  /// Consumes bytes into `to`; returns their number, smaller than requested only at the end.
  std::size_t read(std::span<std::byte> to);

  /// Consumes and returns everything left, if it stays in memory.
  std::optional<kept_bytes> rest();

  /// The number of bytes left, if the file's size gives it in advance.
  std::optional<std::uint64_t> bytes_left() const;

  /// Bytes consumed so far.
  std::uint64_t offset() const { return offset_; }

  /// As those of the source.
  std::shared_ptr<descriptor const> file() const { return source_->file(); }
  bool waits() const { return ahead_.empty() && source_->waits(); }

  std::string const& name() const { return name_; }

 private:
  std::unique_ptr<byte_source> source_;
  std::string name_;
  std::span<std::byte const> ahead_;
  std::unique_ptr<std::byte[]> joined_;  // holds `ahead_` if that spans pieces of the source
  std::uint64_t offset_ = 0;
};

/// How many bytes the buffers of this process hold, those that were handed over included.
std::uint64_t memory_held();

/// Adds memory that is no `byte_buffer` to `memory_held()`; negative: takes it away.
void hold_memory(std::int64_t bytes);

/// Memory that grows as bytes arrive: uninitialized, aligned for any item, never larger than
/// `memory_bound()`.
class byte_buffer {
 public:
  /// `input`: the name of the bytes' source, for error messages.
  explicit byte_buffer(std::string input = {}) : input_(std::move(input)) {}
  ~byte_buffer();
  byte_buffer(byte_buffer const&) = delete;
  byte_buffer& operator=(byte_buffer const&) = delete;

  /// `n` more bytes at the end, to be written by the caller. Throws `error` beyond the memory
  /// bound, or `std::bad_alloc`.
  std::span<std::byte> grow(std::size_t n);

  /// Drops all but the first `n` bytes.
  void shrink(std::size_t n) { size_ = n; }

  /// Appends one item.
  template <class T>
  void push(T value) {
    *reinterpret_cast<T*>(grow(sizeof(T)).data()) = value;
  }

  std::byte* data() { return data_; }
  std::size_t size() const { return size_; }

  /// How many bytes all other buffers hold.
  std::uint64_t others() const { return memory_held() - capacity_; }

  /// Returns the bytes; the buffer is empty afterwards.
  kept_bytes release();

 private:
  std::string input_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Consumes up to `max_bytes` bytes into a buffer that grows with the input.
kept_bytes read_up_to(byte_reader& in, std::uint64_t max_bytes);

/// Forwards another source and counts its bytes, for --time.
class counted_source final : public byte_source {
 public:
  /// Adds the bytes to `bytes`, which must outlive this object.
  counted_source(std::unique_ptr<byte_source> from, std::uint64_t& bytes)
      : from_(std::move(from)), bytes_(bytes) {}

  std::span<std::byte const> next() override {
    auto const piece = from_->next();
    bytes_ += piece.size();
    return piece;
  }

  std::optional<std::uint64_t> bytes_left() const override { return from_->bytes_left(); }

  std::shared_ptr<descriptor const> file() const override { return from_->file(); }

  bool waits() const override { return from_->waits(); }

  std::optional<kept_bytes> rest() override {
    auto all = from_->rest();
    if (all) bytes_ += all->bytes.size();
    return all;
  }

 private:
  std::unique_ptr<byte_source> from_;
  std::uint64_t& bytes_;
};

}  // namespace libscan::apps
