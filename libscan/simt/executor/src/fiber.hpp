// SPDX-License-Identifier: Apache-2.0
// Stacks, and switching between them (Boost.Context), with what AddressSanitizer wants to hear.
#pragma once

#include <vector>

#include <libscan/simt/executor/src/state.hpp>

namespace libscan::inline v1_executor::simt::executor {

/// Stacks with a guard page below each, kept for reuse by this OS thread.
class stack_pool {
 public:
  static constexpr std::size_t stack_bytes = 128 * 1024;

  stack_pool() = default;
  ~stack_pool();
  stack_pool(stack_pool const&) = delete;
  stack_pool& operator=(stack_pool const&) = delete;

  /// A stack for a new fiber. Throws std::bad_alloc.
  memory_range take();

  /// Takes a stack back. `forget` returns it to the system, so that a checker forgets it as well.
  void give(memory_range stack, bool forget);

 private:
  std::vector<memory_range> free_;
};

/// Makes `target` start `entry` on `stack` when first switched to. `number` spreads the tops of
/// stacks over cache sets: with all of them at one offset a switch takes three times as long.
void prepare(fiber& target, memory_range stack, unsigned number,
             void (*entry)(boost::context::detail::transfer_t));

/// Leaves `from` and goes on in `to`; returns when somebody switches to `from` again. A fiber that
/// ends says so, and never comes back.
void switch_fiber(fiber& from, fiber& to, bool from_ends = false);

/// To be called first on a new fiber.
void arrived(boost::context::detail::transfer_t transfer);

}  // namespace libscan::inline v1_executor::simt::executor
