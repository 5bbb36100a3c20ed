// SPDX-License-Identifier: Apache-2.0
// The functions that code compiled with -fsanitize=thread calls for plain accesses, in place of
// ThreadSanitizer's own (their names and types are the compilers' convention), and memory
// functions.
#include <libscan/simt/executor/racecheck/race_checker.hpp>

namespace {

using libscan::simt::executor::racecheck::access_kind;
using libscan::simt::executor::racecheck::listening;

void hear(void const* address, std::size_t bytes, access_kind kind, void const* from) {
  if (listening != nullptr) listening->plain_access(address, bytes, kind, from);
}

void hear_range(void const* address, std::size_t bytes, access_kind kind, void const* from) {
  if (listening != nullptr) listening->plain_range(address, bytes, kind, from);
}

}  // namespace

#define LIBSCAN_FROM __builtin_return_address(0)
#define LIBSCAN_ACCESS(name, bytes, kind) \
  void name(void* at) { hear(at, bytes, access_kind::kind, LIBSCAN_FROM); }
#define LIBSCAN_UNALIGNED(name, bytes, kind) \
  void name(void* at) { hear_range(at, bytes, access_kind::kind, LIBSCAN_FROM); }

extern "C" {

void* __real_memcpy(void* target, void const* source, std::size_t bytes);
void* __real_memmove(void* target, void const* source, std::size_t bytes);
void* __real_memset(void* target, int byte, std::size_t bytes);

void __tsan_init() {}

void __tsan_func_entry(void* from) {
  if (listening != nullptr) listening->enter_function(from);
}
void __tsan_func_exit() {
  if (listening != nullptr) listening->leave_function();
}

LIBSCAN_ACCESS(__tsan_read1, 1, read)
LIBSCAN_ACCESS(__tsan_read2, 2, read)
LIBSCAN_ACCESS(__tsan_read4, 4, read)
LIBSCAN_ACCESS(__tsan_read8, 8, read)
LIBSCAN_ACCESS(__tsan_read16, 16, read)
LIBSCAN_ACCESS(__tsan_write1, 1, write)
LIBSCAN_ACCESS(__tsan_write2, 2, write)
LIBSCAN_ACCESS(__tsan_write4, 4, write)
LIBSCAN_ACCESS(__tsan_write8, 8, write)
LIBSCAN_ACCESS(__tsan_write16, 16, write)
LIBSCAN_UNALIGNED(__tsan_unaligned_read2, 2, read)
LIBSCAN_UNALIGNED(__tsan_unaligned_read4, 4, read)
LIBSCAN_UNALIGNED(__tsan_unaligned_read8, 8, read)
LIBSCAN_UNALIGNED(__tsan_unaligned_read16, 16, read)
LIBSCAN_UNALIGNED(__tsan_unaligned_write2, 2, write)
LIBSCAN_UNALIGNED(__tsan_unaligned_write4, 4, write)
LIBSCAN_UNALIGNED(__tsan_unaligned_write8, 8, write)
LIBSCAN_UNALIGNED(__tsan_unaligned_write16, 16, write)

void __tsan_read_range(void* at, std::size_t bytes) {
  hear_range(at, bytes, access_kind::read, LIBSCAN_FROM);
}
void __tsan_write_range(void* at, std::size_t bytes) {
  hear_range(at, bytes, access_kind::write, LIBSCAN_FROM);
}

// Pointers to virtual function tables: kernels share none.
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}

// The linker redirects calls of memcpy and its kin here (--wrap); clang 15 and later do so
// themselves.
void* __wrap_memcpy(void* target, void const* source, std::size_t bytes) {
  hear_range(source, bytes, access_kind::read, LIBSCAN_FROM);
  hear_range(target, bytes, access_kind::write, LIBSCAN_FROM);
  return __real_memcpy(target, source, bytes);
}
void* __wrap_memmove(void* target, void const* source, std::size_t bytes) {
  hear_range(source, bytes, access_kind::read, LIBSCAN_FROM);
  hear_range(target, bytes, access_kind::write, LIBSCAN_FROM);
  return __real_memmove(target, source, bytes);
}
void* __wrap_memset(void* target, int byte, std::size_t bytes) {
  hear_range(target, bytes, access_kind::write, LIBSCAN_FROM);
  return __real_memset(target, byte, bytes);
}
void* __tsan_memcpy(void* target, void const* source, std::size_t bytes) {
  hear_range(source, bytes, access_kind::read, LIBSCAN_FROM);
  hear_range(target, bytes, access_kind::write, LIBSCAN_FROM);
  return __real_memcpy(target, source, bytes);
}
void* __tsan_memmove(void* target, void const* source, std::size_t bytes) {
  hear_range(source, bytes, access_kind::read, LIBSCAN_FROM);
  hear_range(target, bytes, access_kind::write, LIBSCAN_FROM);
  return __real_memmove(target, source, bytes);
}
void* __tsan_memset(void* target, int byte, std::size_t bytes) {
  hear_range(target, bytes, access_kind::write, LIBSCAN_FROM);
  return __real_memset(target, byte, bytes);
}

}  // extern "C"

#undef LIBSCAN_UNALIGNED
#undef LIBSCAN_ACCESS
#undef LIBSCAN_FROM
