// SPDX-License-Identifier: Apache-2.0
// Which file measures which operation on the cpu engine, and what CPU that is.
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <fstream>
#include <string>

#include <bench/cpu/machine.hpp>

namespace libscan::bench {

void run_cpu_workloads(options const& wanted, report const& tell) {
  engine const on = engine::cpu(wanted.threads);
  report const tell_threads = [&](std::vector<result> results) {
    std::string const threads = std::to_string(on.threads());
    for (result& r : results) r.operation = "scaling " + threads + ", " + r.operation;
    tell(results);
  };
  session const now{wanted, cpu::wall_us, wanted.tell_threads ? tell_threads : tell};
  tbb::task_arena arena(on.threads());
  arena.execute([&] {
    if (wanted.operation == "scan") cpu::run_scans(on, now);
    if (wanted.operation == "segmented-scan") cpu::run_segmented_scans(on, now);
    if (wanted.operation == "filter") cpu::run_filters(on, now);
    if (wanted.operation == "sort") cpu::run_sorts(on, now);
    if (wanted.operation == "segmented-sort") cpu::run_segmented_sorts(on, now);
    if (wanted.operation == "histogram") cpu::run_histograms(on, now);
    if (wanted.operation == "spmv") cpu::run_products(on, now);
    if (wanted.operation == "algorithms") cpu::run_algorithms(on, now);
  });
}

facts cpu_facts(int threads) {
  std::string processor = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    processor = line.substr(line.find(':') + 2);
    break;
  }
  return {{"processor", processor},
          {"threads", std::to_string(engine::cpu(threads).threads())},
          {"compiler", __VERSION__},
          {"oneTBB", TBB_VERSION_STRING}};
}

}  // namespace libscan::bench
