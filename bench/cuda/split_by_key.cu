// SPDX-License-Identifier: Apache-2.0
// Splits of keys and values into many buckets on the GPU, beside a sort by as few bits, which does
// not find the buckets' begins.
#include <bench/cuda/workloads.cuh>

namespace libscan::bench::cuda {

namespace {

using word = std::uint32_t;

/// The number of n sorted keys below i.
struct keys_below {
  word const* keys;
  index_t n;

  __device__ index_t operator()(index_t i) const {
    index_t first = 0, past = n;
    while (first < past) {
      index_t const middle = first + (past - first) / 2;
      if (keys[middle] < i) {
        first = middle + 1;
      } else {
        past = middle;
      }
    }
    return first;
  }
};

/// Throws unless CUB's results are those of the loops that define them.
void require_split(bucket_at at, index_t n, device::buffer<word> const& keys,
                   device::buffer<word> const& values) {
  std::vector<std::vector<word>> buckets(static_cast<std::size_t>(at.buckets));
  for (index_t i = 0; i < n; ++i) buckets[at(i)].push_back(value_at{}(i));
  std::vector<word> by_key, by_value;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    by_key.insert(by_key.end(), buckets[b].size(), static_cast<word>(b));
    by_value.insert(by_value.end(), buckets[b].begin(), buckets[b].end());
  }
  require_same(keys, by_key);
  require_same(values, by_value);
}

void split(session const& now, int buckets, index_t n) {
  bucket_at const at{buckets};
  auto const keys = made_on_device<word>(n, at);
  auto const values = made_on_device<word>(n, value_at{});
  auto sorted = spoilt<word>(n), moved = spoilt<word>(n);
  bucket_problem problem{buckets, keys.data(), sorted.data(), values.data(), moved.data(), nullptr,
                         n};
  solve_by_cub(problem);
  if (n <= max_std_items) require_split(at, n, sorted, moved);
  checked_output<index_t> const offsets(
      made_on_device<index_t>(buckets + 1, keys_below{sorted.data(), n}));
  checked_output<word> const keys_out(std::move(sorted)), values_out(std::move(moved));
  problem.keys_out = keys_out.data();
  problem.values_out = values_out.data();
  problem.offsets = offsets.data();
  // Keys are read twice: once to count them, once to move them.
  double const bytes = 20.0 * static_cast<double>(n);
  workload work{"cuda",    "split by key, " + std::to_string(buckets) + " buckets",
                "u32+u32", n,
                bytes,     {copy_of(bytes)}};
  add_offers(work, problem, [&](bool counts) {
    bool const keys_right = keys_out.right(), values_right = values_out.right();
    bool const offsets_right = !counts || offsets.right();
    return offsets_right && keys_right && values_right;
  });
  now.run(std::move(work));
}

}  // namespace

void run_splits_by_key(session const& now) {
  options const& wanted = now.wanted;
  std::vector<int> const axis(bucket_axis.begin(), bucket_axis.end());
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
    for (int const buckets : or_standard(wanted.buckets, axis)) split(now, buckets, n);
  }
}

}  // namespace libscan::bench::cuda
