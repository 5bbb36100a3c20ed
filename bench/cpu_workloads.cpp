// SPDX-License-Identifier: Apache-2.0
// The cpu engine beside the C++ standard library (sequential and par_unseq) and oneTBB.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_scan.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <execution>
#include <fstream>
#include <numeric>
#include <random>

#include <apps/filter/filter.hpp>
#include <bench/measure.hpp>
#include <libscan/libscan.hpp>

namespace libscan::bench {

namespace {

double wall_us(std::function<void()> const& run) {
  auto const start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

template <class T>
std::vector<T> random_items(index_t n) {
  std::vector<T> items(static_cast<std::size_t>(n));
  std::mt19937_64 words(20240229);
  for (T& item : items) item = static_cast<T>(words() % 1000);
  return items;
}

/// Copies with all threads of the arena, a piece each.
template <class T>
void parallel_memcpy(std::vector<T> const& from, std::vector<T>& to, std::size_t count) {
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, count, 1 << 16),
      [&](auto const& part) {
        std::memcpy(to.data() + part.begin(), from.data() + part.begin(), part.size() * sizeof(T));
      },
      tbb::static_partitioner{});
}

template <class T>
void tbb_exclusive_scan(std::vector<T> const& in, std::vector<T>& out) {
  tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, in.size()), T{},
      [&](auto const& part, T sum, bool final) {
        for (std::size_t i = part.begin(); i < part.end(); ++i) {
          T const item = in[i];
          if (final) out[i] = sum;
          sum += item;
        }
        return sum;
      },
      std::plus<T>{});
}

template <class T>
workload scan_workload(engine const& on, char const* type, std::vector<T> const& in,
                       std::vector<T>& out, std::vector<T> const& expected) {
  auto const right = [&] { return out == expected; };
  return {"cpu",
          "exclusive_scan",
          type,
          static_cast<index_t>(in.size()),
          2.0 * static_cast<double>(in.size()) * sizeof(T),
          {{"memcpy", [&] { parallel_memcpy(in, out, in.size()); }, {}},
           {"libscan", [&, on] { exclusive_scan(on, in, out); }, right},
           {"std", [&] { std::exclusive_scan(in.begin(), in.end(), out.begin(), T{}); }, right},
           {"std par_unseq",
            [&] {
              std::exclusive_scan(std::execution::par_unseq, in.begin(), in.end(), out.begin(),
                                  T{});
            },
            right},
           {"tbb", [&] { tbb_exclusive_scan(in, out); }, right}}};
}

template <class T>
void scan(engine const& on, char const* type, index_t n, options const& wanted,
          report const& tell) {
  auto const in = random_items<T>(n);
  std::vector<T> out(in.size()), expected(in.size());
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), T{});
  tell(measure(scan_workload<T>(on, type, in, out, expected), wanted.rounds, wall_us));
}

void filter_int(engine const& on, int per_mille, index_t n, options const& wanted,
                report const& tell) {
  auto const in = random_items<std::int32_t>(n);
  std::vector<std::int32_t> out(in.size());
  auto const keep = [=](std::int32_t x) { return x < per_mille; };
  std::vector<std::int32_t> expected;
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), keep);
  auto const right = [&] { return std::equal(expected.begin(), expected.end(), out.begin()); };
  predicate<std::int32_t> const interval(in_interval<std::int32_t>{0, per_mille - 1});
  std::size_t const moved = (in.size() + expected.size()) / 2;
  workload const work{
      "cpu",
      "filter " + std::to_string(per_mille / 10) + " %",
      "i32",
      n,
      static_cast<double>(in.size() + expected.size()) * sizeof(std::int32_t),
      {{"memcpy", [&] { parallel_memcpy(in, out, moved); }, {}},
       {"libscan", [&, on] { filter(on, in, out, interval); }, right},
       {"std", [&] { std::copy_if(in.begin(), in.end(), out.begin(), keep); }, right},
       {"std par_unseq",
        [&] { std::copy_if(std::execution::par_unseq, in.begin(), in.end(), out.begin(), keep); },
        right}}};
  tell(measure(work, wanted.rounds, wall_us));
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string run_cpu_workloads(options const& wanted, report const& tell) {
  engine const on = engine::cpu(wanted.threads);
  std::vector<index_t> sizes = wanted.sizes;
  if (sizes.empty()) sizes = {1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 27};
  tbb::task_arena arena(on.threads());
  arena.execute([&] {
    for (index_t const n : sizes) {
      for (std::string const& operation : wanted.operations) {
        if (operation == "scan") {
          scan<std::int32_t>(on, "i32", n, wanted, tell);
          scan<double>(on, "f64", n, wanted, tell);
        } else if (operation == "filter") {
          for (int const per_mille : {10, 500, 990}) filter_int(on, per_mille, n, wanted, tell);
        }
      }
    }
  });
  return processor() + ", " + std::to_string(on.threads()) + " threads";
}

}  // namespace libscan::bench
