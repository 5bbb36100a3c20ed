// SPDX-License-Identifier: Apache-2.0
// What the cpu workloads share: the stopwatch, the copy that all are compared with, and the
// operations, each in a file of its name.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <bench/distributions.hpp>
#include <bench/measure.hpp>
#include <libscan/core/engine.hpp>

namespace libscan::bench::cpu {

/// Wall-clock time of a call in microseconds. The caches stay as the contender before left them.
inline double wall_us(std::function<void()> const& run) {
  auto const start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Shorter calls are repeated for this long: a clock's tick is some tens of ns.
inline constexpr double min_sample_us = 20;

/// Workloads whose rounds all take less have more rounds: other virtual machines, and threads that
/// must wake, make single samples of short calls several times as long.
inline constexpr more_rounds short_workload{2e5, 51};

/// The same beside busy processes. A sample that has waited for a turn of the scheduler takes many
/// times as long as one that has not, and few samples say little about how many have.
inline constexpr more_rounds busy_workload{2e7, 301};

/// Copies bytes with all threads of the arena, one piece each.
inline void parallel_memcpy(void* to, void const* from, std::size_t bytes) {
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, bytes, 1 << 18),
      [=](auto const& part) {
        std::memcpy(static_cast<char*>(to) + part.begin(),
                    static_cast<char const*>(from) + part.begin(), part.size());
      },
      tbb::static_partitioner{});
}

/// Moves `bytes` in total, half in and half out, between two buffers of its own.
inline contender copy_of(double bytes) {
  struct buffers {
    host_array<char> from, to;
  };
  auto const size = static_cast<index_t>(bytes / 2);
  std::shared_ptr<buffers> const both(new buffers{host_array<char>(size), host_array<char>(size)});
  std::fill(both->from.begin(), both->from.end(), 1);
  std::fill(both->to.begin(), both->to.end(), 0);
  return {
      "memcpy",
      [both] { parallel_memcpy(both->to.begin(), both->from.begin(), both->from.view().size()); },
      {}};
}

/// A contender that sorts in place: sort(begin, end) gets a copy of `in` in `out`, made outside the
/// timing. The arrays must outlive the contender.
template <class Item, class Sort>
contender in_place(std::string name, host_array<Item> const& in, host_array<Item> const& out,
                   Sort sort, std::function<bool()> verify) {
  contender each{std::move(name), [&out, sort] { sort(out.begin(), out.end()); },
                 std::move(verify)};
  each.prepare = [&in, &out] { std::copy(in.begin(), in.end(), out.begin()); };
  return each;
}

/// Scans of every type; beside the host API, the standard library's and oneTBB's.
void run_scans(engine const& on, session const& now);

/// Scans of 32-bit items within segments; the engine beside a sequential loop and oneTBB.
void run_segmented_scans(engine const& on, session const& now);

/// Totals of segments of 32-bit items; the engine beside loops.
void run_segmented_reductions(engine const& on, session const& now);

/// Sums; the engine beside the standard library and oneTBB.
void run_reductions(engine const& on, session const& now);

/// Scans of masks; the engine beside scans that count as they read.
void run_binary_scans(engine const& on, session const& now);

/// Filters of 32-bit items; the engine beside the standard library. By a mask: beside a loop.
void run_filters(engine const& on, session const& now);

/// Splits of 32-bit items in two; the engine beside loops and the standard library.
void run_splits(engine const& on, session const& now);

/// First items of runs, and run-length encoding; the engine beside the same.
void run_runs(engine const& on, session const& now);

/// Sorts of keys and of pairs; the engine beside the standard library.
void run_sorts(engine const& on, session const& now);

/// Sorts of keys and of pairs within segments; the engine beside loops over the segments.
void run_segmented_sorts(engine const& on, session const& now);

/// Splits of keys and values into many buckets; a sort of the engine beside loops.
void run_splits_by_key(engine const& on, session const& now);

/// Histograms of integers; the engine beside loops, on one thread and on all.
void run_histograms(engine const& on, session const& now);

/// Products of sparse matrices and vectors; the engine beside loops and Eigen.
void run_products(engine const& on, session const& now);

/// Matrices by rows from lists of entries; the engine beside loops, sorts and Eigen.
void run_builds(engine const& on, session const& now);

/// 32-bit sums at the sizes of the paper's table: the sequential loop beside multithreaded
/// contenders.
void run_algorithms(engine const& on, session const& now);

}  // namespace libscan::bench::cpu
