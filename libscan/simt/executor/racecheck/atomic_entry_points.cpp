// SPDX-License-Identifier: Apache-2.0
// The functions that code compiled with -fsanitize=thread calls in place of atomic operations: they
// inform the checker, then perform the operation.
#include <mutex>

#include <libscan/simt/executor/racecheck/race_checker.hpp>

namespace {

using libscan::simt::executor::racecheck::listening;

using word8 = unsigned char;
using word16 = unsigned short;
using word32 = unsigned;
using word64 = unsigned long long;
__extension__ typedef unsigned __int128 word128;

// Not every CPU has 16-byte atomics. Only instrumented code uses these, so a lock is good enough.
std::mutex wide_operations;

template <class T, class Operation>
auto exclusively(Operation const& operation) {
  if constexpr (sizeof(T) == 16) {
    std::scoped_lock const lock(wide_operations);
    return operation();
  } else {
    return operation();
  }
}

template <class T>
T load(T const volatile* at, int order, void const* from) {
  if (listening != nullptr) {
    listening->atomic_load(const_cast<T const*>(at), sizeof(T), std::memory_order(order), from);
  }
  if constexpr (sizeof(T) == 16) {
    return exclusively<T>([&] { return *at; });
  } else {
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
  }
}

template <class T>
void store(T volatile* at, T value, int order, void const* from) {
  if (listening != nullptr) {
    listening->atomic_store(const_cast<T*>(at), sizeof(T), std::memory_order(order), from);
  }
  if constexpr (sizeof(T) == 16) {
    exclusively<T>([&] { *at = value; });
  } else {
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
  }
}

template <class T>
bool replace(T volatile* at, T* expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    return exclusively<T>([&] {
      bool const same = *at == *expected;
      if (same) {
        *at = desired;
      } else {
        *expected = *at;
      }
      return same;
    });
  } else {
    return __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
}

/// *at = change(*at), as one operation; returns the former value.
template <class T, class Change>
T update(T volatile* at, int order, void const* from, Change const& change) {
  if (listening != nullptr) {
    listening->atomic_update(const_cast<T*>(at), sizeof(T), std::memory_order(order), from);
  }
  T former = exclusively<T>([&] { return *at; });
  while (!replace(at, &former, static_cast<T>(change(former)))) {
  }
  return former;
}

/// A failed exchange is a load with its own memory order.
template <class T>
bool compare_exchange(T volatile* at, T* expected, T desired, int order, int failure_order,
                      void const* from) {
  // Fibers of one OS thread: nothing can come between this look and the exchange.
  if (listening != nullptr && *at != *expected) {
    listening->atomic_load(const_cast<T*>(at), sizeof(T), std::memory_order(failure_order), from);
  } else if (listening != nullptr) {
    listening->atomic_update(const_cast<T*>(at), sizeof(T), std::memory_order(order), from);
  }
  return replace(at, expected, desired);
}

}  // namespace

#define LIBSCAN_FROM __builtin_return_address(0)
#define LIBSCAN_UPDATE(T, bits, name, result)                                                  \
  T __tsan_atomic##bits##_##name(T volatile* at, T value, int order) {                         \
    return update<T>(at, order, LIBSCAN_FROM, [&]([[maybe_unused]] T old) { return result; }); \
  }
#define LIBSCAN_ATOMICS(T, bits)                                                                 \
  T __tsan_atomic##bits##_load(T const volatile* at, int order) {                                \
    return load<T>(at, order, LIBSCAN_FROM);                                                     \
  }                                                                                              \
  void __tsan_atomic##bits##_store(T volatile* at, T value, int order) {                         \
    store<T>(at, value, order, LIBSCAN_FROM);                                                    \
  }                                                                                              \
  LIBSCAN_UPDATE(T, bits, exchange, value)                                                       \
  LIBSCAN_UPDATE(T, bits, fetch_add, old + value)                                                \
  LIBSCAN_UPDATE(T, bits, fetch_sub, old - value)                                                \
  LIBSCAN_UPDATE(T, bits, fetch_and, old& value)                                                 \
  LIBSCAN_UPDATE(T, bits, fetch_or, old | value)                                                 \
  LIBSCAN_UPDATE(T, bits, fetch_xor, old ^ value)                                                \
  LIBSCAN_UPDATE(T, bits, fetch_nand, ~(old & value))                                            \
  int __tsan_atomic##bits##_compare_exchange_strong(T volatile* at, T* expected, T desired,      \
                                                    int order, int failure_order) {              \
    return compare_exchange<T>(at, expected, desired, order, failure_order, LIBSCAN_FROM);       \
  }                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_weak(T volatile* at, T* expected, T desired,        \
                                                  int order, int failure_order) {                \
    return compare_exchange<T>(at, expected, desired, order, failure_order, LIBSCAN_FROM);       \
  }                                                                                              \
  T __tsan_atomic##bits##_compare_exchange_val(T volatile* at, T expected, T desired, int order, \
                                               int failure_order) {                              \
    compare_exchange<T>(at, &expected, desired, order, failure_order, LIBSCAN_FROM);             \
    return expected;                                                                             \
  }

extern "C" {

LIBSCAN_ATOMICS(word8, 8)
LIBSCAN_ATOMICS(word16, 16)
LIBSCAN_ATOMICS(word32, 32)
LIBSCAN_ATOMICS(word64, 64)
LIBSCAN_ATOMICS(word128, 128)

void __tsan_atomic_thread_fence(int order) {
  if (listening != nullptr) listening->atomic_fence(std::memory_order(order));
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"

#undef LIBSCAN_ATOMICS
#undef LIBSCAN_UPDATE
#undef LIBSCAN_FROM
