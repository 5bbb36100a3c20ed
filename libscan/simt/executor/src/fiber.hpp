// SPDX-License-Identifier: Apache-2.0
// Stacks, and switching between them (Boost.Context), with AddressSanitizer's annotations.
#pragma once

#include <vector>

#include <libscan/simt/executor/src/state.hpp>

#ifdef __SANITIZE_ADDRESS__
#define LIBSCAN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIBSCAN_ASAN 1
#endif
#endif
#ifdef LIBSCAN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace libscan::inline v1_executor::simt::executor {

/// Stacks with a guard page below each, kept for reuse by this OS thread.
class stack_pool {
 public:
  static constexpr std::size_t stack_bytes = 128 * 1024;

  stack_pool() = default;
  ~stack_pool();
  stack_pool(stack_pool const&) = delete;
  stack_pool& operator=(stack_pool const&) = delete;

  /// A stack for a new fiber. Throws std::bad_alloc when memory is short.
  memory_range take();

  /// Takes a stack back. `forget` returns it to the system, so that a checker forgets it as well.
  void give(memory_range stack, bool forget) noexcept;

 private:
  std::vector<memory_range> free_;
};

/// Whether these bytes may be read, if this build can tell (AddressSanitizer can).
bool readable(void const* begin, std::size_t bytes);

/// Makes `target` start `entry` on `stack` at its first switch. `number` spreads the tops of stacks
/// over cache sets: with all of them at one offset a switch takes three times as long.
void prepare(fiber& target, memory_range stack, unsigned number,
             void (*entry)(boost::context::detail::transfer_t));

/// Leaves `from` and goes on in `to`; returns at the next switch to `from`. A fiber that ends says
/// so and never comes back. Inline, up to the intrinsics: processors predict a function's return
/// from the calls they saw, and after a switch every return is mispredicted.
[[gnu::always_inline]] inline void switch_fiber(fiber& from, fiber& to,
                                                [[maybe_unused]] bool from_ends = false) {
#ifdef LIBSCAN_ASAN
  __sanitizer_start_switch_fiber(from_ends ? nullptr : &from.asan_fake_stack, to.stack_bottom,
                                 to.stack_size);
#endif
  boost::context::detail::transfer_t const back =
      boost::context::detail::jump_fcontext(to.context, &from);
  static_cast<fiber*>(back.data)->context = back.fctx;
#ifdef LIBSCAN_ASAN
  __sanitizer_finish_switch_fiber(from.asan_fake_stack, nullptr, nullptr);
#endif
}

/// Called first on a new fiber.
void arrived(boost::context::detail::transfer_t transfer);

}  // namespace libscan::inline v1_executor::simt::executor
