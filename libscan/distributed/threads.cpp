// SPDX-License-Identifier: Apache-2.0
// The transport of ranks in one process. Each function publishes where this rank's data are, meets
// the others, reads theirs, and meets them again, so that no memory goes away while it is read.
#include <libscan/distributed/threads.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <libscan/core/error.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/error.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::inline v1 {
namespace {

using std::chrono::steady_clock;

/// How long a rank polls before it sleeps.
constexpr auto spinning = std::chrono::microseconds(200);

/// What a rank shows the others in a call.
struct published {
  std::span<std::byte const> bytes = {};
  std::span<index_t> counters = {};
  std::span<index_t const> counts = {};
  std::span<outgoing const> sends = {};
};

/// Where a rank is, for messages.
struct place {
  call_step at{"", ""};
  bool waits = false;
};

/// What the ranks of a group share.
struct group {
  group(int ranks, std::chrono::milliseconds wait, bool all_linked)
      : timeout(wait),
        linked(all_linked),
        spins(std::thread::hardware_concurrency() >= 2 * static_cast<unsigned>(ranks)),
        shown(static_cast<std::size_t>(ranks)),
        places(static_cast<std::size_t>(ranks)) {}

  std::size_t ranks() const { return shown.size(); }

  /// Under `mutex`. Throws if the group is lost, for the given rank.
  void throw_if_lost(int rank) const {
    if (!lost.empty()) throw communicator_lost(lost);
    if (failed >= 0 && failed != rank) throw remote_error(failed, reason);
    if (failed == rank) throw communicator_lost("this rank gave up: " + reason);
  }

  /// Under `mutex`. The ranks that others wait for, and what they were last in.
  std::string missing() const {
    std::string names;
    for (std::size_t r = 0; r < places.size(); ++r) {
      if (places[r].waits) continue;
      names += " " + std::to_string(r);
      if (places[r].at.call[0] != '\0') names += " (after " + places[r].at.name() + ")";
    }
    return names;
  }

  std::chrono::milliseconds timeout;
  bool linked;
  bool spins;  // there are cores to spare
  std::mutex mutex;
  std::condition_variable changed;
  /// Under `mutex`, too. Wakes all that wait.
  void notify() {
    ++changes;
    changed.notify_all();
  }

  std::vector<published> shown;
  std::vector<place> places;
  std::size_t arrived = 0;
  std::uint64_t meetings = 0;
  std::atomic<std::uint64_t> changes{0};  // of what a rank may wait for
  int readers = 0;                        // ranks that read other ranks' memory now
  int failed = -1;                        // the rank that gave up
  std::string reason;
  std::string lost;  // why no rank can go on
};

class thread_transport final : public transport {
 public:
  thread_transport(std::shared_ptr<group> all, int rank) : all_(std::move(all)), rank_(rank) {}

  ~thread_transport() override {
    if (stream_ != nullptr) detail::close_stream(*stream_machine_, stream_);
  }

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(all_->ranks()); }

  void allgather(call_step at, std::span<std::byte const> mine, std::span<std::byte> all) override {
    together(at, {.bytes = mine}, [&] {
      for (std::size_t r = 0; r < all_->ranks(); ++r) {
        std::span const theirs = all_->shown[r].bytes;
        if (theirs.size() != mine.size()) refuse(at, r, mine.size(), theirs.size());
        std::ranges::copy(theirs, all.begin() + static_cast<std::ptrdiff_t>(r * mine.size()));
      }
    });
  }

  /// Each rank adds one stretch of the counters, in all ranks' memory.
  void sum(call_step at, std::span<index_t> counters, summed_ranks which) override {
    together(at, {.counters = counters}, [&] {
      for (std::size_t r = 0; r < all_->ranks(); ++r) {
        std::size_t const theirs = all_->shown[r].counters.size();
        if (theirs != counters.size()) refuse(at, r, counters.size(), theirs);
      }
      auto const me = static_cast<std::size_t>(rank_);
      std::size_t const begin = counters.size() * me / all_->ranks();
      std::size_t const end = counters.size() * (me + 1) / all_->ranks();
      for (std::size_t i = begin; i < end; ++i) {
        index_t before = 0;
        for (published& one : all_->shown) {
          index_t const own = one.counters[i];
          one.counters[i] = before;
          before += own;
        }
        if (which == summed_ranks::before) continue;
        for (published& one : all_->shown) one.counters[i] = before;
      }
    });
  }

  void transpose(call_step at, std::span<index_t const> to, std::span<index_t> from) override {
    together(at, {.counts = to}, [&] {
      for (std::size_t r = 0; r < all_->ranks(); ++r) {
        from[r] = all_->shown[r].counts[static_cast<std::size_t>(rank_)];
      }
    });
  }

  void exchange(call_step at, std::span<outgoing const> sends,
                std::span<incoming const> receives) override {
    together(at, {.sends = sends}, [&] {
      each_message(at, receives, [](incoming const& one, std::span<std::byte const> theirs) {
        std::ranges::copy(theirs, one.bytes.begin());
      });
    });
  }

  /// What stays on this rank is copied while the rest comes, in a stream of the transport's own.
  void exchange_on(device_queue const& queue, call_step at, std::span<outgoing const> sends,
                   std::span<incoming const> receives) override {
    detail::synchronize(queue);
    together(at, {.sends = sends}, [&] {
      device_queue const from_others{queue.on, stream_on(queue.on)};
      each_message(at, receives, [&](incoming const& one, std::span<std::byte const> theirs) {
        detail::copy(one.from == rank_ ? queue : from_others, one.bytes.data(), theirs.data(),
                     theirs.size());
      });
      detail::synchronize(from_others);
      detail::synchronize(queue);
    });
  }

  bool reads_all_memory() const override { return all_->linked; }

  void listen(call_step) override {
    std::lock_guard const lock(all_->mutex);
    all_->throw_if_lost(rank_);
  }

  void abandon(std::string_view reason) noexcept override {
    std::lock_guard const lock(all_->mutex);
    if (all_->failed < 0 && all_->lost.empty()) {
      all_->failed = rank_;
      all_->reason = reason;
    }
    all_->notify();
  }

 private:
  /// Shows `mine` to all ranks, and calls read() when all have shown theirs. After an exception,
  /// too, it returns only when no rank reads this rank's memory any more.
  template <class Read>
  void together(call_step at, published const& mine, Read const& read) {
    std::unique_lock lock(all_->mutex);
    try {
      all_->throw_if_lost(rank_);
      all_->shown[static_cast<std::size_t>(rank_)] = mine;
      meet(lock, at);
      all_->throw_if_lost(rank_);
      ++all_->readers;
      lock.unlock();
      read_and_leave(lock, read);
      meet(lock, at);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      all_->changed.wait(lock, [&] { return all_->readers == 0; });
      throw;
    }
  }

  template <class Read>
  void read_and_leave(std::unique_lock<std::mutex>& lock, Read const& read) {
    try {
      read();
    } catch (std::exception const& e) {
      abandon(e.what());
      leave(lock);
      throw;
    }
    leave(lock);
  }

  void leave(std::unique_lock<std::mutex>& lock) {
    lock.lock();
    if (--all_->readers == 0) all_->changed.notify_all();  // no reason to stop spinning
  }

  /// Waits until all ranks have come here.
  void meet(std::unique_lock<std::mutex>& lock, call_step at) {
    place& mine = all_->places[static_cast<std::size_t>(rank_)];
    mine = {at, true};
    std::uint64_t const meeting = all_->meetings;
    if (++all_->arrived == all_->ranks()) {
      all_->arrived = 0;
      ++all_->meetings;
      for (place& one : all_->places) one.waits = false;
      all_->notify();
      return;
    }
    auto const over = [&] {
      return all_->meetings != meeting || all_->failed >= 0 || !all_->lost.empty();
    };
    spin(lock);
    bool const in_time = all_->changed.wait_for(lock, all_->timeout, over);
    if (all_->meetings != meeting) return;
    if (!in_time) {
      all_->lost = "rank " + std::to_string(rank_) + ", " + at.name() + ": no progress for " +
                   std::to_string(all_->timeout.count()) +
                   " ms; ranks that do not answer:" + all_->missing();
      all_->notify();
    }
    all_->throw_if_lost(rank_);
  }

  /// Waits a little for any change, if there are cores to spare: waking a thread takes longer than
  /// most meetings.
  void spin(std::unique_lock<std::mutex>& lock) const {
    if (!all_->spins) return;
    std::uint64_t const before = all_->changes;
    lock.unlock();
    auto const end = steady_clock::now() + spinning;
    while (all_->changes.load(std::memory_order_relaxed) == before && steady_clock::now() < end) {
    }
    lock.lock();
  }

  /// copy(incoming, the sender's bytes), beginning at another sender on each rank.
  template <class Copy>
  void each_message(call_step at, std::span<incoming const> receives, Copy const& copy) {
    auto const next =
        std::ranges::find_if(receives, [&](incoming const& one) { return one.from > rank_; });
    auto const first = static_cast<std::size_t>(next - receives.begin());
    for (std::size_t i = 0; i < receives.size(); ++i) {
      incoming const& one = receives[(first + i) % receives.size()];
      auto const from = static_cast<std::size_t>(one.from);
      std::span<std::byte const> theirs;
      for (outgoing const& sent : all_->shown[from].sends) {
        if (sent.to == rank_) theirs = sent.bytes;
      }
      if (theirs.size() != one.bytes.size()) refuse(at, from, one.bytes.size(), theirs.size());
      copy(one, theirs);
    }
  }

  [[noreturn]] void refuse(call_step at, std::size_t rank, std::size_t wanted,
                           std::size_t found) const {
    throw communicator_lost("rank " + std::to_string(rank_) + ", " + at.name() + ": rank " +
                            std::to_string(rank) + " sends " + std::to_string(found) +
                            ", expected " + std::to_string(wanted));
  }

  /// A stream on the machine, which later exchanges use, too.
  void* stream_on(engine const& on) {
    bool const same = stream_machine_ && stream_machine_->which() == on.which() &&
                      stream_machine_->device() == on.device();
    if (same) return stream_;
    if (stream_ != nullptr) detail::close_stream(*stream_machine_, stream_);
    stream_ = nullptr;
    stream_machine_ = on;
    stream_ = detail::open_stream(on);
    return stream_;
  }

  std::shared_ptr<group> all_;
  int rank_;
  std::optional<engine> stream_machine_;
  void* stream_ = nullptr;
};

std::vector<communicator> communicators_of(int ranks, thread_options const& options, bool linked) {
  if (ranks < 1 || options.timeout.count() < 1) {
    throw invalid_argument(
        "communicators_of_threads: at least one rank and a timeout of at least 1 ms expected");
  }
  auto const all = std::make_shared<group>(ranks, options.timeout, linked);
  std::vector<communicator> found;
  for (int r = 0; r < ranks; ++r) {
    found.emplace_back(std::make_shared<thread_transport>(all, r));
  }
  return found;
}

}  // namespace

std::vector<communicator> communicators_of_threads(int ranks, thread_options const& options) {
  return communicators_of(ranks, options, false);
}

std::vector<engine> all_gpus() {
  std::vector<engine> found;
  if constexpr (detail::has_cuda) {
    for (int d = 0; d < detail::cuda_devices(); ++d) {
      try {
        found.push_back(engine::cuda(d));
      } catch (error const&) {
        // libscan was not built for its architecture, or it is broken.
      }
    }
  }
  return found;
}

thread_ranks::thread_ranks(std::vector<engine> engines, thread_options const& options,
                           association order)
    : engines_(std::move(engines)),
      streams_(engines_.size(), nullptr),
      options_(options),
      order_(order) {
  if (engines_.empty()) throw invalid_argument("thread_ranks: at least one engine expected");
  for (engine const& on : engines_) {
    for (engine const& peer : engines_) {
      bool const kernels = on.runs_kernels() && peer.runs_kernels();
      linked_ = kernels && detail::link(on, peer) && linked_;
    }
  }
}

thread_ranks::~thread_ranks() {
  for (std::size_t r = 0; r < engines_.size(); ++r) {
    if (streams_[r] != nullptr) detail::close_stream(engines_[r], streams_[r]);
  }
}

std::vector<std::exception_ptr> thread_ranks::outcomes(
    std::function<void(ranks const&)> const& body) {
  auto const comms = communicators_of(size(), options_, linked_ && options_.read_all_memory);
  std::vector<std::exception_ptr> found(engines_.size());
  auto const guarded = [&](std::size_t r, auto const& work) {
    try {
      work();
    } catch (std::exception const& e) {
      found[r] = std::current_exception();
      comms[r].through().abandon(e.what());
    } catch (...) {
      found[r] = std::current_exception();
      comms[r].through().abandon("an exception of an unknown type");
    }
  };
  std::vector<std::jthread> threads;
  threads.reserve(engines_.size());
  for (std::size_t r = 0; r < engines_.size(); ++r) {
    auto const run_rank = [&, r] {
      engine const& on = engines_[r];
      if (on.runs_kernels()) {
        detail::select(on);
        if (streams_[r] == nullptr) streams_[r] = detail::open_stream(on);
      }
      body(ranks(comms[r], device_queue{on, streams_[r]}, order_));
    };
    // If the system refuses the thread, that is this rank's exception.
    guarded(r, [&] { threads.emplace_back([&guarded, run_rank, r] { guarded(r, run_rank); }); });
  }
  threads.clear();
  return found;
}

void thread_ranks::run(std::function<void(ranks const&)> const& body) {
  detail::rethrow_own(outcomes(body));
}

}  // namespace libscan::inline v1
