// SPDX-License-Identifier: Apache-2.0
// scan-check: random cases of every operation, checked against the standard library.
#include <limits>
#include <map>

#include <CLI/CLI.hpp>

#include <apps/check/run_check.hpp>
#include <apps/common/arguments.hpp>
#include <apps/common/number.hpp>
#include <apps/common/program.hpp>
#include <apps/common/table.hpp>
#include <libscan/cpu/workers.hpp>

namespace {

using namespace libscan::apps;

constexpr char const* what_it_does =
    "Checks libscan on this machine: runs random cases of every operation on an engine and "
    "compares\n"
    "with plain loops and std::stable_sort.";

constexpr char const* words_and_examples =
    R"(The seed and the number of a case determine it: the call, the type and number of items, their
values, the operator, alignments and options. Results must be equal bit for bit; sums of floats that
are rounded must be within n eps sum|x|. No byte outside the outputs may be written. Sorts have keys
of every type, including halves and records of several fields, and values of 1 to 16 bytes; kernels
are compiled for some of each. On a GPU, results are also compared with CUB (scans, filters, unique,
sorts of integers and doubles) and Thrust (scans within segments by keys, splits, counts, filters
with positions).

On a mismatch scan-check shrinks the case and prints the command that reproduces it; the options
--n, --values, --aligned and --plain are for that. After a crash it prints the original case, with
its command, to standard error.

--engine executor runs the GPU's kernels on the CPU, thread by thread, under random schedules, with
at most 3000 items. auto: a usable GPU, else the CPU.

On the cpu engine, cases call the host API. On the others they make device calls, or with --host-api
the same calls of the host API, with all its types and operators. Cases of the host API also draw
the form of the call: complex numbers, items of a narrower type than the results, rounded results,
each description of segments, integers of 32 bits, results in memory of their own, on cpu your own
operators, predicates and equalities, and elsewhere scans and sums of device memory.

Examples:
  scan-check
  scan-check --engine executor --seconds 60
  scan-check --engine executor --host-api --cases 200
  scan-check --what sort --engine cuda --cases 100000 --large --json checked.json
  scan-check --what scan --engine cpu --seed 7 --case 12 --n 100

Exit codes: 0 all cases pass, 1 a difference, 2 usage, 3 bad file, 4 device or memory.)";

/// Adds the options that fix properties of cases.
void add_overrides(CLI::App& app, case_overrides& overrides) {
  static std::map<std::string, family> const families{
      {"scan", family::scan},   {"segmented", family::segmented}, {"filter", family::filter},
      {"split", family::split}, {"sort", family::sort},           {"histogram", family::histogram},
      {"spmv", family::spmv}};
  app.add_option_function<std::string>(
         "--what",
         [to = &overrides](std::string const& name) {
           if (name != "all") to->what = families.at(name);
         },
         "all, scan, segmented, filter, split, sort, histogram or spmv (default all)")
      ->check(CLI::IsMember(
          {"all", "scan", "segmented", "filter", "split", "sort", "histogram", "spmv"}))
      ->type_name("WHAT");
  static std::map<std::string, distribution> const distributions = [] {
    std::map<std::string, distribution> result;
    for (int d = 0; d < distribution_count; ++d) {
      auto const one = static_cast<distribution>(d);
      result.emplace(name_of(one), one);
    }
    return result;
  }();
  app.add_flag("--host-api", overrides.host_api,
               "on cuda and executor: call the host API on host memory, not device calls");
  app.add_flag("--large", overrides.large, "some cases of up to tens of millions of items");
  add_whole_number(app, "--n", overrides.n, 0, std::uint64_t{1} << 31,
                   "number of items, whatever is drawn");
  app.add_option_function<std::string>(
         "--values",
         [to = &overrides](std::string const& name) { to->values = distributions.at(name); },
         "values of items, whatever is drawn: uniform, small, few, constant, sorted, reversed, "
         "skewed, special")
      ->check(CLI::IsMember(&distributions))
      ->type_name("HOW");
  app.add_flag("--aligned", overrides.aligned, "all arrays at boundaries of 256 bytes");
  app.add_flag("--plain", overrides.plain,
               "one thread, the library's tuning, no init, not in place, fixed schedule");
}

/// An option that takes a time above 0.
CLI::Option* add_seconds(CLI::App& app, std::string const& words, std::optional<double>& value) {
  auto const take = [to = &value](std::string const& text) {
    double seconds = 0;
    if (parse_number(text, seconds) != parse_outcome::number || !(seconds > 0)) {
      throw usage_error("--seconds: " + for_people(text) + ", expected a number above 0");
    }
    *to = seconds;
  };
  return app.add_option_function<std::string>("--seconds", take, words)->type_name("FLOAT");
}

/// Adds the options of scan-check itself.
void add_arguments(CLI::App& app, check_arguments& arguments) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  app.add_option("--engine", arguments.engine, "cpu, cuda, executor, or auto")
      ->check(CLI::IsMember({"cpu", "cuda", "executor", "auto"}))
      ->capture_default_str();
  auto* const seconds =
      add_seconds(app, "seconds to run; 10 if --cases is not given", arguments.seconds);
  auto* const cases = add_whole_number(app, "--cases", arguments.cases, 1, most, "number of cases");
  add_whole_number(app, "--case", arguments.only, 0, most, "only the case with this number")
      ->excludes(seconds)
      ->excludes(cases);
  add_whole_number(app, "--seed", arguments.seed, 0, most,
                   "seed of the cases; a new one each time if not given");
  app.add_option("--json", arguments.json_file,
                 "also write the summary to a file; or to -, with all text on standard error")
      ->type_name("FILE");
  app.add_flag("--progress", arguments.progress, "show progress even when not on a terminal");
  add_version_flag(app);
  add_overrides(app, arguments.overrides);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("scan-check", [&] {
    check_arguments arguments;
    CLI::App app(what_it_does, "scan-check");
    app.footer(words_and_examples);
    add_arguments(app, arguments);
    if (!parse_arguments(app, argc, argv)) return exit_code::done;
    return libscan::cpu::with_workers(max_case_threads, [&] { return run_check(arguments); });
  });
}
