// SPDX-License-Identifier: Apache-2.0
// scan-bench: libscan beside its competitors and memcpy, in one run; a table for people, JSON for
// the record. This file has the command line.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <apps/common/arguments.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/output_file.hpp>
#include <bench/beside.hpp>
#include <bench/chapter_workloads.hpp>
#include <bench/compare.hpp>
#include <bench/distributions.hpp>
#include <bench/matrices.hpp>
#include <bench/record.hpp>
#include <bench/request.hpp>
#include <bench/samples.hpp>
#include <bench/standard.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/textbook/names.hpp>

using namespace libscan::bench;

namespace {

constexpr libscan::index_t max_items = libscan::index_t{1} << 40;
constexpr int max_threads = 1 << 16;

template <std::size_t Count>
CLI::Validator one_of(std::array<std::string_view, Count> const& axis) {
  return CLI::IsMember(names_of(axis));
}

/// The options of every operation.
void add_common(CLI::App& app, options& wanted, output_options& output) {
  app.add_option("--engine", wanted.engines, "cpu, cuda (default: both)")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->delimiter(',')
      ->each([&](std::string const&) { output.engine_given = true; });
  app.add_option("--impl", wanted.implementations,
                 "contenders, by the first word of the printed name (default: all):\n" +
                     implementation_names("\n"))
      ->type_name("NAME")
      ->delimiter(',');
  app.add_option("--n", wanted.sizes, "numbers of items")
      ->check(CLI::Range(libscan::index_t{1}, max_items))
      ->delimiter(',');
  app.add_option("--rounds", wanted.rounds,
                 "timed rounds; medians are printed (default: 21). The cpu engine runs up to 51 if "
                 "they take less than 0.2 s")
      ->check(CLI::Range(3, 10000));
  app.add_flag("--once", output.once, "run and verify everything once, time nothing");
  app.add_option("--threads", wanted.threads,
                 "of the cpu engine and its competitors (0: all cores)")
      ->check(CLI::Range(0, max_threads));
  app.add_option("--beside", wanted.beside,
                 "busy processes to run beside the cpu engine and its competitors (default: 0);\n"
                 "also prints the 95th percentile")
      ->type_name("N")
      ->check(CLI::Range(0, max_threads));
  app.add_option("--json", output.json_path, "also write a record to this file");
}

/// `names`: the types of any engine; an engine may have fewer.
void add_types(CLI::App& app, options& wanted, char const* types, std::vector<std::string> names) {
  app.add_option("--type", wanted.types, types)
      ->delimiter(',')
      ->check(CLI::IsMember(std::move(names)));
}

void add_operators(CLI::App& app, options& wanted) {
  std::vector<std::string> words;
  std::string all;
  for (libscan::operator_kind const kind : libscan::all_operators) {
    words.emplace_back(libscan::option_word(kind));
    all += words.back() + " ";
  }
  app.add_option("--op", wanted.operators, all + "(default: sum)")
      ->delimiter(',')
      ->check(CLI::IsMember(std::move(words)));
}

void add_kinds(CLI::App& app, options& wanted) {
  using libscan::scan_kind;
  app.add_flag_callback(
      "--inclusive", [&] { wanted.kinds.push_back(scan_kind::inclusive); },
      "prefixes with the item itself (both kinds may be requested)");
  app.add_flag_callback(
      "--exclusive", [&] { wanted.kinds.push_back(scan_kind::exclusive); },
      "prefixes without the item itself");
}

void add_scans(CLI::App& app, options& wanted, output_options& output) {
  auto& scan = *app.add_subcommand("scan", "scans of any type; or all strategies");
  add_types(scan, wanted,
            "of items: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 affine; i8->i32 u16->u32\n"
            "for wider results (default: the commonest)",
            {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64",
             "affine", "i8->i32", "u16->u32"});
  add_operators(scan, wanted);
  add_kinds(scan, wanted);
  scan.add_option("--items", wanted.items, "values of the items: random, ones")
      ->delimiter(',')
      ->check(one_of(item_axis));
  scan.add_option(
          "--algorithm", wanted.algorithms,
          "measure `algorithms` instead, exclusive sums of i32: strategies (cuda) by name,\n"
          "or all")
      ->delimiter(',');
  add_common(scan, wanted, output);
  auto& algorithms = *app.add_subcommand(
      "algorithms",
      "every strategy of the catalog beside the sequential CPU scan: the paper's\n"
      "Table 2, at its sizes 1024 ... 16777216");
  algorithms
      .add_option("--algorithm", wanted.algorithms, "strategies (cuda) by name, or all (default)")
      ->delimiter(',');
  algorithms
      .add_option_function<std::string>(
          "--block-scan",
          [&](std::string const& name) {
            wanted.block_scan =
                libscan::block_algorithm_name(libscan::block_algorithm_from_name(name));
          },
          "what the blocks of strategies run (cuda), for example kogge-stone (default:\n"
          "blelloch-padded)")
      ->type_name("NAME");
  algorithms
      .add_option("--tile", wanted.tiles,
                  "2048, 4096, 8192: tiles of this many items in all strategies of many blocks\n"
                  "(cuda), at 2^20, 2^24 and 2^28 items")
      ->check(CLI::IsMember({2048, 4096, 8192}))
      ->delimiter(',');
  add_common(algorithms, wanted, output);
  auto& block_scans = *app.add_subcommand(
      "block-scans",
      "the textbook block scans against one another, in the blocks of a scan-then-fan of\n"
      "2^20 items (cuda)");
  block_scans.add_option("--block", wanted.blocks, "2 to 1024 (default: 64, 128, 256, 512, 1024)")
      ->check(CLI::Range(2, 1024))
      ->delimiter(',');
  add_common(block_scans, wanted, output);
  auto& reverse =
      *app.add_subcommand("reverse-scan", "scans from the end: exclusive sums of i32 (cuda)");
  add_common(reverse, wanted, output);
  auto& segmented = *app.add_subcommand("segmented-scan", "scans within segments");
  add_types(segmented, wanted, "of items: u32 f32 (cuda) f64 (cpu) (default: u32)",
            {"u32", "f32", "f64"});
  add_kinds(segmented, wanted);
  segmented.add_option("--heads", wanted.heads, "flags, bits, keys, offsets (default: all)")
      ->delimiter(',')
      ->check(one_of(head_axis));
  segmented
      .add_option("--lengths", wanted.lengths,
                  "one, ones, short, power-law, huge, half-empty (offsets only) (default: these),\n"
                  "medium, rows-4, rows-16, rows-1024, few-huge")
      ->delimiter(',')
      ->check(one_of(all_length_axis));
  add_common(segmented, wanted, output);
  auto& totals = *app.add_subcommand("segmented-reduce", "totals of segments");
  add_types(totals, wanted, "of items: u32 f64 (cpu) (default: u32)", {"u32", "f64"});
  totals.add_option("--heads", wanted.heads, "flags, bits, keys, offsets (default: all)")
      ->delimiter(',')
      ->check(one_of(head_axis));
  totals
      .add_option("--lengths", wanted.lengths,
                  "one, ones, short, power-law, huge, half-empty (offsets only) (default: these),\n"
                  "medium, rows-4, rows-16, rows-1024, few-huge")
      ->delimiter(',')
      ->check(one_of(all_length_axis));
  add_common(totals, wanted, output);
}

void add_others(CLI::App& app, options& wanted, output_options& output) {
  auto& reduce = *app.add_subcommand("reduce", "reductions to one value");
  add_types(reduce, wanted, "of items: i32 i64 f32 f64 i8->i32; f16->f32 affine (cuda)",
            {"i32", "i64", "f32", "f64", "i8->i32", "f16->f32", "affine"});
  add_operators(reduce, wanted);
  add_common(reduce, wanted, output);
  auto& binary = *app.add_subcommand("binary-scan", "ranks of the true items of a mask");
  binary.add_option("--mask", wanted.masks, "bytes, bits (default: both)")
      ->delimiter(',')
      ->check(one_of(mask_axis));
  binary.add_option("--true", wanted.per_mille, "of a thousand items (default: 500)")
      ->check(CLI::Range(0, 1000))
      ->delimiter(',');
  add_kinds(binary, wanted);
  add_common(binary, wanted, output);
  auto& filter = *app.add_subcommand("filter", "stream compaction");
  filter.add_option("--keep", wanted.per_mille, "of a thousand items (default: 10, 500, 990)")
      ->check(CLI::Range(1, 1000))
      ->delimiter(',');
  filter.add_option("--mask", wanted.masks, "by masks instead: bytes, bits")
      ->delimiter(',')
      ->check(one_of(mask_axis));
  filter.add_flag("--in-place", wanted.in_place,
                  "the output goes over the input (cuda engine only)");
  add_common(filter, wanted, output);
  auto& chapter =
      *app.add_subcommand("chapter", "the figures of Harris and Garland's chapter on Fermi (cuda)");
  chapter.add_option("--blocks", wanted.blocks, "numbers of blocks (default: 1, 2, 4 ... 4096)")
      ->check(CLI::Range(1, 1 << 16))
      ->delimiter(',');
  chapter
      .add_option("--repetitions", wanted.repetitions,
                  "of each primitive in its kernel (default: 1024)")
      ->check(CLI::Range(1, 1 << 20));
  chapter
      .add_option("--figure", wanted.figures,
                  "block-counts, block-scans, partial-sums, occupancy, lane-masks, warp-scans, "
                  "block-sorts:\n"
                  "only these, and nothing device-wide (default: all)")
      ->check(one_of(chapter::figure_axis))
      ->delimiter(',');
  add_common(chapter, wanted, output);
  add_common(*app.add_subcommand("spans",
                                 "calls on device spans, without nvcc, beside the templates that "
                                 "they call (cuda)"),
             wanted, output);
  add_common(
      *app.add_subcommand("scaling", "the cpu engine on 1, 2, 4 ... threads, up to --threads"),
      wanted, output);
  add_common(*app.add_subcommand("standard", "the set that script/bench records"), wanted, output);
}

void add_sorts(CLI::App& app, options& wanted, output_options& output) {
  auto& split = *app.add_subcommand("split", "splits into kept and rejected items");
  split.add_option("--keep", wanted.per_mille, "of a thousand items (default: 500)")
      ->check(CLI::Range(1, 1000))
      ->delimiter(',');
  split
      .add_option(
          "--outputs", wanted.outputs,
          "two; one, rejected items after kept ones; reversed (cuda): one, filled from both\n"
          "ends (default: all)")
      ->delimiter(',')
      ->check(one_of(output_axis));
  split.add_option("--mask", wanted.masks, "by flags instead, into two outputs: bytes")
      ->delimiter(',')
      ->check(CLI::IsMember({"bytes"}));
  add_common(split, wanted, output);
  auto& runs = *app.add_subcommand("runs", "unique and run-length encoding");
  runs.add_flag("--in-place", wanted.in_place, "unique, over the input (cuda engine only)");
  runs.add_option("--lengths", wanted.runs, "mean lengths of the runs (default: 1, 8, 1024)")
      ->check(CLI::Range(1, 1 << 20))
      ->delimiter(',');
  add_common(runs, wanted, output);
  auto& sort = *app.add_subcommand("sort", "radix sorts");
  sort.add_option("--what", wanted.sorts,
                  "keys; pairs: with values of 32 bits; argsort: positions of keys\n"
                  "(default: keys)")
      ->delimiter(',')
      ->check(CLI::IsMember({"keys", "pairs", "argsort"}));
  add_types(sort, wanted, "of keys: u16 (cuda), u32, u64 (default: u32)", {"u16", "u32", "u64"});
  sort.add_option("--keys", wanted.keys,
                  "uniform, 256-distinct, sorted, constant (default: uniform)")
      ->delimiter(',')
      ->check(one_of(key_axis));
  add_common(sort, wanted, output);
  auto& segmented = *app.add_subcommand("segmented-sort", "radix sorts within segments");
  segmented
      .add_option("--what", wanted.sorts,
                  "keys; pairs: with values of 32 bits, stably (default: keys)")
      ->delimiter(',')
      ->check(CLI::IsMember({"keys", "pairs"}));
  add_types(segmented, wanted, "of keys: u32", {"u32"});
  segmented
      .add_option("--keys", wanted.keys,
                  "uniform, 256-distinct, sorted, constant (default: uniform)")
      ->delimiter(',')
      ->check(one_of(key_axis));
  segmented
      .add_option(
          "--lengths", wanted.lengths,
          "one, ones, short, power-law, huge, half-empty, medium, rows-16, rows-1024, few-huge "
          "(default: all)")
      ->delimiter(',')
      ->check(one_of(sort_length_axis));
  add_common(segmented, wanted, output);
  auto& buckets = *app.add_subcommand("split-by-key", "stable splits into many buckets");
  buckets.add_option("--buckets", wanted.buckets, "1 to 256 (default: 8, 64, 256)")
      ->check(CLI::Range(1, 256))
      ->delimiter(',');
  add_common(buckets, wanted, output);
}

void add_histograms(CLI::App& app, options& wanted, output_options& output) {
  auto& histogram = *app.add_subcommand("histogram", "counts of samples in bins");
  add_types(histogram, wanted, "of samples: u8, u32, f32 (cuda) (default: u32, on cpu also u8)",
            {"u8", "u32", "f32"});
  histogram
      .add_option("--kinds", wanted.bin_kinds,
                  "of bins (cuda): integers (u8, u32), even, edges (f32) (default: integers)")
      ->delimiter(',')
      ->check(one_of(bin_axis));
  histogram.add_option("--bins", wanted.bins, "1 to 16777216 (default: 256)")
      ->check(CLI::Range(1, 1 << 24))
      ->delimiter(',');
  histogram
      .add_option("--samples", wanted.spreads,
                  "uniform, same, two, zipf-1.1, sorted, one-hot (default: all)")
      ->delimiter(',')
      ->check(one_of(sample_axis));
  add_common(histogram, wanted, output);
}

void add_matrices(CLI::App& app, options& wanted, output_options& output) {
  auto& spmv = *app.add_subcommand("spmv", "products of sparse matrices and vectors");
  add_types(spmv, wanted, "of entries: f32 f64 (default: both)", {"f32", "f64"});
  spmv.add_option("--matrix", wanted.matrices,
                  "stencil7, dense-row, none-to-two, uniform16, power-law, banded27, arrow,\n"
                  "hypersparse, rmat (default: all); --n is about how many entries they have")
      ->delimiter(',')
      ->check(one_of(matrix_axis));
  spmv.add_option("--matrix-file", wanted.matrix_files,
                  "Matrix Market file, with or without --matrix; may be repeated. Its values are\n"
                  "replaced by small integers; with --n it is repeated along the diagonal until\n"
                  "there are that many entries")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  add_common(spmv, wanted, output);
  add_common(*app.add_subcommand("coo-to-csr", "matrices by rows from lists of entries"), wanted,
             output);
}

/// Runs what is requested, prints and records.
int measure_all(options wanted, output_options const& output) {
  if (output.once) wanted.rounds = 0;
  std::string const no_gpu = settle(wanted, output);
  record kept(wanted);
  kept.print_header();
  busy_processes const beside(output.once ? 0 : wanted.beside);
  bool measured = false;
  report const tell = [&](std::vector<result> const& results) {
    measured = true;
    print(results);
    kept.add(results);
    // A record that is cut short still holds what was measured.
    if (!output.json_path.empty()) kept.write(output.json_path);
  };
  int failed = 0;
  for (options const& part : parts_of(wanted)) {
    for (std::string const& engine : part.engines) {
      try {
        (engine == "cuda" ? run_cuda_workloads : run_cpu_workloads)(part, tell);
      } catch (libscan::device_error const& problem) {
        std::fprintf(stderr, "scan-bench: %s cut short: %s\n", part.operation.c_str(),
                     problem.what());
        ++failed;
      }
    }
  }
  if (!measured && failed == 0) {
    std::fprintf(stderr, "scan-bench: nothing measured: no engine here does that%s\n",
                 no_gpu.empty() ? "" : (" (" + no_gpu + ")").c_str());
    return 2;
  }
  if (!output.json_path.empty()) kept.write(output.json_path);
  if (failed > 0) return 4;
  return kept.wrong() > 0 ? 1 : 0;
}

int run(int argc, char** argv) {
  options wanted;
  output_options output;
  std::string older, newer;
  CLI::App app{
      "Times libscan beside its competitors and memcpy, in one run; prints medians of rounds in\n"
      "which all take turns. GB/s counts the least traffic: each input read once, each output\n"
      "written once; memcpy moves the same bytes. On a GPU the L2 cache is swept before each "
      "sample.",
      "scan-bench"};
  app.require_subcommand(1);
  add_scans(app, wanted, output);
  add_others(app, wanted, output);
  add_sorts(app, wanted, output);
  add_histograms(app, wanted, output);
  add_matrices(app, wanted, output);
  auto& comparison = *app.add_subcommand(
      "compare",
      "flags changes between two records that exceed their noise; exit code 1 if\n"
      "something of libscan got slower");
  comparison.add_option("older", older, "a record")->required();
  comparison.add_option("newer", newer, "a later record")->required();
  if (!libscan::apps::parse_arguments(app, argc, argv)) return 0;
  if (comparison.parsed()) return compare(older, newer);
  wanted.operation = app.get_subcommands().front()->get_name();
  return measure_all(wanted, output);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // Otherwise the next opened file would become standard output.
    if (::fcntl(STDOUT_FILENO, F_GETFD) < 0) {
      throw libscan::apps::file_error::from_errno("<stdout>", "cannot write", errno);
    }
    return run(argc, argv);
  } catch (libscan::apps::usage_error const& problem) {
    std::fprintf(stderr, "scan-bench: error: %s\n", problem.what());
    return 2;
  } catch (libscan::invalid_argument const& problem) {
    std::fprintf(stderr, "scan-bench: error: %s\n", problem.what());
    return 2;
  } catch (libscan::apps::file_error const& problem) {
    std::fprintf(stderr, "scan-bench: error: %s\n", problem.what());
    return 3;
  } catch (std::exception const& problem) {
    std::fprintf(stderr, "scan-bench: error: %s\n", problem.what());
    return 4;
  }
}
