// SPDX-License-Identifier: Apache-2.0
// scan-spmv: multiplies a sparse matrix by a vector, or describes the matrix.
#include <string>

#include <CLI/CLI.hpp>

#include <apps/common/algorithm.hpp>
#include <apps/common/program.hpp>
#include <apps/spmv/program/run_spmv.hpp>
#include <libscan/cpu/workers.hpp>

namespace {

constexpr char const* what_it_does =
    "Multiplies a sparse matrix by a vector: y = A x, also in other semirings.\n"
    "Reads Matrix Market files (coordinate; real, integer, pattern; general, symmetric,\n"
    "skew-symmetric), also gzip-compressed.";

constexpr char const* words_and_examples =
    R"(X: 'ones'; 'random:SEED', floats in [-1, 1) or integers in [-8, 8); or a file (.npy, raw,
text or CSV) with one component per column.

SEMIRING: plus-times (sums of products), min-plus (smallest of sums), max-times (largest of
products), or-and (1 if any nonzero entry meets a nonzero component). An entry of a pattern counts
as the semiring's one: 1, in min-plus 0. A row without entries gives the semiring's zero: 0; in
min-plus +infinity, in max-times -infinity (for int64 the largest and the smallest number).

Repeated entries of one place add up, also in a pattern. The product is computed in float64, for
integers in int64, or in the type of --dtype: float32, float64, int64. It is written to OUTPUT; with
--stats or --spy it is only computed if --output is given.

--memory BYTES: a matrix that does not fit is multiplied while it is read, with the vectors in
memory; only in plus-times on the CPU, without --verify, --stats, --spy, --repeat and --algorithm.
Sums of floats then follow the order of the file.

--algorithm, as kernels: on a GPU, or without one in the executor, which simulates each thread of a
GPU and takes up to 16777216 rows and entries.
  balanced   rows and entries shared out evenly among warps; also: merge-based
  segmented  one segmented reduction of all products; also: segmented-scan
  scalar     one thread per row; also: csr-scalar
  vector     one warp per row; also: csr-vector

Examples:
  scan-spmv graph.mtx.gz --stats --spy graph.svg
  scan-spmv A.mtx --x x.npy -o y.npy --verify --time
  scan-spmv A.mtx --x random:1 --transpose --dtype float32 -o y.txt
  scan-spmv streets.mtx --semiring min-plus --x distances.txt -o nearer.txt
  scan-spmv A.mtx -o /dev/null --repeat 20 --time
  scan-spmv small.mtx --algorithm segmented --engine executor --verify

Exit codes: 0 done, 1 --verify found a difference, 2 usage, 3 bad file, 4 device or memory.)";

/// The matrix file describes itself, so the options for the input of other programs apply to X
/// here.
void say_what_is_of_x(CLI::App& app) {
  app.get_option("--dtype")->description(
      "type of the product: float32, float64, int64; also of X if that is raw");
  app.get_option("--column")
      ->description(
          "column of X as text or CSV: a number from 1, or its word in the header; not given: the "
          "first, or all of a single row");
  app.get_option("--format")
      ->description("format of X: npy, raw, text, or auto: by name, else by content");
  app.get_option("--header")
      ->description(
          "whether the first line of X as text is a header: yes, no, or auto: if it looks like "
          "one");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace libscan::apps;
  return run_program("scan-spmv", [&] {
    spmv_arguments arguments;
    CLI::App app(what_it_does, "scan-spmv");
    app.footer(std::string(words_and_examples) + "\n" + about_text);
    app.add_option("MATRIX", arguments.matrix,
                   "matrix: a Matrix Market file, or - for standard input")
        ->required();
    app.add_option("-o,--output", arguments.output,
                   "output of the product: a file, or - for standard output")
        ->type_name("OUTPUT");
    app.add_option("--x", arguments.x, "the vector, see below")
        ->type_name("X")
        ->capture_default_str();
    app.add_flag("--transpose", arguments.transpose, "multiply by the transpose of the matrix");
    app.add_option("--semiring", arguments.semiring, "semiring of the product, see below")
        ->type_name("SEMIRING")
        ->capture_default_str();
    add_algorithm(app, arguments.algorithm, libscan::spmv_algorithm_names,
                  "algorithm of the product on a GPU or in the executor, see below");
    add_whole_number(app, "--repeat", arguments.repeat, 1, 1000000000,
                     "multiply N times; --time reports the fastest");
    app.add_flag("--stats", arguments.stats, "print the number of rows and their lengths");
    app.add_option("--spy", arguments.spy, "draw the places of the entries: FILE.svg or FILE.png")
        ->type_name("FILE");
    for (verifier const each : {verifier::cub, verifier::thrust, verifier::cusparse}) {
      arguments.common.offered_verifiers.add(each);
    }
    add_common_arguments(app, arguments.common);
    say_what_is_of_x(app);
    if (!parse_arguments(app, argc, argv)) return exit_code::done;
    return libscan::cpu::with_workers(arguments.common.threads,
                                      [&] { return run_spmv(arguments); });
  });
}
