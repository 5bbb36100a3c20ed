// SPDX-License-Identifier: Apache-2.0
// Warp collectives: a rendezvous of the lanes of a mask. The last lane to arrive computes all
// results and goes on without a switch.
#include <algorithm>
#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor {

namespace {

// The value that a shuffle reads from a lane that does not take part.
constexpr std::uint64_t undefined_word = 0xdbdbdbdbdbdbdbdbu;

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

// Byte by byte through volatile: a checker would hear a call of memcpy as the kernel's access.
void copy_bytes(void* target, void const* source, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    static_cast<std::byte volatile*>(target)[i] = static_cast<std::byte const volatile*>(source)[i];
  }
}

/// Small operands travel in the thread's state: a rendezvous then touches no stack but the last
/// lane's.
std::uint64_t bits_at(void const* operand, std::size_t size) {
  std::uint64_t bits = 0;
  switch (size) {  // constant sizes become single moves
    case 1:
      __builtin_memcpy(&bits, operand, 1);
      break;
    case 4:
      __builtin_memcpy(&bits, operand, 4);
      break;
    case 8:
      __builtin_memcpy(&bits, operand, 8);
      break;
    default:
      copy_bytes(&bits, operand, size);
  }
  return bits;
}

void put_bits(void* result, std::uint64_t bits, std::size_t size) {
  switch (size) {
    case 4:
      __builtin_memcpy(result, &bits, 4);
      break;
    case 8:
      __builtin_memcpy(result, &bits, 8);
      break;
    default:
      copy_bytes(result, &bits, size);
  }
}

template <class T>
T value_of(thread_state const& lane) {
  return static_cast<T>(lane.wait.bits);
}

template <class Visit>
void each_lane(warp_state& warp, unsigned lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(warp.lanes[__builtin_ctz(lanes)]);
}

/// The lane that a shuffle reads from, by the rules of the CUDA guide; its own if that is out of
/// range.
int source_lane(warp_call const& arrival, int lane) {
  int const first = lane & ~(arrival.width - 1);
  int const last = first + arrival.width - 1;
  switch (arrival.what) {
    case call::shfl:
      return first + (arrival.argument & (arrival.width - 1));
    case call::shfl_up:
      return lane - arrival.argument >= first ? lane - arrival.argument : lane;
    case call::shfl_down:
      return lane + arrival.argument <= last ? lane + arrival.argument : lane;
    default: {
      int const source = lane ^ (arrival.argument & 31);
      return source <= last ? source : lane;  // earlier groups may be read, later ones not
    }
  }
}

void shuffle_words(warp_state& warp, unsigned members) {
  std::uint64_t operands[32];
  each_lane(warp, members, [&](thread_state& lane) { operands[lane.lane] = lane.wait.bits; });
  each_lane(warp, members, [&](thread_state& lane) {
    int const source = source_lane(*lane.wait.collective, lane.lane);
    lane.wait.bits = (members >> source & 1u) != 0 ? operands[source] : undefined_word;
  });
}

void shuffle_wide(warp_state& warp, unsigned members) {
  each_lane(warp, members, [&](thread_state& lane) {
    warp_call const& arrival = *lane.wait.collective;
    int const source = source_lane(arrival, lane.lane);
    if ((members >> source & 1u) != 0) {
      copy_bytes(arrival.result, warp.lanes[source].wait.collective->operand, arrival.size);
      return;
    }
    for (std::size_t i = 0; i < arrival.size; i += word_bytes) {
      copy_bytes(static_cast<std::byte*>(arrival.result) + i, &undefined_word,
                 std::min(word_bytes, arrival.size - i));
    }
  });
}

template <class T, class Combine>
unsigned reduce_all(warp_state& warp, unsigned members, Combine combine) {
  T result = value_of<T>(warp.lanes[__builtin_ctz(members)]);
  each_lane(warp, members & (members - 1),
            [&](thread_state& lane) { result = combine(result, value_of<T>(lane)); });
  return static_cast<unsigned>(result);
}

unsigned ballot_of(warp_state& warp, unsigned members) {
  unsigned votes = 0;
  each_lane(warp, members, [&](thread_state& lane) {
    votes |= static_cast<unsigned>(value_of<bool>(lane)) << lane.lane;
  });
  return votes;
}

unsigned equal_to(warp_state& warp, unsigned members, std::uint64_t bits) {
  unsigned equal = 0;
  each_lane(warp, members, [&](thread_state& lane) {
    equal |= static_cast<unsigned>(lane.wait.bits == bits) << lane.lane;
  });
  return equal;
}

/// For each lane, the lanes whose value equals its own.
void match_any(warp_state& warp, unsigned members) {
  for (unsigned left = members; left != 0;) {
    unsigned const equal = equal_to(warp, left, warp.lanes[__builtin_ctz(left)].wait.bits);
    left &= ~equal;
    each_lane(warp, equal, [&](thread_state& lane) { lane.wait.word = equal; });
  }
}

/// The word that all lanes get.
unsigned common_word(call what, warp_state& warp, unsigned members) {
  using U = std::uint32_t;
  using S = std::int32_t;
  switch (what) {
    case call::ballot:
      return ballot_of(warp, members);
    case call::any:
      return ballot_of(warp, members) != 0;
    case call::all:
      return ballot_of(warp, members) == members;
    case call::match_all: {
      std::uint64_t const first = warp.lanes[__builtin_ctz(members)].wait.bits;
      return equal_to(warp, members, first) == members ? members : 0u;
    }
    case call::reduce_add:
      return reduce_all<U>(warp, members, [](U a, U b) { return a + b; });
    case call::reduce_and:
      return reduce_all<U>(warp, members, [](U a, U b) { return a & b; });
    case call::reduce_or:
      return reduce_all<U>(warp, members, [](U a, U b) { return a | b; });
    case call::reduce_xor:
      return reduce_all<U>(warp, members, [](U a, U b) { return a ^ b; });
    case call::reduce_min_signed:
      return reduce_all<S>(warp, members, [](S a, S b) { return a < b ? a : b; });
    case call::reduce_min_unsigned:
      return reduce_all<U>(warp, members, [](U a, U b) { return a < b ? a : b; });
    case call::reduce_max_signed:
      return reduce_all<S>(warp, members, [](S a, S b) { return a > b ? a : b; });
    case call::reduce_max_unsigned:
      return reduce_all<U>(warp, members, [](U a, U b) { return a > b ? a : b; });
    default:
      return 0;
  }
}

bool is_shuffle(call what) { return what >= call::shfl && what <= call::shfl_xor; }

void report_call(grid_run& run, warp_state& warp, unsigned members, call what) {
  thread_name* names[32];
  std::size_t count = 0;
  each_lane(warp, members, [&](thread_state& lane) { names[count++] = &lane.name; });
  // Only __syncwarp orders memory; votes and shuffles do not (CUDA C++ Programming Guide).
  if (what == call::sync_warp) run.watcher()->barrier({names, count});
  run.watcher()->warp_converges({names, count});
}

/// Gives each of `members` its result.
void complete(grid_run& run, warp_state& warp, unsigned members, thread_state const& any) {
  warp_call const& made = *any.wait.collective;
  call const what = made.what;
  if (is_shuffle(what)) {
    made.size <= word_bytes ? shuffle_words(warp, members) : shuffle_wide(warp, members);
  } else if (what == call::match_any) {
    match_any(warp, members);
  } else if (what != call::sync_warp) {
    unsigned const word = common_word(what, warp, members);
    each_lane(warp, members, [&](thread_state& lane) { lane.wait.word = word; });
  }
  if (run.how().count != nullptr) ++run.tally(made.site).warp_calls;
  if (run.watcher() != nullptr) report_call(run, warp, members, what);
}

[[noreturn]] void fail_as_different(grid_run& run, thread_state const& waiting,
                                    thread_state const& arriving) {
  warp_call const& theirs = *waiting.wait.collective;
  warp_call const& mine = *arriving.wait.collective;
  run.fail("lanes of warp " + std::to_string(arriving.warp->index) + " disagree: lane " +
           std::to_string(waiting.lane) + " waits in " + describe(theirs) + ", lane " +
           std::to_string(arriving.lane) + " arrives in " + describe(mine) +
           " (operation and mask must be the same)");
}

/// The rendezvous of the lanes that made the same call with the same mask as `me`.
rendezvous& rendezvous_of(grid_run& run, thread_state const& me) {
  warp_state& warp = *me.warp;
  warp_call const& mine = *me.wait.collective;
  rendezvous* found = nullptr;
  for (int i = 0; i < warp.open_count; ++i) {
    rendezvous& other = warp.open[static_cast<std::size_t>(i)];
    if (other.mask == mine.mask && other.what == mine.what) {
      found = &other;
    } else if ((other.mask >> me.lane & 1u) != 0 && (other.here & mine.mask) != 0) {
      // They wait for this lane, and this lane would wait for them in another call.
      fail_as_different(run, warp.lanes[__builtin_ctz(other.here & mine.mask)], me);
    }
  }
  if (found == nullptr) {
    found = &warp.open[static_cast<std::size_t>(warp.open_count++)];
    *found = {mine.mask, 0, mine.what};
  }
  return *found;
}

/// Completes `meeting` if all lanes have arrived, and forgets it.
bool complete_if_met(grid_run& run, warp_state& warp, rendezvous& meeting) {
  unsigned const named = meeting.mask & warp.existing;
  thread_state const& any = warp.lanes[__builtin_ctz(meeting.here)];
  if ((named & warp.returned) != 0 && !run.how().early_return) {
    run.fail("lane " + std::to_string(__builtin_ctz(named & warp.returned)) + " of warp " +
             std::to_string(warp.index) + " has returned, but is named by the mask of " +
             describe(*any.wait.collective));
  }
  unsigned const members = named & ~warp.returned;
  if (meeting.here != members) return false;
  meeting = warp.open[static_cast<std::size_t>(--warp.open_count)];
  complete(run, warp, members, any);
  return true;
}

unsigned asking_at(warp_state& warp, call_site site) {
  unsigned lanes = 0;
  each_lane(warp, warp.in_active_mask, [&](thread_state& lane) {
    if (lane.wait.site == site) lanes |= 1u << lane.lane;
  });
  return lanes;
}

}  // namespace

unsigned warp_collective(warp_call const& arrival) {
  grid_run& run = *running_grid;
  run.step();
  thread_state& me = run.self();
  warp_state& warp = *me.warp;
  unsigned const my_bit = 1u << me.lane;
  if ((arrival.mask & my_bit) == 0) {
    run.fail("thread " + std::to_string(me.name.rank) + " (lane " + std::to_string(me.lane) +
             ") calls " + describe(arrival) + ", a mask that does not name it");
  }
  me.wait.collective = &arrival;
  if (arrival.size <= word_bytes) me.wait.bits = bits_at(arrival.operand, arrival.size);
  rendezvous& meeting = rendezvous_of(run, me);
  meeting.here |= my_bit;
  unsigned const others = meeting.here & ~my_bit;
  if (complete_if_met(run, warp, meeting)) {
    run.wake_lanes(*me.block, warp, others);
  } else {
    me.wait.what = arrival.what;
    me.wait.site = arrival.site;
    run.suspend();
  }
  if (is_shuffle(arrival.what)) {
    if (arrival.size <= word_bytes) put_bits(arrival.result, me.wait.bits, arrival.size);
    return 0;
  }
  return me.wait.word;
}

// Lanes that wait on the same line at the same time get the same result: themselves. Under a fixed
// schedule "the same time" is when no other thread can go on, which collects as many lanes as
// possible. Under a seeded one a lane may also go on at once with the lanes that are there.
unsigned grid_run::ask_active_lanes(call_site site) {
  thread_state& me = self();
  warp_state& warp = *me.warp;
  if (seeded() && random_.below(4) == 0) {
    unsigned const here = asking_at(warp, site);
    me.wait.word = here | 1u << me.lane;
    give_active_lanes(warp, here, me.wait.word);
    return me.wait.word;
  }
  me.wait.what = call::active_mask;
  me.wait.site = site;
  warp.in_active_mask |= 1u << me.lane;
  ++lanes_asking_;
  suspend();
  return me.wait.word;
}

void grid_run::give_active_lanes(warp_state& warp, unsigned lanes, unsigned answer) {
  each_lane(warp, lanes, [&](thread_state& lane) {
    lane.wait.word = answer;
    --lanes_asking_;
  });
  warp.in_active_mask &= ~lanes;
  wake_lanes(*warp.lanes->block, warp, lanes);
}

bool grid_run::answer_active_lanes() {
  for (auto& block : slots_) {
    if (block == nullptr || !block->live) continue;
    for (warp_state& warp : block->warps) {
      if (warp.in_active_mask == 0) continue;
      call_site const site = warp.lanes[__builtin_ctz(warp.in_active_mask)].wait.site;
      unsigned const here = asking_at(warp, site);
      give_active_lanes(warp, here, here);
    }
  }
  return true;
}

unsigned active_lanes(call_site site) { return running_grid->ask_active_lanes(site); }

void after_return_in_warp(grid_run& run, thread_state& gone) {
  warp_state& warp = *gone.warp;
  for (int i = warp.open_count - 1; i >= 0;
       --i) {  // backwards: completing one moves the last one here
    rendezvous& meeting = warp.open[static_cast<std::size_t>(i)];
    if ((meeting.mask >> gone.lane & 1u) == 0) continue;
    unsigned const waiting = meeting.here;
    if (complete_if_met(run, warp, meeting)) run.wake_lanes(*gone.block, warp, waiting);
  }
}

int lane_id() { return running_grid->self().lane; }
int thread_rank() { return running_grid->self().name.rank; }

}  // namespace libscan::inline v1_executor::simt::executor
