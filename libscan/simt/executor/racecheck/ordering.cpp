// SPDX-License-Identifier: Apache-2.0
// What orders threads: barriers, keys, fences, and atomics by their memory orders ([atomics.order]
// and [atomics.fences] of the C++ standard, which CUDA's memory model follows).
#include <libscan/simt/executor/racecheck/race_checker.hpp>

namespace libscan::inline v1_executor::simt::executor::racecheck {

namespace {

bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

checked_thread& checked(thread_name const& thread) {
  return *static_cast<checked_thread*>(thread.tag);
}

}  // namespace

void checked_thread::learn(clock_ref knowledge) {
  if (knowledge == known) return;
  known = std::move(knowledge);
  clock::block_times const* const own = known->of_block(id.block());
  siblings = own != nullptr ? std::span<moment const>(*own) : std::span<moment const>();
}

clock_ref race_checker::join(clock_ref const& a, clock_ref const& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  if (a != joined_a_ || b != joined_b_) {
    joined_ = clock::join(a, b, oldest());
    joined_a_ = a;
    joined_b_ = b;
  }
  return joined_;
}

/// All that comes before the next thing `thread` does.
clock_ref race_checker::snapshot(checked_thread& thread) {
  progress const self{thread.id, thread.now++};
  return clock::with(thread.known, {&self, 1}, oldest());
}

void race_checker::barrier(std::span<thread_name* const> threads) {
  deaf const scope;
  clock_ref common = checked(*threads.front()).known;
  clock_ref const* former = nullptr;
  std::vector<progress> reached;
  reached.reserve(threads.size());
  for (thread_name const* name : threads) {
    checked_thread& thread = checked(*name);
    if (former == nullptr || thread.known != *former) common = join(common, thread.known);
    former = &thread.known;
    reached.push_back({thread.id, thread.now});
  }
  clock_ref const after = clock::with(common, reached, oldest());
  for (thread_name const* name : threads) {
    checked_thread& thread = checked(*name);
    thread.learn(after);
    ++thread.now;
  }
}

void race_checker::release(thread_name& thread, std::uint64_t key) {
  deaf const scope;
  clock_ref& at = keys_[key];
  at = join(at, snapshot(checked(thread)));
}

void race_checker::acquire(thread_name& thread, std::uint64_t key) {
  deaf const scope;
  auto const found = keys_.find(key);
  if (found == keys_.end()) return;
  checked_thread& me = checked(thread);
  me.learn(join(me.known, found->second));
}

void race_checker::fence(thread_name& thread) {
  deaf const scope;
  checked_thread& me = checked(thread);
  if (me.promised != nullptr) me.learn(join(me.known, me.promised));
  me.promised = nullptr;
  me.fenced = snapshot(me);
}

void race_checker::atomic_fence(std::memory_order order) {
  deaf const scope;
  checked_thread& me = *running_;
  if (acquires(order) && me.promised != nullptr) me.learn(join(me.known, me.promised));
  if (releases(order)) me.fenced = snapshot(me);
}

void race_checker::atomic_load(void const* address, std::size_t bytes, std::memory_order order,
                               void const* from) {
  deaf const scope;
  atomic_access(address, bytes, access_kind::atomic_read, true, from);
  auto const found = atomics_.find(address);
  if (found == atomics_.end()) return;
  checked_thread& me = *running_;
  if (acquires(order)) {
    me.learn(join(me.known, found->second));
  } else {
    me.promised = join(me.promised, found->second);
  }
}

void race_checker::atomic_store(void const* address, std::size_t bytes, std::memory_order order,
                                void const* from) {
  deaf const scope;
  atomic_access(address, bytes, access_kind::atomic_write, false, from);
  checked_thread& me = *running_;
  clock_ref const handed = releases(order) ? snapshot(me) : me.fenced;
  if (handed != nullptr) {
    atomics_[address] = handed;
  } else {
    atomics_.erase(address);  // a plain store ends a release sequence
  }
}

void race_checker::atomic_update(void const* address, std::size_t bytes, std::memory_order order,
                                 void const* from) {
  deaf const scope;
  atomic_access(address, bytes, access_kind::atomic_write, true, from);
  checked_thread& me = *running_;
  auto const found = atomics_.find(address);
  if (found != atomics_.end()) {
    if (acquires(order)) {
      me.learn(join(me.known, found->second));
    } else {
      me.promised = join(me.promised, found->second);
    }
  }
  // A modification keeps the release sequence it joins.
  clock_ref const handed = releases(order) ? snapshot(me) : me.fenced;
  if (handed == nullptr) return;
  clock_ref& at = atomics_[address];
  at = join(at, handed);
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
