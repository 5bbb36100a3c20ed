// SPDX-License-Identifier: Apache-2.0
// The simulated ranks: a scheduler, and what ranks wait for. Memory is copied when the last of
// those who take part has arrived, so that no message is ever stored. Fibers are the executor's.
#include <cxxabi.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <unordered_map>
#include <utility>

#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/error.hpp>
#include <libscan/distributed/simulated_ranks.hpp>
#include <libscan/simt/executor/src/fiber.hpp>

namespace libscan::inline v1 {
namespace {

namespace fibers = libscan::simt::executor;

constexpr index_t never = std::numeric_limits<index_t>::max();

/// Unwinds the stack of a lost rank after the run.
struct unwinding {};

/// The exceptions that a thread handles, by the Itanium C++ ABI. Each fiber has its own.
struct handled_exceptions {
  void* caught = nullptr;
  unsigned uncaught = 0;

  void swap_with_thread() {
    auto* const thread = reinterpret_cast<handled_exceptions*>(abi::__cxa_get_globals());
    std::swap(*thread, *this);
  }
};

enum class rank_state : std::uint8_t { ready, waiting, lost, ended };

/// One rank: its stack, and the call that it is in.
struct simulated_rank {
  fibers::fiber stack;
  fibers::memory_range memory{};
  handled_exceptions handled;
  rank_state state = rank_state::ready;
  call_step at{"", ""};
  char const* function = "";
  index_t pending = 0;      // what it waits for
  index_t sends = 0;        // so far
  index_t collectives = 0;  // so far
  std::exception_ptr outcome;
};

/// A collective function in which some ranks have arrived.
struct gathering {
  struct part {
    std::span<std::byte const> mine;
    std::span<std::byte> result;
  };
  char const* function;
  call_step at;
  std::size_t bytes;  // that each rank gives
  int first;          // the rank that arrived first
  int arrived = 0;
  std::vector<part> parts;

  std::string name() const {
    return at.name() + ", " + function + " of " + std::to_string(bytes) + " bytes";
  }
};

/// Messages of one pair of ranks for which the other side has not arrived.
struct mailbox {
  std::deque<std::span<std::byte const>> sent;
  std::deque<std::span<std::byte>> awaited;
};

index_t* counters_of(std::span<std::byte> bytes) {
  return reinterpret_cast<index_t*>(bytes.data());
}

}  // namespace

struct simulated_ranks::world {
  world(std::size_t count, std::uint64_t seed)
      : random(seed), fail_at(count, never), lose_at(fail_at), ranks(count) {}

  void run_all();
  void start(int rank);
  void resume(int rank);
  void end_waiting();
  std::string calls() const;
  std::string call_of(simulated_rank const& one) const;

  void count_send(int rank);
  void enter(int rank, call_step at, char const* function);
  void wait(int rank);
  void wake(int rank);
  void pause(int rank);
  void give_up(int rank, std::string_view reason);
  void throw_if_broken(int rank) const;

  /// Takes part in the rank's next collective function; `finish` gets all parts from the last one.
  template <class Finish>
  void gather(int rank, call_step at, char const* function, gathering::part part, Finish finish);
  void post(int rank, outgoing const& message);
  void post(int rank, incoming const& message);
  void deliver(std::span<std::byte const> from, std::span<std::byte> to, int sender, int receiver);

  std::mt19937_64 random;
  std::vector<index_t> fail_at, lose_at;
  std::vector<simulated_rank> ranks;
  std::vector<int> ready;
  fibers::fiber scheduler;
  handled_exceptions outside;
  fibers::stack_pool stacks;
  std::unordered_map<index_t, gathering> gatherings;  // by their number
  std::unordered_map<std::uint64_t, mailbox> mailboxes;
  std::function<void(communicator const&)> const* body = nullptr;
  int running = -1;
  int failed = -1;     // the rank that gave up
  std::string reason;  // why
  std::string lost;    // why no rank can go on
  bool unwinds = false;
  static inline thread_local world* current = nullptr;
};

namespace {

std::uint64_t pair_of(int from, int to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}

}  // namespace

// ---------------------------------------------------------------------------- what ranks wait for

/// Fails or loses the rank if that is planned for this send.
void simulated_ranks::world::count_send(int rank) {
  auto& me = ranks[static_cast<std::size_t>(rank)];
  index_t const send = me.sends++;
  if (send == fail_at[static_cast<std::size_t>(rank)]) {
    std::string const words = me.at.name() + ": send " + std::to_string(send) + " failed";
    give_up(rank, words);
    throw injected_failure(words);
  }
  if (send == lose_at[static_cast<std::size_t>(rank)]) {
    me.state = rank_state::lost;
    for (auto& [pair, box] : mailboxes) {  // its memory is gone
      if (static_cast<int>(pair >> 32) == rank) box.sent.clear();
      if (static_cast<int>(pair & 0xffffffffU) == rank) box.awaited.clear();
    }
    wait(rank);
  }
}

void simulated_ranks::world::enter(int rank, call_step at, char const* function) {
  auto& me = ranks[static_cast<std::size_t>(rank)];
  me.at = at;
  me.function = function;
  pause(rank);
  throw_if_broken(rank);
}

/// Lets other ranks run first, sometimes several times.
void simulated_ranks::world::pause(int rank) {
  for (auto times = random() % 3; times > 0; --times) {
    ready.push_back(rank);
    wait(rank);
  }
}

/// Leaves the rank until it is woken.
void simulated_ranks::world::wait(int rank) {
  auto& me = ranks[static_cast<std::size_t>(rank)];
  me.handled.swap_with_thread();
  fibers::switch_fiber(me.stack, scheduler);
  me.handled.swap_with_thread();
  if (unwinds) throw unwinding{};
}

void simulated_ranks::world::wake(int rank) {
  auto& one = ranks[static_cast<std::size_t>(rank)];
  if (--one.pending > 0 || one.state != rank_state::waiting) return;
  one.state = rank_state::ready;
  ready.push_back(rank);
}

/// All others throw from now on; what they have posted is forgotten.
void simulated_ranks::world::give_up(int rank, std::string_view words) {
  if (failed >= 0) return;
  failed = rank;
  reason = words;
  end_waiting();
}

void simulated_ranks::world::end_waiting() {
  gatherings.clear();
  mailboxes.clear();
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].state != rank_state::waiting) continue;
    ranks[r].state = rank_state::ready;
    ready.push_back(static_cast<int>(r));
  }
}

void simulated_ranks::world::throw_if_broken(int rank) const {
  if (!lost.empty()) throw communicator_lost(lost);
  if (failed >= 0 && failed != rank) throw remote_error(failed, reason);
  if (failed == rank) throw communicator_lost("this rank gave up: " + reason);
}

template <class Finish>
void simulated_ranks::world::gather(int rank, call_step at, char const* function,
                                    gathering::part part, Finish finish) {
  enter(rank, at, function);
  count_send(rank);
  auto& me = ranks[static_cast<std::size_t>(rank)];
  index_t const number = me.collectives++;
  gathering const mine{function, at, part.mine.size(), rank, 0, {}};
  auto& all = gatherings.try_emplace(number, mine).first->second;
  if (std::strcmp(all.function, function) != 0 || all.bytes != mine.bytes) {
    throw communicator_lost("rank " + std::to_string(rank) + " is in " + mine.name() +
                            ", but rank " + std::to_string(all.first) + " is in " + all.name());
  }
  all.parts.resize(ranks.size());
  all.parts[static_cast<std::size_t>(rank)] = part;
  me.pending = 1;
  if (++all.arrived < static_cast<int>(ranks.size())) {
    me.state = rank_state::waiting;
    wait(rank);
    if (me.pending > 0) throw_if_broken(rank);
  } else {
    gathering const complete = std::move(all);
    gatherings.erase(number);
    finish(complete.parts);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (static_cast<int>(r) != rank) wake(static_cast<int>(r));
    }
  }
  pause(rank);
}

void simulated_ranks::world::deliver(std::span<std::byte const> from, std::span<std::byte> to,
                                     int sender, int receiver) {
  if (from.size() != to.size()) {
    throw communicator_lost("rank " + std::to_string(sender) + " sends " +
                            std::to_string(from.size()) + " bytes, rank " +
                            std::to_string(receiver) + " expects " + std::to_string(to.size()) +
                            ", in " + ranks[static_cast<std::size_t>(receiver)].at.name());
  }
  std::ranges::copy(from, to.begin());
  wake(sender);
  wake(receiver);
}

void simulated_ranks::world::post(int rank, outgoing const& message) {
  count_send(rank);
  auto& box = mailboxes[pair_of(rank, message.to)];
  if (box.awaited.empty()) return box.sent.push_back(message.bytes);
  auto const to = box.awaited.front();
  box.awaited.pop_front();
  deliver(message.bytes, to, rank, message.to);
}

void simulated_ranks::world::post(int rank, incoming const& message) {
  auto& box = mailboxes[pair_of(message.from, rank)];
  if (box.sent.empty()) return box.awaited.push_back(message.bytes);
  auto const from = box.sent.front();
  box.sent.pop_front();
  deliver(from, message.bytes, message.from, rank);
}

namespace {

/// The transport of one simulated rank.
template <class World>
class simulated_transport final : public transport {
 public:
  simulated_transport(World& in, int rank) : world_(in), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(world_.ranks.size()); }

  void allgather(call_step at, std::span<std::byte const> mine, std::span<std::byte> all) override {
    world_.gather(rank_, at, "allgather", {mine, all}, [](auto const& parts) {
      std::vector<std::byte> joined;
      for (auto const& part : parts) {
        joined.insert(joined.end(), part.mine.begin(), part.mine.end());
      }
      for (auto const& part : parts) std::ranges::copy(joined, part.result.begin());
    });
  }

  void sum(call_step at, std::span<index_t> counters, summed_ranks which) override {
    std::span const bytes = std::as_writable_bytes(counters);
    std::size_t const count = counters.size();
    auto const finish = [which, count](auto const& parts) {
      std::vector<index_t> sums(count);
      for (auto const& part : parts) {
        index_t* const own = counters_of(part.result);
        for (std::size_t i = 0; i < count; ++i) {
          index_t const before = sums[i];
          sums[i] += own[i];
          if (which == summed_ranks::before) own[i] = before;
        }
      }
      if (which == summed_ranks::before) return;
      for (auto const& part : parts) std::ranges::copy(sums, counters_of(part.result));
    };
    world_.gather(rank_, at, which == summed_ranks::all ? "sum" : "sum before", {bytes, bytes},
                  finish);
  }

  void transpose(call_step at, std::span<index_t const> to, std::span<index_t> from) override {
    world_.gather(rank_, at, "transpose", {std::as_bytes(to), std::as_writable_bytes(from)},
                  [](auto const& parts) {
                    for (std::size_t a = 0; a < parts.size(); ++a) {
                      for (std::size_t b = 0; b < parts.size(); ++b) {
                        std::memcpy(parts[b].result.data() + a * sizeof(index_t),
                                    parts[a].mine.data() + b * sizeof(index_t), sizeof(index_t));
                      }
                    }
                  });
  }

  void exchange(call_step at, std::span<outgoing const> sends,
                std::span<incoming const> receives) override {
    world_.enter(rank_, at, "exchange");
    auto& me = world_.ranks[static_cast<std::size_t>(rank_)];
    me.pending = static_cast<index_t>(sends.size() + receives.size());
    for (outgoing const& message : sends) world_.post(rank_, message);
    for (incoming const& message : receives) world_.post(rank_, message);
    if (me.pending > 0) {
      me.state = rank_state::waiting;
      world_.wait(rank_);
      if (me.pending > 0) world_.throw_if_broken(rank_);
    }
    world_.pause(rank_);
  }

  void abandon(std::string_view reason) noexcept override { world_.give_up(rank_, reason); }

 private:
  World& world_;
  int rank_;
};

}  // namespace

// ------------------------------------------------------------------------------------- scheduling

void simulated_ranks::world::start(int rank) {
  auto& one = ranks[static_cast<std::size_t>(rank)];
  one.memory = stacks.take();
  fibers::prepare(
      one.stack, one.memory, static_cast<unsigned>(rank),
      [](boost::context::detail::transfer_t transfer) {
        fibers::arrived(transfer);
        world& all = *current;
        int const self = all.running;
        auto& me = all.ranks[static_cast<std::size_t>(self)];
        try {
          (*all.body)(communicator(std::make_shared<simulated_transport<world>>(all, self)));
        } catch (unwinding const&) {
          me.outcome = std::make_exception_ptr(communicator_lost("this rank was lost"));
        } catch (...) {
          me.outcome = std::current_exception();
        }
        if (me.state != rank_state::lost) me.state = rank_state::ended;
        if (me.outcome) all.give_up(self, "it ended with an exception");
        fibers::switch_fiber(me.stack, all.scheduler, true);
      });
}

void simulated_ranks::world::resume(int rank) {
  running = rank;
  outside.swap_with_thread();
  fibers::switch_fiber(scheduler, ranks[static_cast<std::size_t>(rank)].stack);
  outside.swap_with_thread();
}

/// The call that a rank is in, or that it has left.
std::string simulated_ranks::world::call_of(simulated_rank const& one) const {
  switch (one.state) {
    case rank_state::ended:
      return "has returned";
    case rank_state::lost:
      return "was lost in " + one.at.name() + ", " + one.function;
    default:
      return "waits in " + one.at.name() + ", " + one.function;
  }
}

/// The calls of all ranks; neighbors in the same call are named together.
std::string simulated_ranks::world::calls() const {
  std::string words;
  for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
    std::string const call = call_of(ranks[begin]);
    while (end < ranks.size() && call_of(ranks[end]) == call) ++end;
    std::string const last = end - begin > 1 ? "-" + std::to_string(end - 1) : "";
    words += (begin > 0 ? "; rank " : "rank ") + std::to_string(begin) + last + " " + call;
  }
  return words;
}

void simulated_ranks::world::run_all() {
  auto* const outer = std::exchange(current, this);
  int const count = static_cast<int>(ranks.size());
  for (int r = 0; r < count; ++r) {
    start(r);
    ready.push_back(r);
  }
  for (;;) {
    while (!ready.empty()) {
      std::swap(ready[random() % ready.size()], ready.back());
      int const next = ready.back();
      ready.pop_back();
      resume(next);
    }
    bool const waiting = std::ranges::any_of(
        ranks, [](auto const& one) { return one.state == rank_state::waiting; });
    if (!waiting) break;
    lost = "no rank can run: " + calls();
    end_waiting();
  }
  unwinds = true;
  for (int r = 0; r < count; ++r) {
    if (ranks[static_cast<std::size_t>(r)].state == rank_state::lost) resume(r);
  }
  for (auto const& one : ranks) stacks.give(one.memory, false);
  current = outer;
}

simulated_ranks::simulated_ranks(int ranks, std::uint64_t seed) {
  if (ranks < 1) {
    throw invalid_argument("simulated_ranks: at least 1 rank expected, got " +
                           std::to_string(ranks));
  }
  world_ = std::make_unique<world>(static_cast<std::size_t>(ranks), seed);
}

simulated_ranks::~simulated_ranks() = default;

void simulated_ranks::fail(int rank, index_t send) { world_->fail_at[checked_rank(rank)] = send; }

void simulated_ranks::lose(int rank, index_t send) { world_->lose_at[checked_rank(rank)] = send; }

std::size_t simulated_ranks::checked_rank(int rank) const {
  auto const count = static_cast<int>(world_->ranks.size());
  if (rank >= 0 && rank < count) return static_cast<std::size_t>(rank);
  throw invalid_argument("simulated_ranks: rank " + std::to_string(rank) +
                         ", expected one from 0 to " + std::to_string(count - 1));
}

std::vector<std::exception_ptr> simulated_ranks::outcomes(
    std::function<void(communicator const&)> const& body) {
  world& all = *world_;
  std::size_t const count = all.ranks.size();
  all.ranks = std::vector<simulated_rank>(count);
  all.failed = -1;
  all.lost.clear();
  all.unwinds = false;
  all.gatherings.clear();
  all.mailboxes.clear();
  all.body = &body;
  all.run_all();
  std::ranges::fill(all.fail_at, never);
  std::ranges::fill(all.lose_at, never);
  std::vector<std::exception_ptr> found;
  for (auto const& one : all.ranks) found.push_back(one.outcome);
  return found;
}

void simulated_ranks::run(std::function<void(communicator const&)> const& body) {
  detail::rethrow_own(outcomes(body));
}

index_t simulated_ranks::sends(int rank) const { return world_->ranks[checked_rank(rank)].sends; }

}  // namespace libscan::inline v1
