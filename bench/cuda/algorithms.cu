// SPDX-License-Identifier: Apache-2.0
// Harris 2007, Table 2, reproduced: every strategy of the catalog on the GPU beside the
// sequential scan on a CPU core and CUB (the toolkit's and the newest), from 1024 to 16777216
// items. Verona's exercise: the textbook block scans against one another.
#include <algorithm>
#include <chrono>

#include <bench/cuda/workloads.cuh>
#include <bench/oracles.hpp>
#include <libscan/textbook/catalog.cuh>

namespace libscan::bench::cuda {

namespace {

using item = std::int32_t;
using sum = plus<item>;

/// The loop of the paper's CPU column, in host memory, by the wall clock.
contender cpu_loop(host_array<item> const& in, host_array<item> const& out,
                   host_array<item> const& expected) {
  auto const wall_us = [](std::function<void()> const& run) {
    auto const start = std::chrono::steady_clock::now();
    run();
    auto const took = std::chrono::steady_clock::now() - start;
    return std::chrono::duration<double, std::micro>(took).count();
  };
  auto const run = [&] {
    item before = 0;
    for (index_t i = 0; i < in.size; ++i) {
      out[i] = before;
      before = sum{}(before, in[i]);
    }
  };
  auto const right = [&] { return std::equal(expected.begin(), expected.end(), out.begin()); };
  return {"cpu-sequential", run, right, 0, wall_us};
}

/// Whether a strategy can take n items.
bool takes(scan_strategy which, index_t n) {
  namespace strategies = device::strategies;
  using one_block =
      strategies::one_block<strategies::default_block_scan, strategies::max_block_threads>;
  return which != scan_strategy::one_block || n <= one_block{}.tile_items();
}

void compare_at(session const& now, std::vector<scan_strategy> const& requested, index_t n) {
  auto const host = items_of<item>("random", n);
  auto const expected = scanned<item>(host, scan_kind::exclusive, sum{});
  host_array<item> const host_out(n);
  auto const in = on_device(host.view());
  checked_output<item> const out(expected.view());
  double const bytes = 2.0 * static_cast<double>(n) * sizeof(item);
  auto const right = [&] { return out.right(); };
  workspace ws;
  workload work{"cuda", "algorithms", "i32",
                n,      bytes,        {copy_of(bytes), cpu_loop(host, host_out, expected)}};
  for (scan_strategy const which : requested) {
    if (!takes(which, n)) continue;
    work.contenders.push_back({std::string(strategy_name(which)),
                               [&, which] {
                                 scan_with<scan_kind::exclusive>(
                                     which, ws, static_cast<item const*>(in.data()), out.data(), n,
                                     sum{}, nullptr, sum::identity());
                               },
                               right});
  }
  scan_problem const problem{"i32", "sum", scan_kind::exclusive, in.data(), out.data(), n};
  for (implementation& each : all_offers(problem)) {
    if (!each.name.starts_with("cub")) continue;
    work.contenders.push_back({std::move(each.name), std::move(each.run), right});
  }
  now.run(std::move(work));
}

/// Scan-then-fan with every block scan in its blocks, and the loops that they are compared with.
void compare_block_scans(session const& now, int threads, index_t n) {
  namespace strategies = device::strategies;
  auto const host = items_of<item>("random", n);
  auto const expected = scanned<item>(host, scan_kind::exclusive, sum{});
  host_array<item> const host_out(n);
  auto const in = on_device(host.view());
  checked_output<item> const out(expected.view());
  double const bytes = 2.0 * static_cast<double>(n) * sizeof(item);
  workspace ws;
  workload work{"cuda", "block-scans of " + std::to_string(threads) + " threads", "i32", n,
                bytes,  {copy_of(bytes), cpu_loop(host, host_out, expected)}};
  auto const add = [&](std::string const& name, auto strategy) {
    work.contenders.push_back({name,
                               [&, strategy] {
                                 scan_with<scan_kind::exclusive>(
                                     strategy, ws, static_cast<item const*>(in.data()), out.data(),
                                     n, sum{}, nullptr, sum::identity());
                               },
                               [&] { return out.right(); }});
  };
  add("one thread", strategies::sequential{});
  for (block_algorithm const which : all_block_algorithms) {
    strategies::with_block_scan(which, [&](auto block_scan) {
      using fan = strategies::scan_then_fan<decltype(block_scan), strategies::max_block_threads>;
      add(std::string(block_algorithm_name(which)), fan(threads));
    });
  }
  now.run(std::move(work));
}

}  // namespace

void run_block_scans(session const& now) {
  constexpr index_t about_a_million = index_t{1} << 20;
  for (index_t const n : or_standard(now.wanted.sizes, {about_a_million})) {
    for (int const threads : or_standard(now.wanted.blocks, {64, 128, 256, 512, 1024}))
      compare_block_scans(now, threads, n);
  }
}

void run_algorithms(session const& now) {
  std::vector<scan_strategy> requested;
  for (std::string const& name : now.wanted.algorithms)
    requested.push_back(strategy_from_name(name));
  if (requested.empty()) requested.assign(all_scan_strategies.begin(), all_scan_strategies.end());
  for (index_t const n : or_standard(now.wanted.sizes, paper_sizes()))
    compare_at(now, requested, n);
}

}  // namespace libscan::bench::cuda
