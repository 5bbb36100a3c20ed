// SPDX-License-Identifier: Apache-2.0
// Life of a launch: blocks become resident, their threads run, blocks retire.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <libscan/core/kept_by_thread.hpp>
#include <libscan/simt/executor/src/grid_run.hpp>
#include <numeric>
#include <stdexcept>

extern "C" {
char const LIBSCAN_CONTAINERS(libscan_executor) = 1;
}

namespace libscan::inline v1_executor::simt::executor {

constinit thread_local grid_run* running_grid = nullptr;

namespace {

constexpr int max_resident_blocks = 64;  // bits of ready_blocks_

thread_local observer* installed_observer = nullptr;

/// Shared memory starts with arbitrary bytes, not with zeros, which would hide a missing
/// initialization.
void renew(shared_bytes& memory, std::size_t bytes, std::size_t alignment, memory_kind kind) {
  if (bytes == 0) return;
  alignment = std::max<std::size_t>(alignment, 128);
  if (memory == nullptr) memory.reset(take_memory(bytes, alignment, kind));
  std::memset(memory.get(), uninitialized, bytes);
}

uint3 unflatten(std::uint64_t rank, dim3 extent) {
  return {static_cast<unsigned>(rank % extent.x), static_cast<unsigned>(rank / extent.x % extent.y),
          static_cast<unsigned>(rank / extent.x / extent.y)};
}

}  // namespace

observer* install(observer* watcher) { return std::exchange(installed_observer, watcher); }

observer* current_observer() {
  return installed_observer != nullptr ? installed_observer : default_observer();
}

line_counts observer::counted() { return {}; }

settings& current_settings() {
  static thread_local settings current;
  return current;
}

std::vector<memory_range> block_state::shared_ranges() const {
  return {{static_shared.get(), static_bytes}, {dynamic_shared.get(), dynamic_bytes}};
}

bool block_state::owns(void const* address, std::size_t bytes) const {
  auto const within = [&](std::byte const* begin, std::size_t size) {
    auto const* const first = static_cast<std::byte const*>(address);
    return begin != nullptr && first >= begin && first + bytes <= begin + size;
  };
  return within(static_shared.get(), static_bytes) || within(dynamic_shared.get(), dynamic_bytes);
}

grid_run::grid_run(grid const& work, settings const& how, observer* watcher, stack_pool& stacks)
    : work_(work), how_(how), watcher_(watcher), stacks_(stacks), random_(how.seed) {
  step_limit_ = std::max<std::uint64_t>(how.max_steps, 1);
  std::uint64_t const threads = std::uint64_t{work.threads.x} * work.threads.y * work.threads.z;
  blocks_total_ = std::uint64_t{work.blocks.x} * work.blocks.y * work.blocks.z;
  if (threads == 0 || threads > 1024 || blocks_total_ == 0 || blocks_total_ > 0x7fffffffu) {
    throw kernel_error("launch of " + work.kernel + ": " + std::to_string(blocks_total_) +
                       " blocks of " + std::to_string(threads) +
                       " threads; expected 1 to 2^31-1 blocks of 1 to 1024 threads");
  }
  std::size_t const shared = work.static_shared_bytes + work.dynamic_shared_bytes;
  if (shared > shared_bytes_of_block) {
    throw kernel_error("launch of " + work.kernel + ": " + std::to_string(shared) +
                       " bytes of shared memory a block; expected at most " +
                       std::to_string(shared_bytes_of_block));
  }
  if (work.cooperative && blocks_total_ > max_resident_blocks) {
    throw kernel_error("cooperative launch of " + work.kernel + ": " +
                       std::to_string(blocks_total_) + " blocks; the executor holds at most " +
                       std::to_string(max_resident_blocks) + " at once");
  }
  if (work.cluster &&
      (blocks_total_ > max_cluster_blocks || blocks_total_ != work.blocks.x || work.cooperative)) {
    throw kernel_error("launch of " + work.kernel +
                       " as a cluster: " + std::to_string(blocks_total_) +
                       " blocks; expected at most " + std::to_string(max_cluster_blocks) +
                       " in a row, and not a cooperative launch");
  }
  if (seeded()) {  // CUDA does not specify the order in which blocks start
    start_order_.resize(blocks_total_);
    std::iota(start_order_.begin(), start_order_.end(), 0u);
    for (std::size_t i = start_order_.size() - 1; i > 0; --i) {
      std::swap(start_order_[i], start_order_[random_.below(static_cast<unsigned>(i + 1))]);
    }
  }
  slots_.resize(static_cast<std::size_t>(resident_blocks()));
  pollers_.reserve(slots_.size() * threads);
}

grid_run::~grid_run() {
  for (auto& block : slots_) {
    if (block != nullptr) give_back_stacks(*block);
  }
}

int grid_run::resident_blocks() const {
  std::uint64_t const wanted =
      work_.cooperative || work_.cluster
          ? blocks_total_
          : static_cast<std::uint64_t>(std::clamp(how_.blocks_in_flight, 1, max_resident_blocks));
  return static_cast<int>(std::min(wanted, blocks_total_));
}

void grid_run::run() {
  grid_run* const outer = std::exchange(running_grid, this);
  blockDim = work_.threads;
  gridDim = work_.blocks;
  bool failed = true;
  std::exception_ptr error;
  try {
    if (watcher_ != nullptr) {
      watcher_->launch_begins({&how_,
                               {static_cast<std::byte*>(work_.arguments), work_.argument_bytes},
                               work_.kernel,
                               work_.cluster});
    }
    while (blocks_finished_ < blocks_total_) {
      fill_slots();
      thread_state* const next = pick();
      if (next != nullptr) {
        resume(*next);
      } else if (!unblock()) {
        report_deadlock();
      }
      if (overdue_ != nullptr) report_overdue();
      if (thrown_) std::rethrow_exception(thrown_);
      if (finished_slot_ >= 0) retire_block(std::exchange(finished_slot_, -1));
    }
    failed = false;
  } catch (...) {
    error = std::current_exception();
  }
  running_grid = outer;
  threadIdx = no_thread;
  if (watcher_ != nullptr) watcher_->launch_ends(failed);
  hand_over_counts();
  if (error) std::rethrow_exception(error);
}

uint3 grid_run::next_block_index() {
  std::uint64_t const rank = start_order_.empty() ? blocks_started_ : start_order_[blocks_started_];
  ++blocks_started_;
  return unflatten(rank, work_.blocks);
}

void grid_run::fill_slots() {
  for (std::size_t slot = 0; slot < slots_.size() && blocks_started_ < blocks_total_; ++slot) {
    if (slots_[slot] == nullptr || !slots_[slot]->live) start_block(static_cast<int>(slot));
  }
}

/// Sets what stays the same for all blocks that use a slot in turn.
void grid_run::make_threads(block_state& block, int slot) {
  std::size_t const size = std::size_t{work_.threads.x} * work_.threads.y * work_.threads.z;
  block.slot = slot;
  block.static_bytes = work_.static_shared_bytes;
  block.dynamic_bytes = work_.dynamic_shared_bytes;
  block.threads.resize(size);
  block.warps.resize((size + 31) / 32);
  for (std::size_t rank = 0; rank < size; ++rank) {
    thread_state& thread = block.threads[rank];
    warp_state& warp = block.warps[rank / 32];
    thread.block = &block;
    thread.warp = &warp;
    thread.lane = static_cast<int>(rank % 32);
    thread.name = {{}, unflatten(rank, work_.threads), static_cast<int>(rank), slot, nullptr, {}};
    warp.index = static_cast<int>(rank / 32);
    if (warp.lanes == nullptr) warp.lanes = &thread;
    warp.existing |= 1u << thread.lane;
    block.names.push_back(&thread.name);
  }
}

void grid_run::start_block(int slot) {
  auto& place = slots_[static_cast<std::size_t>(slot)];
  if (place == nullptr) {
    place = std::make_unique<block_state>();
    make_threads(*place, slot);
  }
  block_state& block = *place;
  block.index = next_block_index();
  block.returned = block.at_barrier = block.true_predicates = block.at_grid_barrier = 0;
  renew(block.static_shared, block.static_bytes, work_.shared_alignment,
        memory_kind::static_shared);
  renew(block.dynamic_shared, block.dynamic_bytes, 128, memory_kind::dynamic_shared);
  block.mbarriers.clear();
  block.copied_static.clear();
  block.copied_dynamic.clear();
  block.proxy_fences = 0;
  block.live = true;
  for (warp_state& warp : block.warps) {
    warp.returned = warp.in_active_mask = 0;
    warp.open_count = 0;
    wake_lanes(block, warp, warp.existing);
  }
  for (thread_state& thread : block.threads) {
    thread.name.block = block.index;
    thread.name.tag = nullptr;
    thread.wait.what = call::none;
    thread.loads_noted = 0;
    thread.vain_loads = 0;
    thread.has_arrived = thread.has_waited = false;
    memory_range const stack =
        thread.stack.stack_bottom == nullptr
            ? stacks_.take()
            : memory_range{thread.stack.stack_bottom, thread.stack.stack_size};
    thread.name.stack = stack;
    prepare(thread.stack, stack, static_cast<unsigned>(thread.name.rank), fiber_entry);
  }
  progress();
  if (watcher_ != nullptr) watcher_->block_begins(block.names, block.shared_ranges());
}

void grid_run::retire_block(int slot) {
  block_state& block = *slots_[static_cast<std::size_t>(slot)];
  block.live = false;
  ++blocks_finished_;
  if (watcher_ != nullptr) {
    if (watcher_->follows_stacks()) give_back_stacks(block);
    watcher_->block_ends(block.names, block.shared_ranges());
  }
  check_copies(block);
  if (watcher_ != nullptr) {
    retired_memory_.push_back(std::move(block.static_shared));
    retired_memory_.push_back(std::move(block.dynamic_shared));
    retired_mbarriers_.push_back(std::move(block.mbarriers));
  }
}

void grid_run::give_back_stacks(block_state& block) {
  bool const forget = watcher_ != nullptr && watcher_->follows_stacks();
  for (thread_state& thread : block.threads) {
    if (thread.stack.stack_bottom == nullptr) continue;
    stacks_.give({thread.stack.stack_bottom, thread.stack.stack_size}, forget);
    thread.stack.stack_bottom = nullptr;
  }
}

void grid_run::fiber_entry(boost::context::detail::transfer_t transfer) {
  arrived(transfer);
  grid_run& run = *running_grid;
  thread_state* next = nullptr;  // the host
  try {
    run.work_.body(run.work_.arguments);
    run.thread_returned();
    if (run.finished_slot_ < 0) next = run.pick();
  } catch (...) {
    run.thrown_ = std::current_exception();
  }
  run.go_to(next, true);
}

void grid_run::thread_returned() {
  thread_state& thread = self();
  thread.warp->returned |= 1u << thread.lane;
  ++thread.block->returned;
  progress();
  if (watcher_ != nullptr) watcher_->thread_ends(thread.name);
  if (thread.block->returned == thread.block->size()) {
    finished_slot_ = thread.block->slot;
  } else {
    after_return(thread);
  }
}

void grid_run::abandon(thread_name const& thread, std::string const& text) {
  block_state const& block = *slots_[static_cast<std::size_t>(thread.block_slot)];
  if (current_ == nullptr) fail(block, text);
  thrown_ = std::make_exception_ptr(kernel_error(message(block, text)));
  go_to(nullptr, true);
  std::abort();  // an abandoned thread is never resumed
}

void abandon_launch(thread_name const& thread, std::string const& text) {
  running_grid->abandon(thread, text);
}

void run(grid const& work) {
  auto& stacks = libscan::detail::kept_by_thread<stack_pool>();
  settings const& how = current_settings();
  start_ticks();
  if (how.count != nullptr) ++how.count->launches;
  grid_run(work, how, current_observer(), stacks).run();
}

}  // namespace libscan::inline v1_executor::simt::executor
