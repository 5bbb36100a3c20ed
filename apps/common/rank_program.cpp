// SPDX-License-Identifier: Apache-2.0
// From the processes of mpirun to ranks, and back to one exit code.
#include <apps/common/rank_program.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include <CLI/CLI.hpp>

#include <apps/common/memory_bound.hpp>
#include <apps/common/program.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/error.hpp>
#include <libscan/distributed/mpi.hpp>
#include <libscan/distributed/transport.hpp>

namespace libscan::apps {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// How long a rank that failed waits for the others to agree on who speaks. After it, the job is
/// aborted.
constexpr milliseconds patience{400};

/// How long a rank waits for the one before it to speak, and for the one that failed.
constexpr milliseconds turn{200}, turn_of_others{5000};

/// How long ranks that end may take to leave MPI.
constexpr unsigned leaving_seconds = 10;

constexpr char const* about_ranks =
    R"(Start one process per rank, as in: mpirun -n 4 PROGRAM ...
Each rank holds its part of the input in memory, and writes its part of the output. Several machines
need a file system that all of them share, or --gather. The output appears when all parts are
written; if a rank fails, is killed or hangs, none appears.
Exit codes: 0 done, 2 usage, 3 bad file, 4 memory, or a rank was lost.)";

/// Passes calls on to another transport, and knows whether it can still be used. If not, MPI may
/// use memory of a call that has ended: then no MPI function may run that makes progress.
class watched_transport final : public transport {
 public:
  watched_transport(communicator const& comm, bool& usable) : comm_(comm), usable_(usable) {}

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  void allgather(call_step at, std::span<std::byte const> mine, std::span<std::byte> all) override {
    watch([&](transport& to) { to.allgather(at, mine, all); });
  }
  void sum(call_step at, std::span<index_t> counters, summed_ranks which) override {
    watch([&](transport& to) { to.sum(at, counters, which); });
  }
  void transpose(call_step at, std::span<index_t const> to, std::span<index_t> from) override {
    watch([&](transport& through) { through.transpose(at, to, from); });
  }
  void exchange(call_step at, std::span<outgoing const> sends,
                std::span<incoming const> receives) override {
    watch([&](transport& to) { to.exchange(at, sends, receives); });
  }
  void abandon(std::string_view reason) noexcept override {
    usable_ = false;
    comm_.through().abandon(reason);
  }

 private:
  template <class Call>
  void watch(Call const& call) {
    usable_ = false;
    call(comm_.through());
    usable_ = true;
  }

  communicator comm_;
  bool& usable_;
};

/// The number of ranks on this machine.
int ranks_here() {
  MPI_Comm here = MPI_COMM_NULL;
  int ranks = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &ranks);
  MPI_Comm_free(&here);
  return ranks;
}

/// Parses on rank 0 first: it prints --help, or the error, for all. False after --help.
bool parse_on_ranks(communicator const& comm, CLI::App& app, int argc, char** argv) {
  return libscan::detail::collective(comm, "arguments", [&](auto& call) {
    auto const goes_on =
        call.gather("rank 0", [&] { return comm.rank() != 0 || parse_arguments(app, argc, argv); });
    if (!goes_on[0]) return false;
    call.agree("all ranks", [&] {
      if (comm.rank() != 0) (void)parse_arguments(app, argc, argv);
    });
    return true;
  });
}

/// `usable` becomes whether the program's communicators still are.
void run_on_ranks(int argc, char** argv, rank_program const& program, bool& usable) {
  std::uint64_t timeout_seconds = 600;
  CLI::App app(program.what_it_does, program.name);
  app.footer(std::string(program.words) + "\n" + about_ranks);
  program.add_arguments(app);
  add_rank_arguments(app, program.common);
  add_whole_number(app, "--timeout", timeout_seconds, 1, 1000000,
                   "seconds that ranks wait for one that makes no progress");
  auto const watched = [&](mpi_options const& options) {
    auto const comm = communicator_of(MPI_COMM_WORLD, options);
    return communicator(std::make_shared<watched_transport>(comm, usable));
  };
  if (!parse_on_ranks(watched({}), app, argc, argv)) return;
  int const here = ranks_here();
  auto const bound = memory_bound() / static_cast<std::uint64_t>(here);
  if (!memory_bound_given()) set_memory_bound(bound);
  int const shared = std::max(1, engine::cpu().threads() / here);
  int const threads = program.common.threads == 0 ? shared : program.common.threads;
  mpi_options options;
  options.timeout = milliseconds(1000 * timeout_seconds);
  program.run(ranks{watched(options), engine::cpu(threads)});
}

/// Replaces `word` by the smallest of all ranks. False if they do not all answer in time.
bool agree_on_least(std::int64_t& word) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  // Static: MPI may use them when this has returned.
  static std::int64_t mine, lowest;
  mine = word;
  if (MPI_Iallreduce(&mine, &lowest, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD, &request) !=
      MPI_SUCCESS) {
    return false;
  }
  auto const end = steady_clock::now() + patience;
  for (int done = 0; steady_clock::now() < end;
       std::this_thread::sleep_for(std::chrono::microseconds(100))) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done == 0) continue;
    word = lowest;
    return true;
  }
  return false;
}

/// Whether the exception is another rank's.
bool is_remote(std::exception_ptr const& exception) {
  try {
    if (exception) std::rethrow_exception(exception);
  } catch (remote_error const&) {
    return true;
  } catch (...) {
  }
  return false;
}

void say_of_rank(int rank, int size, std::string const& words) {
  say("error: " + (size > 1 ? "rank " + std::to_string(rank) + ": " : "") + words);
}

/// Ends this rank, and with it the job, after `exception`. If the communicator is not `usable`, the
/// ranks cannot agree.
int end_after(std::exception_ptr const& exception, bool usable) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  program_failure const failure = failure_of(exception);
  bool const own = !is_remote(exception);
  std::int64_t const mine = (own ? rank : size) * 256 + static_cast<int>(failure.code);
  std::int64_t lowest = mine;
  if (usable && agree_on_least(lowest)) {
    bool const only_remote = lowest >= size * 256;
    if (lowest == mine && (own || (only_remote && rank == 0))) {
      say_of_rank(rank, size, failure.words);
    }
    ::alarm(leaving_seconds);
    MPI_Finalize();
    return static_cast<int>(lowest % 256);
  }
  // Ranks speak in turn. The first one's abort ends the others.
  std::this_thread::sleep_for((own ? 0 : 1) * turn_of_others + std::min(rank, 8) * turn);
  say_of_rank(rank, size, failure.words);
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(failure.code));
  return static_cast<int>(failure.code);
}

}  // namespace

void add_files_of_ranks(CLI::App& app, std::string& input, std::string& output) {
  app.add_option("INPUT", input, "an .npy or raw file")->required();
  app.add_option("-o,--output", output, "the file to write, .npy or raw")
      ->type_name("OUTPUT")
      ->required();
}

int run_rank_program(int argc, char** argv, rank_program const& program) {
  begin_program(program.name);
  MPI_Init(&argc, &argv);
  bool usable = true;
  try {
    run_on_ranks(argc, argv, program, usable);
  } catch (...) {
    return end_after(std::current_exception(), usable);
  }
  MPI_Finalize();
  return static_cast<int>(exit_code::done);
}

}  // namespace libscan::apps
