// SPDX-License-Identifier: Apache-2.0
// ThreadSanitizer as an observer: each thread of a kernel is a TSan fiber, switched to without
// ordering anything; only the events of the machine order threads. This file itself is not
// instrumented.
#include <sanitizer/tsan_interface.h>

#include <libscan/simt/executor/src/grid_run.hpp>
#include <map>
#include <memory>

// Part of TSan's runtime, but not of its public headers.
extern "C" void __tsan_read_range(void* begin, unsigned long size);
extern "C" void __tsan_write_range(void* begin, unsigned long size);

namespace libscan::inline v1_executor::simt::executor {

namespace {

constexpr unsigned without_order = __tsan_switch_to_fiber_no_sync;

class tsan_observer final : public observer {
 public:
  void block_begins(std::span<thread_name* const> threads, std::span<memory_range const>) override {
    for (thread_name* thread : threads) thread->tag = __tsan_create_fiber(0);
  }

  void block_ends(std::span<thread_name* const> threads, std::span<memory_range const>) override {
    for (thread_name* thread : threads) __tsan_destroy_fiber(thread->tag);
  }

  void running(thread_name* thread) override {
    if (host_ == nullptr) host_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(thread != nullptr ? thread->tag : host_, without_order);
  }

  void thread_ends(thread_name&) override { __tsan_release(&end_of_launch_); }

  void barrier(std::span<thread_name* const> threads) override {
    void* const now = __tsan_get_current_fiber();
    void* const meeting = new_place();
    for (thread_name* thread : threads) {
      __tsan_switch_to_fiber(thread->tag, without_order);
      __tsan_release(meeting);
    }
    for (thread_name* thread : threads) {
      __tsan_switch_to_fiber(thread->tag, without_order);
      __tsan_acquire(meeting);
    }
    __tsan_switch_to_fiber(now, without_order);
  }

  void release(thread_name& thread, std::uint64_t key) override {
    as(thread, [&] { __tsan_release(place_of(key)); });
  }

  void acquire(thread_name& thread, std::uint64_t key) override {
    as(thread, [&] { __tsan_acquire(place_of(key)); });
  }

  // TSan does not model fences. This orders every pair of them, which is more than CUDA promises
  // when no atomic lies between; kernels use acquire and release, which TSan does model.
  void fence(thread_name& thread) override {
    as(thread, [&] {
      __tsan_acquire(&fences_);
      __tsan_release(&fences_);
    });
  }

  void bulk_copy(thread_name&, memory_range target, memory_range source, std::uint64_t issued,
                 std::uint64_t landed, call_site) override {
    void* const now = __tsan_get_current_fiber();
    void* const engine = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(engine, without_order);
    __tsan_acquire(place_of(issued));
    __tsan_read_range(source.begin, source.size);
    __tsan_write_range(target.begin, target.size);
    __tsan_release(place_of(landed));
    __tsan_switch_to_fiber(now, without_order);
    __tsan_destroy_fiber(engine);
  }

  void warp_converges(std::span<thread_name* const>) override {}

  void launch_ends(bool) override {
    __tsan_acquire(&end_of_launch_);
    keys_.clear();
  }

 private:
  template <class Action>
  void as(thread_name& thread, Action action) {
    void* const now = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(thread.tag, without_order);
    action();
    __tsan_switch_to_fiber(now, without_order);
  }

  /// An address that stands for one event. TSan keeps what was released there, so each needs its
  /// own.
  void* new_place() { return &places_[next_place_++ % place_count]; }

  void* place_of(std::uint64_t key) {
    auto const [entry, fresh] = keys_.try_emplace(key, nullptr);
    if (fresh) entry->second = new_place();
    return entry->second;
  }

  static constexpr std::size_t place_count = 1 << 20;
  std::unique_ptr<std::uint64_t[]> places_{new std::uint64_t[place_count]};
  std::size_t next_place_ = 0;
  std::map<std::uint64_t, void*> keys_;
  void* host_ = nullptr;
  std::uint64_t end_of_launch_ = 0;
  std::uint64_t fences_ = 0;
};

}  // namespace

observer* default_observer() {
  static thread_local tsan_observer watcher;
  return &watcher;
}

}  // namespace libscan::inline v1_executor::simt::executor
