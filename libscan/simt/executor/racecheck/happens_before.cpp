// SPDX-License-Identifier: Apache-2.0
// What orders threads: barriers, keys, fences, and atomics by their memory orders ([atomics.order]
// and [atomics.fences] of the C++ standard, which CUDA's memory model follows).
#include <libscan/simt/executor/racecheck/race_checker.hpp>

#include <utility>

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

void checked_thread::learn(knowledge more) {
  proxied = std::move(more.proxied);
  if (more.known == known) return;
  known = std::move(more.known);
  clock::block_times const* const own = known->of_block(id.block());
  siblings = own != nullptr ? std::span<moment const>(*own) : std::span<moment const>();
}

clock_ref race_checker::join(clock_ref const& a, clock_ref const& b, last_join& last) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  if (a != last.a || b != last.b) {
    last.result = clock::join(a, b, oldest());
    last.a = a;
    last.b = b;
  }
  return last.result;
}

knowledge race_checker::join(knowledge const& a, knowledge const& b) {
  return {join(a.known, b.known, joined_), join(a.proxied, b.proxied, joined_proxied_)};
}

void race_checker::learn_too(checked_thread& thread, knowledge const& more) {
  if (more.known == nullptr) return;
  thread.learn(join({thread.known, thread.proxied}, more));
}

/// All that comes before the next action of `thread`.
knowledge race_checker::snapshot(checked_thread& thread) {
  progress const self{thread.id, thread.now++};
  return {clock::with(thread.known, {&self, 1}, oldest()), thread.proxied};
}

void race_checker::barrier(std::span<thread_name* const> threads) {
  deaf const scope;
  knowledge common{checked(*threads.front()).known, checked(*threads.front()).proxied};
  clock_ref const* former = nullptr;
  clock_ref const* former_proxied = nullptr;
  std::vector<progress> reached;
  reached.reserve(threads.size());
  for (thread_name const* name : threads) {
    checked_thread& thread = checked(*name);
    if (former == nullptr || thread.known != *former) {
      common.known = join(common.known, thread.known, joined_);
    }
    if (former_proxied == nullptr || thread.proxied != *former_proxied) {
      common.proxied = join(common.proxied, thread.proxied, joined_proxied_);
    }
    former = &thread.known;
    former_proxied = &thread.proxied;
    reached.push_back({thread.id, thread.now});
  }
  common.known = clock::with(common.known, reached, oldest());
  for (thread_name const* name : threads) {
    checked_thread& thread = checked(*name);
    thread.learn(common);
    ++thread.now;
  }
}

void race_checker::release(thread_name& thread, std::uint64_t key) {
  deaf const scope;
  knowledge& at = keys_[key];
  at = join(at, snapshot(checked(thread)));
}

void race_checker::acquire(thread_name& thread, std::uint64_t key) {
  deaf const scope;
  auto const found = keys_.find(key);
  if (found != keys_.end()) learn_too(checked(thread), found->second);
}

void race_checker::fence(thread_name& thread) {
  deaf const scope;
  checked_thread& me = checked(thread);
  learn_too(me, std::exchange(me.promised, {}));
  me.fenced = snapshot(me);
}

void race_checker::proxy_fence(thread_name& thread) {
  deaf const scope;
  checked_thread& me = checked(thread);
  me.proxied = snapshot(me).known;
}

void race_checker::atomic_fence(std::memory_order order) {
  deaf const scope;
  checked_thread& me = *running_;
  if (acquires(order)) learn_too(me, me.promised);
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
    learn_too(me, found->second);
  } else {
    me.promised = join(me.promised, found->second);
  }
}

void race_checker::atomic_store(void const* address, std::size_t bytes, std::memory_order order,
                                void const* from) {
  deaf const scope;
  atomic_access(address, bytes, access_kind::atomic_write, false, from);
  checked_thread& me = *running_;
  knowledge handed = releases(order) ? snapshot(me) : me.fenced;
  if (handed.known != nullptr) {
    atomics_[address] = std::move(handed);
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
      learn_too(me, found->second);
    } else {
      me.promised = join(me.promised, found->second);
    }
  }
  // A modification continues the release sequence that it joins.
  knowledge const handed = releases(order) ? snapshot(me) : me.fenced;
  if (handed.known == nullptr) return;
  knowledge& at = atomics_[address];
  at = join(at, handed);
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
