// SPDX-License-Identifier: Apache-2.0
// Histograms on the GPU, in bins of all kinds and numbers, of samples spread evenly and unevenly.
#include <bench/cuda/histogram/problem.hpp>
#include <bench/cuda/workloads.cuh>
#include <bench/samples.hpp>

namespace libscan::bench::cuda {

namespace {

template <class T>
void count(session const& now, std::string const& kind, int bins, std::string const& spread,
           index_t n) {
  auto const in = made_on_device<T>(n, sample_at<T>(spread, bins, n));
  std::vector<float> const edges = growing_edges(bins);
  auto const d_edges = on_device(std::span<float const>(edges));
  auto expected = spoilt<std::uint32_t>(bins);
  histogram_problem problem{type_name<T>(), kind, d_edges.data(), bins,
                            in.data(),      n,    expected.data()};
  by_libscan::count_plainly(problem);
  simt::synchronize();
  checked_output<std::uint32_t> const counts(std::move(expected));
  problem.counts = counts.data();
  double const bytes = static_cast<double>(n) * sizeof(T) + static_cast<double>(bins) * 4;
  workload work{"cuda",       "histogram " + kind + " " + std::to_string(bins) + ", " + spread,
                problem.type, n,
                bytes,        {copy_of(bytes)}};
  for (auto const& offers : {by_libscan::offers(problem), by_cub::offers(problem)}) {
    for (implementation const& each : offers) {
      work.contenders.push_back({each.name, each.run, [&] { return counts.right(); }});
    }
  }
  now.run(std::move(work));
}

void count(session const& now, std::string const& type, std::string const& kind, int bins,
           std::string const& spread, index_t n) {
  if (type == "u8" && kind != "edges" && bins <= 256) {
    return count<std::uint8_t>(now, kind, bins, spread, n);
  }
  if (type == "u32" && kind != "edges") return count<std::uint32_t>(now, kind, bins, spread, n);
  if (type == "f32" && kind != "integers") return count<float>(now, kind, bins, spread, n);
  throw invalid_argument("scan-bench has no histogram of " + type + " in " + std::to_string(bins) +
                         " bins by " + kind +
                         " on the GPU; expected integers or even of u8 (256 bins) or u32, even or "
                         "edges of f32");
}

}  // namespace

void run_histograms(session const& now) {
  options const& wanted = now.wanted;
  for (std::string const& type : or_standard<std::string>(wanted.types, {"u32"})) {
    for (std::string const& kind : or_standard<std::string>(wanted.bin_kinds, {"integers"})) {
      for (int const bins : or_standard<int>(wanted.bins, {256})) {
        for (std::string const& spread :
             or_standard<std::string>(wanted.spreads, names_of(sample_axis))) {
          for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 20, 1 << 24, 1 << 28})) {
            count(now, type, kind, bins, spread, n);
          }
        }
      }
    }
  }
}

}  // namespace libscan::bench::cuda
