// SPDX-License-Identifier: Apache-2.0
// scan-histogram-mpi: counts how many items of an array are in each bin, on several processes.
#include <CLI/CLI.hpp>

#include <apps/common/rank_program.hpp>
#include <apps/histogram/program/run_histogram.hpp>

namespace {

constexpr char const* what_it_does =
    "Counts how many items of an .npy or raw file are in each bin, on several processes, which "
    "MPI\n"
    "starts. The output is that of scan-histogram, byte for byte.";

constexpr char const* words_and_examples =
    R"(Bins: --bins of even width over --range, or over the range of all items; or with --integers
one per integer. scan-histogram's --help explains them. The output has one int64 per bin.

Example:
  mpirun -n 4 scan-histogram-mpi heights.npy --bins 100 --range=-500:9000 -o counts.npy
)";

}  // namespace

int main(int argc, char** argv) {
  using namespace libscan::apps;
  histogram_arguments arguments;
  arguments.output.emplace();
  return run_rank_program(argc, argv,
                          {"scan-histogram-mpi", what_it_does, words_and_examples, arguments.common,
                           [&](CLI::App& app) {
                             add_files_of_ranks(app, arguments.input, *arguments.output);
                             add_bin_arguments(app, arguments);
                           },
                           [&](libscan::ranks const& on) { histogram_on_ranks(on, arguments); }});
}
