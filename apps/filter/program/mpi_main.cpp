// SPDX-License-Identifier: Apache-2.0
// scan-filter-mpi: keeps the items of an array that a predicate accepts, on several processes.
#include <string>

#include <CLI/CLI.hpp>

#include <apps/common/rank_program.hpp>
#include <apps/filter/program/run_filter.hpp>

namespace {

constexpr char const* what_it_does =
    "Keeps the items of an .npy or raw file that a predicate accepts or a mask marks, in their\n"
    "order, on several processes, which MPI starts. The output is that of scan-filter, byte for\n"
    "byte.";

constexpr char const* words_and_examples =
    R"(PREDICATE and MASK: as for scan-filter, whose --help explains them. MASK is .npy or raw.
A rank takes up to twice the size of its items in memory.

Example:
  mpirun -n 4 scan-filter-mpi heights.npy -o peaks.npy --keep '>= 4000'
)";

}  // namespace

int main(int argc, char** argv) {
  using namespace libscan::apps;
  filter_arguments arguments;
  return run_rank_program(
      argc, argv,
      {"scan-filter-mpi", what_it_does, words_and_examples, arguments.common,
       [&](CLI::App& app) {
         add_files_of_ranks(app, arguments.input, arguments.output);
         auto* const keep =
             app.add_option("--keep", arguments.keep, "which items to keep, see below");
         keep->type_name("PREDICATE");
         app.add_option("--mask", arguments.mask, "file that marks the items to keep, see below")
             ->type_name("MASK")
             ->excludes(keep);
       },
       [&](libscan::ranks const& on) { filter_on_ranks(on, arguments); }});
}
