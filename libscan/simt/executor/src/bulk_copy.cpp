// SPDX-License-Identifier: Apache-2.0
// mbarriers and bulk copies, by the rules of the PTX ISA (9.7.13.15 mbarrier, 9.7.9.25
// cp.async.bulk): a phase completes when no arrival is missing and as many bytes have landed as
// were expected.
#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor {

namespace {

constexpr std::uint64_t longest_flight = 512;  // scheduling events a copy may stay under way

mbarrier_state& barrier_at(grid_run& run, void* barrier, call_site site, char const* what) {
  block_state& block = *run.self().block;
  auto const found = block.mbarriers.find(barrier);
  if (found == block.mbarriers.end()) {
    run.fail(std::string(what) + " at " + describe(site) +
             " on an mbarrier that has not been initialised");
  }
  return found->second;
}

bool phase_is_over(mbarrier_state const& state, unsigned parity) {
  return (state.phase & 1u) != parity;
}

void acquire_completed_phase(grid_run& run, mbarrier_state const& state) {
  if (run.watcher() != nullptr) run.watcher()->acquire(run.self().name, state.former_key);
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
    run.fail("mbarrier at " + describe(site) + " is initialised with " + std::to_string(arrivals) +
             " arrivals; expected 1 to 2^20 - 1");
  }
  if (!block.mbarriers.try_emplace(barrier).second) {
    run.fail("mbarrier at " + describe(site) + " is initialised twice");
  }
  block.mbarriers[barrier] = {arrivals, arrivals, 0, 0, run.new_key(), run.new_key(), site};
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
  mbarrier_state const& state = barrier_at(run, barrier, site, "wait");
  if (phase_is_over(state, parity)) {
    acquire_completed_phase(run, state);
    return true;
  }
  std::uint64_t const phase = state.phase;
  if (!polled(barrier, &phase, sizeof phase, site)) return false;
  return mbarrier_try_wait(barrier, parity, site);
}

void mbarrier_wait(void* barrier, unsigned parity, call_site site) {
  grid_run& run = *running_grid;
  before_atomic();
  thread_state& me = run.self();
  if (!phase_is_over(barrier_at(run, barrier, site, "wait"), parity)) {
    me.wait = {};
    me.wait.what = call::mbarrier_wait;
    me.wait.site = site;
    me.wait.address = barrier;
    me.wait.parity = parity;
    run.suspend();
  }
  acquire_completed_phase(run, barrier_at(run, barrier, site, "wait"));
}

void grid_run::phase_may_complete(block_state& block, void* barrier) {
  mbarrier_state& state = block.mbarriers.at(barrier);
  if (state.pending != 0) return;
  if (state.bytes < 0) {
    fail("an mbarrier initialised at " + describe(state.site) + " received " +
         std::to_string(-state.bytes) + " bytes more than were expected in its phase");
  }
  if (state.bytes != 0) return;
  ++state.phase;
  state.pending = state.arrivals;
  state.former_key = std::exchange(state.key, new_key());
  progress();
  wake_pollers(barrier);
  for (thread_state& thread : block.threads) {
    bool const waits = thread.status == status::waiting &&
                       thread.wait.what == call::mbarrier_wait && thread.wait.address == barrier;
    if (waits && phase_is_over(state, thread.wait.parity)) wake(thread);
  }
}

void bulk_load(void* target, void const* source, unsigned bytes, void* barrier, call_site site) {
  grid_run& run = *running_grid;
  thread_state& me = run.self();
  require_aligned(target, 16, site);
  require_aligned(source, 16, site);
  if (bytes % 16 != 0) {
    run.fail("bulk copy at " + describe(site) + " of " + std::to_string(bytes) +
             " bytes; expected a multiple of 16");
  }
  if (!me.block->owns(target, bytes)) {
    run.fail("bulk copy at " + describe(site) + " writes outside the block's shared memory");
  }
  barrier_at(run, barrier, site, "bulk copy");
  pending_copy copy;
  copy.target = {static_cast<std::byte*>(target), bytes};
  copy.source = {static_cast<std::byte*>(const_cast<void*>(source)), bytes};
  copy.barrier = barrier;
  copy.issuer = &me;
  copy.issued_key = run.new_key();
  copy.site = site;
  if (run.watcher() != nullptr) run.watcher()->release(me.name, copy.issued_key);
  run.begin_copy(*me.block, copy);
}

void grid_run::begin_copy(block_state& block, pending_copy copy) {
  // Under a fixed schedule a copy lands as late as it can; under a seeded one at any time, also at
  // once.
  copy.events_left = seeded() && random_.below(4) != 0 ? random_.below(longest_flight) : 0;
  block.copies.push_back(copy);
  ++copies_in_flight_;
  if (seeded() && copy.events_left == 0) land(block, block.copies.size() - 1);
}

void grid_run::advance_copies() {
  for (auto& block : slots_) {
    if (block == nullptr || !block->live) continue;
    for (std::size_t i = 0; i < block->copies.size();) {
      if (block->copies[i].events_left == 0) {
        land(*block, i);
      } else {
        --block->copies[i++].events_left;
      }
    }
  }
}

void grid_run::land(block_state& block, std::size_t number) {
  pending_copy const copy = block.copies[number];
  block.copies.erase(block.copies.begin() + static_cast<std::ptrdiff_t>(number));
  --copies_in_flight_;
  // Through volatile, so that no checker hears a memcpy of whichever thread happens to run.
  for (std::size_t i = 0; i < copy.target.size; i += 8) {
    *reinterpret_cast<std::uint64_t volatile*>(copy.target.begin + i) =
        *reinterpret_cast<std::uint64_t const volatile*>(copy.source.begin + i);
  }
  auto const found = block.mbarriers.find(copy.barrier);
  if (found == block.mbarriers.end()) {
    throw kernel_error(message(block, "the mbarrier of the bulk copy at " + describe(copy.site) +
                                          " was invalidated before it landed"));
  }
  mbarrier_state& state = found->second;
  if (watcher_ != nullptr) {
    watcher_->bulk_copy(copy.issuer->name, copy.target, copy.source, copy.issued_key, state.key,
                        copy.site);
  }
  progress();
  state.bytes -= static_cast<std::int64_t>(copy.target.size);
  phase_may_complete(block, copy.barrier);
}

}  // namespace libscan::inline v1_executor::simt::executor
