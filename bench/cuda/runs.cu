// SPDX-License-Identifier: Apache-2.0
// Runs of equal 32-bit items on the GPU: the first of each, and run-length encoding.
#include <bench/cuda/workloads.cuh>

namespace libscan::bench::cuda {

namespace {

using item = std::uint32_t;

/// Throws unless CUB's runs are those of the loop that defines them.
void require_runs(run_item_at at, index_t n, device::buffer<item> const& values,
                  device::buffer<item> const& lengths) {
  std::vector<item> first, length;
  for (index_t i = 0; i < n; ++i) {
    if (i == 0 || at(i) != at(i - 1)) {
      first.push_back(at(i));
      length.push_back(0);
    }
    ++length.back();
  }
  require_same(values, first);
  require_same(lengths, length);
}

void encode(session const& now, bool lengths_too, int mean_length, index_t n) {
  run_item_at const at{mean_length};
  auto const in = made_on_device<item>(n, at);
  auto values = spoilt<item>(n), lengths = spoilt<item>(n);
  device_count const count;
  run_problem problem{in.data(), values.data(), lengths.data(), count.data(), n};
  solve_by_cub(problem);
  index_t const runs = count.take();
  if (n <= max_std_items) require_runs(at, n, values, lengths);
  checked_output<item> const firsts(std::move(values)), of_runs(std::move(lengths));
  problem.values = firsts.data();
  problem.lengths = lengths_too ? of_runs.data() : nullptr;
  double const written = (lengths_too ? 2.0 : 1.0) * static_cast<double>(runs);
  double const bytes = sizeof(item) * (static_cast<double>(n) + written);
  std::string const name = lengths_too ? "run_length_encode" : "unique";
  workload work{"cuda",          name + ", runs of " + std::to_string(mean_length), "u32", n, bytes,
                {copy_of(bytes)}};
  add_offers(work, problem, [&](bool counts) {
    bool const counted = count.right(runs, counts);
    bool const lengths_right = !lengths_too || of_runs.right();
    return firsts.right() && lengths_right && counted;
  });
  now.run(std::move(work));
}

/// The first item of each run, over the input.
void unique_in_place(session const& now, int mean_length, index_t n) {
  run_item_at const at{mean_length};
  auto const in = made_on_device<item>(n, at);
  auto const expected = spoilt<item>(n);
  device::buffer<item> const items(n);
  device::buffer<int> const different(1);
  device_count const count;
  run_problem problem{in.data(), expected.data(), nullptr, count.data(), n};
  solve_by_cub(problem);
  index_t const runs = count.take();
  problem.in = problem.values = items.data();
  double const bytes = sizeof(item) * static_cast<double>(n + runs);
  workload work{"cuda", "unique in place, runs of " + std::to_string(mean_length),
                "u32",  n,
                bytes,  {copy_of(bytes)}};
  add_offers(work, problem, [&](bool counts) {
    bool const counted = count.right(runs, counts);
    return same_first_items(expected, items, runs, different) && counted;
  });
  find_input_anew(work, in, items);
  now.run(std::move(work));
}

}  // namespace

void run_runs(session const& now) {
  options const& wanted = now.wanted;
  std::vector<int> const means(run_axis.begin(), run_axis.end());
  for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
    if (wanted.in_place) {
      for (int const mean : or_standard(wanted.runs, means)) unique_in_place(now, mean, n);
      continue;
    }
    for (bool const lengths_too : {false, true}) {
      for (int const mean : or_standard(wanted.runs, means)) encode(now, lengths_too, mean, n);
    }
  }
}

}  // namespace libscan::bench::cuda
