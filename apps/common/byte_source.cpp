// SPDX-License-Identifier: Apache-2.0
// Files, streams and memory as sources of bytes.
#include <apps/common/byte_source.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include <apps/common/cleanup.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/progress.hpp>

namespace libscan::apps {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

constexpr std::size_t mapped_bytes = std::size_t{8} << 20;  // enough for many threads

constexpr std::size_t first_bytes = std::size_t{1} << 16;

constexpr std::size_t preload_step = std::size_t{64} << 20;

std::atomic<std::uint64_t> held{0};  // by all buffers

// Buffers from this size on are mappings of huge pages, which are first touched much faster.
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + huge_page - 1) / huge_page * huge_page;
}

/// Maps whole huge pages; null if there is no memory.
std::byte* map_huge_pages(std::size_t bytes) {
  std::size_t const all = bytes + huge_page;  // some of it is aligned
  void* const at = ::mmap(nullptr, all, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(at);
  std::size_t const before = -reinterpret_cast<std::uintptr_t>(at) % huge_page;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + bytes, huge_page - before);
  (void)::madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

void free_memory(std::byte* memory, std::size_t capacity) {
  if (capacity < huge_page) return std::free(memory);
  ::munmap(memory, whole_pages(capacity));
}

/// The same memory with more capacity, perhaps in another place; null if there is none.
std::byte* grown(std::byte* memory, std::size_t size, std::size_t capacity, std::size_t wanted) {
  if (wanted < huge_page) return static_cast<std::byte*>(std::realloc(memory, wanted));
  std::size_t const before = whole_pages(capacity), after = whole_pages(wanted);
  if (after < wanted) return nullptr;
  if (capacity < huge_page) {
    std::byte* const mapped = map_huge_pages(after);
    if (mapped == nullptr) return nullptr;
    if (size > 0) std::memcpy(mapped, memory, size);
    std::free(memory);
    return mapped;
  }
  if (::mremap(memory, before, after, 0) != MAP_FAILED) return memory;
  // Pages move as a whole if both places are aligned. A limit counts both.
  std::byte* const place = addresses_are_limited() ? nullptr : map_huge_pages(after);
  void* const at = place != nullptr
                       ? ::mremap(memory, before, after, MREMAP_MAYMOVE | MREMAP_FIXED, place)
                       : ::mremap(memory, before, after, MREMAP_MAYMOVE);
  return at != MAP_FAILED ? static_cast<std::byte*>(at) : nullptr;
}

class stream_source final : public byte_source {
 public:
  /// `size`: of a regular file that begins here, which `file` may hand out.
  stream_source(std::shared_ptr<descriptor> file, std::string name, progress* meter,
                std::optional<std::uint64_t> size)
      : file_(std::move(file)), name_(std::move(name)), meter_(meter), left_(size) {}

  std::span<std::byte const> next() override {
    for (;;) {
      ssize_t const got = ::read(file_->get(), buffer_.get(), piece_bytes);
      if (got >= 0) {
        auto const bytes = static_cast<std::uint64_t>(got);
        if (meter_) meter_->advance(bytes);
        if (left_) *left_ -= std::min(*left_, bytes);
        return {buffer_.get(), static_cast<std::size_t>(got)};
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        pollfd wait = {file_->get(), POLLIN, 0};
        ::poll(&wait, 1, -1);
      } else if (errno != EINTR) {
        throw file_error::from_errno(name_, "cannot read", errno);
      }
    }
  }

  std::optional<std::uint64_t> bytes_left() const override { return left_; }

  std::shared_ptr<descriptor const> file() const override { return left_ ? file_ : nullptr; }

  bool waits() const override {
    constexpr int patience_ms = 100;
    pollfd wait = {file_->get(), POLLIN, 0};
    return ::poll(&wait, 1, patience_ms) == 0;
  }

 private:
  std::shared_ptr<descriptor> file_;
  std::string name_;
  progress* meter_;
  std::optional<std::uint64_t> left_;
  std::unique_ptr<std::byte[]> buffer_{new std::byte[piece_bytes]};
};

/// A whole regular file, mapped for reading.
struct mapping {
  std::shared_ptr<descriptor> file;
  std::byte const* base;
  std::size_t size;
  watched_mapping watch;

  mapping(std::shared_ptr<descriptor> open, void* at, std::size_t bytes, std::string const& name)
      : file(std::move(open)),
        base(static_cast<std::byte const*>(at)),
        size(bytes),
        watch(at, bytes, name) {
    (void)::madvise(at, bytes, MADV_RANDOM);
  }
  ~mapping() { ::munmap(const_cast<std::byte*>(base), size); }
  mapping(mapping const&) = delete;
  mapping& operator=(mapping const&) = delete;
};

class mapped_source final : public byte_source {
 public:
  mapped_source(std::shared_ptr<mapping const> map, std::string name, progress* meter)
      : map_(std::move(map)), name_(std::move(name)), meter_(meter) {}

  std::span<std::byte const> next() override {
    // Most readers look at the beginning only, and then read the file in their own way: nothing is
    // read ahead for them.
    if (at_ > 0) expect_all();
    std::size_t const n = std::min(at_ > 0 ? mapped_bytes : first_bytes, map_->size - at_);
    if (n == 0) check_size();
    std::span<std::byte const> const piece(map_->base + at_, n);
    at_ += n;
    if (meter_) meter_->advance(n);
    return piece;
  }

  std::optional<std::uint64_t> bytes_left() const override { return map_->size - at_; }

  std::shared_ptr<descriptor const> file() const override { return map_->file; }

  std::optional<kept_bytes> rest() override {
    expect_all();
    preload();
    check_size();
    std::span<std::byte const> const left(map_->base + at_, map_->size - at_);
    at_ = map_->size;
    return kept_bytes{left, map_};
  }

 private:
  void expect_all() const {
    (void)::madvise(const_cast<std::byte*>(map_->base), map_->size, MADV_NORMAL);
  }

  /// Within its last page a file that shrinks raises no signal: the lost bytes read as zeros.
  void check_size() const {
    struct stat now = {};
    if (::fstat(map_->file->get(), &now) != 0 ||
        static_cast<std::uint64_t>(now.st_size) < map_->size) {
      throw file_error(name_, "the file shrank while it was read");
    }
  }

  /// Brings the file into memory, so that reading is timed here and not in the first kernel that
  /// touches it. Skipped for files that would not stay in memory.
  void preload() {
    if (map_->size > memory_bound() / 2) return;
    constexpr int populate_read = 22;  // MADV_POPULATE_READ, Linux 5.14
    for (std::size_t at = 0; at < map_->size; at += preload_step) {
      std::size_t const n = std::min(preload_step, map_->size - at);
      int const code = ::madvise(const_cast<std::byte*>(map_->base) + at, n, populate_read);
      if (code != 0 && errno == EFAULT) {
        throw file_error(name_, "the file shrank, or its device failed, while it was read");
      }
      if (meter_) meter_->advance(at + n > at_ ? std::min(n, at + n - at_) : 0);
    }
  }

  std::shared_ptr<mapping const> map_;
  std::string name_;
  progress* meter_;
  std::size_t at_ = 0;
};

/// Whether this descriptor, if it is open, may write to the file.
bool writes_to(int number, struct stat const& file) {
  int const flags = ::fcntl(number, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return false;
  struct stat other = {};
  return ::fstat(number, &other) == 0 && other.st_dev == file.st_dev && other.st_ino == file.st_ino;
}

/// Whether a descriptor of this process may write to the file: standard output, for example.
bool is_written_here(struct stat const& file) {
  std::unique_ptr<DIR, int (*)(DIR*)> const open(::opendir("/proc/self/fd"), ::closedir);
  if (!open) {
    constexpr int max_descriptor = 256;  // descriptor numbers start at 0
    for (int number = 0; number < max_descriptor; ++number) {
      if (writes_to(number, file)) return true;
    }
    return false;
  }
  while (dirent const* const entry = ::readdir(open.get())) {
    int number = 0;
    bool const known =
        parse_number(std::string_view(entry->d_name), number) == parse_outcome::number;
    if (known && writes_to(number, file)) return true;
  }
  return false;
}

class block_source final : public byte_source {
 public:
  block_source(std::shared_ptr<descriptor const> file, std::string const& name, std::uint64_t size,
               progress* meter)
      : blocks_(std::move(file), name, 0, size, block_bytes()), left_(size), meter_(meter) {}

  std::span<std::byte const> next() override {
    auto const piece = blocks_.next();
    left_ -= piece.size();
    if (meter_) meter_->advance(piece.size());
    return piece;
  }

  std::optional<std::uint64_t> bytes_left() const override { return left_; }

 private:
  block_reader blocks_;
  std::uint64_t left_;
  progress* meter_;
};

class memory_source final : public byte_source {
 public:
  explicit memory_source(kept_bytes memory) : memory_(std::move(memory)) {}

  std::span<std::byte const> next() override {
    return std::exchange(memory_.bytes, memory_.bytes.last(0));
  }

  std::optional<kept_bytes> rest() override { return kept_bytes{next(), memory_.owner}; }

 private:
  kept_bytes memory_;
};

}  // namespace

std::string input_name(std::string const& path) {
  return path == "-" ? "<stdin>" : path.empty() ? "''" : path;
}

std::unique_ptr<byte_source> open_file(std::string const& path, progress* meter) {
  std::string const name = input_name(path);
  int const number = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) throw file_error::from_errno(name, "cannot open for reading", errno);
  // /dev/stdin and the like open the file again, but mean the descriptor.
  int const meant = named_descriptor(path);
  int const flags = meant < 0 ? O_RDONLY : ::fcntl(meant, F_GETFL);
  if ((flags & O_ACCMODE) == O_WRONLY || (flags & O_PATH) != 0) {
    ::close(number);
    throw file_error::from_errno(name, "cannot read", EBADF);
  }
  auto const file = std::make_shared<descriptor>(number);
  struct stat status = {};
  if (::fstat(number, &status) != 0) throw file_error::from_errno(name, "cannot read", errno);
  if (S_ISDIR(status.st_mode)) {
    throw file_error(name, "is a directory, expected a data file");
  }
  auto const size = static_cast<std::size_t>(status.st_size);
  // Files of /proc and /sys claim to be empty: they must be read.
  bool const mappable = S_ISREG(status.st_mode) && size > 0;
  // Another program may have read a part of standard input before.
  bool const from_start = path != "-" || ::lseek(number, 0, SEEK_CUR) == 0;
  if (meter) meter->start("reading " + name, mappable ? size : 0);
  bool const is_output = S_ISREG(status.st_mode) && is_written_here(status);
  bool const whole = mappable && from_start && !is_output;
  if (whole && size <= mappable_bytes()) {
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, number, 0);
    if (at != MAP_FAILED) {
      return std::make_unique<mapped_source>(std::make_shared<mapping const>(file, at, size, name),
                                             name, meter);
    }
  }
  auto stream = std::make_unique<stream_source>(
      file, name, meter, whole ? std::optional<std::uint64_t>(size) : std::nullopt);
  if (!is_output) return stream;
  // Nothing may be written before the last byte is read.
  byte_reader all(std::move(stream), name);
  return from_memory(read_up_to(all, std::numeric_limits<std::uint64_t>::max()));
}

std::unique_ptr<byte_reader> by_blocks(byte_reader const& in, progress* meter) {
  auto file = in.file();
  auto const size = in.bytes_left();
  if (!file || !size || in.offset() != 0) return nullptr;
  auto source = std::make_unique<block_source>(std::move(file), in.name(), *size, meter);
  return std::make_unique<byte_reader>(std::move(source), in.name());
}

std::unique_ptr<byte_source> from_memory(kept_bytes memory) {
  return std::make_unique<memory_source>(std::move(memory));
}

byte_reader::byte_reader(std::unique_ptr<byte_source> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {}

std::span<std::byte const> byte_reader::peek(std::size_t n) {
  while (ahead_.size() < n) {
    std::size_t const had = ahead_.size();
    // A piece is only valid until the next call, so the rest of it moves.
    std::unique_ptr<std::byte[]> saved;
    if (had > 0) {
      saved.reset(new std::byte[had]);
      std::memcpy(saved.get(), ahead_.data(), had);
    }
    std::span<std::byte const> const more = source_->next();
    if (more.empty()) {
      if (had > 0) {
        joined_ = std::move(saved);
        ahead_ = {joined_.get(), had};
      }
      break;
    }
    if (had == 0) {
      joined_.reset();
      ahead_ = more;
      continue;
    }
    std::unique_ptr<std::byte[]> both(new std::byte[had + more.size()]);
    std::memcpy(both.get(), saved.get(), had);
    std::memcpy(both.get() + had, more.data(), more.size());
    joined_ = std::move(both);
    ahead_ = {joined_.get(), had + more.size()};
  }
  return ahead_;
}

std::span<std::byte const> byte_reader::peek_arrived(std::size_t n) {
  std::size_t had = 0;
  while (peek(had + 1).size() > had) {
    had = ahead_.size();
    if (had >= n || source_->waits()) break;
  }
  return ahead_;
}

void byte_reader::skip(std::size_t n) {
  ahead_ = ahead_.subspan(n);
  offset_ += n;
}

std::size_t byte_reader::read(std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    std::span<std::byte const> const piece = peek(1);
    if (piece.empty()) break;
    std::size_t const n = std::min(piece.size(), to.size() - done);
    std::memcpy(to.data() + done, piece.data(), n);
    skip(n);
    done += n;
  }
  return done;
}

std::optional<kept_bytes> byte_reader::rest() {
  if (joined_ && !ahead_.empty()) return std::nullopt;
  std::optional<kept_bytes> left = source_->rest();
  if (!left) return std::nullopt;
  if (!ahead_.empty()) left->bytes = {ahead_.data(), ahead_.size() + left->bytes.size()};
  ahead_ = {};
  offset_ += left->bytes.size();
  return left;
}

std::optional<std::uint64_t> byte_reader::bytes_left() const {
  std::optional<std::uint64_t> left = source_->bytes_left();
  if (left) *left += ahead_.size();
  return left;
}

std::uint64_t memory_held() { return held; }

void hold_memory(std::int64_t bytes) { held += static_cast<std::uint64_t>(bytes); }

byte_buffer::~byte_buffer() {
  free_memory(data_, capacity_);
  held -= capacity_;
}

std::span<std::byte> byte_buffer::grow(std::size_t n) {
  if (n > capacity_ - size_) {
    std::size_t const needed = size_ + n;
    require_memory(others() + needed, input_.empty() ? "a copy of the input" : "reading " + input_);
    auto const max_bytes = static_cast<std::size_t>(memory_bound() - others());
    std::size_t const wanted =
        std::max(needed, std::min(max_bytes, std::max(capacity_ * 2, std::size_t{4096})));
    std::byte* const moved = wanted < size_ ? nullptr : grown(data_, size_, capacity_, wanted);
    if (moved == nullptr) throw std::bad_alloc();
    data_ = moved;
    held += wanted - capacity_;
    capacity_ = wanted;
  }
  size_ += n;
  return {data_ + size_ - n, n};
}

kept_bytes byte_buffer::release() {
  std::span<std::byte const> const bytes(data_, size_);
  auto const give_back = [size = size_, capacity = capacity_](void* memory) {
    free_memory(static_cast<std::byte*>(memory), capacity);
    held -= size;
  };
  held -= capacity_ - size_;  // which was never written
  capacity_ = size_ = 0;
  return {bytes, std::shared_ptr<void>(std::exchange(data_, nullptr), give_back)};
}

kept_bytes read_up_to(byte_reader& in, std::uint64_t max_bytes) {
  byte_buffer buffer(in.name());
  while (buffer.size() < max_bytes) {
    std::size_t const had = buffer.size();
    // Twice as much each time, but no more than the bound, unless more is needed.
    std::uint64_t const taken = buffer.others() + had;
    std::uint64_t const available = memory_bound() > taken ? memory_bound() - taken : 0;
    std::size_t step = std::max(had, piece_bytes);
    if (step > available) {
      if (in.peek(1).empty()) break;
      step = available > 0 ? static_cast<std::size_t>(available) : piece_bytes;
    }
    auto const wanted = static_cast<std::size_t>(std::min<std::uint64_t>(max_bytes - had, step));
    std::size_t const got = in.read(buffer.grow(wanted));
    buffer.shrink(had + got);
    if (got < wanted) break;
  }
  return buffer.release();
}

}  // namespace libscan::apps
