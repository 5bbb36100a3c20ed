// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>

#include <bench/measure.hpp>
#include <libscan/core/error.hpp>

namespace libscan::bench {

namespace {

constexpr int warm_up_rounds = 2;
constexpr int fewest_rounds = 7;
constexpr double patience_us = 3e6;  // for one contender of one workload
constexpr double max_calls = 1e4;    // of a sample

/// The samples of one contender.
struct sampled {
  std::vector<double> us;
  double sum_us = 0;
  int calls = 1;  // of a sample

  bool enough() const {
    return static_cast<int>(us.size()) >= fewest_rounds && sum_us > patience_us;
  }
};

/// What is wrong with the result of a contender; empty if nothing is.
std::string problem_of(contender const& each) {
  try {
    if (each.prepare) each.prepare();
    each.run();
    return !each.verify || each.verify() ? "" : "wrong result";
  } catch (error const& problem) {
    return problem.what();
  }
}

/// The number of calls of `us` that take `min_us`, at least one.
int calls_of(double us, double min_us) {
  return us < min_us ? static_cast<int>(std::min(std::ceil(min_us / us), max_calls)) : 1;
}

/// One sample: the mean of `calls` calls.
double sample_us(contender const& each, stopwatch const& of_all, int calls) {
  stopwatch const& time = each.time ? each.time : of_all;
  if (calls > 1 && !each.prepare) {
    auto const repeated = [&] {
      for (int k = 0; k < calls; ++k) each.run();
    };
    return time(repeated) / calls;
  }
  double us = 0;
  for (int k = 0; k < calls; ++k) {
    if (each.prepare) each.prepare();
    us += time(each.run);
  }
  return us / calls;
}

/// The median of the ratios of times in the same rounds: `us` divided by `others_us`.
double median_ratio(std::vector<double> us, std::vector<double> const& others_us) {
  us.resize(std::min(us.size(), others_us.size()));
  std::transform(us.begin(), us.end(), others_us.begin(), us.begin(), std::divides<>{});
  return summary(std::move(us)).median_us;
}

/// A result labeled with its workload and contender.
result labeled(workload const& work, contender const& each, result r) {
  r.engine = work.engine;
  r.operation = work.operation;
  r.type = work.type;
  r.name = each.name;
  r.n = work.n;
  r.bytes = work.bytes;
  r.repetitions = work.repetitions;
  r.shared_bytes = each.shared_bytes;
  r.resident_blocks = each.resident_blocks;
  return r;
}

}  // namespace

result summary(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  std::size_t const count = samples.size();
  result r;
  r.median_us = samples[count / 2];
  r.min_us = samples.front();
  r.max_us = samples.back();
  r.p95_us = samples[(count * 95 + 99) / 100 - 1];
  r.noise = (samples[(3 * count) / 4] - samples[count / 4]) / r.median_us;
  r.samples = static_cast<int>(count);
  return r;
}

std::vector<result> measure(workload const& work, int rounds, stopwatch const& time, double min_us,
                            more_rounds const& more) {
  std::vector<result> results;
  std::vector<contender const*> right;
  for (contender const& each : work.contenders) {
    if (result r; !(r.problem = problem_of(each)).empty()) {
      results.push_back(labeled(work, each, r));
    } else {
      right.push_back(&each);
    }
  }
  if (rounds == 0) return results;
  std::vector<sampled> samples(right.size());
  // In another order each round: a contender leaves its output, or even the input, in the caches
  // for the next one.
  std::vector<std::size_t> order(right.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  double spent_us = 0;
  auto const goes_on = [&](int round) {
    return round < rounds || (round < more.rounds && spent_us < more.us);
  };
  for (int round = -warm_up_rounds; goes_on(round); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t const i : order) {
      if (samples[i].enough()) continue;
      double const us = sample_us(*right[i], time, samples[i].calls);
      if (round < 0) {
        samples[i].calls = std::max(samples[i].calls, calls_of(us, min_us));
        continue;
      }
      samples[i].us.push_back(us);
      samples[i].sum_us += us;
      spent_us += us * samples[i].calls;
    }
  }
  auto const ours = std::find_if(right.begin(), right.end(),
                                 [](contender const* each) { return is_libscan(each->name); });
  for (std::size_t i = 0; i < right.size(); ++i) {
    result r = summary(samples[i].us);
    r.calls = samples[i].calls;
    if (ours != right.end() && right[i] != *ours) {
      r.ratio =
          median_ratio(samples[i].us, samples[static_cast<std::size_t>(ours - right.begin())].us);
    }
    results.push_back(labeled(work, *right[i], r));
  }
  return results;
}

void session::run(workload work) const {
  auto const& requested = wanted.implementations;
  if (!requested.empty()) {
    auto const among = [&](std::string const& name) {
      return std::find(requested.begin(), requested.end(), name) != requested.end();
    };
    auto const unwanted = [&](contender const& each) {
      if (is_libscan(each.name) && among("libscan")) return false;
      return !among(each.name.substr(0, each.name.find(' ')));
    };
    auto& all = work.contenders;
    all.erase(std::remove_if(all.begin(), all.end(), unwanted), all.end());
  }
  if (!work.contenders.empty()) tell(measure(work, wanted.rounds, time, min_us, more));
}

void session::where_known(std::function<void()> const& body) const {
  try {
    body();
  } catch (invalid_argument const& missing) {
    if (!said->insert(missing.what()).second) return;
    std::fprintf(stderr, "scan-bench: skipped: %s\n", missing.what());
  }
}

}  // namespace libscan::bench
