// SPDX-License-Identifier: Apache-2.0
// System calls of the output path that fail, preloaded into a program: LIBSCAN_FAIL=call:error:k
// lets the k-th call (from 1) of that name fail with that number, of those that are made for
// outputs: descriptors opened for writing, or duplicates of others. It then makes the file
// LIBSCAN_FAILED. The error -1 is none, but a write of one byte only.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int most_descriptors = 1024;
bool of_output[most_descriptors];

bool is_output(int descriptor) {
  return descriptor >= 0 && descriptor < most_descriptors && of_output[descriptor];
}

int note(int descriptor) {
  if (descriptor >= 0 && descriptor < most_descriptors) of_output[descriptor] = true;
  return descriptor;
}

/// The error with which this call must fail, 0 for none.
int error_of(char const* call) {
  static char const* const wanted = std::getenv("LIBSCAN_FAIL");
  static int left = wanted == nullptr ? 0 : std::atoi(std::strrchr(wanted, ':') + 1);
  std::size_t const length = std::strlen(call);
  if (left <= 0 || std::strncmp(wanted, call, length) != 0 || wanted[length] != ':') return 0;
  if (--left > 0) return 0;
  long const mark =
      ::syscall(SYS_openat, AT_FDCWD, std::getenv("LIBSCAN_FAILED"), O_WRONLY | O_CREAT, 0600);
  ::syscall(SYS_close, mark);
  return std::atoi(wanted + length + 1);
}

template <class Function>
Function next(char const* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int failed(int error) {
  errno = error;
  return -1;
}

int open_as(char const* path, int flags, unsigned mode) {
  bool const writes = (flags & O_ACCMODE) != O_RDONLY;
  if (int const error = writes ? error_of("open") : 0; error != 0) return failed(error);
  auto const opened = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  return writes ? note(opened) : opened;
}

int control(int descriptor, int command, long argument) {
  bool const copies = command == F_DUPFD_CLOEXEC || command == F_DUPFD;
  if (int const error = copies ? error_of("dup") : 0; error != 0) return failed(error);
  auto const result = static_cast<int>(::syscall(SYS_fcntl, descriptor, command, argument));
  return copies ? note(result) : result;
}

}  // namespace

extern "C" {

int open(char const* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  unsigned const mode = (flags & O_CREAT) != 0 ? va_arg(more, unsigned) : 0;
  va_end(more);
  return open_as(path, flags, mode);
}
int open64(char const* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  unsigned const mode = (flags & O_CREAT) != 0 ? va_arg(more, unsigned) : 0;
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
  if (error > 0) return failed(error);
  if (error < 0 && count > 1) count = 1;
  return ::syscall(SYS_write, descriptor, bytes, count);
}

int close(int descriptor) {
  bool const was_output = is_output(descriptor);
  if (was_output) of_output[descriptor] = false;
  int const error = was_output ? error_of("close") : 0;
  auto const closed = static_cast<int>(::syscall(SYS_close, descriptor));
  return error == 0 ? closed : failed(error);  // a close that fails closes all the same
}

int fchmod(int descriptor, mode_t mode) {
  if (int const error = error_of("fchmod"); error != 0) return failed(error);
  return static_cast<int>(::syscall(SYS_fchmod, descriptor, mode));
}

int rename(char const* from, char const* to) {
  if (int const error = error_of("rename"); error != 0) return failed(error);
  return next<int (*)(char const*, char const*)>("rename")(from, to);
}

int faccessat(int directory, char const* path, int mode, int flags) {
  if (int const error = error_of("faccessat"); error != 0) return failed(error);
  return next<int (*)(int, char const*, int, int)>("faccessat")(directory, path, mode, flags);
}

}  // extern "C"
