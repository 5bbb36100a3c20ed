// SPDX-License-Identifier: Apache-2.0
// scan-prefix: prefix sums, and scans by other operators, of an array.
#include <string>

#include <CLI/CLI.hpp>

#include <apps/common/algorithm.hpp>
#include <apps/common/program.hpp>
#include <apps/common/rank_program.hpp>
#include <apps/prefix/run_prefix.hpp>
#include <libscan/cpu/workers.hpp>

namespace {

using namespace libscan::apps;

constexpr char const* what_it_does =
    "Scans an array: item i of the output is the sum (or minimum, ...) of items 0 to i of the "
    "input.\nReads .npy, raw binary and text or CSV, each also gzip-compressed.";

constexpr char const* words_and_examples =
    R"(TYPE of the accumulator and the output: by default integers accumulate in 64 bits, floats in
their own type (float16 and bfloat16 in float32), as in numpy.cumsum, for every operator. bfloat16
is read from raw files with --dtype; .npy bools count as 0 and 1. Other choices: any type as
wide as the items or wider (text is read as int64 or float64, unless --dtype says otherwise), and
float32.
Integers wrap around; an integer accumulator takes the integer part of floats, which must fit. The
init comes before the first item of each segment, in inclusive scans too; by default it is the
operator's identity (-0 for sums of floats). --reverse scans from the end: item i is the sum of
items i to the last.

Segments, each scanned separately; one of:
  --heads      uint8 or .npy bools, one per item: nonzero where a segment begins
  --head-bits  the same as bits, as numpy.packbits(..., bitorder='little') packs them
  --offsets    integers 0, ..., n: segment s is items offsets[s] to offsets[s+1] - 1
  --keys       any values, one per item: equal neighbors belong to one segment
The file is .npy, raw (uint8; int64 for --offsets; not for --keys, whose type it does not give) or,
except for bits, text; its column 1 counts (--column applies to the input). --heads in text are
numbers from 0 to 255. Keys are integers, floats or .npy bools. Arrays of several dimensions
are read row by row, the input too.

--algorithm: sequential, global-hillis-steele, one-block (up to 2048 items), scan-then-fan,
scan-then-propagate, reduce-then-scan, chained-scan, decoupled-look-back or production, as kernels:
on a GPU, or without one in the executor, which simulates each thread of a GPU and takes up to
16777216 items. Not for segments. --block is any number up to 1024; a GPU runs whole warps of 32
threads. By default blocks have 256 threads, one-block 1024; sequential and production have no such
choice.
--block-scan: what the blocks of such a strategy run: sequential, quadratic, hillis-steele,
kogge-stone, kogge-stone-double-buffered, blelloch, blelloch-padded (the default),
blelloch-fully-padded or brent-kung. Not for global-hillis-steele, which has none. The names of
block scans are also names for --algorithm: scan-then-fan with that block scan.

--engine cuda: without segments, --algorithm and --verify, the GPU gets .npy and raw files piece by
piece, so they may be larger than its memory. Reading and writing them then takes longer than the
scan.

Examples:
  scan-prefix lengths.npy -o offsets.npy --exclusive
  scan-prefix heights.npy -o highest-so-far.npy --op max --accumulator int16
  scan-prefix values.npy -o sums.npy --keys names.npy --verify --time
  scan-prefix log.csv --column 3 --reverse > remaining.txt
  seq 10 | scan-prefix - --algorithm decoupled-look-back
  seq 10 | scan-prefix - --algorithm brent-kung --block 2 --verify

Exit codes: 0 done, 1 --verify found a difference, 2 usage, 3 bad file, 4 device or memory.)";

/// The words of --algorithm, --block and --block-scan.
struct strategy_words {
  std::string algorithm;
  int block = 0;
  std::optional<libscan::block_algorithm> block_scan;
};

void add_strategies(CLI::App& app, strategy_words& words) {
  add_algorithm(app,
                "device strategy instead of the engine's own scan, not for segments, see below",
                [&](std::string const& name) { words.algorithm = name; });
  add_whole_number(app, "--block", 1, 1024, "threads of a block of that strategy, see below",
                   [&](std::uint64_t n) { words.block = static_cast<int>(n); });
  app.add_option_function<std::string>(
         "--block-scan",
         [&](std::string const& name) {
           words.block_scan = libscan::block_algorithm_from_name(name);
         },
         "what its blocks run, see below")
      ->type_name("NAME");
}

/// The strategy that the words name; none if they name none. Throws `usage_error`.
std::optional<strategy_choice> choice_of(strategy_words const& words) {
  using libscan::scan_strategy;
  std::string const& name = words.algorithm;
  auto const which = libscan::scan_strategy_names.find(name);
  auto const block_scan = libscan::block_algorithm_names.find(name);
  if (!name.empty() && !which && !block_scan) {
    throw usage_error("--algorithm: \"" + name + "\" is unknown; expected one of " +
                      libscan::scan_strategy_names.list() +
                      "; or a block scan: " + libscan::block_algorithm_names.list());
  }
  if (!which && block_scan) {
    if (!words.block_scan)
      return strategy_choice{scan_strategy::scan_then_fan, words.block, block_scan};
    throw usage_error("--algorithm " + name + " is a block scan itself, expected no --block-scan");
  }
  if (words.block_scan && !(which && libscan::runs_block_scan(*which))) {
    throw usage_error("--block-scan is for the blocks of an --algorithm such as scan-then-fan");
  }
  bool const blocks =
      which && *which != scan_strategy::sequential && *which != scan_strategy::production;
  if (words.block != 0 && !blocks) {
    throw usage_error(
        "--block is for the blocks of an --algorithm, expected one other than sequential and "
        "production");
  }
  if (!which) return std::nullopt;
  return strategy_choice{*which, words.block, words.block_scan};
}

/// Adds the options of scan-prefix itself.
void add_arguments(CLI::App& app, prefix_arguments& arguments, strategy_words& words) {
  app.add_option("INPUT", arguments.input, "array to scan: a file, or - for standard input")
      ->required();
  app.add_option("-o,--output", arguments.output,
                 "where the result goes: a file, or - for standard output")
      ->type_name("OUTPUT")
      ->capture_default_str();
  add_scan_arguments(app, arguments);
  add_segment_arguments(app, arguments);
  add_strategies(app, words);
  arguments.common.offered_verifiers.add(verifier::cub);
  arguments.common.offered_verifiers.add(verifier::thrust);
  add_common_arguments(app, arguments.common);
  add_gpus(app, arguments.common);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("scan-prefix", [&] {
    prefix_arguments arguments;
    CLI::App app(what_it_does, "scan-prefix");
    app.footer(std::string(words_and_examples) + "\n" + about_text);
    strategy_words words;
    add_arguments(app, arguments, words);
    if (!parse_arguments(app, argc, argv)) return exit_code::done;
    arguments.algorithm = choice_of(words);
    auto const on_ranks = [&](libscan::ranks const& on) { prefix_on_ranks(on, arguments); };
    if (run_on_gpus(app, arguments.common,
                    {"--op", "--exclusive", "--init", "--reverse", "--accumulator"}, on_ranks)) {
      return exit_code::done;
    }
    return libscan::cpu::with_workers(arguments.common.threads,
                                      [&] { return run_prefix(arguments); });
  });
}
