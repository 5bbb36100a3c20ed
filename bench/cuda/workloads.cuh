// SPDX-License-Identifier: Apache-2.0
// What the cuda workloads share: inputs and expected results on the device, their comparison there,
// the copy that all are compared with, and the operations, each in a file of its name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <bench/cuda/calls.hpp>
#include <bench/distributions.hpp>
#include <bench/measure.hpp>
#include <libscan/buffer.cuh>

namespace libscan::bench::cuda {

/// Sets *different if the arrays differ anywhere.
template <class T>
struct compare_kernel {
  static constexpr int block_threads = 256;

  __device__ void operator()(T const* a, T const* b, index_t n, int* different) const {
    index_t const threads = index_t{gridDim.x} * block_threads;
    for (index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x; i < n; i += threads) {
      if (!(a[i] == b[i])) *different = 1;
    }
  }
};

/// A copy of host items on the device, complete.
template <class T>
device::buffer<T> on_device(std::span<T const> items) {
  device::buffer<T> result{items};
  simt::synchronize();
  return result;
}

/// out[i] = at(i).
template <class T, class At>
struct make_kernel {
  static constexpr int block_threads = 256;

  __device__ void operator()(T* out, index_t n, At at) const {
    index_t const threads = index_t{gridDim.x} * block_threads;
    for (index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x; i < n; i += threads) {
      out[i] = at(i);
    }
  }
};

/// {at(0), ..., at(n - 1)}, made where it is needed.
template <class T, class At>
device::buffer<T> made_on_device(index_t n, At at) {
  device::buffer<T> result(n);
  simt::launch<make_kernel<T, At>>({.blocks = 1024, .threads = 256}, result.data(), n, at);
  return result;
}

/// Overwrites all of a buffer with values that no result has.
template <class T>
void spoil(device::buffer<T> const& items) {
  simt::fill_async(items.data(), 0xa5, static_cast<std::size_t>(items.size()) * sizeof(T));
}

/// n overwritten items.
template <class T>
device::buffer<T> spoilt(index_t n) {
  device::buffer<T> result(n);
  spoil(result);
  return result;
}

/// Up to this many items, the standard library also computes the expected results.
inline constexpr index_t max_std_items = index_t{1} << 20;

/// Solves a problem by the toolkit's CUB, whose results are then expected of all contenders. Throws
/// `invalid_argument` if it has too many items for CUB.
template <class Problem>
void solve_by_cub(Problem const& problem) {
  implementations const all = by_cub::offers(problem);
  if (all.empty()) throw invalid_argument("the toolkit's CUB takes fewer items only");
  all.front().run();
  simt::synchronize();
}

/// Throws `libscan::error` unless these are the first items of CUB's result.
template <class T>
void require_same(device::buffer<T> const& by_cub, std::vector<T> const& by_std) {
  std::vector<T> found(by_std.size());
  by_cub.read_sync(found.data(), static_cast<index_t>(found.size()));
  if (found != by_std) throw error("CUB and the standard library disagree");
}

/// A number that calls leave on the device, or return to the host. The former number is erased, so
/// each call must leave it anew.
class device_count {
 public:
  device_count() : count_(1) { forget(); }

  index_t* data() const { return count_.data(); }

  /// The number; -1 if none was left. Erases it.
  index_t take() const {
    index_t reported = 0;
    count_.read_sync(&reported, 1);
    forget();
    return reported;
  }

  /// Whether it is `expected`, or untouched if none was to be left. Erases it.
  bool right(index_t expected, bool to_be_left) const {
    return take() == (to_be_left ? expected : -1);
  }

 private:
  void forget() const { simt::fill_async(count_.data(), 0xff, sizeof(index_t)); }

  device::buffer<index_t> count_;
};

/// Whether `found` begins with the first `count` items of `expected`. `flag`: space for a flag.
template <class T>
bool same_first_items(device::buffer<T> const& expected, device::buffer<T> const& found,
                      index_t count, device::buffer<int> const& flag) {
  simt::fill_async(flag.data(), 0, sizeof(int));
  simt::launch<compare_kernel<T>>({.blocks = 1024, .threads = 256},
                                  static_cast<T const*>(expected.data()),
                                  static_cast<T const*>(found.data()), count, flag.data());
  int different = 1;
  flag.read_sync(&different, 1);
  return different == 0;
}

/// The same with all of them.
template <class T>
bool same_items(device::buffer<T> const& expected, device::buffer<T> const& found,
                device::buffer<int> const& flag) {
  return same_first_items(expected, found, expected.size(), flag);
}

/// An output and its expected contents.
template <class T>
class checked_output {
 public:
  explicit checked_output(std::span<T const> expected) : checked_output(on_device(expected)) {}

  /// If fewer items than the output has may be written, the others must be `spoilt`, and stay so.
  explicit checked_output(device::buffer<T> expected)
      : expected_(std::move(expected)), out_(expected_.size()), different_(1) {
    spoil(out_);
  }

  T* data() const { return out_.data(); }
  index_t size() const { return out_.size(); }

  /// Whether the output is as expected. Overwrites it, so that the next contender must write it
  /// all.
  bool right() const {
    bool const same = same_items(expected_, out_, different_);
    spoil(out_);
    return same;
  }

 private:
  device::buffer<T> expected_;
  device::buffer<T> out_;
  device::buffer<int> different_;
};

/// "memcpy": reads and writes `bytes` in total. The source holds random words.
contender copy_of(double bytes);

/// "memset": writes `bytes`.
contender fill_of(double bytes);

/// Adds all offers for a problem, verified by right(), or by right(counts); counts is whether
/// counts and offsets have been left.
template <class Problem, class Right>
void add_offers(workload& work, Problem const& problem, Right right) {
  for (implementation& each : all_offers(problem)) {
    std::function<bool()> verify;
    if constexpr (std::is_invocable_v<Right, bool>) {
      verify = [right, counts = each.leaves_counts] { return right(counts); };
    } else {
      verify = right;
    }
    work.contenders.push_back({std::move(each.name), std::move(each.run), std::move(verify)});
  }
}

/// Has each contender find a copy of `in` in `items`, which it overwrites.
template <class Item>
void find_input_anew(workload& work, device::buffer<Item> const& in,
                     device::buffer<Item> const& items) {
  for (contender& each : work.contenders) {
    if (!each.verify) continue;
    each.prepare = [&] {
      simt::copy_async(items.data(), in.data(), static_cast<std::size_t>(in.size()) * sizeof(Item));
    };
  }
}

/// Scans of every type and operator.
void run_scans(session const& now);

/// Scans from the last item to the first.
void run_reverse_scans(session const& now);

/// Scans within segments, by description and by lengths.
void run_segmented_scans(session const& now);

/// Totals of segments.
void run_segmented_reductions(session const& now);

/// Reductions, scans of masks, and filters by a predicate or by masks.
void run_reductions(session const& now);
void run_binary_scans(session const& now);
void run_filters(session const& now);

/// Splits in two; first items of runs, and run-length encoding.
void run_splits(session const& now);
void run_runs(session const& now);

/// Calls on device spans beside templates.
void run_spans(session const& now);

/// Sorts of keys and of pairs, and argsort; sorts within segments; splits into many buckets.
void run_sorts(session const& now);
void run_segmented_sorts(session const& now);
void run_splits_by_key(session const& now);

/// Histograms in bins of every kind.
void run_histograms(session const& now);

/// Products of sparse matrices and vectors; matrices by rows from lists of entries.
void run_products(session const& now);
void run_builds(session const& now);

/// Every strategy of the catalog at the sizes of the paper's Table 2, and the sequential CPU
/// scan.
void run_algorithms(session const& now);
void run_block_scans(session const& now);

}  // namespace libscan::bench::cuda
