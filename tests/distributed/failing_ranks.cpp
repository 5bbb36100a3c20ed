// SPDX-License-Identifier: Apache-2.0
// A program for several ranks that fails, for programs_mpi_test.py. The argument says how. Prints
// "touched" if MPI writes to memory of an exchange that has failed.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include <apps/common/rank_program.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/scan.hpp>

using namespace libscan;

namespace {

using std::chrono::milliseconds;

/// Where rank 0 waits for a message of rank 1. It outlives the exchange, so that a test may look.
std::atomic<unsigned char> received[64];

/// Rank 2 gives up while rank 0 waits for rank 1, whose message comes when rank 0 has failed.
void send_late(communicator const& comm) {
  libscan::detail::collective(comm, "exchange", [&](libscan::detail::collective_call& call) {
    auto const bytes = std::as_writable_bytes(std::span(received));
    std::vector<outgoing> sends;
    std::vector<incoming> receives;
    if (comm.rank() == 0) receives.push_back({1, bytes});
    if (comm.rank() == 1) {
      std::this_thread::sleep_for(milliseconds(150));
      received[0] = 1;
      sends.push_back({0, bytes});
    }
    if (comm.rank() == 2) throw std::runtime_error("its disk is full");
    call.through().exchange(call.at("late message"), sends, receives);
  });
}

/// Looks at the memory of rank 0 until the job ends.
void watch_memory() {
  std::thread([] {
    while (received[0] == 0) std::this_thread::sleep_for(milliseconds(1));
    std::fputs("touched\n", stderr);
  }).detach();
}

void fail(ranks const& on, std::string const& how) {
  if (how == "late") {
    if (on.rank() == 0) watch_memory();
    send_late(on.comm());
  }
  // The last rank fails outside of any call; or several do; or one does not come.
  bool const last = on.rank() == on.size() - 1;
  if (how == "one" && last) throw std::runtime_error("its disk is full");
  if (how == "several" && on.rank() > 0) throw std::runtime_error("its disk is full");
  if (how == "hangs" && last) std::this_thread::sleep_for(std::chrono::minutes(5));
  libscan::reduce(on, std::vector<int>{1});
}

}  // namespace

int main(int argc, char** argv) {
  apps::common_arguments common;
  std::string how;
  return apps::run_rank_program(
      argc, argv,
      {"failing_ranks", "Fails.", "", common,
       [&](CLI::App& app) { app.add_option("HOW", how, "how it fails")->required(); },
       [&](ranks const& on) { fail(on, how); }});
}
