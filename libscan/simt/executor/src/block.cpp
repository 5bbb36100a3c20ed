// SPDX-License-Identifier: Apache-2.0
// Barriers of a block, a cluster and a cooperative grid, and shared memory.
#include <libscan/simt/executor/src/grid_run.hpp>
#include <utility>

namespace libscan::inline v1_executor::simt::executor {

void after_return_in_warp(grid_run& run, thread_state& gone);  // warp.cpp

namespace {

/// Releases all threads from the block's barrier if all have arrived. `last` is not woken: it goes
/// on.
bool complete_if_met(grid_run& run, block_state& block, thread_state* last) {
  if (block.at_barrier + block.returned != block.size()) return false;
  if (block.returned > 0 && !run.how().early_return) {
    run.fail(std::to_string(block.returned) +
             " threads have returned before a barrier: " + describe_waits(block));
  }
  thread_state const& any = *block.first_at_barrier;
  call const what = any.wait.what;
  int const count = std::exchange(block.true_predicates, 0);
  int const present = std::exchange(block.at_barrier, 0);
  block.barrier_result = what == call::sync_block_count ? count
                         : what == call::sync_block_and ? count == present
                                                        : count != 0;
  if (run.how().count != nullptr) ++run.tally(any.wait.site).barriers;
  if (run.watcher() != nullptr) {
    std::vector<thread_name*> names;
    for (thread_state& thread : block.threads) {
      if (!has_returned(thread)) names.push_back(&thread.name);
    }
    run.watcher()->barrier(names);
    run.watcher()->warp_converges(names);
  }
  for (warp_state& warp : block.warps) {
    unsigned lanes = warp.existing & ~warp.returned;
    if (last != nullptr && last->warp == &warp) lanes &= ~(1u << last->lane);
    run.wake_lanes(block, warp, lanes);
  }
  return true;
}

}  // namespace

int block_barrier(call what, bool predicate, call_site site) {
  grid_run& run = *running_grid;
  run.step();
  thread_state& me = run.self();
  block_state& block = *me.block;
  if (block.at_barrier > 0) {
    thread_state const& other = *block.first_at_barrier;
    if (other.wait.what != what || !(other.wait.site == site)) {
      run.fail("all threads of a block must reach the same barrier: thread " +
               std::to_string(me.name.rank) + " arrives in " + cuda_name(what) + " at " +
               describe(site) + "; " + describe_waits(block));
    }
  }
  me.wait.what = what;
  me.wait.site = site;
  block.true_predicates += predicate ? 1 : 0;
  if (block.at_barrier++ == 0) block.first_at_barrier = &me;
  if (complete_if_met(run, block, &me)) {
    me.wait.what = call::none;
  } else {
    run.suspend();
  }
  return block.barrier_result;
}

void grid_barrier(call_site site) {
  grid_run& run = *running_grid;
  thread_state& me = run.self();
  if (!run.work().cooperative) run.fail_as_not_cooperative(site);
  if (me.has_arrived) {
    run.fail("thread " + std::to_string(me.name.rank) + " meets the grid at " + describe(site) +
             " between its arrival and its wait");
  }
  me.wait.what = call::sync_grid;
  me.wait.site = site;
  ++me.block->at_grid_barrier;
  run.suspend();
}

void grid_run::fail_as_not_cooperative(call_site site) const {
  fail("grid barrier at " + describe(site) + " in a launch that is not cooperative");
}

bool grid_run::complete_grid_barrier() {
  for (auto const& block : slots_) {
    if (!work_.cooperative || block->at_grid_barrier != block->size()) return false;
  }
  std::vector<thread_name*> names;
  for (auto& block : slots_) {
    block->at_grid_barrier = 0;
    for (thread_state& thread : block->threads) {
      names.push_back(&thread.name);
      wake(thread);
    }
  }
  if (watcher_ != nullptr) {
    watcher_->barrier(names);
    watcher_->warp_converges(names);
  }
  return true;
}

void arrive_among_blocks(call waits_in, call_site site) {
  running_grid->arrive_among_blocks(waits_in, site);
}
void wait_among_blocks(call waits_in, call_site site) {
  running_grid->wait_among_blocks(waits_in, site);
}

void grid_run::arrive_among_blocks(call waits_in, call_site site) {
  thread_state& me = self();
  bool const of_grid = waits_in == call::wait_grid;
  if (of_grid && !work_.cooperative) fail_as_not_cooperative(site);
  if (!of_grid && !work_.cluster) {
    fail("cluster barrier at " + describe(site) + " in a launch that is no cluster");
  }
  if (me.has_arrived) {
    fail("thread " + std::to_string(me.name.rank) + " arrives at " + describe(site) + " at the " +
         (of_grid ? "grid" : "cluster") + "'s barrier once more; expected a wait before");
  }
  me.has_arrived = true;
  me.arrived_phase = meetings_;
  if (meeting_key_ == 0) meeting_key_ = new_key();
  if (watcher_ != nullptr) watcher_->release(me.name, meeting_key_);
  if (++arrivals_ < blocks_total_ * static_cast<std::uint64_t>(me.block->size())) return;
  arrivals_ = 0;
  ++meetings_;
  former_meeting_key_ = std::exchange(meeting_key_, new_key());
  progress();
  for (auto& block : slots_) {
    for (thread_state& thread : block->threads) {
      if (waits(thread) && thread.wait.what == waits_in) wake(thread);
    }
  }
}

void grid_run::wait_among_blocks(call waits_in, call_site site) {
  thread_state& me = self();
  if (!std::exchange(me.has_arrived, false)) {
    fail("thread " + std::to_string(me.name.rank) + " waits at " + describe(site) + " at the " +
         (waits_in == call::wait_grid ? "grid" : "cluster") +
         "'s barrier; expected it to arrive before");
  }
  if (how_.count != nullptr && me.name.rank == 0) ++tally(site).barriers;
  if (me.arrived_phase == meetings_) {
    me.wait.what = waits_in;
    me.wait.site = site;
    suspend();
  }
  me.has_waited = true;
  // No thread is a phase ahead: that would need every thread's arrival.
  if (watcher_ != nullptr) watcher_->acquire(me.name, former_meeting_key_);
}

void* shared_of_block(void* own, unsigned block, call_site site) {
  grid_run& run = *running_grid;
  block_state const& mine = *run.self().block;
  block_state const& other = run.block_of_cluster(block, site);
  auto* const place = static_cast<std::byte*>(own);
  if (!mine.owns(own, 1)) {
    run.fail("map_shared_rank at " + describe(site) + " of what is not in shared memory");
  }
  bool const is_static = mine.static_bytes > 0 && place >= mine.static_shared.get() &&
                         place < mine.static_shared.get() + mine.static_bytes;
  return is_static ? other.static_shared.get() + (place - mine.static_shared.get())
                   : other.dynamic_shared.get() + (place - mine.dynamic_shared.get());
}

block_state& grid_run::block_of_cluster(unsigned block, call_site site) {
  if (!work_.cluster || block >= blocks_total_) {
    fail("map_shared_rank at " + describe(site) + " of block " + std::to_string(block) +
         "; the cluster has " + std::to_string(work_.cluster ? blocks_total_ : 1));
  }
  if (!self().has_waited) {
    fail("map_shared_rank at " + describe(site) +
         ": other blocks may not have begun; expected a barrier of the cluster before");
  }
  for (auto& other : slots_) {
    if (other->live && other->index.x == block) return *other;
  }
  fail("map_shared_rank at " + describe(site) + ": block " + std::to_string(block) +
       " has ended; expected a barrier of the cluster after the last access");
}

void grid_run::after_return(thread_state& thread) {
  after_return_in_warp(*this, thread);
  if (thread.block->at_barrier > 0) complete_if_met(*this, *thread.block, nullptr);
}

void* static_shared_memory() { return running_grid->self().block->static_shared.get(); }
void* dynamic_shared_memory() { return running_grid->self().block->dynamic_shared.get(); }

void require_aligned(void const* address, std::size_t alignment, call_site site) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignment == 0) return;
  std::string const text = "access of " + std::to_string(alignment) + " bytes at " +
                           describe(site) + " is not aligned to its size";
  if (running_grid != nullptr) running_grid->fail(text);
  throw kernel_error(text);
}

void require_shared(void const* address, bool shared, call_site site) {
  if (running_grid == nullptr) return;
  if (running_grid->self().block->owns(address, 1) == shared) return;
  running_grid->fail(
      "store at " + describe(site) + " is to " +
      (shared ? "global memory; expected shared" : "shared memory; expected global"));
}

}  // namespace libscan::inline v1_executor::simt::executor
