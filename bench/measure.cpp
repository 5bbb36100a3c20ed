// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <bench/measure.hpp>
#include <libscan/core/error.hpp>

namespace libscan::bench {

std::vector<result> measure(workload const& work, int rounds, stopwatch const& time) {
  for (contender const& each : work.contenders) {
    each.run();
    if (each.verify && !each.verify()) {
      throw error(each.name + " gives a wrong result: " + work.engine + " " + work.operation + " " +
                  work.type + ", n = " + std::to_string(work.n));
    }
  }
  if (rounds == 0) return {};
  constexpr int warm_up = 2;
  std::vector<std::vector<double>> samples(work.contenders.size());
  for (int round = -warm_up; round < rounds; ++round) {
    for (std::size_t i = 0; i < work.contenders.size(); ++i) {
      double const us = time(work.contenders[i].run);
      if (round >= 0) samples[i].push_back(us);
    }
  }
  std::vector<result> results;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::sort(samples[i].begin(), samples[i].end());
    results.push_back({work.engine, work.operation, work.type, work.contenders[i].name, work.n,
                       work.bytes, samples[i][samples[i].size() / 2], samples[i].front(),
                       samples[i].back(), work.repetitions, work.contenders[i].shared_bytes});
  }
  return results;
}

}  // namespace libscan::bench
