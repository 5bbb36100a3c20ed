// SPDX-License-Identifier: Apache-2.0
// scan-filter: keeps the items of an array that a predicate accepts.
#include <string>

#include <CLI/CLI.hpp>

#include <apps/common/algorithm.hpp>
#include <apps/common/program.hpp>
#include <apps/common/rank_program.hpp>
#include <apps/filter/program/run_filter.hpp>
#include <libscan/cpu/workers.hpp>

namespace {

constexpr char const* what_it_does =
    "Keeps the items of an array that a predicate accepts or a mask marks, in their order.\n"
    "Reads .npy, raw binary and text or CSV, each also gzip-compressed.";

constexpr char const* words_and_examples =
    R"(PREDICATE: comparisons with a number (< <= > >= == !=), 'nan', 'finite', 'bits MASK' (any bit
of MASK is set; integers only), combined by 'not', 'and', 'or' and parentheses. Integers are
compared exactly; for floats the number is first rounded to the items' type. 16-bit floats are read
and written as float32, .npy bools as the uint8 0 and 1.

MASK: a file with one uint8 (or .npy bool) per item; items whose value is nonzero are kept. It may
instead hold packed bits, as written by numpy.packbits(bitorder='little'), in uint8 or uint32. Raw
files hold uint8. A file that could be either counts as unpacked; bools and text are never packed.
Text holds numbers from 0 to 255, in column 1 (--column applies to the input). Arrays of several
dimensions are read row by row, input and MASK alike; --indices counts in that order.

Text is filtered by rows: each row stays as it is, and the number in column --column decides. A
header stays first; empty lines and comments are dropped. Other output formats get only the numbers,
and --only writes them as text. A single row of several numbers without --column is a sequence of
items, not a row.

--algorithm:
  single-pass  the engine's own filter (the default); also: select
  scatter      a scan of all flags, then a scatter; also: scan-and-scatter
  ballots      blocks count by barriers and rank by ballots; also: binary-scan
The last two are the textbook's, as kernels: on a GPU, or without one in the executor, which
simulates each thread of a GPU and takes up to 16777216 items. The CPU evaluates the predicate.

--engine cuda: without --verify, the GPU gets .npy and raw files piece by piece, so they may be
larger than its memory. Reading and writing them then takes longer than the filter.

Examples:
  scan-filter heights.npy -o peaks.npy --keep '>= 4000'
  scan-filter heights.npy -o where.npy --keep '>= 4000 and < 5000' --indices
  scan-filter heights.npy --keep 'not (nan or == 0)' --count-only
  scan-filter heights.npy -o land.npy --mask is_land.npy --split sea.npy
  scan-filter log.csv --column error --keep '< -5 or > 5' > outliers.csv
  scan-filter prices.csv --column 3 --only --missing skip --keep '> 0' > prices.txt
  scan-filter flags.bin --dtype uint16 -o set.bin --keep 'bits 0x10'
  zcat x.txt.gz | scan-filter - --keep finite --time

Exit codes: 0 done, 1 --verify found a difference, 2 usage, 3 bad file, 4 device or memory.)";

}  // namespace

int main(int argc, char** argv) {
  using namespace libscan::apps;
  return run_program("scan-filter", [&] {
    using result = filter_arguments::result;
    filter_arguments arguments;
    CLI::App app(what_it_does, "scan-filter");
    app.footer(std::string(words_and_examples) + "\n" + about_text);
    app.add_option("INPUT", arguments.input, "array to filter: a file, or - for standard input")
        ->required();
    app.add_option("-o,--output", arguments.output,
                   "where the result goes: a file, or - for standard output")
        ->type_name("OUTPUT")
        ->capture_default_str();
    auto* const keep = app.add_option("--keep", arguments.keep, "which items to keep, see below");
    keep->type_name("PREDICATE");
    app.add_option("--mask", arguments.mask, "file that marks the items to keep, see below")
        ->type_name("MASK")
        ->excludes(keep);
    auto* const split = app.add_option("--split", arguments.rejected,
                                       "second output, for the rejected items: a file, or -");
    split->type_name("REJECTED");
    bool indices = false;
    bool count_only = false;
    auto* const flag =
        app.add_flag("--indices", indices, "write the positions (from 0) of the kept items")
            ->excludes(split);
    app.add_flag("--count-only", count_only, "write only the number of kept items")
        ->excludes(flag)
        ->excludes(split);
    add_algorithm(app, arguments.algorithm, libscan::apps::filter_algorithm_names,
                  "which filter, see below");
    app.add_flag("--only", arguments.only, "of text, write only the numbers of the kept rows");
    arguments.common.offered_verifiers.add(verifier::cub);
    arguments.common.offered_verifiers.add(verifier::thrust);
    add_common_arguments(app, arguments.common);
    add_gpus(app, arguments.common);
    if (!parse_arguments(app, argc, argv)) return exit_code::done;
    if (indices) arguments.wanted = result::indices;
    if (count_only) arguments.wanted = result::count;
    auto const on_ranks = [&](libscan::ranks const& on) { filter_on_ranks(on, arguments); };
    if (run_on_gpus(app, arguments.common, {"--keep"}, on_ranks)) {
      return exit_code::done;
    }
    return libscan::cpu::with_workers(arguments.common.threads,
                                      [&] { return run_filter(arguments); });
  });
}
