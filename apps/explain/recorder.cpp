// SPDX-License-Identifier: Apache-2.0
// Records the executor's events.
#include <apps/explain/recorder.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <libscan/core/types.hpp>

namespace libscan::apps {

namespace executor = simt::executor;

namespace {

recorder* current = nullptr;

executor::settings how_to_run(unsigned seed, int banks, executor::counts& counts) {
  executor::settings how = seed == 0 ? executor::settings{} : executor::seeded(seed);
  how.blocks_in_flight = seed == 0 ? 1 : 4;
  how.count = &counts;
  how.shared_banks = banks;
  return how;
}

line_counts difference(line_counts const& now, line_counts const& before) {
  line_counts result;
  result.shared_accesses = now.shared_accesses - before.shared_accesses;
  result.shared_wavefronts = now.shared_wavefronts - before.shared_wavefronts;
  result.shared_ideal = now.shared_ideal - before.shared_ideal;
  result.global_accesses = now.global_accesses - before.global_accesses;
  result.global_sectors = now.global_sectors - before.global_sectors;
  return result;
}

}  // namespace

traced new_identity() { return current->make({}); }

traced new_sum(traced earlier, traced later) {
  value sum;
  sum.from = origin::sum;
  sum.earlier = earlier;
  sum.later = later;
  return current->make(sum);
}

class recorder::aside {
 public:
  explicit aside(recorder& of) : of_(of) {
    if (of_.next_ != nullptr && of_.running_ != nullptr) of_.next_->running(nullptr);
  }
  ~aside() {
    if (of_.next_ != nullptr && of_.running_ != nullptr) of_.next_->running(of_.running_);
  }
  aside(aside const&) = delete;
  aside& operator=(aside const&) = delete;

 private:
  recorder& of_;
};

recorder::recorder(std::span<std::int32_t const> items, unsigned seed, int banks)
    : scope_(how_to_run(seed, banks, counts_)), next_(able_checker()) {
  run_.count = static_cast<int>(items.size());
  run_.seed = seed;
  // No value is number 0: words set to zero hold none.
  run_.values.resize(1);
  traced* const in = new_array("input", 0, items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    value item;
    item.number = items[i];
    item.from = origin::input;
    item.item = static_cast<int>(i);
    in[i] = make(item);
  }
  current = this;
  executor::install(this);
}

executor::observer* recorder::able_checker() const {
  executor::observer* const checker = executor::current_observer();
  if (checker == nullptr) return nullptr;
  try {
    checker->launch_begins({&executor::current_settings(), {}, {}});
    checker->launch_ends(true);
    return checker;
  } catch (simt::kernel_error const&) {
    return nullptr;
  }
}

recorder::~recorder() {
  executor::install(nullptr);
  current = nullptr;
}

std::byte* recorder::new_memory(std::size_t bytes) {
  // Like the executor's own allocations: aligned to 256 bytes, with arbitrary content.
  constexpr std::size_t alignment = 256;
  std::size_t const words = (bytes + alignment) / sizeof(traced) + 1;
  memory_.emplace_back(new traced[words]);
  void* begin = memory_.back().get();
  std::size_t space = words * sizeof(traced);
  std::memset(begin, 0xcb, space);
  return static_cast<std::byte*>(std::align(alignment, bytes, begin, space));
}

traced* recorder::new_array(std::string const& name, int level, std::size_t count) {
  auto* const begin = reinterpret_cast<traced*>(new_memory(count * sizeof(traced)));
  name_array(name, level, begin, count);
  return begin;
}

void recorder::name_array(std::string const& name, int level, void const* begin,
                          std::size_t count) {
  run_.arrays.push_back({name, level, static_cast<traced const*>(begin), count});
}

void recorder::know(std::string const& kernel, std::vector<region> regions) {
  known_[kernel] = std::move(regions);
}

void recorder::expect(launch_plan plan) { plans_.push_back(std::move(plan)); }

recorded_run recorder::take(std::string algorithm, bool exclusive) {
  end_counts();
  run_.algorithm = std::move(algorithm);
  run_.exclusive = exclusive;
  for (recorded_launch const& each : run_.launches) {
    if (each.counts.global_accesses > 0) run_.accesses_heard = true;
  }
  return std::move(run_);
}

traced recorder::make(value made) {
  aside const scope(*this);
  if (made.from == origin::sum) {
    if (!run_.known(made.earlier) || !run_.known(made.later)) {
      throw std::logic_error("a kernel adds a value that was never stored");
    }
    made.number = plus<std::int32_t>{}(run_.of(made.earlier).number, run_.of(made.later).number);
  }
  auto const name = static_cast<traced>(run_.values.size());
  if (running_ != nullptr) {
    made.thread = running_->rank;
    if (made.from == origin::sum) open_.at(running_->block_slot).now.sums.push_back(name);
  }
  run_.values.push_back(made);
  return name;
}

cells recorder::copy_of(executor::memory_range shared, region const& what) const {
  cells copy(what.word.size());
  for (std::size_t i = 0; i < copy.size(); ++i) {
    std::memcpy(&copy[i], shared.begin + what.word[i] * sizeof(traced), sizeof(traced));
  }
  return copy;
}

std::vector<cells> recorder::copy_of_arrays() const {
  std::vector<cells> copies;
  for (global_array const& array : run_.arrays) {
    copies.emplace_back(array.begin, array.begin + array.count);
  }
  return copies;
}

void recorder::end_interval(open_block& block) {
  for (region const& each : launch().regions) {
    block.now.shared.push_back(copy_of(block.shared, each));
  }
  block.now.global = copy_of_arrays();
  for (std::size_t i = 0; i < run_.flags.count; ++i) {
    unsigned const flag = run_.flags.begin[i];
    block.now.flags += flag < run_.flags.letters.size() ? run_.flags.letters[flag] : '?';
  }
  if (next_ != nullptr) {
    line_counts const heard = next_->counted();
    block.now.accesses = difference(heard, heard_);
    heard_ = heard;
  }
  launch().ran[block.number].intervals.push_back(std::move(block.now));
  block.now = {};
  block.met = false;
}

/// The executor counts barriers and reports them when a launch has ended.
void recorder::end_counts() {
  std::int64_t const barriers = counts_.total().barriers;
  if (!run_.launches.empty()) launch().counts.barriers = barriers - barriers_;
  barriers_ = barriers;
}

void recorder::launch_begins(executor::launch_facts const& facts) {
  if (next_ != nullptr) next_->launch_begins(facts);
  end_counts();
  std::size_t const number = run_.launches.size();
  if (number == plans_.size()) throw std::logic_error("a launch that was not expected");
  launch_plan const& plan = plans_[number];
  recorded_launch next;
  next.title = plan.title;
  next.level = plan.level;
  next.tile_items = plan.tile_items;
  next.shift = plan.shift;
  next.blocks = static_cast<int>(simt::gridDim.x);
  next.threads = static_cast<int>(simt::blockDim.x);
  auto const regions = known_.find(facts.kernel);
  if (regions != known_.end()) next.regions = regions->second;
  next.before = copy_of_arrays();
  run_.launches.push_back(std::move(next));
  heard_ = {};
}

void recorder::block_begins(std::span<executor::thread_name* const> threads,
                            std::span<executor::memory_range const> shared) {
  if (next_ != nullptr) next_->block_begins(threads, shared);
  aside const scope(*this);
  open_block& block = open_[threads.front()->block_slot];
  block = {};
  block.number = launch().ran.size();
  block.shared = shared.front();
  launch().ran.push_back({static_cast<int>(threads.front()->block.x), {}});
}

void recorder::block_ends(std::span<executor::thread_name* const> threads,
                          std::span<executor::memory_range const> shared) {
  if (next_ != nullptr) next_->block_ends(threads, shared);
  aside const scope(*this);
  end_interval(open_.at(threads.front()->block_slot));
}

void recorder::running(executor::thread_name* thread) {
  running_ = thread;
  if (next_ != nullptr) next_->running(thread);
}

void recorder::thread_ends(executor::thread_name& thread) {
  if (next_ != nullptr) next_->thread_ends(thread);
}

void recorder::barrier(std::span<executor::thread_name* const> threads) {
  if (next_ != nullptr) next_->barrier(threads);
  aside const scope(*this);
  open_.at(threads.front()->block_slot).met = true;
}

void recorder::release(executor::thread_name& thread, std::uint64_t key) {
  if (next_ != nullptr) next_->release(thread, key);
}

void recorder::acquire(executor::thread_name& thread, std::uint64_t key) {
  if (next_ != nullptr) next_->acquire(thread, key);
}

void recorder::fence(executor::thread_name& thread) {
  if (next_ != nullptr) next_->fence(thread);
}

void recorder::bulk_copy(executor::thread_name& issuer, executor::memory_range target,
                         executor::memory_range source, std::uint64_t issued, std::uint64_t landed,
                         simt::call_site site) {
  if (next_ != nullptr) next_->bulk_copy(issuer, target, source, issued, landed, site);
}

void recorder::warp_converges(std::span<executor::thread_name* const> lanes) {
  // Accesses are counted when lanes converge: the interval ends after that.
  if (next_ != nullptr) next_->warp_converges(lanes);
  aside const scope(*this);
  open_block& block = open_.at(lanes.front()->block_slot);
  if (block.met) end_interval(block);
}

void recorder::launch_ends(bool failed) {
  launch().after = copy_of_arrays();
  if (next_ != nullptr) {
    launch().counts = next_->counted();
    next_->launch_ends(failed);
  }
  open_.clear();
  running_ = nullptr;
}

}  // namespace libscan::apps
