// SPDX-License-Identifier: Apache-2.0
// Executor backend: atomics on global and shared memory. Every polling load passes through here, so
// the executor can put spinning threads to sleep and knows exactly when no thread can go on.
#pragma once

#include <atomic>
#include <type_traits>

#include <libscan/simt/executor/runtime.hpp>

namespace libscan::inline v1_executor::simt {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

template <class T>
class atomic_ref {
 public:
  using value_type = T;

  explicit atomic_ref(T& object, call_site at = call_site::here())
      : object_(object), address_(&object), at_(at) {}

  T load(memory_order order = memory_order_seq_cst) const {
    executor::before_atomic();
    T const value = object_.load(order);
    return slept_over(value) ? object_.load(order) : value;
  }

  void store(T value, memory_order order = memory_order_seq_cst) const {
    executor::before_atomic();
    object_.store(value, order);
    executor::stored(address_);
  }

  T exchange(T value, memory_order order = memory_order_seq_cst) const {
    executor::before_atomic();
    T const former = object_.exchange(value, order);
    if (former != value) {
      executor::stored(address_);
    } else {
      slept_over(former);  // a spin lock's loop
    }
    return former;
  }

  bool compare_exchange_strong(T& expected, T desired,
                               memory_order order = memory_order_seq_cst) const {
    executor::before_atomic();
    bool const done = object_.compare_exchange_strong(expected, desired, order);
    if (done) {
      executor::stored(address_);
    } else {
      slept_over(expected);
    }
    return done;
  }

  T fetch_add(T value, memory_order order = memory_order_seq_cst) const {
    return modify(value == T(0), [&] { return object_.fetch_add(value, order); });
  }

  T fetch_sub(T value, memory_order order = memory_order_seq_cst) const {
    return modify(value == T(0), [&] { return object_.fetch_sub(value, order); });
  }

  T fetch_and(T value, memory_order order = memory_order_seq_cst) const {
    return modify(value == static_cast<T>(~T(0)), [&] { return object_.fetch_and(value, order); });
  }

  T fetch_or(T value, memory_order order = memory_order_seq_cst) const {
    return modify(value == T(0), [&] { return object_.fetch_or(value, order); });
  }

  T fetch_xor(T value, memory_order order = memory_order_seq_cst) const {
    return modify(value == T(0), [&] { return object_.fetch_xor(value, order); });
  }

  T fetch_min(T value, memory_order order = memory_order_seq_cst) const {
    return by_comparison(value, order, [](T now, T mine) { return mine < now; });
  }

  T fetch_max(T value, memory_order order = memory_order_seq_cst) const {
    return by_comparison(value, order, [](T now, T mine) { return now < mine; });
  }

 private:
  bool slept_over(T const& value) const {
    return executor::polled(address_, &value, sizeof value, at_);
  }

  /// A modification that changes nothing counts as a read: a loop of such reads is a poll.
  template <class Operation>
  T modify(bool only_reads, Operation operation) const {
    executor::before_atomic();
    T const former = operation();
    if (!only_reads) {
      executor::stored(address_);
    } else {
      slept_over(former);
    }
    return former;
  }

  template <class Better>
  T by_comparison(T value, memory_order order, Better better) const {
    executor::before_atomic();
    T former = object_.load(memory_order_relaxed);
    while (!object_.compare_exchange_weak(former, better(former, value) ? value : former, order)) {
    }
    if (better(former, value)) executor::stored(address_);
    return former;
  }

  std::atomic_ref<T> object_;
  T* address_;
  call_site at_;
};

/// Atomics on shared memory, between the threads of one block.
template <class T>
using block_atomic_ref = atomic_ref<T>;

inline void thread_fence() { executor::fence(); }
inline void exchange_fence() { executor::fence(); }
inline void thread_fence_block() { executor::fence(); }

}  // namespace libscan::inline v1_executor::simt
