// SPDX-License-Identifier: Apache-2.0
// scan-sort: sorts arrays, and the rows of tables.
#include <string>

#include <CLI/CLI.hpp>

#include <apps/common/algorithm.hpp>
#include <apps/common/program.hpp>
#include <apps/common/rank_program.hpp>
#include <apps/common/temporary_file.hpp>
#include <apps/radix_sort/program/run_sort.hpp>
#include <libscan/cpu/workers.hpp>

namespace {

using namespace libscan::apps;

constexpr char const* what_it_does =
    "Sorts an array, or the rows of a table by a column of numbers; equal keys stay in order.\n"
    "Reads .npy, raw binary and text or CSV, each also gzip-compressed.";

constexpr char const* words_and_examples =
    R"(Order: numbers by value; floats -inf < ... < (-0 = +0) < ... < +inf < nan. --descending
reverses it; equal keys still keep the order of the input.

Text is sorted by rows: each row stays whole, and the number in column --column is its key. A
header stays first; empty lines and comments are dropped. Other output formats get only the keys.

COLUMN is a number from 1 or a word of the header, and may be followed by :text (bytes, as sort does
with LC_ALL=C; blanks around a cell without quotes do not count), :date (ISO 8601, such as
2024-02-29 or 2024-02-29T23:59:59.5+01:00; UTC without a zone), :number (the default), and by
:ascending or :descending. A name that begins with a digit or a sign is written in double quotes.
With several --column, rows that are equal by the first are sorted by the second, and so on. Text,
dates, several keys and --missing first or last need text as the output, or --argsort.

--values FILE: one item per key, which moves with it; --values-output names their output. In text
they are column 1, without a header.
--argsort: write the positions of the keys instead (int64, from 0; rows of text, not counting the
header).
--unique: of keys that compare equal (==) keep only the first, with its row, value or position;
-0 equals +0, nan equals nothing.
--bits LO:HI: compare only bits LO to HI - 1. For unsigned keys these are the key's bits; others are
first mapped to unsigned numbers of the same order: signed ones by flipping the sign bit, floats by
flipping the sign bit, or all bits if it is set; -0 as +0, and every nan as all ones.
--memory BYTES: keys in .npy and raw files, and rows of text, that do not fit are sorted through a
temporary file in --temp DIR; it has no name, and vanishes with the program. Default: TMPDIR, or the
directory of the output. These need everything in memory, or the sort is refused: numbers of text
without their rows, rows with --values or --bits, .npy arrays in Fortran order, --verify,
--algorithm and GPUs. Sorts need more if many keys share bits, and for floats with -0 or nan among
them. Suffixes K, M, G and T are powers of 1024. Default: the least that the sort needs must fit in
60 % of the memory that the machine, its cgroup, RLIMIT_AS and RLIMIT_DATA leave.
16-bit floats are read and written as float32, .npy bools as the uint8 0 and 1.

--algorithm, which keeps everything in memory. The first three are kernels: on a GPU, or without one
in the executor, which simulates each thread of a GPU and takes up to 16777216 keys.
  onesweep     the sort of the cuda engine: digit by digit
  split        bit by bit: a binary scan of all keys for each; also: split-radix
  block-radix  the same by one block, of at most 1024 keys; also: intra-block
  counting     on any engine, up to 256 successive numbers: count, scan, move; also: split-by-key

Examples:
  scan-sort prices.npy -o sorted.npy --descending
  scan-sort keys.npy -o sorted.npy --values rows.npy --values-output rows-sorted.npy
  scan-sort prices.npy -o order.npy --argsort --verify --time
  scan-sort log.csv --column 3 > by-third-column.csv
  scan-sort sales.csv --column price --column day:date:descending --missing last > sorted.csv
  ls -l | scan-sort - --column 5
  scan-sort addresses.bin --dtype uint32 -o networks.bin --bits 8:32
  zcat numbers.txt.gz | scan-sort - --unique
  seq 1000 -1 1 | scan-sort - --algorithm block-radix --verify

Exit codes: 0 done, 1 --verify found a difference, 2 usage, 3 bad file, 4 device or memory.)";

/// Adds the options of scan-sort itself.
void add_arguments(CLI::App& app, sort_arguments& arguments) {
  app.add_option("INPUT", arguments.input, "keys to sort: a file, or - for standard input")
      ->required();
  app.add_option("-o,--output", arguments.output, "output: a file, or - for standard output")
      ->type_name("OUTPUT")
      ->capture_default_str();
  add_order_arguments(app, arguments);
  add_values_arguments(app, arguments);
  app.add_option_function<std::string>(
         "--temp", [](std::string const& directory) { set_temporary_directory(directory); },
         "directory of temporary files, see --memory below")
      ->type_name("DIR");
  add_algorithm(app, arguments.algorithm, sort_algorithm_names, "which sort, see below");
  app.add_flag("--unique", arguments.unique, "keep only the first of equal keys");
  arguments.common.offered_verifiers.add(verifier::cub);
  arguments.common.offered_verifiers.add(verifier::thrust);
  add_common_arguments(app, arguments.common, column_use::keys);
  add_gpus(app, arguments.common);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("scan-sort", [&] {
    sort_arguments arguments;
    CLI::App app(what_it_does, "scan-sort");
    app.footer(std::string(words_and_examples) + "\n" + about_text);
    add_arguments(app, arguments);
    if (!parse_arguments(app, argc, argv)) return exit_code::done;
    auto const on_ranks = [&](libscan::ranks const& on) { sort_on_ranks(on, arguments); };
    if (run_on_gpus(app, arguments.common, {"--descending", "--argsort", "--bits"}, on_ranks)) {
      return exit_code::done;
    }
    return libscan::cpu::with_workers(arguments.common.threads,
                                      [&] { return run_sort(arguments); });
  });
}
