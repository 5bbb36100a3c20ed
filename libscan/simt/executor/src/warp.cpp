// SPDX-License-Identifier: Apache-2.0
// Warp collectives: a rendezvous of the lanes of a mask. The last to arrive computes everybody's
// result and goes on without a switch.
#include <libscan/simt/executor/src/grid_run.hpp>

namespace libscan::inline v1_executor::simt::executor {

namespace {

constexpr std::byte undefined_value{0xdb};  // what a shuffle reads from a lane that takes no part

// Byte by byte through volatile: a call of memcpy would be heard by a checker as the kernel's
// access.
void copy_bytes(void* target, void const* source, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    static_cast<std::byte volatile*>(target)[i] = static_cast<std::byte const volatile*>(source)[i];
  }
}

template <class T>
T value_of(thread_state const& lane) {
  T value;
  copy_bytes(&value, lane.wait.collective.operand, sizeof value);
  return value;
}

std::uint64_t bits_of(thread_state const& lane) {
  std::uint64_t bits = 0;
  copy_bytes(&bits, lane.wait.collective.operand, lane.wait.collective.size);
  return bits;
}

template <class Visit>
void each_lane(warp_state& warp, unsigned lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(warp.lanes[__builtin_ctz(lanes)]);
}

/// The lane a shuffle reads from, by the rules of the CUDA guide; its own where it reaches too far.
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

void shuffle_all(warp_state& warp, unsigned members) {
  each_lane(warp, members, [&](thread_state& lane) {
    warp_call const& arrival = lane.wait.collective;
    int const source = source_lane(arrival, lane.lane);
    if (members >> source & 1u) {
      copy_bytes(arrival.result, warp.lanes[source].wait.collective.operand, arrival.size);
    } else {
      for (std::size_t i = 0; i < arrival.size; ++i) {
        static_cast<std::byte volatile*>(arrival.result)[i] = undefined_value;
      }
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
    equal |= static_cast<unsigned>(bits_of(lane) == bits) << lane.lane;
  });
  return equal;
}

/// The word that all lanes get; each lane's own for `match_any` is set by the caller.
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
      std::uint64_t const first = bits_of(warp.lanes[__builtin_ctz(members)]);
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

void complete(grid_run& run, warp_state& warp, unsigned members, call what, call_site site) {
  if (is_shuffle(what)) {
    shuffle_all(warp, members);
  } else if (what == call::match_any) {
    each_lane(warp, members,
              [&](thread_state& lane) { lane.wait.word = equal_to(warp, members, bits_of(lane)); });
  } else {
    unsigned const word = common_word(what, warp, members);
    each_lane(warp, members, [&](thread_state& lane) { lane.wait.word = word; });
  }
  if (run.how().count != nullptr) ++run.how().count->at(site).warp_calls;
  if (run.watcher() != nullptr) {
    thread_name* names[32];
    std::size_t count = 0;
    each_lane(warp, members, [&](thread_state& lane) { names[count++] = &lane.name; });
    // Only __syncwarp orders memory; votes and shuffles do not (CUDA C++ Programming Guide).
    if (what == call::sync_warp) run.watcher()->barrier({names, count});
    run.watcher()->warp_converges({names, count});
  }
}

/// Two lanes that name one another must make the same call; otherwise neither can ever go on.
void require_agreement(grid_run& run, thread_state const& waiting, thread_state const& arriving) {
  warp_call const& theirs = waiting.wait.collective;
  warp_call const& mine = arriving.wait.collective;
  bool const same = theirs.mask == mine.mask && theirs.what == mine.what;
  if (same || (theirs.mask >> arriving.lane & 1u) == 0) return;
  run.fail("lanes of warp " + std::to_string(arriving.warp->index) + " disagree: lane " +
           std::to_string(waiting.lane) + " waits in " + cuda_name(theirs.what) + " at " +
           describe(theirs.site) + ", lane " + std::to_string(arriving.lane) + " arrives in " +
           cuda_name(mine.what) + " at " + describe(mine.site) +
           " (operation and mask must be the same)");
}

/// Completes the rendezvous that `lane` takes part in, if all are there. `lane` either arrives just
/// now and is not woken, or waits already and a lane it waited for has returned.
bool complete_if_met(grid_run& run, thread_state& lane, bool arrives) {
  warp_state& warp = *lane.warp;
  warp_call const arrival = lane.wait.collective;
  unsigned const named = arrival.mask & warp.existing;
  if ((named & warp.returned) != 0 && !run.how().early_return) {
    run.fail("lane " + std::to_string(__builtin_ctz(named & warp.returned)) + " of warp " +
             std::to_string(warp.index) + " has returned, but is named by the mask of " +
             cuda_name(arrival.what) + " at " + describe(arrival.site));
  }
  unsigned const members = named & ~warp.returned;
  unsigned const others = members & ~(1u << lane.lane);
  unsigned const here = others & warp.in_collective;
  if (here != 0 && arrives) require_agreement(run, warp.lanes[__builtin_ctz(here)], lane);
  if (here != others) return false;
  bool agree = true;
  each_lane(warp, others, [&](thread_state& other) {
    if (arrives) require_agreement(run, other, lane);
    warp_call const& theirs = other.wait.collective;
    agree = agree && theirs.mask == arrival.mask && theirs.what == arrival.what;
  });
  if (!agree) return false;
  complete(run, warp, members, arrival.what, arrival.site);
  each_lane(warp, arrives ? others : members, [&](thread_state& other) {
    warp.in_collective &= ~(1u << other.lane);
    run.wake(other);
  });
  return true;
}

}  // namespace

unsigned warp_collective(warp_call const& arrival) {
  grid_run& run = *running_grid;
  thread_state& me = run.self();
  if ((arrival.mask >> me.lane & 1u) == 0) {
    run.fail("thread " + std::to_string(me.name.rank) + " (lane " + std::to_string(me.lane) +
             ") calls " + cuda_name(arrival.what) + " at " + describe(arrival.site) +
             " with a mask that does not name it");
  }
  me.wait = {};
  me.wait.what = arrival.what;
  me.wait.site = arrival.site;
  me.wait.collective = arrival;
  if (complete_if_met(run, me, true)) {
    me.wait.what = call::none;
  } else {
    me.warp->in_collective |= 1u << me.lane;
    run.suspend();
  }
  return me.wait.word;
}

unsigned active_lanes() {
  grid_run& run = *running_grid;
  thread_state& me = run.self();
  warp_state const& warp = *me.warp;
  // Any set of lanes that have not returned is a right answer, as long as it holds the caller.
  unsigned active = warp.existing & ~warp.returned;
  if (run.seeded()) active &= static_cast<unsigned>(run.random().next());
  return active | 1u << me.lane;
}

void after_return_in_warp(grid_run& run, thread_state& gone) {
  warp_state& warp = *gone.warp;
  for (int lane = 0; lane < 32; ++lane) {
    bool const waits = (warp.in_collective >> lane & 1u) != 0;
    if (!waits || (warp.lanes[lane].wait.collective.mask >> gone.lane & 1u) == 0) continue;
    complete_if_met(run, warp.lanes[lane], false);
  }
}

int lane_id() { return running_grid->self().lane; }
int thread_rank() { return running_grid->self().name.rank; }

}  // namespace libscan::inline v1_executor::simt::executor
