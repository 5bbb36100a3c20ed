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
#include <cstring>
#include <random>
#include <utility>

#include <apps/common/cleanup.hpp>
#include <apps/common/exit_code.hpp>

namespace libscan::apps {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;
constexpr mode_t permissions = 0777;

/// The path that `path` leads to through symbolic links; the last one may lead to nothing yet.
std::string resolved(std::string path) {
  constexpr int most_links = 40;
  std::string const given = path;
  for (int i = 0; i < most_links; ++i) {
    char link[PATH_MAX];
    ssize_t const length = ::readlink(path.c_str(), link, sizeof link);
    if (length < 0) return path;
    std::string const to(link, static_cast<std::size_t>(length));
    path = to.starts_with('/') ? to : path.substr(0, path.rfind('/') + 1) + to;
  }
  throw file_error::from_errno(given, "cannot write", ELOOP);
}

std::string directory_of(std::string const& path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
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
  if (path == "-") {
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (descriptor_ < 0) fail("cannot write", errno);
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
  std::string const target = resolved(path);
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

void output_file::commit() {
  write_out({buffer_.get(), buffered_});
  buffered_ = 0;
  // Some file systems report a full disk only now.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot complete", errno);
  if (target_.empty()) return;
  if (::rename(temporary_->path().c_str(), target_.c_str()) != 0) {
    fail("cannot put into place", errno);
  }
  temporary_->spare();
}

}  // namespace libscan::apps
