// SPDX-License-Identifier: Apache-2.0
// A histogram by sort and scan. After a sort, each bin is a run of equal keys: a filter finds where
// runs begin, and their distances are the counts. No two threads ever add to one counter.
#include <examples/uses/program.hpp>

namespace examples {

/// The number of each value in [0, bins).
template <class Engine>
std::vector<index_t> histogram(Engine& on, std::vector<unsigned> const& samples, index_t bins) {
  auto keys = on.array(samples);
  auto places = on.array(samples);
  on.sort(keys, places);
  index_t const n = keys.size();
  auto const begins = generate<std::uint8_t>(
      on, n, [k = keys.data()] __device__(index_t i) { return i == 0 || k[i - 1] != k[i]; });
  auto const runs = on.positions(begins);
  auto counts = on.array(std::vector<index_t>(static_cast<std::size_t>(bins)));
  on.each(runs.size(), [n, last = runs.size() - 1, k = keys.data(), runs = runs.data(),
                        counts = counts.data()] __device__(index_t r) {
    counts[k[runs[r]]] = (r == last ? n : runs[r + 1]) - runs[r];
  });
  return counts.copy();
}

/// The loop.
inline std::vector<index_t> histogram_by_loop(std::vector<unsigned> const& samples, index_t bins) {
  std::vector<index_t> counts(static_cast<std::size_t>(bins));
  for (unsigned const sample : samples) ++counts[sample];
  return counts;
}

/// The share of samples up to each bin: the scan of the counts.
template <class Engine>
std::vector<index_t> cumulative(Engine& on, std::vector<index_t> const& counts) {
  return on.inclusive_scan(on.array(counts), plus<index_t>{}).copy();
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words) {
        auto const counts = histogram(on, {3, 1, 7, 0, 4, 1, 6, 3}, 8);
        print("counts    ", counts);
        print("cumulative", cumulative(on, counts));
      },
      [](auto& on, index_t n, random_numbers& random) {
        index_t const bins = 1 + random.below(n + 1);
        auto const samples = random.vector<unsigned>(n, bins);
        return histogram(on, samples, bins) == histogram_by_loop(samples, bins);
      });
}
