// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include <libscan/simt/executor/src/fiber.hpp>

namespace libscan::inline v1_executor::simt::executor {

namespace context = boost::context::detail;

namespace {

std::size_t page_bytes() {
  static std::size_t const bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// AddressSanitizer would else remember what functions left on the stack, for whoever is given its
/// addresses next.
void forget_frames([[maybe_unused]] memory_range stack) {
#ifdef LIBSCAN_ASAN
  ASAN_UNPOISON_MEMORY_REGION(stack.begin, stack.size);
#endif
}

void release(memory_range stack) {
  forget_frames(stack);
  munmap(stack.begin - page_bytes(), stack.size + page_bytes());
}

}  // namespace

stack_pool::~stack_pool() {
  for (memory_range const& stack : free_) release(stack);
}

memory_range stack_pool::take() {
  if (!free_.empty()) {
    memory_range const stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void* const mapped = mmap(nullptr, stack_bytes + page_bytes(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  mprotect(mapped, page_bytes(), PROT_NONE);
  return {static_cast<std::byte*>(mapped) + page_bytes(), stack_bytes};
}

void stack_pool::give(memory_range stack, bool forget) noexcept {
  try {
    if (!forget) return free_.push_back(stack);
  } catch (std::bad_alloc const&) {
    // If the list cannot grow, the stack is unmapped.
  }
  release(stack);
}

bool readable([[maybe_unused]] void const* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef LIBSCAN_ASAN
  return __asan_region_is_poisoned(const_cast<void*>(begin), bytes) == nullptr;
#else
  return true;
#endif
}

void prepare(fiber& target, memory_range stack, unsigned number,
             void (*entry)(context::transfer_t)) {
  forget_frames(stack);
  std::size_t const offset = number % 61 * 64;
  target.stack_bottom = stack.begin;
  target.stack_size = stack.size;
  target.asan_fake_stack = nullptr;
  target.context =
      context::make_fcontext(stack.begin + stack.size - offset, stack.size - offset, entry);
}

void arrived(context::transfer_t transfer) {
  fiber& from = *static_cast<fiber*>(transfer.data);
  from.context = transfer.fctx;
#ifdef LIBSCAN_ASAN
  void const* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (from.stack_bottom == nullptr) {  // the host's own stack; only the sanitizer knows where it is
    from.stack_bottom = static_cast<std::byte*>(const_cast<void*>(bottom));
    from.stack_size = size;
  }
#endif
}

}  // namespace libscan::inline v1_executor::simt::executor
