// SPDX-License-Identifier: Apache-2.0
// The transport over MPI 3.1: non-blocking calls, which are polled, so that a rank that waits sees
// when another gives up or when time is up.
#include <libscan/distributed/mpi.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/distributed/error.hpp>

namespace libscan::inline v1 {
namespace {

using std::chrono::steady_clock;

constexpr int data_tag = 1;
constexpr int abandon_tag = 2;
constexpr std::size_t reason_bytes = 256;
constexpr std::size_t max_counters = std::size_t{1} << 21;  // of a round: 16 MiB
constexpr std::size_t max_gathered = std::size_t{1} << 30;

/// How long a rank that waited too long listens for others that do.
constexpr auto listening = std::chrono::milliseconds(500);

/// Messages to or from one rank in `exchange`, cut into chunks.
struct flow {
  int peer;
  bool sends;
  std::byte* data;
  index_t left;
};

class mpi_transport final : public transport {
 public:
  mpi_transport(MPI_Comm comm, mpi_options const& options) : options_(options) {
    MPI_Comm_dup(comm, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    heard_.resize(static_cast<std::size_t>(size_));
  }

  ~mpi_transport() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0 && !broken_) MPI_Comm_free(&comm_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void allgather(call_step at, std::span<std::byte const> mine, std::span<std::byte> all) override {
    if (mine.size() > max_gathered) {
      throw invalid_argument(at.name() + ": at most 2^30 bytes a rank expected");
    }
    int const bytes = static_cast<int>(mine.size());
    MPI_Request request = MPI_REQUEST_NULL;
    check(at, MPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm_,
                             &request));
    wait(at, request);
  }

  void sum(call_step at, std::span<index_t> counters, summed_ranks which) override {
    while (!counters.empty()) {
      std::span const round = counters.first(std::min(counters.size(), max_counters));
      counters = counters.subspan(round.size());
      MPI_Request request = MPI_REQUEST_NULL;
      auto const call = which == summed_ranks::all ? MPI_Iallreduce : MPI_Iexscan;
      check(at, call(MPI_IN_PLACE, round.data(), static_cast<int>(round.size()), MPI_INT64_T,
                     MPI_SUM, comm_, &request));
      wait(at, request);
      // MPI leaves the first rank's result undefined.
      if (which == summed_ranks::before && rank_ == 0) std::ranges::fill(round, 0);
    }
  }

  void transpose(call_step at, std::span<index_t const> to, std::span<index_t> from) override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(at,
          MPI_Ialltoall(to.data(), 1, MPI_INT64_T, from.data(), 1, MPI_INT64_T, comm_, &request));
    wait(at, request);
  }

  void exchange(call_step at, std::span<outgoing const> sends,
                std::span<incoming const> receives) override {
    std::vector<flow> flows;
    for (incoming const& one : receives) {
      flows.push_back({one.from, false, one.bytes.data(), static_cast<index_t>(one.bytes.size())});
    }
    for (outgoing const& one : sends) {
      flows.push_back({one.to, true, const_cast<std::byte*>(one.bytes.data()),
                       static_cast<index_t>(one.bytes.size())});
    }
    std::vector<MPI_Request> requests(2 * flows.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < requests.size(); ++i) start(at, flows[i / 2], requests[i]);
    finish(at, flows, requests);
  }

  void listen(call_step) override { hear(); }

  void abandon(std::string_view reason) noexcept override {
    if (broken_) return;
    broken_ = true;
    std::ranges::copy(libscan::detail::beginning(reason, reason_bytes - 1), reason_.begin());
    for (int r = 0; r < size_; ++r) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (r == rank_) continue;
      MPI_Isend(reason_.data(), reason_bytes, MPI_CHAR, r, abandon_tag, comm_, &request);
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }

 private:
  void check(call_step at, int code) const {
    if (code == MPI_SUCCESS) return;
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, words, &length);
    throw communicator_lost(name(at) + ": MPI failed: " + words);
  }

  std::string name(call_step at) const {
    return "rank " + std::to_string(rank_) + ", " + at.name();
  }

  /// Sends or receives the next chunk of a flow, if there is one.
  void start(call_step at, flow& one, MPI_Request& request) const {
    if (one.left == 0) return;
    auto const bytes = static_cast<int>(std::min(one.left, options_.chunk_bytes));
    check(at, one.sends
                  ? MPI_Isend(one.data, bytes, MPI_BYTE, one.peer, data_tag, comm_, &request)
                  : MPI_Irecv(one.data, bytes, MPI_BYTE, one.peer, data_tag, comm_, &request));
    one.data += bytes;
    one.left -= bytes;
  }

  /// Completes the requests of flows, two each, and what follows them.
  void finish(call_step at, std::vector<flow>& flows, std::vector<MPI_Request>& requests) {
    std::vector<int> done(requests.size());
    poll(at, [&] {
      int count = 0;
      check(at, MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count,
                             done.data(), MPI_STATUSES_IGNORE));
      for (int i = 0; i < count; ++i) {
        auto const slot = static_cast<std::size_t>(done[static_cast<std::size_t>(i)]);
        start(at, flows[slot / 2], requests[slot]);
      }
      return count == MPI_UNDEFINED ? progress::ended
                                    : (count > 0 ? progress::some : progress::none);
    });
  }

  void wait(call_step at, MPI_Request& request) {
    poll(at, [&] {
      int done = 0;
      check(at, MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      return done != 0 ? progress::ended : progress::none;
    });
  }

  enum class progress { none, some, ended };

  /// Calls `step` until it has ended; throws if another rank gives up, or without progress.
  template <class Step>
  void poll(call_step at, Step const& step) {
    auto since = steady_clock::now();
    for (unsigned tries = 0;; ++tries) {
      progress const made = step();
      if (made == progress::ended) return;
      if (made == progress::some) since = steady_clock::now();
      if (tries % 64 != 63) continue;
      hear();
      if (steady_clock::now() - since > options_.timeout) give_up(at);
      std::this_thread::yield();
    }
  }

  /// Throws if another rank gave up.
  void hear() {
    int const from = heard_from();
    if (from >= 0) throw remote_error(from, heard_words_.data());
  }

  /// The rank of a message that one gave up, or -1.
  int heard_from() {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, abandon_tag, comm_, &found, &status);
    if (found == 0) return -1;
    MPI_Recv(heard_words_.data(), reason_bytes, MPI_CHAR, status.MPI_SOURCE, abandon_tag, comm_,
             MPI_STATUS_IGNORE);
    heard_[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
    return status.MPI_SOURCE;
  }

  /// Ranks that say nothing for a while after this one gave up are those it waits for.
  [[noreturn]] void give_up(call_step at) {
    std::string const words =
        name(at) + ": no progress for " + std::to_string(options_.timeout.count()) + " ms";
    abandon(words);
    auto const end = steady_clock::now() + listening;
    while (steady_clock::now() < end) {
      if (heard_from() < 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::string silent;
    for (int r = 0; r < size_; ++r) {
      if (r != rank_ && !heard_[static_cast<std::size_t>(r)]) silent += " " + std::to_string(r);
    }
    throw communicator_lost(words +
                            "; ranks that do not answer:" + (silent.empty() ? " none" : silent));
  }

  mpi_options options_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool broken_ = false;
  std::array<char, reason_bytes> reason_{};
  std::array<char, reason_bytes> heard_words_{};
  std::vector<bool> heard_;
};

}  // namespace

communicator communicator_of(MPI_Comm comm, mpi_options const& options) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0) {
    throw invalid_argument("communicator_of: call it between MPI_Init and MPI_Finalize");
  }
  if (options.timeout.count() < 1 || options.chunk_bytes < 1 ||
      options.chunk_bytes > static_cast<index_t>(max_gathered)) {
    throw invalid_argument(
        "communicator_of: a timeout of at least 1 ms and chunks of 1 to 2^30 bytes expected");
  }
  return communicator(std::make_shared<mpi_transport>(comm, options));
}

}  // namespace libscan::inline v1
