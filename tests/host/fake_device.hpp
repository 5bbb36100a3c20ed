// SPDX-License-Identifier: Apache-2.0
// A device for tests of `passage`: what its streams hold runs as late as the program allows, in an
// order drawn at random. Each of its calls can be made to fail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::test {

/// The state of the fake device, and its runtime for `passage`.
class fake_device {
 public:
  static constexpr std::size_t block_bytes = 256;

  struct failure : std::runtime_error {
    failure() : std::runtime_error("the fake device fails") {}
  };

  /// What one test wants of the device.
  struct behavior {
    unsigned seed = 1;
    long fails_at = -1;  // the call with this number fails
    bool refuses_pinned = false;
    bool reaches_all = false;  // host memory is pinned
  };

  static void begin(behavior const& now) {
    std::scoped_lock const lock(mutex());
    state().now = now;
    state().calls = 0;
    state().random.seed(now.seed);
  }

  /// Calls since `begin`.
  static long calls() {
    std::scoped_lock const lock(mutex());
    return state().calls;
  }

  /// Operations that have not run.
  static std::size_t pending() {
    std::scoped_lock const lock(mutex());
    std::size_t count = 0;
    for (auto const* queue : state().streams) count += queue->size();
    return count;
  }

  struct scope {
    explicit scope(int) { fake_device::count_call(); }
  };

  class event;

  class stream {
   public:
    stream() {
      count_call();
      std::scoped_lock const lock(mutex());
      state().streams.insert(&operations_);
    }
    stream(stream const&) = delete;
    ~stream() {
      std::scoped_lock const lock(mutex());
      state().streams.erase(&operations_);
    }

    void copy(void* to, void const* from, std::size_t bytes) const {
      push([=] { std::memcpy(to, from, bytes); });
    }
    /// A kernel.
    void run(std::function<void()> body) const { push(std::move(body)); }
    void wait(event const& other) const;
    void synchronize() const {
      count_call();
      finish();
    }
    void finish() const {
      run_until([this] { return operations_.empty(); });
    }
    void* handle() const { return const_cast<stream*>(this); }

   private:
    friend class event;
    struct operation {
      std::function<bool()> may_run;
      std::function<void()> body;
    };

    void push(
        std::function<void()> body, std::function<bool()> may_run = [] { return true; }) const {
      count_call();
      std::scoped_lock const lock(mutex());
      operations_.push_back({std::move(may_run), std::move(body)});
    }

    mutable std::deque<operation> operations_;
    friend class fake_device;
  };

  class event {
   public:
    event() { count_call(); }
    event(event const&) = delete;
    void record(stream const& on) {
      long const version = *recorded_ + 1;
      on.push([done = done_, version] { *done = std::max(*done, version); });
      *recorded_ = version;
    }
    void synchronize() const {
      count_call();
      run_until([done = done_, version = *recorded_] { return *done >= version; });
    }

   private:
    friend class stream;
    std::shared_ptr<long> recorded_ = std::make_shared<long>(0);
    std::shared_ptr<long> done_ = std::make_shared<long>(0);
  };

  static void* pinned_memory(std::size_t bytes) {
    count_call();
    std::scoped_lock const lock(mutex());
    return state().now.refuses_pinned ? nullptr : ::operator new(bytes);
  }

  static bool reaches(void const*) {
    std::scoped_lock const lock(mutex());
    return state().now.reaches_all;
  }

 private:
  struct all {
    behavior now;
    long calls = 0;
    std::mt19937 random;
    std::set<std::deque<stream::operation>*> streams;
  };

  static std::mutex& mutex() {
    static auto* const one = new std::mutex;
    return *one;
  }
  static all& state() {
    static auto* const one = new all;  // lanes live as long
    return *one;
  }

  static void count_call() {
    std::scoped_lock const lock(mutex());
    if (state().calls++ == state().now.fails_at) throw failure();
  }

  /// Runs operations of streams drawn at random until done().
  template <class Done>
  static void run_until(Done const& done) {
    std::scoped_lock const lock(mutex());
    while (!done()) {
      std::vector<std::deque<stream::operation>*> ready;
      for (auto* const queue : state().streams) {
        if (!queue->empty() && queue->front().may_run()) ready.push_back(queue);
      }
      if (ready.empty()) throw std::logic_error("the streams wait for each other");
      auto* const queue = ready[state().random() % ready.size()];
      queue->front().body();
      queue->pop_front();
    }
  }
};

inline void fake_device::stream::wait(event const& other) const {
  push([] {}, [done = other.done_, version = *other.recorded_] { return *done >= version; });
}

}  // namespace libscan::test
