// SPDX-License-Identifier: Apache-2.0
// ThreadSanitizer as an observer: each thread of a kernel is a TSan fiber. Switching to it orders
// nothing; only the machine's events order threads. This file itself is not instrumented.
#include <sanitizer/tsan_interface.h>

#include <deque>
#include <libscan/simt/executor/src/grid_run.hpp>
#include <map>
#include <memory>
#include <unordered_set>

// Part of TSan's runtime, but not of its public headers.
extern "C" void __tsan_read_range(void* begin, unsigned long size);
extern "C" void __tsan_write_range(void* begin, unsigned long size);

namespace libscan::inline v1_executor::simt::executor {

namespace {

constexpr unsigned without_order = __tsan_switch_to_fiber_no_sync;

// The runtime ends the process at 8192 threads and needs a few itself.
constexpr std::size_t max_fibers = 8000;

// The number of remembered ordering events. No thread waits for an older one.
constexpr std::size_t max_keys = 4096;

/// `action` as done by `fiber`.
template <class Action>
auto as(void* fiber, Action action) {
  struct turn {
    explicit turn(void* to) : former(__tsan_get_current_fiber()) {
      __tsan_switch_to_fiber(to, without_order);
    }
    ~turn() { __tsan_switch_to_fiber(former, without_order); }
    void* former;
  } const mine(fiber);
  return action();
}

class tsan_observer final : public observer {
 public:
  bool follows_stacks() const override { return true; }

  void block_begins(std::span<thread_name* const> threads, std::span<memory_range const>) override {
    if (live_.size() + threads.size() > max_fibers) {
      throw kernel_error("more than " + std::to_string(max_fibers) +
                         " threads in flight at once; ThreadSanitizer follows no more");
    }
    for (thread_name* thread : threads) {
      thread->tag = __tsan_create_fiber(0);
      live_.insert(thread->tag);
    }
  }

  void block_ends(std::span<thread_name* const> threads, std::span<memory_range const>) override {
    for (thread_name* thread : threads) {
      live_.erase(thread->tag);
      __tsan_destroy_fiber(thread->tag);
      thread->tag = nullptr;
    }
  }

  void running(thread_name* thread) override {
    __tsan_switch_to_fiber(thread != nullptr ? thread->tag : host_, without_order);
  }

  void thread_ends(thread_name&) override { __tsan_release(&end_of_launch_); }

  void barrier(std::span<thread_name* const> threads) override {
    void* const meeting = as(host_, [] { return new std::uint64_t; });
    for (thread_name* thread : threads) as(thread->tag, [&] { __tsan_release(meeting); });
    for (thread_name* thread : threads) as(thread->tag, [&] { __tsan_acquire(meeting); });
    as(host_, [&] { delete static_cast<std::uint64_t*>(meeting); });
  }

  void release(thread_name& thread, std::uint64_t key) override {
    void* const place = place_of(key);
    as(thread.tag, [&] { __tsan_release(place); });
  }

  void acquire(thread_name& thread, std::uint64_t key) override {
    auto const found = places_.find(key);
    if (found != places_.end()) as(thread.tag, [&] { __tsan_acquire(found->second.get()); });
  }

  // TSan does not model fences. This orders every pair of them, which is more than CUDA guarantees
  // when there is no atomic between; kernels use acquire and release, which TSan does model.
  void fence(thread_name& thread) override {
    as(thread.tag, [&] {
      __tsan_acquire(&fences_);
      __tsan_release(&fences_);
    });
  }

  void bulk_copy(thread_name&, memory_range target, memory_range source, std::uint64_t issued,
                 std::uint64_t landed, call_site) override {
    void* const from = place_of(issued);
    void* const to = place_of(landed);
    // Created by the host: a fiber comes after all that its creator did, and a copy must come after
    // its issue only.
    void* const engine = as(host_, [] { return __tsan_create_fiber(0); });
    as(engine, [&] {
      __tsan_acquire(from);
      __tsan_read_range(source.begin, source.size);
      __tsan_write_range(target.begin, target.size);
      __tsan_release(to);
      __tsan_release(&end_of_launch_);
    });
    as(host_, [&] { __tsan_destroy_fiber(engine); });
  }

  void warp_converges(std::span<thread_name* const>) override {}

  void launch_ends(bool) override {
    for (void* const fiber : live_) {  // abandoned by an error
      as(fiber, [&] { __tsan_release(&end_of_launch_); });
      __tsan_destroy_fiber(fiber);
    }
    live_.clear();
    __tsan_acquire(&end_of_launch_);
    places_.clear();
    age_.clear();
  }

 private:
  /// An address that stands for one event; TSan keeps there what was released. The host allocates
  /// and frees it: TSan takes freeing for a write, and nothing orders that write against the
  /// kernel's threads.
  void* place_of(std::uint64_t key) {
    return as(host_, [&]() -> void* {
      auto const [entry, fresh] = places_.try_emplace(key);
      if (fresh) {
        entry->second = std::make_unique<std::uint64_t>();
        age_.push_back(key);
      }
      void* const place = entry->second.get();
      if (age_.size() > max_keys) {
        places_.erase(age_.front());
        age_.pop_front();
      }
      return place;
    });
  }

  void* const host_ = __tsan_get_current_fiber();
  std::unordered_set<void*> live_;
  std::map<std::uint64_t, std::unique_ptr<std::uint64_t>> places_;
  std::deque<std::uint64_t> age_;
  std::uint64_t end_of_launch_ = 0;
  std::uint64_t fences_ = 0;
};

}  // namespace

observer* default_observer() {
  // Created on the host, by the first launch of this OS thread.
  static thread_local tsan_observer watcher;
  return &watcher;
}

}  // namespace libscan::inline v1_executor::simt::executor
