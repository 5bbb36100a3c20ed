// SPDX-License-Identifier: Apache-2.0
// Writing to a file without a name, and putting it into place.
#include <apps/common/output_file.hpp>

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <apps/common/block_file.hpp>
#include <apps/common/cleanup.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/temporary_file.hpp>

namespace libscan::apps {
namespace {

constexpr std::size_t output_buffer_bytes = std::size_t{1} << 18;
constexpr mode_t permissions = 0777;

/// Whether an error means that a kernel or a file system does not support something, or not for
/// this user; ENOENT: a process without /proc.
bool is_refusal(int error_number) {
  constexpr int refusals[] = {EPERM, EINVAL, ENOSYS, EOPNOTSUPP, EISDIR, EXDEV, EBUSY, ENOENT};
  return std::ranges::find(refusals, error_number) != std::end(refusals);
}

std::string directory_of(std::string const& path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string base_of(std::string const& path) { return path.substr(path.rfind('/') + 1); }

/// The directory with all links resolved, "" if there is none.
std::string real_directory(std::string const& directory) {
  char* const real = ::realpath(directory.c_str(), nullptr);
  std::string const result = real == nullptr ? "" : real;
  std::free(real);
  return result;
}

/// The descriptor of this process that `path` names like /proc/self/fd/N, or -1.
int descriptor_named(std::string const& path) {
  std::string const base = base_of(path);
  int number = 0;
  if (base.find_first_not_of("0123456789") != std::string::npos ||
      (base.size() > 1 && base.starts_with('0')) ||
      parse_number(std::string_view(base), number) != parse_outcome::number) {
    return -1;
  }
  std::string const directory = real_directory(directory_of(path));
  bool const ours = !directory.empty() && (directory == real_directory("/proc/self/fd") ||
                                           directory == real_directory("/proc/thread-self/fd"));
  return ours ? number : -1;
}

/// The target of an output's name.
struct place {
  int descriptor;    // -1: none, only a path
  std::string path;  // through all links; the last one may lead to nothing yet
};

place place_of(std::string path) {
  constexpr int max_links = 40;
  if (path == "-") return {STDOUT_FILENO, ""};
  std::string const given = path;
  for (int i = 0; i < max_links; ++i) {
    // Such a link leads to a name of the open file, but means the open file.
    if (int const number = descriptor_named(path); number >= 0) return {number, ""};
    char link[PATH_MAX];
    ssize_t const length = ::readlink(path.c_str(), link, sizeof link);
    if (length < 0) return {-1, path};
    std::string const to(link, static_cast<std::size_t>(length));
    path = to.starts_with('/') ? to : path.substr(0, path.rfind('/') + 1) + to;
  }
  throw file_error::from_errno(given, "cannot write", ELOOP);
}

bool status_of(place const& at, struct stat& status) {
  return (at.descriptor < 0 ? ::stat(at.path.c_str(), &status) : ::fstat(at.descriptor, &status)) ==
         0;
}

bool same_file(struct stat const& a, struct stat const& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string temporary_name(std::string const& target) {
  std::random_device random;
  char name[64];
  std::snprintf(name, sizeof name, ".libscan-%ld-%08x%08x", static_cast<long>(::getpid()),
                static_cast<unsigned>(random()), static_cast<unsigned>(random()));
  return target.substr(0, target.rfind('/') + 1) + name;
}

/// A file with a name of its own in the target's directory, which is removed unless it is spared;
/// null if that is impossible. `make` creates it and returns -1 on failure.
template <class Make>
std::unique_ptr<doomed_file> made_beside(std::string const& target, Make make) {
  for (;;) {
    // Registered before it exists: a signal in between finds nothing to remove.
    auto file = std::make_unique<doomed_file>(temporary_name(target));
    if (make(file->path().c_str()) >= 0) return file;
    int const code = errno;
    file->spare();
    errno = code;
    if (code != EEXIST) return nullptr;
  }
}

}  // namespace

output_file::output_file(std::string const& path)
    : output_file(path == "-" ? "<stdout>" : path, -1) {
  place const leads_to = place_of(path);
  if (leads_to.descriptor >= 0) {
    open_descriptor(leads_to.descriptor);
    return;
  }
  struct stat status = {};
  replaces_ = ::stat(path.c_str(), &status) == 0;
  if (!replaces_ && errno != ENOENT) fail("cannot write", errno);
  if (replaces_ && S_ISDIR(status.st_mode)) {
    throw file_error(name_, "is a directory, expected the name of a file to write");
  }
  if (replaces_ && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) fail("cannot open for writing", errno);
    return;
  }
  std::string const& target = leads_to.path;
  if (target.empty() || target.ends_with('/')) {
    throw file_error(name_, "is no name of a file, expected one to write");
  }
  if (replaces_ && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
    fail("cannot replace", errno);
  }
  target_ = target;
  begin_ = 0;
  overwrites_ = status.st_nlink > 1;
  open_unfinished();
  if (replaces_ && !overwrites_) take_over(status.st_uid, status.st_gid, status.st_mode);
}

output_file::output_file(std::string name, int descriptor)
    : name_(std::move(name)),
      descriptor_(descriptor),
      buffer_(new std::byte[output_buffer_bytes]) {}

output_file::~output_file() {
  other_outside_.reset();  // nothing may be written to the number of a closed descriptor
  if (descriptor_ >= 0) ::close(descriptor_);
}

void output_file::open_descriptor(int descriptor) {
  int const flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) fail("cannot write", EBADF);
  descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (descriptor_ < 0) fail("cannot write", errno);
  struct stat status = {};
  bool const seekable =
      (flags & O_APPEND) == 0 && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (seekable) begin_ = ::lseek(descriptor_, 0, SEEK_CUR);
}

/// An old file in a directory that takes no new one is overwritten.
void output_file::open_unfinished() {
  // A new file has its final mode. A replacement is private until it gets the mode of the replaced
  // file.
  mode_t const mode = replaces_ ? 0600 : 0666;
  descriptor_ = ::open(directory_of(target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor_ < 0 && is_refusal(errno)) create_named(mode);
  int const code = errno;
  bool const closed = code == EACCES || code == EPERM || code == EROFS;
  if (descriptor_ < 0 && replaces_ && closed) {
    descriptor_ = create_nameless(temporary_directory());
    overwrites_ = true;
    errno = code;
  }
  if (descriptor_ < 0) fail("cannot create a file in " + directory_of(target_), errno);
}

void output_file::create_named(unsigned mode) {
  temporary_ = made_beside(target_, [&](char const* name) {
    return descriptor_ = ::open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  });
}

/// Takes over the attributes of the replaced file. If its owner cannot be kept, that file is
/// overwritten instead.
void output_file::take_over(unsigned owner, unsigned group, unsigned mode) {
  if (::fchown(descriptor_, owner, group) != 0) {
    if (!is_refusal(errno)) fail("cannot set the owner", errno);
    overwrites_ = true;
  } else if (::fchmod(descriptor_, mode & permissions) != 0) {
    fail("cannot set permissions", errno);
  }
}

void output_file::fail(std::string const& doing, int error_number) const {
  if (error_number == EPIPE) throw output_closed(name_ + ": its reader has closed it");
  throw file_error::from_errno(name_, doing, error_number);
}

void output_file::write(std::span<std::byte const> bytes) {
  if (!other_outside_ && bytes.size() <= output_buffer_bytes - buffered_) {
    if (!bytes.empty()) std::memcpy(buffer_.get() + buffered_, bytes.data(), bytes.size());
    buffered_ += bytes.size();
    return;
  }
  if (!other_outside_) {
    using target = block_writer::target;
    other_outside_ = std::make_unique<block_writer>(
        descriptor_, target_.empty() ? target::stream : target::file);
    write({buffer_.get(), std::exchange(buffered_, 0)});
  }
  if (int const error = other_outside_->write(bytes)) fail("cannot write", error);
}

void output_file::flush() {
  if (!target_.empty()) return;
  write_out({buffer_.get(), std::exchange(buffered_, 0)});
  int const error = other_outside_ ? other_outside_->flush() : 0;
  if (error != 0) fail("cannot write", error);
}

void output_file::write_from_end(std::uint64_t end) {
  other_outside_ = std::make_unique<block_writer>(descriptor_, end);
}

void output_file::reserve(std::uint64_t bytes) {
  auto const size = static_cast<off_t>(bytes);
  if (bytes != 0 && ::fallocate(descriptor_, 0, 0, size) != 0 && !is_refusal(errno)) {
    fail("cannot write", errno);
  }
  if (::ftruncate(descriptor_, size) != 0) fail("cannot write", errno);
}

std::string output_file::unfinished_path(bool named) {
  if (named && !temporary_) {
    temporary_ = made_beside(target_, [&](char const* name) { return link_to(name); });
    if (!temporary_) fail("cannot create a file in " + directory_of(target_), errno);
  }
  if (temporary_) return temporary_->path();
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor_);
}

std::unique_ptr<output_file> output_file::shared(std::string const& name, std::string const& path) {
  int const opened = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0) throw file_error::from_errno(name, "cannot open another rank's file", errno);
  std::unique_ptr<output_file> part(new output_file(name, opened));
  part->begin_ = 0;
  return part;
}

output_file::identity output_file::id() const {
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) fail("cannot write", errno);
  return {status.st_dev, status.st_ino};
}

void output_file::write_at(std::uint64_t offset, std::span<std::byte const> bytes) {
  write_rest();
  while (!bytes.empty()) {
    auto const at = begin_ + static_cast<std::int64_t>(offset);
    ssize_t const written = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
    if (written < 0 && errno != EINTR) fail("cannot write", errno);
    if (written < 0) continue;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

/// Writes everything that `write` has taken.
void output_file::write_rest() {
  write_out({buffer_.get(), std::exchange(buffered_, 0)});
  if (!other_outside_) return;
  int const error = other_outside_->finish();
  other_outside_.reset();
  if (error != 0) fail("cannot write", error);
}

void output_file::write_out(std::span<std::byte const> bytes) {
  constexpr std::size_t max_bytes = std::size_t{1} << 30;  // Linux writes less than 2 GiB at once
  while (!bytes.empty()) {
    ssize_t const written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), max_bytes));
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd wait = {descriptor_, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      fail("cannot write", errno);
    }
  }
}

void output_file::complete() {
  if (std::exchange(complete_, true)) return;
  write_rest();
  // Some file systems report a full disk only when a descriptor is closed; one is still needed to
  // put the file into place.
  int const kept = target_.empty() ? -1 : ::fcntl(descriptor_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (!target_.empty() && kept < 0) fail("cannot complete", errno);
  if (::close(std::exchange(descriptor_, kept)) != 0) fail("cannot complete", errno);
  if (overwrites_) {
    open_old();
  } else if (replaces_ && !target_.empty() && ::fsync(descriptor_) != 0) {
    fail("cannot complete", errno);  // an old file is only given up for one that is on the disk
  }
}

/// Appends all of the completed file to another.
void output_file::copy_to(output_file& other) {
  for (off_t at = 0;;) {
    ssize_t const got = ::pread(descriptor_, buffer_.get(), output_buffer_bytes, at);
    if (got < 0) fail("cannot read what was written", errno);
    if (got == 0) return;
    other.write_out({buffer_.get(), static_cast<std::size_t>(got)});
    at += got;
  }
}

/// If the file cannot get a name, writes it once more, with a name in the target's directory.
void output_file::copy_beside() {
  output_file copy(name_, -1);
  copy.target_ = target_;
  copy.replaces_ = replaces_;
  copy.create_named(0600);
  if (!copy.temporary_) return;
  copy_to(copy);
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) fail("cannot complete", errno);
  copy.take_over(status.st_uid, status.st_gid, status.st_mode);
  copy.complete();
  std::swap(descriptor_, copy.descriptor_);
  temporary_ = std::move(copy.temporary_);
}

/// Gives the open file a name; returns -1 if that fails.
int output_file::link_to(char const* name) const {
  std::string const open_file = "/proc/self/fd/" + std::to_string(descriptor_);
  return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/// Gives a file without a name the target's or, if that is taken, one in its directory.
void output_file::give_name() {
  if (!replaces_ && link_to(target_.c_str()) == 0) return;
  if (replaces_ || errno == EEXIST) {
    temporary_ = made_beside(target_, [&](char const* name) { return link_to(name); });
  }
  if (!temporary_ && is_refusal(errno)) copy_beside();
  if (!temporary_) fail("cannot put into place", errno);
}

void output_file::put_into_place(bool may_be_taken_back) {
  if (target_.empty()) return;
  if (overwrites_) return overwrite();
  if (!temporary_) give_name();
  if (!temporary_) return;
  if (may_be_taken_back) {
    replaced_ =
        made_beside(target_, [&](char const* name) { return ::link(target_.c_str(), name); });
    replaces_ = replaced_ || errno != ENOENT;
    if (!replaced_ && !is_refusal(errno)) fail("cannot keep the old file", errno);
  }
  if (::rename(temporary_->path().c_str(), target_.c_str()) == 0) return temporary_->spare();
  int const code = errno;
  replaced_.reset();
  if (!replaces_ || !is_refusal(code)) fail("cannot put into place", code);
  open_old();
  overwrite();
}

/// Opens the old file for `overwrite`, and reserves space: a full disk must not cost the old
/// content.
void output_file::open_old() {
  overwrites_ = true;
  int const opened = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0) fail("cannot overwrite", errno);
  old_.reset(new output_file(name_, opened));
  off_t const size = ::lseek(descriptor_, 0, SEEK_END);
  if (size > 0 && ::fallocate(opened, FALLOC_FL_KEEP_SIZE, 0, size) != 0 && !is_refusal(errno)) {
    fail("cannot overwrite", errno);
  }
}

/// Writes the content of the completed file into the old one, which keeps its identity.
void output_file::overwrite() {
  try {
    copy_to(*old_);
    if (::ftruncate(old_->descriptor_, ::lseek(descriptor_, 0, SEEK_END)) != 0) {
      fail("cannot set its length", errno);
    }
    old_->complete();
  } catch (file_error const& e) {
    throw file_error(std::string(e.what()) + "; its old content is overwritten in part");
  }
}

/// Undoes `put_into_place` if possible; returns a description of what remains.
std::string output_file::take_back() {
  if (replaced_) {
    replaced_->spare();
    if (::rename(replaced_->path().c_str(), target_.c_str()) == 0) return "";
    return "; " + name_ + " is replaced, its old content is in " + replaced_->path();
  }
  bool const is_new = !target_.empty() && !overwrites_ && !replaces_;
  return is_new && ::unlink(target_.c_str()) == 0 ? "" : "; " + name_ + " is written";
}

void output_file::commit_together(std::span<output_file* const> files) {
  std::vector<output_file*> order(files.begin(), files.end());
  for (output_file* const file : order) file->complete();
  // Files that cannot be taken back come last.
  std::stable_partition(order.begin(), order.end(),
                        [](output_file const* file) { return !file->overwrites_; });
  std::size_t placed = 0;
  try {
    for (; placed < order.size(); ++placed) {
      order[placed]->put_into_place(placed + 1 < order.size());
    }
  } catch (file_error const& e) {
    std::string words = e.what();
    while (placed > 0) words += order[--placed]->take_back();
    throw file_error(words);
  }
  for (output_file* const file : order) file->replaced_.reset();
}

int named_descriptor(std::string const& path) {
  return path == "-" ? -1 : place_of(path).descriptor;
}

bool same_output(std::string const& a, std::string const& b) {
  place const first = place_of(a), second = place_of(b);
  if (first.descriptor >= 0 && first.descriptor == second.descriptor) return true;
  struct stat of_first = {}, of_second = {};
  bool const is_first = status_of(first, of_first), is_second = status_of(second, of_second);
  // Two names of a terminal or of /dev/null do not overwrite each other.
  if (is_first && is_second) {
    return same_file(of_first, of_second) && !S_ISCHR(of_first.st_mode);
  }
  return !is_first && !is_second && base_of(first.path) == base_of(second.path) &&
         status_of({-1, directory_of(first.path)}, of_first) &&
         status_of({-1, directory_of(second.path)}, of_second) && same_file(of_first, of_second);
}

}  // namespace libscan::apps
