// SPDX-License-Identifier: Apache-2.0
// The textbook histogram: sort the samples' places, flag where runs of equal ones begin, and scan
// the flags; the runs' lengths are the counts. For any number of bins; also for only the nonempty
// ones, and for sums of weights, which are the same in every run.
#pragma once

#include <libscan/histogram.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/runs.cuh>
#include <libscan/segmented_reduce.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// places[i] = the place of sample i; counts those outside and inside.
template <class Sample, class Rule, class Tuning>
struct find_places_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;

  __device__ void operator()(Sample const* in, item_count length, Rule rule, std::uint32_t* places,
                             sample_totals* totals) const {
    index_t const n = length.get();
    sample_tally tally(rule.bins());
    for (index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x; i < n;
         i += index_t{gridDim.x} * block_threads) {
      int const place = rule.find(in[i]);
      places[i] = static_cast<std::uint32_t>(place);
      tally.add(place);
    }
    tally.commit(*totals);
  }
};

/// results[places[r]] = values[r] for each run r whose place is a bin.
template <class Value, class Result, class Tuning>
struct scatter_runs_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;

  __device__ void operator()(std::uint32_t const* places, Value const* values, index_t const* runs,
                             int bins, Result* results) const {
    for (index_t r = index_t{blockIdx.x} * block_threads + threadIdx.x; r < *runs;
         r += index_t{gridDim.x} * block_threads) {
      auto const place = static_cast<int>(places[r]);
      if (place < bins) results[place] = static_cast<Result>(values[r]);
    }
  }
};

/// Copies the runs whose place is a bin, which come first, and counts them.
template <class Bin, class Count, class Tuning>
struct copy_runs_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;

  __device__ void operator()(std::uint32_t const* places, index_t const* lengths,
                             index_t const* runs, int bins, Bin* out, Count* counts,
                             index_t* filled) const {
    index_t const n = *runs;
    for (index_t r = index_t{blockIdx.x} * block_threads + threadIdx.x; r < n;
         r += index_t{gridDim.x} * block_threads) {
      auto const place = static_cast<int>(places[r]);
      bool const last = r + 1 == n || static_cast<int>(places[r + 1]) >= bins;
      if (place >= bins) {
        if (r == 0) *filled = 0;
        continue;
      }
      out[r] = static_cast<Bin>(place);
      counts[r] = static_cast<Count>(lengths[r]);
      if (last) *filled = r + 1;
    }
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0) *filled = 0;
  }
};

/// The parts of the workspace of a histogram by sorting.
template <class Weight, class Value>
struct sorted_layout {
  index_t n, runs;
  std::size_t places, sorted, weights, run_places, run_values, count, rest, all;

  constexpr sorted_layout(index_t items, index_t bins) : n(items) {
    runs = items < bins + outside_places ? items : bins + outside_places;
    constexpr std::size_t weight_bytes = static_cast<std::size_t>(value_bytes<Weight>);
    std::size_t next = 0;
    auto const take = [&next](index_t count_of, std::size_t bytes) {
      std::size_t const at = next;
      next += (static_cast<std::size_t>(count_of) * bytes + 255) / 256 * 256;
      return at;
    };
    places = take(n, sizeof(std::uint32_t));
    sorted = take(n, sizeof(std::uint32_t));
    weights = take(n, weight_bytes);
    run_places = take(runs, sizeof(std::uint32_t));
    run_values = take(runs, sizeof(Value));
    count = take(1, sizeof(index_t));
    rest = next;
    std::size_t const sort = libscan::sort_workspace_bytes<std::uint32_t, Weight>(n);
    std::size_t join = run_length_workspace_bytes<std::uint32_t>(n);
    if constexpr (!std::is_void_v<Weight>) {
      join = libscan::segmented_reduce_workspace_bytes<Value>(
          n, segment_keys<std::uint32_t const*, equal_values>{nullptr, {}});
    }
    all = rest + (sort > join ? sort : join);
  }
};

/// The sorted places' runs, in the workspace.
template <class Value>
struct place_runs {
  std::uint32_t* places;
  Value* values;
  index_t* count;
};

/// The number of blocks for a loop over n items.
template <class Tuning>
unsigned place_blocks(index_t n) {
  return device::histogram_blocks(n, Tuning::resident_blocks,
                                  Tuning::block_threads * Tuning::items_per_thread);
}

/// Finds runs of equal places: their lengths, or the sums of their weights by `Value`'s addition.
template <class Weight, class Value, class Tuning, class Sample, class Rule>
place_runs<Value> runs_of_places(workspace& ws, Sample const* in, Weight const* weights,
                                 item_count n, Rule const& rule, sample_totals* d_totals) {
  sorted_layout<Weight, Value> const layout(n.at_most(), rule.bins());
  std::byte* const memory = ws.reserve(layout.all);
  auto* const places = reinterpret_cast<std::uint32_t*>(memory + layout.places);
  auto* const sorted = reinterpret_cast<std::uint32_t*>(memory + layout.sorted);
  place_runs<Value> const runs{reinterpret_cast<std::uint32_t*>(memory + layout.run_places),
                               reinterpret_cast<Value*>(memory + layout.run_values),
                               reinterpret_cast<index_t*>(memory + layout.count)};
  simt::fill_async(d_totals, 0, sizeof(sample_totals), ws.stream());
  using find = find_places_kernel<Sample, Rule, Tuning>;
  simt::launch<find>({.blocks = device::place_blocks<Tuning>(n.at_most()),
                      .threads = Tuning::block_threads,
                      .on = ws.stream()},
                     in, n, rule, places, d_totals);
  int bits = 1;
  while (rule.bins() + outside_places > 1 << bits) ++bits;
  sort_order<std::uint32_t> const order{.end_bit = bits};
  workspace rest(memory + layout.rest, layout.all - layout.rest, ws.stream());
  std::uint32_t const* const unsorted = places;
  if constexpr (std::is_void_v<Weight>) {
    sort_keys(rest, unsorted, sorted, n, order);
    libscan::run_length_encode(rest, static_cast<std::uint32_t const*>(sorted), runs.places,
                               runs.values, no_output{}, n, runs.count);
  } else {
    auto* const moved = reinterpret_cast<Weight*>(memory + layout.weights);
    libscan::sort_pairs(rest, unsorted, sorted, weights, moved, n, order);
    libscan::reduce_by_key(rest, static_cast<std::uint32_t const*>(sorted),
                           static_cast<Weight const*>(moved), runs.places, runs.values, n,
                           plus<Value>{}, runs.count);
  }
  return runs;
}

}  // namespace device

/// Bytes of workspace for `sorted_histogram` and `sparse_histogram` of up to `n` samples in `bins`
/// bins: about 13 per sample. A pure function of its arguments; needs no device.
constexpr std::size_t sorted_histogram_workspace_bytes(index_t n, index_t bins) {
  return device::sorted_layout<void, index_t>(n, bins).all;
}

/// The same for `weighted_histogram`.
template <class Weight, class Sum = Weight>
constexpr std::size_t weighted_histogram_workspace_bytes(index_t n, index_t bins) {
  return device::sorted_layout<Weight, Sum>(n, bins).all;
}

/// `histogram` by a sort of places and a scan of head flags. Everything is as in `histogram` except
/// the workspace (`sorted_histogram_workspace_bytes`), the traffic (that of a sort), and progress
/// (as `sort_keys`).
template <class Tuning = place_tuning, class Sample, bin_rule<Sample> Rule, class Count>
void sorted_histogram(workspace& ws, Sample const* samples, Count* d_counts, Rule const& rule,
                      item_count n, sample_totals* d_totals) {
  device::check_histogram(samples, n, rule, d_counts, d_totals);
  auto const runs = device::runs_of_places<void, index_t, Tuning>(
      ws, samples, static_cast<void const*>(nullptr), n, rule, d_totals);
  simt::fill_async(d_counts, 0, static_cast<std::size_t>(rule.bins()) * sizeof(Count), ws.stream());
  using scatter = device::scatter_runs_kernel<index_t, Count, Tuning>;
  simt::launch<scatter>({.blocks = device::place_blocks<Tuning>(rule.bins()),
                         .threads = Tuning::block_threads,
                         .on = ws.stream()},
                        static_cast<std::uint32_t const*>(runs.places),
                        static_cast<index_t const*>(runs.values),
                        static_cast<index_t const*>(runs.count), rule.bins(), d_counts);
}

/// Writes the nonempty bins, ascending, to `bins`, the number of samples of each to `counts`, and
/// the number of these bins to *d_filled. Both outputs need space for that number, at most min(n,
/// rule.bins()); nothing after it is written. Bins are converted to any integer type. Otherwise as
/// `sorted_histogram`.
template <class Tuning = place_tuning, class Sample, bin_rule<Sample> Rule, class Bin, class Count>
void sparse_histogram(workspace& ws, Sample const* samples, item_count n, Rule const& rule,
                      Bin* bins, Count* counts, index_t* d_filled, sample_totals* d_totals) {
  device::check_histogram(samples, n, rule, counts, d_totals);
  auto const runs = device::runs_of_places<void, index_t, Tuning>(
      ws, samples, static_cast<void const*>(nullptr), n, rule, d_totals);
  using copy = device::copy_runs_kernel<Bin, Count, Tuning>;
  simt::launch<copy>({.blocks = device::place_blocks<Tuning>(rule.bins()),
                      .threads = Tuning::block_threads,
                      .on = ws.stream()},
                     static_cast<std::uint32_t const*>(runs.places),
                     static_cast<index_t const*>(runs.values),
                     static_cast<index_t const*>(runs.count), rule.bins(), bins, counts, d_filled);
}

/// sums[b] = the sum of weights[i] over the samples i in bin b, added in Sum (float or double), 0
/// for none; *d_totals counts samples, as in `histogram`.
///
/// Determinism: bitwise the same in every run, since there are no floating-point atomics. A stable
/// sort groups the weights of a bin in the order of the input, and a segmented reduction adds them
/// in an order that depends only on their places in the sorted array.
/// Workspace: `weighted_histogram_workspace_bytes`. Otherwise as `sorted_histogram`.
template <class Tuning = place_tuning, class Sample, class Weight, bin_rule<Sample> Rule, class Sum>
void weighted_histogram(workspace& ws, Sample const* samples, Weight const* weights, Sum* d_sums,
                        Rule const& rule, item_count n, sample_totals* d_totals) {
  static_assert(std::is_floating_point_v<Weight> && std::is_floating_point_v<Sum>,
                "libscan: weights are floats or doubles, and so are their sums");
  libscan::detail::check_bins(rule.bins());
  if (d_sums == nullptr || d_totals == nullptr) {
    throw invalid_argument("histogram: sums or totals are null; expected space for both");
  }
  device::require_aligned(samples, weights, d_sums, d_totals);
  auto const runs =
      device::runs_of_places<Weight, Sum, Tuning>(ws, samples, weights, n, rule, d_totals);
  simt::fill_async(d_sums, 0, static_cast<std::size_t>(rule.bins()) * sizeof(Sum), ws.stream());
  using scatter = device::scatter_runs_kernel<Sum, Sum, Tuning>;
  simt::launch<scatter>({.blocks = device::place_blocks<Tuning>(rule.bins()),
                         .threads = Tuning::block_threads,
                         .on = ws.stream()},
                        static_cast<std::uint32_t const*>(runs.places),
                        static_cast<Sum const*>(runs.values),
                        static_cast<index_t const*>(runs.count), rule.bins(), d_sums);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
