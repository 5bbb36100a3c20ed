// SPDX-License-Identifier: Apache-2.0
// Reading ahead and asynchronous writing, by direct I/O where the file system has it.
#include <apps/common/block_file.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>

namespace libscan::apps {
namespace {

constexpr std::uint64_t sector = 4096;  // enough for direct I/O on every common device
constexpr std::size_t blocks_ahead = 4;
constexpr std::size_t max_pieces_ahead = 16;  // of pieces that are shorter than blocks
constexpr int reading_threads = 2;            // while one request completes, the device has another
constexpr int reading_threads_of_short_pieces = 4;  // these take as long to request as to transfer

std::uint64_t down(std::uint64_t offset) { return offset / sector * sector; }
std::uint64_t up(std::uint64_t offset) { return down(offset + sector - 1); }

/// Whether the page cache holds all of these bytes. Unknown counts as no.
bool is_cached(int file, std::uint64_t from, std::uint64_t bytes) {
  constexpr long cachestat = 451;  // Linux 6.5; not in the headers of older systems
  struct {
    std::uint64_t offset, length;
  } const range{from, bytes};
  struct {
    std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
  } pages{};
  auto const page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t const all = (from + bytes + page - 1) / page - from / page;
  return ::syscall(cachestat, file, &range, &pages, 0) == 0 && pages.cached >= all;
}

/// Whether the page cache holds everything from the first of these bytes to the last. If a part is
/// missing, reading the rest through the page cache would let it read ahead.
bool are_cached(int file, std::vector<byte_range> const& pieces) {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  for (byte_range const& piece : pieces) {
    begin = std::min(begin, piece.begin);
    end = std::max(end, piece.end);
  }
  return begin < end && is_cached(file, begin, end - begin);
}

std::size_t longest(std::vector<byte_range> const& pieces) {
  std::uint64_t bytes = 0;
  for (byte_range const& piece : pieces) bytes = std::max(bytes, piece.end - piece.begin);
  return static_cast<std::size_t>(bytes);
}

/// How many pieces of so many bytes are read ahead: as much memory as for blocks.
std::size_t pieces_ahead(std::size_t bytes) {
  return std::clamp(blocks_ahead * block_bytes() / (bytes + 2 * sector), blocks_ahead,
                    max_pieces_ahead);
}

bool is_regular(int file) {
  struct stat status = {};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

/// Starts a thread; false if the system refuses one. The caller then does its work itself.
template <class Work>
bool started(std::thread& thread, Work work) {
  try {
    thread = std::thread(work);
    return true;
  } catch (std::system_error const&) {
    return false;
  }
}

}  // namespace

std::size_t block_bytes() {
  constexpr std::uint64_t min_bytes = std::uint64_t{1} << 16, max_bytes = std::uint64_t{1} << 22;
  return static_cast<std::size_t>(
      std::bit_floor(std::clamp(memory_bound() / 64, min_bytes, max_bytes)));
}

descriptor::~descriptor() {
  if (number_ > STDERR_FILENO) ::close(number_);
}

descriptor direct_descriptor(int file, int flags) {
  std::string const path = "/proc/self/fd/" + std::to_string(file);
  return descriptor(is_regular(file) ? ::open(path.c_str(), flags | O_DIRECT | O_CLOEXEC) : -1);
}

std::vector<byte_range> pieces_of(byte_range bytes, std::size_t piece, bool from_end) {
  auto [begin, end] = bytes;
  std::vector<byte_range> pieces;
  pieces.reserve(static_cast<std::size_t>((end - begin + piece - 1) / piece));
  while (begin < end) {
    std::uint64_t const size = std::min<std::uint64_t>(piece, end - begin);
    if (from_end) {
      pieces.push_back({end - size, end});
      end -= size;
    } else {
      pieces.push_back({begin, begin + size});
      begin += size;
    }
  }
  return pieces;
}

block_pool::block_pool(std::size_t blocks, std::size_t bytes)
    : blocks_(blocks), bytes_(static_cast<std::size_t>(up(bytes))) {
  void* const at =
      ::mmap(nullptr, blocks_ * bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(at);
  hold_memory(static_cast<std::int64_t>(blocks_ * bytes_));
}

block_pool::~block_pool() {
  ::munmap(memory_, blocks_ * bytes_);
  hold_memory(-static_cast<std::int64_t>(blocks_ * bytes_));
}

block_reader::block_reader(std::shared_ptr<descriptor const> file, std::string name,
                           std::uint64_t begin, std::uint64_t end, std::size_t piece, bool from_end)
    : block_reader(std::move(file), std::move(name), pieces_of({begin, end}, piece, from_end)) {}

block_reader::block_reader(std::shared_ptr<descriptor const> file, std::string name,
                           std::vector<byte_range> pieces, reading when)
    : file_(std::move(file)),
      direct_(direct_descriptor(file_->get(), O_RDONLY)),
      name_(std::move(name)),
      pieces_(std::move(pieces)),
      cached_(are_cached(file_->get(), pieces_)),
      pool_(when == reading::ahead
                ? std::clamp<std::size_t>(pieces_.size(), 1, pieces_ahead(longest(pieces_)))
                : 1,
            longest(pieces_) + 2 * sector),
      slots_(pool_.size()) {
  if (pieces_.size() < 2 || when == reading::on_request) return;
  int const threads =
      pool_.size() > blocks_ahead ? reading_threads_of_short_pieces : reading_threads;
  try {
    for (int i = 0; i < threads; ++i) {
      std::thread thread;
      if (started(thread, [this] { read_ahead(); })) threads_.push_back(std::move(thread));
    }
  } catch (...) {
    stop();
    throw;
  }
}

block_reader::~block_reader() { stop(); }

void block_reader::stop() {
  {
    std::scoped_lock const lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::span<std::byte const> block_reader::next() {
  std::unique_lock lock(mutex_);
  released_ = returned_;
  changed_.notify_all();
  if (returned_ == pieces_.size()) return {};
  std::uint64_t const mine = returned_++;
  slot& here = slots_[mine % slots_.size()];
  if (threads_.empty()) {
    claimed_ = returned_;
    lock.unlock();
    fill(mine);
    lock.lock();
  }
  changed_.wait(lock, [&] { return here.filled; });
  here.filled = false;
  if (here.error) std::rethrow_exception(here.error);
  return here.bytes;
}

void block_reader::read_ahead() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] {
      return stopped_ || claimed_ == pieces_.size() || claimed_ < released_ + slots_.size();
    });
    if (stopped_ || claimed_ == pieces_.size()) return;
    std::uint64_t const mine = claimed_++;
    lock.unlock();
    fill(mine);
    lock.lock();
  }
}

/// Reads a piece into its slot.
void block_reader::fill(std::uint64_t piece) {
  slot result;
  try {
    byte_range const range = pieces_[static_cast<std::size_t>(piece)];
    result.bytes = read(range.begin, range.end, pool_[piece]);
  } catch (...) {
    result.error = std::current_exception();
  }
  result.filled = true;
  std::scoped_lock const lock(mutex_);
  slots_[piece % slots_.size()] = result;
  changed_.notify_all();
}

/// Reads bytes [from, to) of the file.
std::span<std::byte const> block_reader::read(std::uint64_t from, std::uint64_t to,
                                              std::span<std::byte> block) {
  std::uint64_t const first = down(from);
  bool direct = !cached_ && direct_.get() >= 0;
  std::uint64_t const last = direct ? up(to) : to;
  for (std::uint64_t at = first; at < to;) {
    ssize_t const got =
        ::pread(direct ? direct_.get() : file_->get(), block.data() + (at - first),
                static_cast<std::size_t>((direct ? last : to) - at), static_cast<off_t>(at));
    if (got > 0) {
      at += static_cast<std::uint64_t>(got);
      direct = direct && at % sector == 0;  // else the file ends here
    } else if (got == 0) {
      throw file_error(name_, "the file shrank while it was read");
    } else if (direct && errno == EINVAL) {
      direct = false;
    } else if (errno != EINTR) {
      throw file_error::from_errno(name_, "cannot read", errno);
    }
  }
  if (!cached_ && direct_.get() < 0) {
    (void)::posix_fadvise(file_->get(), static_cast<off_t>(first), static_cast<off_t>(to - first),
                          POSIX_FADV_DONTNEED);
  }
  return block.subspan(static_cast<std::size_t>(from - first), static_cast<std::size_t>(to - from));
}

block_writer::block_writer(int descriptor, target to) : block_writer(descriptor, to, false, 0) {}

block_writer::block_writer(int descriptor, std::uint64_t end)
    : block_writer(descriptor, target::file, true, end) {}

block_writer::block_writer(int descriptor, target to, bool backward, std::uint64_t position)
    : descriptor_(descriptor),
      to_(to),
      backward_(backward),
      direct_(to == target::file ? direct_descriptor(descriptor, O_WRONLY) : apps::descriptor(-1)),
      cached_(direct_.get() < 0 && is_regular(descriptor)),
      pool_(blocks_ahead, block_bytes()),
      position_(position),
      requests_(pool_.size()) {}

block_writer::~block_writer() {
  {
    std::scoped_lock const lock(mutex_);
    stopped_ = true;
    if (error_ == 0) error_ = ECANCELED;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

int block_writer::write(std::span<std::byte const> bytes) {
  std::size_t const size = pool_[0].size();
  while (!bytes.empty()) {
    std::span<std::byte> const block = pool_[submitted_];
    if (buffered_ == 0) {  // the first bytes in this block: its last use must be over
      if (int const error = wait()) return error;
    }
    std::size_t n;
    if (backward_) {
      auto const begin = static_cast<std::size_t>((position_ - 1) % size + 1);  // within the block
      n = std::min(bytes.size(), begin);
      std::memcpy(block.data() + begin - n, bytes.data() + bytes.size() - n, n);
      bytes = bytes.first(bytes.size() - n);
      position_ -= n;
    } else {
      n = std::min(bytes.size(), size - buffered_);
      std::memcpy(block.data() + buffered_, bytes.data(), n);
      bytes = bytes.subspan(n);
      position_ += n;
    }
    buffered_ += n;
    bool const full = backward_ ? position_ % size == 0 : buffered_ == size;
    if (!full) continue;
    if (int const error = submit()) return error;
  }
  return 0;
}

int block_writer::flush() {
  if (int const error = submit()) return error;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return written_ == submitted_; });
  return error_;
}

int block_writer::finish() {
  int const error = flush();
  {
    std::scoped_lock const lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  return error;
}

/// Waits until the next block may be filled.
int block_writer::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return submitted_ - written_ < pool_.size(); });
  return error_;
}

/// Hands the current block over to the thread.
int block_writer::submit() {
  if (buffered_ == 0) return 0;
  std::size_t const size = pool_[0].size();
  std::uint64_t const offset = backward_ ? position_ : position_ - buffered_;
  std::size_t const begin = backward_ ? static_cast<std::size_t>(position_ % size) : 0;
  request const what{pool_[submitted_].subspan(begin, std::exchange(buffered_, 0)), offset};
  if (!thread_.joinable() && !started(thread_, [this] { write_behind(); })) {
    error_ = error_ == 0 ? write_out(what) : error_;
    ++submitted_;
    ++written_;
    return error_;
  }
  std::scoped_lock const lock(mutex_);
  requests_[submitted_ % pool_.size()] = what;
  ++submitted_;
  changed_.notify_all();
  return error_;
}

void block_writer::write_behind() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || written_ < submitted_; });
    if (written_ == submitted_ || (stopped_ && error_ != 0)) return;
    request const what = requests_[written_ % pool_.size()];
    bool const failed = error_ != 0;
    lock.unlock();
    int const error = failed ? 0 : write_out(what);
    lock.lock();
    if (error_ == 0) error_ = error;
    ++written_;
    changed_.notify_all();
  }
}

/// Writes whole sectors past the page cache, and the rest through it.
int block_writer::write_out(request const& what) {
  std::span<std::byte const> const bytes = what.bytes;
  std::uint64_t const offset = what.offset;
  if (direct_.get() < 0) {
    int const error = put(descriptor_, bytes, offset);
    if (error == 0 && cached_) bound_cache(offset, bytes.size());
    return error;
  }
  std::uint64_t const end = offset + bytes.size();
  std::uint64_t const first = std::min(up(offset), end), last = std::max(down(end), first);
  auto const part = [&](std::uint64_t from, std::uint64_t to) {
    return bytes.subspan(static_cast<std::size_t>(from - offset),
                         static_cast<std::size_t>(to - from));
  };
  int error = put(descriptor_, part(offset, first), offset);
  if (error == 0) error = put(direct_.get(), part(first, last), first);
  if (error == EINVAL) error = put(descriptor_, part(first, last), first);
  if (error == 0) error = put(descriptor_, part(last, end), last);
  return error;
}

int block_writer::put(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t const written = to_ == target::file ? ::pwrite(descriptor, bytes.data(), bytes.size(),
                                                           static_cast<off_t>(offset))
                                                : ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd wait = {descriptor, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// Starts to write these bytes back, and drops those before them from the page cache.
void block_writer::bound_cache(std::uint64_t offset, std::uint64_t bytes) {
  if (to_ == target::stream) {  // the bytes end at the descriptor's position
    off_t const end = ::lseek(descriptor_, 0, SEEK_CUR);
    if (end < static_cast<off_t>(bytes)) return;
    offset = static_cast<std::uint64_t>(end) - bytes;
  }
  (void)::sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                          SYNC_FILE_RANGE_WRITE);
  auto const before = static_cast<off_t>(std::exchange(dirty_, offset));
  auto const length = static_cast<off_t>(std::exchange(dirty_bytes_, bytes));
  if (length == 0) return;
  (void)::sync_file_range(
      descriptor_, before, length,
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  (void)::posix_fadvise(descriptor_, before, length, POSIX_FADV_DONTNEED);
}

}  // namespace libscan::apps
