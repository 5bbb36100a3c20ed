// SPDX-License-Identifier: Apache-2.0
// scan-explain: shows a scan step by step.
#include <limits>

#include <CLI/CLI.hpp>

#include <apps/common/arguments.hpp>
#include <apps/common/program.hpp>
#include <apps/explain/explain.hpp>
#include <apps/explain/ranks.hpp>

namespace {

constexpr char const* what_it_does =
    "Runs a scan (prefix sum) of a few integers and shows what it does, step by step:\n"
    "the library's own GPU kernels run on the CPU, watched between any two barriers.";

std::string words_and_examples() {
  return "Algorithms:\n" + libscan::apps::algorithm_list() +
         R"words(A block scan of more items than one block holds becomes a scan-then-fan. Blocks
of a strategy run Kogge-Stone, or what --block-scan names. --block is any size
up to 1024, but not 1 in a scan-then-fan whose threads have one item each
(blelloch... and brent-kung: 2).
Up to 2048 numbers; 64 with --svg.

Examples:
  scan-explain
  scan-explain "3 1 7 0 4 1 6 3" --algorithm kogge-stone
  scan-explain "3 1 7 0 4 1 6 3" --algorithm brent-kung --block 2 --exclusive
  scan-explain --algorithm blelloch --svg blelloch.svg
  scan-explain "$(seq 1 512)" --algorithm blelloch | tail -16
  scan-explain "$(seq 1 64)" --algorithm blelloch --banks 16 --svg banks.svg
  scan-explain "3 1 7 0 4 1 6 3" --ranks 4 --sort --svg sort.svg

Exit codes: 0 done, 2 usage, 3 the drawing cannot be written, 4 memory or the executor.)words";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace libscan::apps;
  return run_program("scan-explain", [&] {
    explain_arguments arguments;
    arguments.scan.algorithm = "scan-then-fan";
    CLI::App app(what_it_does, "scan-explain");
    app.footer(words_and_examples());
    app.add_option("NUMBERS", arguments.numbers,
                   "the items: 32-bit integers, separated by blanks or commas")
        ->capture_default_str();
    app.add_option("--algorithm", arguments.scan.algorithm, "which scan, see below")
        ->type_name("NAME")
        ->capture_default_str();
    add_whole_number(
        app, "--block", 1, max_threads,
        "threads of a block; by default what block scans need for one, 4 for strategies",
        [&](std::uint64_t n) { arguments.scan.block = static_cast<int>(n); });
    app.add_option_function<std::string>(
           "--block-scan",
           [&](std::string const& name) {
             arguments.scan.block_scan = libscan::block_algorithm_from_name(name);
           },
           "which block scan the blocks of a strategy run; by default kogge-stone")
        ->type_name("NAME");
    app.add_flag("--exclusive", arguments.scan.exclusive, "sums of the items before each one");
    add_whole_number(app, "--seed", arguments.scan.seed, 0, std::numeric_limits<unsigned>::max(),
                     "run blocks and threads at once, in an order drawn from this; 0: in turn");
    app.add_option("--svg", arguments.svg,
                   "also draw the run: a file, or - for standard output instead of the text")
        ->type_name("FILE");
    add_whole_number(app, "--width", 40, 1000,
                     "columns of the text; by default the terminal's, or 80",
                     [&](std::uint64_t n) { arguments.width = static_cast<int>(n); });
    add_whole_number(app, "--banks", 1, 32,
                     "show where the operands lie in so many banks of shared memory (32 today, 16 "
                     "on the GPUs of 2007) instead of the steps",
                     [&](std::uint64_t n) { arguments.banks = static_cast<int>(n); });
    auto* const ranks =
        add_whole_number(app, "--ranks", 1, max_shown_ranks,
                         "show the scan of items that are spread over so many ranks, which send "
                         "each other messages, instead of kernels",
                         [&](std::uint64_t n) { arguments.ranks = static_cast<int>(n); });
    for (char const* kernels_only : {"--algorithm", "--block", "--banks"}) {
      ranks->excludes(app.get_option(kernels_only));
    }
    app.add_flag("--sort", arguments.sorts, "with --ranks: a sort")
        ->needs(ranks)
        ->excludes(app.get_option("--exclusive"));
    add_version_flag(app);
    if (!parse_arguments(app, argc, argv)) return exit_code::done;
    return run_explain(arguments);
  });
}
