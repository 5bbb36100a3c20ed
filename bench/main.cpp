// SPDX-License-Identifier: Apache-2.0
// scan-bench: libscan beside its rivals and beside memcpy, in one run; a table for people, JSON for
// the record.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include <bench/measure.hpp>
#include <libscan/core/error.hpp>

using namespace libscan::bench;

namespace {

void print(std::vector<result> const& results) {
  double memcpy_us = 0, rival_us = 0;
  for (result const& r : results) {
    if (r.name == "memcpy") memcpy_us = r.median_us;
    bool const rival = r.name != "memcpy" && r.name != "libscan";
    if (rival && (rival_us == 0 || r.median_us < rival_us)) rival_us = r.median_us;
  }
  for (result const& r : results) {
    std::printf("%-5s %-16s %-4s %11lld  %-18s %11.1f us  %11.1f .. %-11.1f %7.1f GB/s",
                r.engine.c_str(), r.operation.c_str(), r.type.c_str(), static_cast<long long>(r.n),
                r.name.c_str(), r.median_us, r.least_us, r.most_us, r.bytes / r.median_us / 1e3);
    if (memcpy_us > 0) std::printf("  %5.1f %% of memcpy", 100 * memcpy_us / r.median_us);
    if (r.name == "libscan" && rival_us > 0) {
      std::printf("  %.2fx the best rival", rival_us / r.median_us);
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

nlohmann::json to_json(result const& r) {
  return {{"engine", r.engine},
          {"operation", r.operation},
          {"type", r.type},
          {"n", r.n},
          {"name", r.name},
          {"bytes", r.bytes},
          {"median_us", r.median_us},
          {"least_us", r.least_us},
          {"most_us", r.most_us},
          {"repetitions", r.repetitions},
          {"shared_bytes", r.shared_bytes}};
}

std::string today() {
  std::time_t const now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

int run(int argc, char** argv) {
  options wanted;
  std::string json_path;
  CLI::App app{
      "Times libscan beside its rivals and beside memcpy, in one run.\n"
      "GB/s counts the least traffic: each input read once, each output written once.",
      "scan-bench"};
  app.add_option("operations", wanted.operations,
                 "what to time: scan, filter (default: both), chapter (the figures of Harris and\n"
                 "Garland's chapter on Fermi, on the cuda engine)")
      ->check(CLI::IsMember({"scan", "filter", "chapter"}));
  app.add_option("--engine", wanted.engines, "cpu, cuda (default: both)")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--n", wanted.sizes, "numbers of items (default: 2^16, 2^20, 2^24 and larger)")
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", wanted.rounds, "timed rounds; medians are printed")
      ->check(CLI::Range(3, 10000));
  bool once = false;
  app.add_flag("--once", once, "run and verify everything once, time nothing: for profilers");
  app.add_option("--blocks", wanted.blocks,
                 "chapter: numbers of blocks (default: 1, 2, 4 ... 4096)")
      ->check(CLI::Range(1, 1 << 16));
  app.add_option("--repetitions", wanted.repetitions,
                 "chapter: of each primitive in its kernel (default: 1024)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--threads", wanted.threads, "of the cpu engine and its rivals (0: all cores)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--json", json_path, "also write a record to this file");
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  }

  if (once) wanted.rounds = 0;

  nlohmann::json record{{"date", today()},
                        {"commit", LIBSCAN_BENCH_COMMIT},
                        {"rounds", wanted.rounds},
                        {"results", nlohmann::json::array()}};
  report const tell = [&](std::vector<result> const& results) {
    print(results);
    for (result const& r : results) record["results"].push_back(to_json(r));
  };
  auto const asked = [&](char const* engine) {
    return std::count(wanted.engines.begin(), wanted.engines.end(), engine) > 0;
  };
  std::string const cpu = asked("cpu") ? run_cpu_workloads(wanted, tell) : "";
  std::string const gpu = asked("cuda") ? run_cuda_workloads(wanted, tell) : "";
  record["cpu"] = cpu;
  record["gpu"] = gpu;
  std::printf("cpu: %s\ngpu: %s\n", cpu.empty() ? "not measured" : cpu.c_str(),
              gpu.empty() ? "not measured" : gpu.c_str());
  if (!json_path.empty()) {
    std::ofstream out(json_path);
    out << record.dump(1) << '\n';
    if (!out.flush()) throw libscan::error("cannot write " + json_path);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& problem) {
    std::fprintf(stderr, "scan-bench: error: %s\n", problem.what());
    return 4;
  }
}
