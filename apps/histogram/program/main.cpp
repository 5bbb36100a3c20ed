// SPDX-License-Identifier: Apache-2.0
// scan-histogram: counts how many items of an array are in each bin, and draws them.
#include <string>

#include <CLI/CLI.hpp>

#include <apps/common/algorithm.hpp>
#include <apps/common/program.hpp>
#include <apps/common/rank_program.hpp>
#include <apps/histogram/program/run_histogram.hpp>
#include <libscan/cpu/workers.hpp>

namespace {

using namespace libscan::apps;

constexpr char const* what_it_does =
    "Counts how many items of an array are in each bin, or sums their weights; draws them.\n"
    "Reads .npy, raw binary and text or CSV, each also gzip-compressed.";

constexpr char const* words_and_examples =
    R"(Bins: --bins of even width over --range, or over the range of the items, as numpy.histogram
(edges are float64 for items of any type); between the ascending --edges of a file, as
numpy.histogram; or with --integers one per integer of
--range (both ends included, any integers of 64 bits), or from 0 (or the smallest item, if negative)
to the largest item, as numpy.bincount. A bin includes its lower edge but not its upper one; the
last bin includes both.
Comparisons are exact, also of items and edges of different types. At most 16777216 bins.

COUNTS: one int64 per bin; with --weights float64 sums, which are the same in every run. Items below
or above all bins and NaN are not counted; --time and --plot report their numbers. If something is
drawn, counts are only written if -o is given.

--table writes a header and one line per bin, as in "0,10,42": its lower edge, its upper edge and
its count or sum. A bin of --integers has its integer as both.

--plot draws bars in the terminal, negative sums as minus signs; --svg and --png draw pictures and
need gnuplot. If there are more bins than fit, neighbors are joined. With --log values that are not
above 0 have no bar. --plot goes to standard error if -o - or a picture uses standard output.

Files of --edges and --weights: .npy of any type; raw, with the type in --edges-dtype or
--weights-dtype; text, column 1 (--column applies to the input). Arrays of several dimensions are
read row by row. 16-bit floats are read as float32, .npy bools as 0 and 1.

--algorithm, as kernels: on a GPU, or without one in the executor, which simulates each thread of a
GPU and takes up to 16777216 items. All give the same counts.
  shared   atomics on counters of each block; also: privatized
  sorted   sort the items' bins, and scan where runs begin; also: sort-and-scan
  counted  a barrier that counts (__syncthreads_count) for each bin, at most 32; also: block-count

--engine cuda: without --weights and --verify, the GPU gets .npy and raw files piece by piece, so
they may be larger than its memory. Reading them then takes longer than the counting.

Examples:
  scan-histogram heights.npy --bins 20 --plot
  scan-histogram heights.npy --bins 100 --range=-500:9000 -o counts.npy --svg heights.svg
  scan-histogram prices.csv --column price --bins 5 --table > counts.csv
  scan-histogram letters.raw --dtype uint8 --integers --range 97:122 --plot
  scan-histogram prices.csv --column 3 --edges edges.txt --weights amounts.npy -o sums.npy
  zcat x.txt.gz | scan-histogram - --plot --log --verify --time

Exit codes: 0 done, 1 --verify found a difference, 2 usage, 3 bad file, 4 device or memory.)";

/// Adds the type of a file's items.
CLI::Option* add_type(CLI::App& app, std::string const& name, std::string const& words,
                      stored_type& type) {
  auto const take = [name, to = &type](std::string const& text) {
    try {
      *to = stored_type_from_name(text);
    } catch (usage_error const& e) {
      throw usage_error(name + ": " + e.what());
    }
  };
  return app.add_option_function<std::string>(name, take, words)->type_name("TYPE");
}

/// Adds the options of scan-histogram itself.
void add_arguments(CLI::App& app, histogram_arguments& arguments) {
  app.add_option("INPUT", arguments.input, "items to count: a file, or - for standard input")
      ->required();
  add_bin_arguments(app, arguments);
  auto* const edges = app.add_option("--edges", arguments.edges, "file of the bins' edges")
                          ->type_name("FILE")
                          ->excludes("--bins")
                          ->excludes("--range")
                          ->excludes("--integers");
  add_type(app, "--edges-dtype", "type of the edges (raw needs it)", arguments.edges_type)
      ->needs(edges);
  auto* const weights =
      app.add_option("--weights", arguments.weights, "file of weights to sum, one per item")
          ->type_name("FILE");
  add_type(app, "--weights-dtype", "type of the weights (raw needs it)", arguments.weights_type)
      ->needs(weights);
  add_algorithm(app, arguments.algorithm, histogram_algorithm_names,
                "algorithm on a GPU or in the executor, see below")
      ->excludes(weights);
  app.add_option("-o,--output", arguments.output,
                 "output of the counts: a file, or - for standard output (-)")
      ->type_name("COUNTS");
  app.add_flag("--table", arguments.table, "write counts as CSV, with the edges of their bins");
  app.add_flag("--plot", arguments.plot, "draw the counts in the terminal");
  app.add_option("--svg", arguments.svg, "draw them as a picture in SVG")->type_name("FILE");
  app.add_option("--png", arguments.png, "draw them as a picture in PNG")->type_name("FILE");
  app.add_flag("--log", arguments.log, "draw the logarithm of counts");
  arguments.common.offered_verifiers.add(verifier::cub);
  arguments.common.offered_verifiers.add(verifier::thrust);
  add_common_arguments(app, arguments.common);
  add_gpus(app, arguments.common);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("scan-histogram", [&] {
    histogram_arguments arguments;
    CLI::App app(what_it_does, "scan-histogram");
    app.footer(std::string(words_and_examples) + "\n" + about_text);
    add_arguments(app, arguments);
    if (!parse_arguments(app, argc, argv)) return exit_code::done;
    auto const on_ranks = [&](libscan::ranks const& on) { histogram_on_ranks(on, arguments); };
    if (run_on_gpus(app, arguments.common, {"--bins", "--range", "--integers"}, on_ranks)) {
      return exit_code::done;
    }
    return libscan::cpu::with_workers(arguments.common.threads,
                                      [&] { return run_histogram(arguments); });
  });
}
