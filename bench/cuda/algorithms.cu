// SPDX-License-Identifier: Apache-2.0
// Harris 2007, Table 2, reproduced: every strategy of the catalog on the GPU beside the
// sequential scan on a CPU core and CUB (the toolkit's and the newest), from 1024 to 16777216
// items. Verona's exercise: the textbook block scans against one another.
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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

/// Whether a strategy can take n items if its blocks run that scan.
bool takes(scan_strategy which, block_algorithm block_scan, index_t n) {
  constexpr index_t threads = device::strategies::max_block_threads;
  return which != scan_strategy::one_block || n <= threads * items_per_thread(block_scan);
}

/// n random items, their exclusive sums, and the contenders that scan them.
class race {
 public:
  race(session const& now, std::string operation, index_t n)
      : now_(now),
        n_(n),
        host_(items_of<item>("random", n)),
        expected_(scanned<item>(host_, scan_kind::exclusive, sum{})),
        host_out_(n),
        in_(on_device(host_.view())),
        out_(expected_.view()) {
    double const bytes = 2.0 * static_cast<double>(n) * sizeof(item);
    work_ = {"cuda", std::move(operation),
             "i32",  n,
             bytes,  {copy_of(bytes), cpu_loop(host_, host_out_, expected_)}};
  }

  /// `strategy` is a type of the catalog, or a name; `op` adds.
  template <class Strategy, class Op = sum>
  void add(std::string name, Strategy strategy, Op op = {}) {
    auto const run = [this, strategy, op] {
      scan_with<scan_kind::exclusive>(strategy, ws_, static_cast<item const*>(in_.data()),
                                      out_.data(), n_, op, nullptr, sum::identity());
    };
    add_run(std::move(name), run);
  }

  /// All forms of CUB.
  void add_cub() {
    scan_problem const problem{"i32", "sum", scan_kind::exclusive, in_.data(), out_.data(), n_};
    for (implementation& each : all_offers(problem)) {
      if (each.name.starts_with("cub")) add_run(std::move(each.name), std::move(each.run));
    }
  }

  void run() { now_.run(std::move(work_)); }

 private:
  void add_run(std::string name, std::function<void()> run) {
    work_.contenders.push_back({std::move(name), std::move(run), [this] { return out_.right(); }});
  }

  session const& now_;
  index_t n_;
  host_array<item> host_, expected_, host_out_;
  device::buffer<item> in_;
  checked_output<item> out_;
  workspace ws_;
  workload work_;
};

void compare_at(session const& now, std::vector<scan_strategy> const& requested, index_t n) {
  namespace strategies = device::strategies;
  std::string const& other = now.wanted.block_scan;
  auto const block_scan = block_algorithm_from_name(other.empty() ? "blelloch-padded" : other);
  race all(now, other.empty() ? "algorithms" : "strategies of " + other, n);
  for (scan_strategy const which : requested) {
    if (!takes(which, block_scan, n)) continue;
    std::string const name(strategy_name(which));
    if (other.empty() || !runs_block_scan(which)) {
      all.add(name, which);
      continue;
    }
    strategies::with_block_scan_in<strategies::default_block_threads>(
        which, block_scan, sum{}, [&](auto strategy, auto op) { all.add(name, strategy, op); });
  }
  all.add_cub();
  all.run();
}

/// Strategies of many blocks whose tiles have 2048 items, times `Times`.
template <int Times>
void compare_equal_tiles(session const& now, index_t n) {
  namespace strategies = device::strategies;
  namespace textbook = block::textbook;
  constexpr int threads = strategies::default_block_threads;
  using block_scan = strategies::default_block_scan;
  constexpr int vector = strategies::vector_items;
  using raked = textbook::raked<block_scan, Times * vector>;
  // Its threads sum four items by themselves, whatever the block scan is.
  using summed = std::conditional_t<Times == 1, block_scan, textbook::raked<block_scan, Times>>;
  using propagate = strategies::scan_then_propagate<summed, threads>;
  constexpr index_t tile = propagate{}.tile_items();
  static_assert(tile == index_t{2048} * Times);
  static_assert(tile == strategies::chained_scan<raked, threads>{}.tile_items());

  race all(now, "equal tiles of " + std::to_string(tile), n);
  all.add("scan-then-fan", strategies::scan_then_fan<raked, threads>{});
  all.add("scan-then-propagate", propagate{});
  all.add("reduce-then-scan", strategies::reduce_then_scan<raked, threads>{});
  all.add("chained-scan", strategies::chained_scan<raked, threads>{});
  all.add("decoupled-look-back", strategies::decoupled_look_back<raked, threads>{});
  all.add("production", strategies::production{});
  all.run();
}

/// Scan-then-fan with every block scan in its blocks, and what they are compared with: one thread,
/// and a naive scan of the whole device.
void compare_block_scans(session const& now, int threads, index_t n) {
  namespace strategies = device::strategies;
  race all(now, "block-scans of " + std::to_string(threads) + " threads", n);
  all.add("one thread", strategies::sequential{});
  all.add("global-hillis-steele",
          strategies::global_hillis_steele<strategies::max_block_threads>(threads));
  for (block_algorithm const which : all_block_algorithms) {
    strategies::with_block_scan(which, [&](auto block_scan) {
      using fan = strategies::scan_then_fan<decltype(block_scan), strategies::max_block_threads>;
      all.add(std::string(block_algorithm_name(which)), fan(threads));
    });
  }
  all.run();
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
  if (!now.wanted.tiles.empty()) {
    for (index_t const n : or_standard<index_t>(now.wanted.sizes, {1 << 20, 1 << 24, 1 << 28})) {
      for (int const tile : now.wanted.tiles) {
        if (tile == 2048) compare_equal_tiles<1>(now, n);
        if (tile == 4096) compare_equal_tiles<2>(now, n);
        if (tile == 8192) compare_equal_tiles<4>(now, n);
      }
    }
    return;
  }
  for (index_t const n : or_standard(now.wanted.sizes, paper_sizes()))
    compare_at(now, requested, n);
}

}  // namespace libscan::bench::cuda
