// SPDX-License-Identifier: Apache-2.0
// scan-prefix: prefix sums, and scans by other operators, of an array.
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include <apps/common/program.hpp>
#include <apps/prefix/run_prefix.hpp>
#include <libscan/cpu/workers.hpp>

namespace {

using namespace libscan::apps;

constexpr char const* what_it_does =
    "Scans an array: item i of the output is the sum (or minimum, ...) of items 0 to i of the "
    "input.\nReads .npy, raw binary and text or CSV, each also gzip-compressed.";

constexpr char const* words_and_examples =
    R"(TYPE of the accumulator, and so of the output: as for NumPy's cumsum, whatever the operator:
integers widen to 64 bits, floats stay as they are, but for float16 and bfloat16 (the latter in raw
files by --dtype), which are read as float32; truth values of .npy count as 0 and 1. Others that
may be asked for: any type as wide as the items or wider (items of text are int64 or float64, but
for --dtype), and float32.
Integers wrap around; of floats they take the integer part, which must fit. The init comes before
the first item of each segment, in inclusive scans, too; by default it is the operator's identity
(-0 for sums of floats). --reverse scans from the end: item i is the sum of items i to the last.

Segments, each scanned on its own; one of:
  --heads      uint8, or truth values of .npy, one for each item: not 0 where a segment begins
  --head-bits  the same as bits, as numpy.packbits(..., bitorder='little') packs them
  --offsets    integers 0, ..., n: segment s is items offsets[s] to offsets[s+1] - 1
  --keys       any values, one for each item: equal neighbours are of one segment
In .npy, raw (uint8, of --offsets int64; no keys, as it does not say their type) or, but for bits,
text, of which column 1 counts (--column is of the input): numbers, for --heads from 0 to 255. Keys
are any integers, floats or, in a file of .npy, truth values. Arrays of several
dimensions, as input too, are taken row by row.

--algorithm: sequential, one-block (up to 2048 items), scan-then-fan, scan-then-propagate,
reduce-then-scan, chained-scan, decoupled-look-back or production, as kernels: on a GPU, or without
one in the executor, which simulates each thread of a GPU and takes up to 16777216 items. They know
no segments.

Examples:
  scan-prefix lengths.npy -o offsets.npy --exclusive
  scan-prefix heights.npy -o highest-so-far.npy --op max --accumulator int16
  scan-prefix values.npy -o sums.npy --keys names.npy --verify --time
  scan-prefix log.csv --column 3 --reverse > remaining.txt
  seq 10 | scan-prefix - --algorithm decoupled-look-back

Exit codes: 0 done, 1 --verify found a difference, 2 usage, 3 bad file, 4 device or memory.)";

/// Adds the four ways to say where segments begin, of which one may be used.
void add_segments(CLI::App& app, prefix_arguments& arguments) {
  using form = segmentation::form;
  static constexpr struct {
    char const* flag;
    form how;
    char const* words;
  } ways[] = {{"--heads", form::flags, "a byte for each item: where segments begin"},
              {"--head-bits", form::bits, "a bit for each item: where segments begin"},
              {"--offsets", form::offsets, "at which item each segment begins, and the last ends"},
              {"--keys", form::keys, "segments are runs of equal keys"}};
  std::vector<CLI::Option*> options;
  for (auto const& way : ways) {
    auto const take = [to = &arguments, how = way.how](std::string const& path) {
      to->segments = how;
      to->segment_file = path;
    };
    auto* const option = app.add_option_function<std::string>(way.flag, take, way.words)
                             ->check(no_empty_name)
                             ->type_name("FILE");
    for (auto* const other : options) option->excludes(other);
    options.push_back(option);
  }
}

/// Adds what is scan-prefix's own.
void add_arguments(CLI::App& app, prefix_arguments& arguments) {
  static std::map<std::string, operator_kind> const operators = [] {
    std::map<std::string, operator_kind> named;
    for (operator_kind const kind : all_operators) named.emplace(word_of(kind), kind);
    return named;
  }();
  app.add_option("INPUT", arguments.input, "array to scan: a file, or - for standard input")
      ->check(no_empty_name)
      ->required();
  app.add_option("-o,--output", arguments.output,
                 "where the result goes: a file, or - for standard output")
      ->check(no_empty_name)
      ->type_name("OUTPUT")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--op", [to = &arguments](std::string const& name) { to->op = operators.at(name); },
         "operator: sum, min, max, and, or, xor (default sum)")
      ->check(CLI::IsMember(&operators))
      ->type_name("OP");
  app.add_flag_function(
      "--exclusive",
      [to = &arguments](std::int64_t on) {
        if (on > 0) to->kind = libscan::scan_kind::exclusive;
      },
      "item i covers the items before i only");
  app.add_option("--init", arguments.init, "what comes before the first item")->type_name("X");
  app.add_flag_function(
      "--reverse",
      [to = &arguments](std::int64_t on) {
        if (on > 0) to->direction = libscan::scan_direction::reverse;
      },
      "scan from the end to the beginning");
  app.add_option_function<std::string>(
         "--accumulator",
         [to = &arguments](std::string const& name) {
           try {
             to->accumulator = dtype_from_name(name);
           } catch (usage_error const& e) {
             throw usage_error(std::string("--accumulator: ") + e.what());
           }
         },
         "type that accumulates, and of the output, see below")
      ->type_name("TYPE");
  add_segments(app, arguments);
  app.add_option_function<std::string>(
         "--algorithm",
         [to = &arguments](std::string const& name) {
           to->algorithm = libscan::strategy_from_name(name);
         },
         "device strategy instead of the engine's own scan, not for segments, see below")
      ->type_name("NAME");
  add_common_arguments(app, arguments.common);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("scan-prefix", [&] {
    prefix_arguments arguments;
    CLI::App app(what_it_does, "scan-prefix");
    app.footer(std::string(words_and_examples) + "\n" + about_text);
    add_arguments(app, arguments);
    if (!parse_arguments(app, argc, argv)) return exit_code::done;
    return libscan::cpu::with_workers(arguments.common.threads,
                                      [&] { return run_prefix(arguments); });
  });
}
