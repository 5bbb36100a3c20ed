// SPDX-License-Identifier: Apache-2.0
// scan-sort-mpi: sorts an array on several processes.
#include <CLI/CLI.hpp>

#include <apps/common/rank_program.hpp>
#include <apps/radix_sort/program/run_sort.hpp>

namespace {

constexpr char const* what_it_does =
    "Sorts an array of an .npy or raw file on several processes, which MPI starts. The output is\n"
    "that of scan-sort, byte for byte, for any number of processes.";

constexpr char const* words_and_examples =
    R"(--bits LO:HI: compare only bits LO to HI - 1, as scan-sort does.
--argsort: write the positions of the keys instead (int64, from 0).
--values FILE: one item per key, which moves with it; --values-output names their output. Both
outputs appear together.
A rank takes up to five times the size of its keys and values in memory, and of positions and keys.

Examples:
  mpirun -n 4 scan-sort-mpi prices.npy -o sorted.npy --descending
  mpirun -n 4 scan-sort-mpi addresses.bin --dtype uint32 -o order.npy --argsort
  mpirun -n 4 scan-sort-mpi keys.npy -o k.npy --values rows.npy --values-output r.npy
)";

}  // namespace

int main(int argc, char** argv) {
  using namespace libscan::apps;
  sort_arguments arguments;
  return run_rank_program(argc, argv,
                          {"scan-sort-mpi", what_it_does, words_and_examples, arguments.common,
                           [&](CLI::App& app) {
                             add_files_of_ranks(app, arguments.input, arguments.output);
                             add_order_arguments(app, arguments);
                             add_values_arguments(app, arguments);
                           },
                           [&](libscan::ranks const& on) { sort_on_ranks(on, arguments); }});
}
