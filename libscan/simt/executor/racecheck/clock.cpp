// SPDX-License-Identifier: Apache-2.0
#include <libscan/simt/executor/racecheck/clock.hpp>

#include <algorithm>

namespace libscan::inline v1_executor::simt::executor::racecheck {

std::vector<clock::entry>::const_iterator clock::find(std::uint32_t block) const {
  return std::lower_bound(entries_.begin(), entries_.end(), block,
                          [](entry const& e, std::uint32_t wanted) { return e.block < wanted; });
}

clock::block_times const* clock::of_block(std::uint32_t block) const {
  auto const found = find(block);
  return found != entries_.end() && found->block == block ? found->times.get() : nullptr;
}

moment clock::of(thread_id thread) const {
  block_times const* const times = of_block(thread.block());
  return times != nullptr && thread.rank() < times->size() ? (*times)[thread.rank()] : 0;
}

clock::times_ref clock::join(times_ref const& a, times_ref const& b) {
  if (a == b) return a;
  auto const covers = [](block_times const& more, block_times const& less) {
    return more.size() >= less.size() && std::equal(less.begin(), less.end(), more.begin(),
                                                    [](moment l, moment m) { return l <= m; });
  };
  if (covers(*a, *b)) return a;
  if (covers(*b, *a)) return b;
  block_times both = *a;
  both.resize(std::max(a->size(), b->size()));
  for (std::size_t i = 0; i < b->size(); ++i) both[i] = std::max(both[i], (*b)[i]);
  return std::make_shared<block_times const>(std::move(both));
}

clock_ref clock::join(clock_ref const& a, clock_ref const& b, std::uint32_t oldest) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  clock joined;
  joined.entries_.reserve(std::max(a->entries_.size(), b->entries_.size()));
  bool same_as_a = true, same_as_b = true;
  auto x = a->find(oldest), y = b->find(oldest);
  while (x != a->entries_.end() || y != b->entries_.end()) {
    bool const from_a = y == b->entries_.end() || (x != a->entries_.end() && x->block <= y->block);
    bool const from_b = x == a->entries_.end() || (y != b->entries_.end() && y->block <= x->block);
    times_ref const times = from_a && from_b ? join(x->times, y->times)
                            : from_a         ? x->times
                                             : y->times;
    joined.entries_.push_back({from_a ? x->block : y->block, times});
    same_as_a = same_as_a && from_a && times == x->times;
    same_as_b = same_as_b && from_b && times == y->times;
    if (from_a) ++x;
    if (from_b) ++y;
  }
  if (same_as_a) return a;
  if (same_as_b) return b;
  return std::make_shared<clock const>(std::move(joined));
}

clock_ref clock::with(clock_ref const& base, std::span<progress const> threads,
                      std::uint32_t oldest) {
  auto result = std::make_shared<clock>();
  if (base != nullptr) result->entries_.assign(base->find(oldest), base->entries_.end());
  for (std::size_t first = 0; first < threads.size();) {
    std::uint32_t const block = threads[first].thread.block();
    std::size_t last = first;
    unsigned highest = 0;
    for (; last < threads.size() && threads[last].thread.block() == block; ++last) {
      highest = std::max(highest, threads[last].thread.rank());
    }
    block_times const* const before = result->of_block(block);
    auto times = std::make_shared<block_times>();
    times->reserve(std::max<std::size_t>(before != nullptr ? before->size() : 0, highest + 1));
    if (before != nullptr) *times = *before;
    if (times->size() <= highest) times->resize(highest + 1);
    for (; first < last; ++first) (*times)[threads[first].thread.rank()] = threads[first].until;
    auto const place = result->entries_.begin() + (result->find(block) - result->entries_.cbegin());
    if (before != nullptr) {
      place->times = std::move(times);
    } else {
      result->entries_.insert(place, {block, std::move(times)});
    }
  }
  return result;
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
