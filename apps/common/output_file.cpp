// SPDX-License-Identifier: Apache-2.0
// Writing beside the target and renaming into place.
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

#include <apps/common/cleanup.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>

namespace libscan::apps {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr mode_t permissions = 0777;

std::string directory_of(std::string const& path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string base_of(std::string const& path) { return path.substr(path.rfind('/') + 1); }

/// The directory without links, "" if there is none.
std::string real_directory(std::string const& directory) {
  char* const real = ::realpath(directory.c_str(), nullptr);
  std::string const result = real == nullptr ? "" : real;
  std::free(real);
  return result;
}

/// The descriptor of this process that `path` names as /proc/self/fd/N does, or -1.
int descriptor_named(std::string const& path) {
  std::string const base = base_of(path);
  int number = 0;
  if (base.find_first_not_of("0123456789") != std::string::npos ||
      parse_number(std::string_view(base), number) != parse_outcome::number) {
    return -1;
  }
  std::string const directory = real_directory(directory_of(path));
  bool const ours = !directory.empty() && (directory == real_directory("/proc/self/fd") ||
                                           directory == real_directory("/proc/thread-self/fd"));
  return ours ? number : -1;
}

/// What an output's name stands for.
struct place {
  int descriptor;    // -1: none, but a path
  std::string path;  // through all links; the last one may lead to nothing yet
};

place place_of(std::string path) {
  constexpr int most_links = 40;
  if (path == "-") return {STDOUT_FILENO, ""};
  std::string const given = path;
  for (int i = 0; i < most_links; ++i) {
    // Such a link leads to a name of the file that is open, but means the open file.
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

}  // namespace

output_file::output_file(std::string const& path)
    : name_(path == "-" ? "<stdout>" : path), buffer_(new std::byte[buffer_bytes]) {
  place const leads_to = place_of(path);
  if (leads_to.descriptor >= 0) {
    open_descriptor(leads_to.descriptor);
    return;
  }
  struct stat status = {};
  bool const exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail("cannot write", errno);
  if (exists && S_ISDIR(status.st_mode)) {
    throw file_error(name_, "is a directory, expected the name of a file to write");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) fail("cannot open for writing", errno);
    return;
  }
  std::string const& target = leads_to.path;
  if (target.empty() || target.ends_with('/')) {
    throw file_error(name_, "is no name of a file, expected one to write");
  }
  if (exists && ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
    fail("cannot replace", errno);
  }
  target_ = target;
  open_temporary(status.st_mode & permissions, exists);
}

output_file::~output_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void output_file::open_descriptor(int descriptor) {
  int const flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) fail("cannot write", EBADF);
  descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (descriptor_ < 0) fail("cannot write", errno);
}

void output_file::open_temporary(unsigned mode, bool replaces) {
  do {
    // Doomed before it exists: a signal in between finds nothing to remove.
    temporary_.reset();
    temporary_ = std::make_unique<doomed_file>(temporary_name(target_));
    descriptor_ = ::open(temporary_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno == EEXIST) temporary_->spare();
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    int const code = errno;
    temporary_->spare();
    fail(("cannot create a file in " + directory_of(target_)).c_str(), code);
  }
  if (replaces && ::fchmod(descriptor_, mode) != 0) fail("cannot set permissions", errno);
}

void output_file::fail(char const* doing, int error_number) const {
  if (error_number == EPIPE) throw output_closed(name_ + ": nobody reads it any more");
  throw file_error::from_errno(name_, doing, error_number);
}

void output_file::write(std::span<std::byte const> bytes) {
  if (bytes.size() > buffer_bytes - buffered_) {
    write_out({buffer_.get(), buffered_});
    buffered_ = 0;
  }
  if (bytes.size() >= buffer_bytes) {
    write_out(bytes);
  } else if (!bytes.empty()) {
    std::memcpy(buffer_.get() + buffered_, bytes.data(), bytes.size());
    buffered_ += bytes.size();
  }
}

void output_file::write_out(std::span<std::byte const> bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;  // Linux writes less than 2 GiB at once
  while (!bytes.empty()) {
    ssize_t const written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), most));
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
  if (descriptor_ < 0) return;
  write_out({buffer_.get(), buffered_});
  buffered_ = 0;
  // Some file systems report a full disk only now.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot complete", errno);
}

void output_file::commit() {
  complete();
  if (target_.empty()) return;
  if (::rename(temporary_->path().c_str(), target_.c_str()) != 0) {
    fail("cannot put into place", errno);
  }
  temporary_->spare();
}

int named_descriptor(std::string const& path) {
  return path == "-" ? -1 : place_of(path).descriptor;
}

bool same_output(std::string const& a, std::string const& b) {
  place const first = place_of(a), second = place_of(b);
  struct stat of_first = {}, of_second = {};
  if (first.descriptor < 0 && second.descriptor < 0) {
    return base_of(first.path) == base_of(second.path) &&
           status_of({-1, directory_of(first.path)}, of_first) &&
           status_of({-1, directory_of(second.path)}, of_second) && same_file(of_first, of_second);
  }
  if (first.descriptor == second.descriptor) return true;
  // Two names of a terminal or of /dev/null take nothing from each other.
  return status_of(first, of_first) && status_of(second, of_second) &&
         same_file(of_first, of_second) && !S_ISCHR(of_first.st_mode);
}

}  // namespace libscan::apps
