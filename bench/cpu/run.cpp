// SPDX-License-Identifier: Apache-2.0
// Which file measures which operation on the cpu engine, and the facts about the CPU.
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include <bench/cpu/machine.hpp>

namespace libscan::bench {

void run_cpu_workloads(options const& wanted, report const& tell) {
  engine const on = engine::cpu(wanted.threads);
  report const tell_more = [&](std::vector<result> results) {
    std::string const threads = std::to_string(on.threads());
    for (result& r : results) {
      if (wanted.tell_threads) r.operation = "scaling " + threads + ", " + r.operation;
      if (wanted.beside > 0) {
        r.operation = "beside " + std::to_string(wanted.beside) + ", " + r.operation;
        r.beside = wanted.beside;
      }
    }
    tell(results);
  };
  session const now{wanted, cpu::wall_us, tell_more, cpu::min_sample_us,
                    wanted.beside > 0 ? cpu::busy_workload : cpu::short_workload};
  tbb::task_arena arena(on.threads());
  arena.execute([&] {
    if (wanted.operation == "scan") cpu::run_scans(on, now);
    if (wanted.operation == "segmented-scan") cpu::run_segmented_scans(on, now);
    if (wanted.operation == "segmented-reduce") cpu::run_segmented_reductions(on, now);
    if (wanted.operation == "reduce") cpu::run_reductions(on, now);
    if (wanted.operation == "binary-scan") cpu::run_binary_scans(on, now);
    if (wanted.operation == "filter") cpu::run_filters(on, now);
    if (wanted.operation == "split") cpu::run_splits(on, now);
    if (wanted.operation == "runs") cpu::run_runs(on, now);
    if (wanted.operation == "sort") cpu::run_sorts(on, now);
    if (wanted.operation == "segmented-sort") cpu::run_segmented_sorts(on, now);
    if (wanted.operation == "split-by-key") cpu::run_splits_by_key(on, now);
    if (wanted.operation == "histogram") cpu::run_histograms(on, now);
    if (wanted.operation == "spmv") cpu::run_products(on, now);
    if (wanted.operation == "coo-to-csr") cpu::run_builds(on, now);
    if (wanted.operation == "algorithms") cpu::run_algorithms(on, now);
  });
}

namespace {

/// The processor's name (which says little in virtual machines), with its family and model.
std::string processor_name() {
  std::map<std::string, std::string> first;  // of the processors in the list
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line) && !line.empty();) {
    auto const colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string const field = line.substr(0, line.find_last_not_of("\t ", colon - 1) + 1);
    first[field] = line.substr(std::min(colon + 2, line.size()));
  }
  if (first["model name"].empty()) return "unknown processor";
  if (first["cpu family"].empty()) return first["model name"];
  return first["model name"] + " (family " + first["cpu family"] + ", model " + first["model"] +
         ")";
}

}  // namespace

facts cpu_facts(int threads) {
  return {{"processor", processor_name()},
          {"threads", std::to_string(engine::cpu(threads).threads())},
          {"compiler", __VERSION__},
          {"oneTBB", TBB_VERSION_STRING}};
}

}  // namespace libscan::bench
