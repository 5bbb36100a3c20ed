// SPDX-License-Identifier: Apache-2.0
// Which thread goes on next. A switch leads from one thread straight to the next. The host runs
// only when no thread is ready, a block has ended, or something was thrown.
#include <algorithm>
#include <bit>
#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor {

namespace {

// Polls repeated in vain, with nothing else able to run, before a launch counts as deadlocked. A
// poll is deterministic except for private state (a bounded spin), which this many rounds let run
// out.
constexpr std::size_t min_idle_rounds = 1000;
constexpr std::size_t min_idle_polls = 1 << 18;

/// Any set bit, each equally likely. `word` is not 0.
template <class Word>
int any_set_bit(Word word, random_source& random) {
  constexpr unsigned bits = sizeof(Word) * 8;
  std::uint64_t draw = random.next();
  for (int tries = 0; tries < 8; ++tries, draw /= bits) {
    if ((word >> draw % bits & 1u) != 0) return static_cast<int>(draw % bits);
  }
  unsigned count = 0;  // few are set, so counting them is quick
  for (Word rest = word; rest != 0; rest &= rest - 1) ++count;
  for (unsigned n = random.below(count); n > 0; --n) word &= word - 1;
  return std::countr_zero(word);
}

/// The first set bit at or after `from`, or else the first of all. `word` is not 0.
template <class Word>
int next_set_bit(Word word, int from) {
  Word const rest = word >> from << from;
  return std::countr_zero(rest != 0 ? rest : word);
}

}  // namespace

thread_state* grid_run::take(block_state& block, int warp, int lane) {
  warp_state& home = block.warps[static_cast<std::size_t>(warp)];
  home.ready &= ~(1u << lane);
  if (home.ready == 0) block.ready_warps &= ~(1u << warp);
  if (block.ready_warps == 0) ready_blocks_ &= ~(std::uint64_t{1} << block.slot);
  last_slot_ = block.slot;
  last_warp_ = warp;
  return &home.lanes[lane];
}

thread_state* grid_run::pick() {
  step();
  if (copies_in_flight_ > 0 && seeded()) advance_copies();
  if (ready_blocks_ == 0) return nullptr;
  return seeded() ? pick_seeded() : pick_fixed();
}

thread_state* grid_run::pick_fixed() {
  int const slot = next_set_bit(ready_blocks_, last_slot_);
  block_state& block = *slots_[static_cast<std::size_t>(slot)];
  int const warp = next_set_bit(block.ready_warps, slot == last_slot_ ? last_warp_ : 0);
  return take(block, warp, std::countr_zero(block.warps[static_cast<std::size_t>(warp)].ready));
}

thread_state* grid_run::pick_seeded() {
  if (stall_events_ > 0) {
    --stall_events_;
  } else {
    stall_somebody();
  }
  std::uint64_t blocks = ready_blocks_;
  bool const stalled = stall_events_ > 0 && stalled_slot_ >= 0;
  if (stalled && stalled_warp_ < 0) {
    std::uint64_t const others = blocks & ~(std::uint64_t{1} << stalled_slot_);
    if (others != 0) blocks = others;
  }
  int const slot = any_set_bit(blocks, random_);
  block_state& block = *slots_[static_cast<std::size_t>(slot)];
  std::uint32_t warps = block.ready_warps;
  if (stalled && slot == stalled_slot_ && stalled_warp_ >= 0) {
    std::uint32_t const others = warps & ~(1u << stalled_warp_);
    if (others != 0) warps = others;
  }
  int const warp = any_set_bit(warps, random_);
  std::uint32_t const lanes = block.warps[static_cast<std::size_t>(warp)].ready;
  return take(block, warp, any_set_bit(lanes, random_));
}

// A uniformly random order keeps all threads near the same place; real machines let one block or
// warp run much later than the others.
void grid_run::stall_somebody() {
  stalled_slot_ = -1;
  if (random_.below(32) != 0) return;
  stalled_slot_ = static_cast<int>(random_.below(static_cast<unsigned>(slots_.size())));
  stalled_warp_ =
      random_.below(2) == 0
          ? -1
          : static_cast<int>(random_.below(static_cast<unsigned>(slots_.front()->warps.size())));
  stall_events_ = 1u << (4 + random_.below(9));
}

void grid_run::resume(thread_state& next) { go_to(&next, false); }

void grid_run::yield() {
  wake(self());
  thread_state* const next = pick();
  if (next != current_) go_to(next, false);
}

bool grid_run::unblock() {
  if (lanes_asking_ > 0) return answer_active_lanes();
  if (copies_in_flight_ > 0) {
    for (auto& block : slots_) {
      if (block != nullptr && block->live && !block->copies.empty()) {
        auto const waiting = static_cast<unsigned>(block->copies.size());
        land(*block, std::next(block->copies.begin(), seeded() ? random_.below(waiting) : 0));
        return true;
      }
    }
  }
  if (complete_grid_barrier()) return true;
  if (pollers_.empty()) return false;
  if (++idle_rounds_ > std::max(min_idle_rounds, min_idle_polls / pollers_.size())) return false;
  for (thread_state* sleeper : pollers_) wake(*sleeper);
  pollers_.clear();
  return true;
}

void grid_run::report_deadlock() const {
  std::string waits;
  for (auto const& block : slots_) {
    if (block == nullptr || !block->live) continue;
    waits += waits.empty() ? "" : " | ";
    waits += message(*block, describe_waits(*block));
  }
  throw kernel_error("deadlock, no thread can go on: " + waits);
}

void preemption_point() {
  if (running_grid == nullptr) return;
  running_grid->step();
  if (running_grid->seeded() && running_grid->random().below(8) == 0) running_grid->yield();
}

}  // namespace libscan::inline v1_executor::simt::executor
