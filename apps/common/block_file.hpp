// SPDX-License-Identifier: Apache-2.0
// Files read ahead and written asynchronously in large aligned blocks, by threads of their own,
// past the page cache: direct I/O where the file system has it, otherwise with a page cache that
// stays small.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace libscan::apps {

/// The size of a block: 1/64 of `memory_bound()`, as a power of two from 64 KiB to 4 MiB.
std::size_t block_bytes();

/// An open file descriptor, which is closed at the end unless it is a standard stream.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor();
  descriptor(descriptor const&) = delete;
  descriptor& operator=(descriptor const&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

/// A second descriptor of an open regular file, for direct I/O; -1 where there is none.
descriptor direct_descriptor(int file, int flags);

/// Blocks of memory that are aligned for direct I/O. They count as `memory_held()`.
class block_pool {
 public:
  /// Throws std::bad_alloc.
  block_pool(std::size_t blocks, std::size_t bytes);
  ~block_pool();
  block_pool(block_pool const&) = delete;
  block_pool& operator=(block_pool const&) = delete;

  std::size_t size() const { return blocks_; }
  std::span<std::byte> operator[](std::uint64_t i) const {
    return {memory_ + i % blocks_ * bytes_, bytes_};
  }

 private:
  std::size_t blocks_;
  std::size_t bytes_;
  std::byte* memory_ = nullptr;
};

/// A part of a file.
struct byte_range {
  std::uint64_t begin, end;
};

/// These bytes of a file in pieces of `piece` bytes, which `from_end` puts in reverse order. The
/// shorter piece, if any, comes last.
std::vector<byte_range> pieces_of(byte_range bytes, std::size_t piece, bool from_end = false);

/// Reads a regular file in pieces, and reads ahead.
class block_reader {
 public:
  /// Bytes [begin, end) of `file` in pieces of `piece` bytes; the last one may be shorter. With
  /// `from_end` the pieces come in reverse order, and the shorter one holds the first bytes.
  /// `name` stands for the file in errors.
  block_reader(std::shared_ptr<descriptor const> file, std::string name, std::uint64_t begin,
               std::uint64_t end, std::size_t piece, bool from_end = false);

  /// Whether pieces are read before they are requested.
  enum class reading : std::uint8_t { ahead, on_request };

  /// These pieces, none of them empty, in this order. On request they take the memory of one piece,
  /// and no thread.
  block_reader(std::shared_ptr<descriptor const> file, std::string name,
               std::vector<byte_range> pieces, reading when = reading::ahead);
  ~block_reader();
  block_reader(block_reader const&) = delete;
  block_reader& operator=(block_reader const&) = delete;

  /// The next piece, valid until the next call; empty after the last one. Its address and its
  /// offset in the file are equal modulo 4096. Throws `file_error`, also if the file shrank.
  std::span<std::byte const> next();

 private:
  struct slot {
    std::span<std::byte const> bytes;
    std::exception_ptr error;
    bool filled = false;
  };

  void read_ahead();
  void fill(std::uint64_t piece);
  std::span<std::byte const> read(std::uint64_t from, std::uint64_t to, std::span<std::byte> block);
  void stop();

  std::shared_ptr<descriptor const> file_;
  descriptor direct_;
  std::string name_;
  std::vector<byte_range> pieces_;
  bool cached_;  // all of them are in the page cache, and read from there
  block_pool pool_;
  std::vector<slot> slots_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t claimed_ = 0;   // pieces that threads have begun to read
  std::uint64_t returned_ = 0;  // pieces that `next` has returned
  std::uint64_t released_ = 0;  // pieces whose blocks may be used again
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

/// Writes bytes in a thread of its own. Functions return 0 or an error number; after an error
/// nothing more is written.
class block_writer {
 public:
  /// How the bytes reach the descriptor.
  enum class target : std::uint8_t {
    stream,  ///< by write(), at its position
    file     ///< by pwrite(), in a regular file that only this writer writes
  };

  /// Appends to `descriptor`, which must stay open.
  block_writer(int descriptor, target to);

  /// Writes a file from its end to its beginning: `write` puts bytes before those already written,
  /// the first ones before offset `end`.
  block_writer(int descriptor, std::uint64_t end);

  ~block_writer();
  block_writer(block_writer const&) = delete;
  block_writer& operator=(block_writer const&) = delete;

  int write(std::span<std::byte const> bytes);

  /// Hands over what is buffered, and waits until it is written. Only for streams.
  int flush();

  /// Writes everything left. Call it once, last.
  int finish();

 private:
  struct request {
    std::span<std::byte const> bytes;
    std::uint64_t offset;
  };

  block_writer(int descriptor, target to, bool backward, std::uint64_t position);
  int submit();
  void write_behind();
  int write_out(request const& what);
  int put(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset);
  void bound_cache(std::uint64_t offset, std::uint64_t bytes);
  int wait();

  int descriptor_;
  target to_;
  bool backward_;
  descriptor direct_;
  bool cached_;  // a regular file that is written through the page cache
  block_pool pool_;
  std::uint64_t position_;    // of the next byte; backward: of the last one written
  std::size_t buffered_ = 0;  // bytes in the current block
  std::uint64_t submitted_ = 0;
  std::uint64_t written_ = 0;
  std::vector<request> requests_;
  std::uint64_t dirty_ = 0, dirty_bytes_ = 0;  // the last block in the page cache
  int error_ = 0;
  bool stopped_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace libscan::apps
