// SPDX-License-Identifier: Apache-2.0
// The race checker's launches, blocks and threads.
#include <libscan/simt/executor/racecheck/race_checker.hpp>

#include <algorithm>

#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor {

namespace racecheck {

constinit thread_local race_checker* listening = nullptr;

namespace {

/// The machine's own index variables; each kernel thread sees its own values.
memory_range index_variables() {
  auto const [first, last] =
      std::minmax<std::uintptr_t>({reinterpret_cast<std::uintptr_t>(&simt::threadIdx),
                                   reinterpret_cast<std::uintptr_t>(&simt::blockIdx),
                                   reinterpret_cast<std::uintptr_t>(&simt::blockDim),
                                   reinterpret_cast<std::uintptr_t>(&simt::gridDim)});
  return {reinterpret_cast<std::byte*>(first), last + sizeof(dim3) - first};
}

}  // namespace

race_checker::~race_checker() = default;

void race_checker::launch_begins(launch_facts const& launch) {
  lines_.load();
  if (!lines_.knows_executor()) {
    throw kernel_error(
        "racecheck needs debug information to tell the executor's work from the kernels'; this "
        "program has none");
  }
  how_ = launch.how;
  cluster_ = launch.cluster;
  arguments_ = launch.arguments;
  indices_ = index_variables();
  block_index_.assign(1, {});
  of_copies_.assign(1, false);
  next_serial_ = 1;
  next_copy_ = {};
  if (how_->shared_banks < 1 || how_->shared_banks > 64) {
    throw kernel_error("settings request " + std::to_string(how_->shared_banks) +
                       " banks of shared memory; expected 1 to 64");
  }
  counter_.begin(how_->shared_banks);
}

std::uint32_t race_checker::new_serial() {
  if (next_serial_ == thread_id::max_blocks) {
    throw kernel_error("racecheck distinguishes no more than " +
                       std::to_string(thread_id::max_blocks) + " blocks of a launch");
  }
  return next_serial_++;
}

void race_checker::block_begins(std::span<thread_name* const> threads,
                                std::span<memory_range const> shared_memory) {
  auto const slot = static_cast<std::size_t>(threads.front()->block_slot);
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  if (blocks_[slot] == nullptr) blocks_[slot] = std::make_unique<checked_block>();
  checked_block& block = *blocks_[slot];
  block.serial = new_serial();
  block_index_.resize(next_serial_);
  of_copies_.resize(next_serial_);
  block_index_[block.serial] = threads.front()->block;
  block.threads.assign(threads.size(), {});
  block.warps.resize((threads.size() + 31) / 32);
  for (checked_warp& warp : block.warps) warp = {};
  for (std::size_t rank = 0; rank < threads.size(); ++rank) {
    checked_thread& thread = block.threads[rank];
    thread.name = threads[rank];
    thread.name->tag = &thread;
    thread.block = &block;
    thread.id = thread_id::of(block.serial, static_cast<unsigned>(rank));
    thread.lane = static_cast<int>(rank % 32);
    block.warps[rank / 32].present |= 1u << thread.lane;
  }
  block.shared.resize(shared_memory.size());
  for (std::size_t i = 0; i < shared_memory.size(); ++i) {
    block.shared[i].range = shared_memory[i];
    block.shared[i].cells.assign((shared_memory[i].size + 7) / 8, {});
    // Its red zones may be on pages that are already recorded.
    if (shared_memory[i].size != 0) global_.renew_bounds(with_red_zones(shared_memory[i]));
  }
}

void race_checker::block_ends(std::span<thread_name* const> threads,
                              std::span<memory_range const>) {
  checked_block& block = *blocks_[static_cast<std::size_t>(threads.front()->block_slot)];
  for (checked_warp& warp : block.warps) counter_.flush(warp.accesses);
  for (shared_area& area : block.shared) area.range = {};
}

void race_checker::running(thread_name* thread) {
  running_ = thread != nullptr ? static_cast<checked_thread*>(thread->tag) : nullptr;
  listening = thread != nullptr ? this : nullptr;
}

void race_checker::thread_ends(thread_name& thread) {
  deaf const scope;
  auto const& gone = *static_cast<checked_thread const*>(thread.tag);
  gone.block->warps[gone.id.rank() / 32].present &= ~(1u << gone.lane);
}

void race_checker::warp_converges(std::span<thread_name* const> lanes) {
  deaf const scope;
  if (how_->count == nullptr) return;
  for (std::size_t first = 0; first < lanes.size();) {
    auto const& leader = *static_cast<checked_thread const*>(lanes[first]->tag);
    unsigned const number = leader.id.rank() / 32;
    checked_warp& warp = leader.block->warps[number];
    std::uint32_t mask = 0;
    for (; first < lanes.size(); ++first) {
      auto const& next = *static_cast<checked_thread const*>(lanes[first]->tag);
      if (next.block != leader.block || next.id.rank() / 32 != number) break;
      mask |= 1u << next.lane;
    }
    counter_.converge(warp.accesses, mask, mask == warp.present);
  }
}

void race_checker::launch_ends(bool failed) {
  running_ = nullptr;
  listening = nullptr;
  if (!failed && how_->count != nullptr) add_counts();
  keys_.clear();
  atomics_.clear();
  copies_.clear();
  joined_ = joined_proxied_ = {};
  global_.clear();
  crowds_.take_all_back();
  for (auto& block : blocks_) {
    if (block == nullptr) continue;
    block->threads.clear();
    for (shared_area& area : block->shared) area.range = {};  // a failed launch ends no block
  }
}

line_counts race_checker::counted() {
  deaf const scope;
  line_counts sum;
  for (auto const& [site, counts] : counter_.sums()) {
    if (paths_.line(site)) sum += counts;
  }
  return sum;
}

void race_checker::add_counts() {
  for (auto const& [site, sum] : counter_.sums()) {
    if (auto const& line = paths_.line(site)) how_->count->by_line[*line] += sum;
  }
}

}  // namespace racecheck

observer* default_observer() {
  static thread_local racecheck::race_checker checker;
  return &checker;
}

}  // namespace libscan::inline v1_executor::simt::executor
