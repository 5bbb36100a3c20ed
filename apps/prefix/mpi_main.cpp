// SPDX-License-Identifier: Apache-2.0
// scan-prefix-mpi: prefix sums, and scans by other operators, on several processes.
#include <CLI/CLI.hpp>

#include <apps/common/rank_program.hpp>
#include <apps/prefix/run_prefix.hpp>

namespace {

constexpr char const* what_it_does =
    "Scans an array of an .npy or raw file on several processes, which MPI starts: item i of the\n"
    "output is the sum (or minimum, ...) of items 0 to i of the input.";

constexpr char const* words_and_examples =
    R"(Integers, minima and maxima: the output is that of scan-prefix, byte for byte. Sums of
floats have the same bytes for any number of processes. They may
differ from those of scan-prefix in rounding.
Accumulators, --init, --reverse and segments are those of scan-prefix, whose --help explains them;
the file of segments is .npy or raw.

Examples:
  mpirun -n 4 scan-prefix-mpi lengths.npy -o offsets.npy --exclusive
  mpirun -n 4 scan-prefix-mpi prices.npy -o highest.npy --op max
  mpirun -n 4 scan-prefix-mpi sales.npy -o running.npy --keys customers.npy
)";

}  // namespace

int main(int argc, char** argv) {
  using namespace libscan::apps;
  prefix_arguments arguments;
  return run_rank_program(argc, argv,
                          {"scan-prefix-mpi", what_it_does, words_and_examples, arguments.common,
                           [&](CLI::App& app) {
                             add_files_of_ranks(app, arguments.input, arguments.output);
                             add_scan_arguments(app, arguments);
                             add_segment_arguments(app, arguments);
                           },
                           [&](libscan::ranks const& on) { prefix_on_ranks(on, arguments); }});
}
