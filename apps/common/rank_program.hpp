// SPDX-License-Identifier: Apache-2.0
// Programs on several ranks. Processes of MPI: the frame around the program, with one message for
// all ranks. --gpus: several GPUs in one process, each with a part of the input.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include <apps/common/arguments.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// A program of this kind. The variables of its arguments outlive the run.
struct rank_program {
  char const* name;                              ///< as in "scan-sort-mpi"
  char const* what_it_does;                      ///< the first lines of --help
  char const* words;                             ///< the last ones
  common_arguments& common;                      ///< those of `add_rank_arguments`
  std::function<void(CLI::App&)> add_arguments;  ///< those of its own
  std::function<void(ranks const&)> run;
};

/// Adds INPUT and --output, an .npy or raw file each.
void add_files_of_ranks(CLI::App& app, std::string& input, std::string& output);

/// The result of `main`. Runs the program on each process that mpirun started.
///
/// An exception of any rank ends all of them with its exit code, which is that of `run_program`.
/// The lowest rank that failed prints the message, which names it. --help and usage errors are
/// printed once, too. A rank that hangs ends the job after --timeout.
int run_rank_program(int argc, char** argv, rank_program const& program);

/// Adds --gpus.
void add_gpus(CLI::App& app, common_arguments& values);

/// If --gpus was given, runs `work` on a thread for each GPU and returns true. With --engine
/// executor its number is that of executors.
/// `known`: the program's own options that go with it, besides the input, --output and those of
/// `add_rank_arguments` except --threads. Throws `usage_error` for others, and for other engines;
/// `engine_unavailable`; and the exception of the lowest rank that failed.
bool run_on_gpus(CLI::App const& app, common_arguments& values,
                 std::initializer_list<std::string_view> known,
                 std::function<void(ranks const&)> const& work);

}  // namespace libscan::apps
