// SPDX-License-Identifier: Apache-2.0
// mbarriers and bulk copies, by the rules of the PTX ISA (9.7.13.15 mbarrier, 9.7.9.25
// cp.async.bulk): a phase completes when no arrival is missing and all expected bytes have landed.
#include <cstring>
#include <libscan/simt/executor/src/grid_run.hpp>
#include <span>
#include <utility>

namespace libscan::inline v1_executor::simt::executor {

namespace {

constexpr unsigned longest_flight = 512;  // scheduling events that a copy may stay in flight

mbarrier_state& barrier_at(grid_run& run, void* barrier, call_site site, char const* what) {
  block_state& block = *run.self().block;
  auto const found = block.mbarriers.find(barrier);
  if (found == block.mbarriers.end()) {
    run.fail(std::string(what) + " at " + describe(site) +
             " on an mbarrier that has not been initialized");
  }
  return found->second;
}

bool phase_is_over(mbarrier_state const& state, unsigned parity) {
  return (state.phase & 1u) != parity;
}

/// Through volatile, so that no checker hears it.
std::uint64_t word_at(std::byte const* address) {
  return *reinterpret_cast<std::uint64_t const volatile*>(address);
}

/// The recorded words of `target`, which is in the block's shared memory.
std::span<copied_word> copied_words(block_state& block, memory_range target) {
  bool const is_static = block.static_bytes != 0 && target.begin >= block.static_shared.get() &&
                         target.begin < block.static_shared.get() + block.static_bytes;
  auto& words = is_static ? block.copied_static : block.copied_dynamic;
  std::byte const* const area = is_static ? block.static_shared.get() : block.dynamic_shared.get();
  if (words.empty()) {
    std::uint64_t fresh = 0;
    std::memset(&fresh, uninitialized, sizeof fresh);
    words.assign((is_static ? block.static_bytes : block.dynamic_bytes) / 8, {fresh, 0});
  }
  return std::span(words).subspan(static_cast<std::size_t>(target.begin - area) / 8,
                                  target.size / 8);
}

void see_end_of_phase(grid_run& run, mbarrier_state& state, std::uint64_t key) {
  state.unseen = false;
  if (run.watcher() != nullptr) run.watcher()->acquire(run.self().name, key);
}

}  // namespace

void mbarrier_init(void* barrier, unsigned arrivals, call_site site) {
  grid_run& run = *running_grid;
  block_state& block = *run.self().block;
  require_aligned(barrier, 8, site);
  if (!block.owns(barrier, 8)) {
    run.fail("mbarrier at " + describe(site) + " does not lie in shared memory");
  }
  if (arrivals == 0 || arrivals > (1u << 20) - 1) {
    run.fail("mbarrier at " + describe(site) + " is initialized with " + std::to_string(arrivals) +
             " arrivals; expected 1 to 2^20 - 1");
  }
  if (!block.mbarriers.try_emplace(barrier).second) {
    run.fail("mbarrier at " + describe(site) + " is initialized twice");
  }
  block.mbarriers[barrier] = {arrivals,      arrivals, 0,     0, run.new_key(),
                              run.new_key(), site,     false, {}};
}

void mbarrier_invalidate(void* barrier, call_site site) {
  grid_run& run = *running_grid;
  mbarrier_state const& state = barrier_at(run, barrier, site, "invalidation");
  if (state.bytes != 0) {
    run.fail("mbarrier invalidated at " + describe(site) + " still waits for " +
             std::to_string(state.bytes) + " bytes");
  }
  run.self().block->mbarriers.erase(barrier);
}

void mbarrier_arrive(void* barrier, unsigned expected_bytes, call_site site) {
  grid_run& run = *running_grid;
  before_atomic();
  mbarrier_state& state = barrier_at(run, barrier, site, "arrival");
  if (state.pending == 0) {
    run.fail("more than " + std::to_string(state.arrivals) +
             " arrivals in one phase of an mbarrier, at " + describe(site));
  }
  if (run.watcher() != nullptr) run.watcher()->release(run.self().name, state.key);
  state.bytes += expected_bytes;
  --state.pending;
  run.phase_may_complete(*run.self().block, barrier);
}

bool mbarrier_try_wait(void* barrier, unsigned parity, call_site site) {
  grid_run& run = *running_grid;
  before_atomic();
  mbarrier_state* state = &barrier_at(run, barrier, site, "wait");
  std::uint64_t const phase = state->phase;
  if (!phase_is_over(*state, parity)) {
    if (!polled(barrier, &phase, sizeof phase, site)) return false;
    state = &barrier_at(run, barrier, site, "wait");
    if (!phase_is_over(*state, parity)) return false;
  }
  see_end_of_phase(run, *state, state->former_key);
  return true;
}

void mbarrier_wait(void* barrier, unsigned parity, call_site site) {
  grid_run& run = *running_grid;
  before_atomic();
  thread_state& me = run.self();
  mbarrier_state const& state = barrier_at(run, barrier, site, "wait");
  me.wait.key = state.former_key;
  if (!phase_is_over(state, parity)) {
    me.wait.what = call::mbarrier_wait;
    me.wait.site = site;
    me.wait.address = barrier;
    me.wait.parity = parity;
    run.suspend();
  }
  see_end_of_phase(run, barrier_at(run, barrier, site, "wait"), me.wait.key);
}

void grid_run::phase_may_complete(block_state& block, void* barrier) {
  mbarrier_state& state = block.mbarriers.at(barrier);
  if (state.pending != 0) return;
  if (state.bytes < 0) {
    fail(block, "the mbarrier initialized at " + describe(state.site) + " received " +
                    std::to_string(-state.bytes) + " bytes more than were expected in its phase");
  }
  if (state.bytes != 0) return;
  ++state.phase;
  state.pending = state.arrivals;
  state.former_key = std::exchange(state.key, new_key());
  progress();
  wake_pollers(barrier);
  for (thread_state& thread : block.threads) {
    bool const waits_here =
        waits(thread) && thread.wait.what == call::mbarrier_wait && thread.wait.address == barrier;
    if (!waits_here || !phase_is_over(state, thread.wait.parity)) continue;
    thread.wait.key = state.former_key;
    wake(thread);
  }
}

void bulk_load(void* target, void const* source, unsigned bytes, void* barrier, call_site site) {
  grid_run& run = *running_grid;
  thread_state& me = run.self();
  require_aligned(target, 16, site);
  require_aligned(source, 16, site);
  if (bytes == 0 || bytes % 16 != 0) {
    run.fail("bulk copy at " + describe(site) + " of " + std::to_string(bytes) +
             " bytes; expected a positive multiple of 16");
  }
  if (!me.block->owns(target, bytes)) {
    run.fail("bulk copy at " + describe(site) + " writes outside the block's shared memory");
  }
  if (std::byte const* const bad = first_forbidden(source, bytes)) {
    run.fail("bulk copy at " + describe(site) + " reads " + std::to_string(bytes) +
             " bytes, out of bounds: " + describe_place(bad));
  }
  if (!readable(source, bytes)) {
    run.fail("bulk copy at " + describe(site) + " reads " + std::to_string(bytes) +
             " bytes, some of them out of bounds");
  }
  before_atomic();
  run.require_proxy_fence(*me.block, {static_cast<std::byte*>(target), bytes}, site);
  pending_copy copy;
  copy.target = {static_cast<std::byte*>(target), bytes};
  copy.source = {static_cast<std::byte*>(const_cast<void*>(source)), bytes};
  copy.barrier = barrier;
  copy.issuer = &me;
  copy.phase = barrier_at(run, barrier, site, "bulk copy").phase;
  copy.issued_key = run.new_key();
  copy.site = site;
  if (run.watcher() != nullptr) run.watcher()->release(me.name, copy.issued_key);
  run.begin_copy(*me.block, copy);
}

void proxy_fence() { running_grid->proxy_fence(); }

void grid_run::proxy_fence() {
  if (watcher_ != nullptr) watcher_->proxy_fence(self().name);
  if (!work_.cluster) {
    ++self().block->proxy_fences;
    return;
  }
  for (auto& block : slots_) ++block->proxy_fences;
}

/// Fails if a copy is about to overwrite what threads have written and no thread of the block has
/// called a proxy fence since the last copy there. (Only racecheck knows which thread's fence
/// covers which write.)
void grid_run::require_proxy_fence(block_state& block, memory_range target, call_site site) const {
  std::byte const* at = target.begin;
  for (copied_word const& word : copied_words(block, target)) {
    bool const written = word_at(at) != word.value;
    at += 8;
    if (!written || word.fences != block.proxy_fences) continue;
    fail("bulk copy at " + describe(site) +
         " overwrites what threads have written, and no thread " +
         "has called fence_proxy_async since");
  }
}

void grid_run::begin_copy(block_state& block, pending_copy const& copy) {
  if (block.landed_copies.empty()) block.landed_copies.emplace_back();
  auto const place = block.landed_copies.begin();
  *place = copy;
  block.copies.splice(block.copies.end(), block.landed_copies, place);
  ++copies_in_flight_;
  // Under a fixed schedule a copy lands as late as possible; under a seeded one at any time, even
  // at once.
  if (!seeded()) return;
  place->events_left = random_.below(4) != 0 ? random_.below(longest_flight) : 0;
  if (place->events_left == 0) land(block, place);
}

void grid_run::advance_copies() {
  for (auto& block : slots_) {
    if (block == nullptr || !block->live) continue;
    for (auto copy = block->copies.begin(); copy != block->copies.end();) {
      auto const next = std::next(copy);
      if (copy->events_left-- == 0) land(*block, copy);
      copy = next;
    }
  }
}

/// At the end of a block: every copy must have been waited for, and every expected byte have
/// landed.
void grid_run::check_copies(block_state const& block) const {
  if (!block.copies.empty()) {
    fail(block, "all threads have returned, but the bulk copy at " +
                    describe(block.copies.front().site) + " has not been waited for");
  }
  for (auto const& [address, state] : block.mbarriers) {
    if (state.unseen) {
      fail(block, "all threads have returned, but the bulk copy at " + describe(state.unseen_copy) +
                      " has not been waited for");
    }
    if (state.bytes != 0) {
      fail(block, "all threads have returned, but the mbarrier initialized at " +
                      describe(state.site) + " still expects " + std::to_string(state.bytes) +
                      " bytes");
    }
  }
}

void grid_run::land(block_state& block, std::list<pending_copy>::iterator which) {
  pending_copy const& copy = *which;
  block.landed_copies.splice(block.landed_copies.end(), block.copies, which);
  --copies_in_flight_;
  // Through volatile, so that no checker hears a memcpy by the thread that happens to run.
  std::byte const* from = copy.source.begin;
  std::byte* to = copy.target.begin;
  for (copied_word& word : copied_words(block, copy.target)) {
    word = {word_at(from), block.proxy_fences};
    *reinterpret_cast<std::uint64_t volatile*>(to) = word.value;
    from += 8;
    to += 8;
  }
  auto const found = block.mbarriers.find(copy.barrier);
  if (found == block.mbarriers.end()) {
    fail(block, "the mbarrier of the bulk copy at " + describe(copy.site) +
                    " was invalidated before the copy landed");
  }
  mbarrier_state& state = found->second;
  if (state.phase != copy.phase) {
    fail(block, "the bulk copy of " + std::to_string(copy.target.size) + " bytes at " +
                    describe(copy.site) +
                    " was in flight when the phase of its mbarrier ended: fewer bytes were " +
                    "expected than copied");
  }
  if (watcher_ != nullptr) {
    watcher_->bulk_copy(copy.issuer->name, copy.target, copy.source, copy.issued_key, state.key,
                        copy.site);
  }
  progress();
  state.bytes -= static_cast<std::int64_t>(copy.target.size);
  state.unseen = true;
  state.unseen_copy = copy.site;
  phase_may_complete(block, copy.barrier);
}

}  // namespace libscan::inline v1_executor::simt::executor
