// SPDX-License-Identifier: Apache-2.0
// Callables and memory that fail at the k-th use: a call passes the failure on, and the next call
// is right. With LIBSCAN_TEST_FAILS_ALLOCATIONS, in one source of a program, operator new fails as
// well, and memory that a failed call keeps is found.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <set>

#include <tests/support/catch.hpp>

namespace libscan::test {

/// Thrown by the user's code. No std::exception: only `catch (...)` stops it.
struct tripped {};

class tripwire {
 public:
  enum class kind { callables, memory };

  /// What callables of a test do first.
  static void step() {
    if (reached(kind::callables)) throw tripped{};
  }
  /// Whether this allocation fails.
  static bool allocation_fails() { return reached(kind::memory); }

  /// The k-th use from now on fails, counted from 0, and no other.
  static void arm(kind what, long k) {
    what_ = what;
    fired_ = false;
    left_ = k;
  }
  /// Returns whether it failed.
  static bool disarm() {
    left_ = -1;
    return fired_;
  }
  /// Uses since `arm`.
  static long used(long armed) { return armed - left_; }

 private:
  static bool reached(kind what) {
    if (what != what_ || left_.load() < 0 || left_.fetch_sub(1) != 0) return false;
    fired_ = true;
    return true;
  }

  static inline std::atomic<kind> what_{kind::callables};
  static inline std::atomic<long> left_{-1};
  static inline std::atomic<bool> fired_{false};
};

#ifdef LIBSCAN_TEST_FAILS_ALLOCATIONS
inline std::atomic<long> held_allocations{0};

inline void* allocated_or_failed(std::size_t alignment, std::size_t bytes) noexcept {
  void* memory = nullptr;
  if (tripwire::allocation_fails() || posix_memalign(&memory, alignment, bytes) != 0) {
    return nullptr;
  }
  ++held_allocations;
  return memory;
}
inline void* allocated_or_thrown(std::size_t alignment, std::size_t bytes) {
  if (void* const memory = allocated_or_failed(alignment, bytes)) return memory;
  throw std::bad_alloc();
}
inline void deallocated(void* memory) noexcept {
  if (memory != nullptr) --held_allocations;
  std::free(memory);
}
#endif

/// Calls `call` once as it is, which sets what it must return, and then with the first use of
/// `what` failing, with a later one, and so on, up to the last: it must throw what failed, and be
/// right afterwards. Returns how many uses there are. `keeps`: the engine keeps memory for later
/// calls.
template <class Failure, class Call>
long require_passes_on(tripwire::kind what, Call const& call, [[maybe_unused]] bool keeps = false) {
  auto const expected = call();
  constexpr long many = 1L << 40;
  tripwire::arm(what, many);
  bool right = call() == expected;
  long const uses = tripwire::used(many);
  tripwire::disarm();
  CHECK(right);
#ifdef LIBSCAN_TEST_FAILS_ALLOCATIONS
  long const held = held_allocations;
#endif
  for (long const k : std::set<long>{0, 1, 3, uses / 3, uses / 2, uses - 2, uses - 1}) {
    if (k < 0 || k >= uses) continue;
    bool came = false, other = false;
    tripwire::arm(what, k);
    try {
      right = call() == expected;
    } catch (Failure const&) {
      came = true;
    } catch (...) {
      other = true;
    }
    bool const failed = tripwire::disarm();
    CAPTURE(k, uses);
    CHECK(!other);
    // Without memory for a second state, a thread waits instead: then the call is right.
    CHECK((came ? failed : right && (!failed || what == tripwire::kind::memory)));
    CHECK(call() == expected);
  }
#ifdef LIBSCAN_TEST_FAILS_ALLOCATIONS
  CHECK((keeps || held_allocations == held));
#endif
  return uses;
}

}  // namespace libscan::test

#ifdef LIBSCAN_TEST_FAILS_ALLOCATIONS
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return libscan::test::allocated_or_thrown(alignof(std::max_align_t), bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept {
  return libscan::test::allocated_or_failed(alignof(std::max_align_t), bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return libscan::test::allocated_or_thrown(static_cast<std::size_t>(alignment), bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  libscan::test::deallocated(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  libscan::test::deallocated(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::nothrow_t const&) noexcept {
  libscan::test::deallocated(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  libscan::test::deallocated(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  libscan::test::deallocated(memory);
}
// The sorts' own memory.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  void* memory = nullptr;
  bool const fails = libscan::test::tripwire::allocation_fails();
  return !fails && posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}
#endif
