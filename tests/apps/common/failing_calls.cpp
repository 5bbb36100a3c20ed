// SPDX-License-Identifier: Apache-2.0
// System calls of the output path that fail, preloaded into a program: LIBSCAN_FAIL=call:error:k
// lets the k-th call (from 1; 0: each) of that name fail with that number, of those that are made
// for outputs: descriptors opened for writing, or duplicates of others. It then makes the file
// LIBSCAN_FAILED. The error -1 is none, but a write of one byte only; 1000 + n is none either, but
// signal n before the call. Several are joined by commas. "tmpfile" is an open with O_TMPFILE,
// "proc" one of a file of /proc.
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int max_descriptors = 1024;
bool of_output[max_descriptors];

bool is_output(int descriptor) {
  return descriptor >= 0 && descriptor < max_descriptors && of_output[descriptor];
}

int note(int descriptor) {
  if (descriptor >= 0 && descriptor < max_descriptors) of_output[descriptor] = true;
  return descriptor;
}

struct failure {
  std::string call;
  int error;
  int which;
  int calls = 0;  // so far
};

std::vector<failure> wanted_failures() {
  std::vector<failure> all;
  char const* const text = std::getenv("LIBSCAN_FAIL");
  std::istringstream in(text == nullptr ? "" : text);
  for (std::string one; std::getline(in, one, ',');) {
    std::size_t const colon = one.find(':');
    all.push_back({one.substr(0, colon), std::stoi(one.substr(colon + 1)),
                   std::stoi(one.substr(one.rfind(':') + 1))});
  }
  return all;
}

/// The error with which this call must fail, 0 for none.
int error_of(char const* call) {
  static std::vector<failure> wanted = wanted_failures();
  int error = 0;
  for (failure& each : wanted) {
    if (each.call == call && (++each.calls == each.which || each.which == 0)) error = each.error;
  }
  if (error == 0) return 0;
  long const mark =
      ::syscall(SYS_openat, AT_FDCWD, std::getenv("LIBSCAN_FAILED"), O_WRONLY | O_CREAT, 0600);
  ::syscall(SYS_close, mark);
  constexpr int signals = 1000;
  if (error < signals) return error;
  ::kill(::getpid(), error - signals);
  return 0;
}

/// The result of a system call, or that it fails as it must.
template <class... Arguments>
int result_of(char const* name, long number, Arguments... arguments) {
  if (int const error = error_of(name); error != 0) {
    errno = error;
    return -1;
  }
  return static_cast<int>(::syscall(number, arguments...));
}

int open_as(char const* path, int flags, unsigned mode) {
  if ((flags & O_ACCMODE) == O_RDONLY) {
    return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  }
  char const* name = (flags & O_TMPFILE) == O_TMPFILE ? "tmpfile" : "open";
  if (std::string(path).starts_with("/proc/")) name = "proc";
  return note(result_of(name, SYS_openat, AT_FDCWD, path, flags, mode));
}

int control(int descriptor, int command, long argument) {
  if (command != F_DUPFD_CLOEXEC && command != F_DUPFD) {
    return static_cast<int>(::syscall(SYS_fcntl, descriptor, command, argument));
  }
  return note(result_of("dup", SYS_fcntl, descriptor, command, argument));
}

}  // namespace

extern "C" {

int open(char const* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  unsigned const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
  va_end(more);
  return open_as(path, flags, mode);
}
int open64(char const* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  unsigned const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
  va_end(more);
  return open_as(path, flags, mode);
}
int __open_2(char const* path, int flags) { return open_as(path, flags, 0); }
int __open64_2(char const* path, int flags) { return open_as(path, flags, 0); }

int fcntl(int descriptor, int command, ...) {
  va_list more;
  va_start(more, command);
  long const argument = va_arg(more, long);
  va_end(more);
  return control(descriptor, command, argument);
}
int fcntl64(int descriptor, int command, ...) {
  va_list more;
  va_start(more, command);
  long const argument = va_arg(more, long);
  va_end(more);
  return control(descriptor, command, argument);
}

ssize_t write(int descriptor, void const* bytes, size_t count) {
  int const error = is_output(descriptor) ? error_of("write") : 0;
  if (error > 0) {
    errno = error;
    return -1;
  }
  if (error < 0 && count > 1) count = 1;
  return ::syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, void const* bytes, size_t count, off_t offset) {
  int const error = is_output(descriptor) ? error_of("write") : 0;
  if (error > 0) {
    errno = error;
    return -1;
  }
  if (error < 0 && count > 1) count = 1;
  return ::syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, void const* bytes, size_t count, off_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

int close(int descriptor) {
  bool const was_output = is_output(descriptor);
  if (was_output) of_output[descriptor] = false;
  int const error = was_output ? error_of("close") : 0;
  auto const closed = static_cast<int>(::syscall(SYS_close, descriptor));
  if (error == 0) return closed;
  errno = error;  // a close that fails closes all the same
  return -1;
}

int fchmod(int descriptor, mode_t mode) {
  return result_of("fchmod", SYS_fchmod, descriptor, mode);
}
int fchown(int descriptor, uid_t owner, gid_t group) {
  return result_of("fchown", SYS_fchown, descriptor, owner, group);
}
int fsync(int descriptor) { return result_of("fsync", SYS_fsync, descriptor); }
int fallocate(int descriptor, int mode, off_t from, off_t length) {
  return result_of("fallocate", SYS_fallocate, descriptor, mode, from, length);
}
int fallocate64(int descriptor, int mode, off_t from, off_t length) {
  return result_of("fallocate", SYS_fallocate, descriptor, mode, from, length);
}
int ftruncate(int descriptor, off_t length) {
  return result_of("ftruncate", SYS_ftruncate, descriptor, length);
}
int ftruncate64(int descriptor, off_t length) {
  return result_of("ftruncate", SYS_ftruncate, descriptor, length);
}

int link(char const* from, char const* to) {
  return result_of("link", SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_directory, char const* from, int to_directory, char const* to, int flags) {
  return result_of("linkat", SYS_linkat, from_directory, from, to_directory, to, flags);
}
int rename(char const* from, char const* to) {
  return result_of("rename", SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(char const* path) { return result_of("unlink", SYS_unlinkat, AT_FDCWD, path, 0); }

int faccessat(int directory, char const* path, int mode, int flags) {
  return result_of("faccessat", SYS_faccessat2, directory, path, mode, flags);
}

}  // extern "C"
