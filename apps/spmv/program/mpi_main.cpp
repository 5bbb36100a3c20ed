// SPDX-License-Identifier: Apache-2.0
// scan-spmv-mpi: multiplies a sparse matrix by a vector, on several processes.
#include <CLI/CLI.hpp>

#include <apps/common/rank_program.hpp>
#include <apps/spmv/program/run_spmv.hpp>

namespace {

constexpr char const* what_it_does =
    "Multiplies a sparse matrix by a vector on several processes, which MPI starts: y = A x, also\n"
    "in other semirings. Reads Matrix Market files that are not compressed.";

constexpr char const* words_and_examples =
    R"(X: 'ones'; 'random:SEED'; or an .npy or raw file with one component per column.
SEMIRING: plus-times, min-plus, max-times, or-and. scan-spmv's --help explains them, and the type of
the product (--dtype: float32, float64 or int64; also of X if that is raw).
Integers: the output is that of scan-spmv, byte for byte. Sums of floats have the same bytes for any
number of processes. They may differ from those of scan-spmv in rounding.
A rank takes up to seven times the size of its entries in memory.

Examples:
  mpirun -n 4 scan-spmv-mpi A.mtx --x x.npy -o y.npy
  mpirun -n 4 scan-spmv-mpi A.mtx --x random:1 -o /tmp/y.npy --repeat 20 --time
)";

}  // namespace

int main(int argc, char** argv) {
  using namespace libscan::apps;
  spmv_arguments arguments;
  arguments.output.emplace();
  return run_rank_program(
      argc, argv,
      {"scan-spmv-mpi", what_it_does, words_and_examples, arguments.common,
       [&](CLI::App& app) {
         app.add_option("MATRIX", arguments.matrix, "matrix: a Matrix Market file")->required();
         app.add_option("-o,--output", *arguments.output, "the file to write, .npy or raw")
             ->type_name("OUTPUT")
             ->required();
         app.add_option("--x", arguments.x, "the vector, see below")
             ->type_name("X")
             ->capture_default_str();
         app.add_flag("--transpose", arguments.transpose,
                      "multiply by the transpose of the matrix");
         app.add_option("--semiring", arguments.semiring, "semiring of the product, see below")
             ->type_name("SEMIRING")
             ->capture_default_str();
         add_whole_number(app, "--repeat", arguments.repeat, 1, 1000000000,
                          "multiply N times; --time reports the fastest");
       },
       [&](libscan::ranks const& on) { spmv_on_ranks(on, arguments); }});
}
