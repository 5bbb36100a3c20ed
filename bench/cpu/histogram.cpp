// SPDX-License-Identifier: Apache-2.0
// Histograms of integers on the cpu engine beside a loop, and oneTBB with a table per thread.
#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/parallel_for.h>

#include <numeric>

#include <bench/cpu/contenders.hpp>
#include <bench/samples.hpp>
#include <libscan/histogram.hpp>

namespace libscan::bench::cpu {

namespace {

using counts_type = std::vector<std::uint32_t>;

template <class T>
void count_by_loop(std::span<T const> in, counts_type& counts) {
  std::fill(counts.begin(), counts.end(), 0u);
  for (T const x : in) ++counts[x];
}

template <class T>
void count_by_tbb(std::span<T const> in, counts_type& counts) {
  tbb::combinable<counts_type> tables([&] { return counts_type(counts.size()); });
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, in.size()), [&](auto const& part) {
    counts_type& own = tables.local();
    for (std::size_t i = part.begin(); i < part.end(); ++i) ++own[in[i]];
  });
  std::fill(counts.begin(), counts.end(), 0u);
  tables.combine_each([&](counts_type const& own) {
    for (std::size_t b = 0; b < counts.size(); ++b) counts[b] += own[b];
  });
}

template <class T>
void count(engine const& on, session const& now, int bins, std::string const& spread, index_t n) {
  auto const in = generated<T>(n, sample_at<T>(spread, bins, n));
  counts_type expected(static_cast<std::size_t>(bins)), counts(expected.size());
  count_by_loop(in.view(), expected);
  auto const right = [&] {
    bool const same = counts == expected;
    std::fill(counts.begin(), counts.end(), 7u);
    return same;
  };
  integer_bins<T> const rule(0, bins);
  even_bins<T> const even(0, bins, bins);
  std::vector<double> ends(static_cast<std::size_t>(bins) + 1);
  std::iota(ends.begin(), ends.end(), 0.0);
  edge_bins<T, double> const between(ends.data(), bins);
  double const bytes = static_cast<double>(n) * sizeof(T);
  std::vector<contender> all{
      copy_of(bytes),
      {"libscan", [&] { histogram(on, in.view(), counts, rule); }, right},
      {"libscan even", [&] { histogram(on, in.view(), counts, even); }, right},
      {"sequential", [&] { count_by_loop(in.view(), counts); }, right},
      {"tbb", [&] { count_by_tbb(in.view(), counts); }, right}};
  // A search per sample: with more it takes as long as all others together.
  if (bins <= 1 << 16 && n <= 1 << 24) {
    all.push_back({"libscan edges", [&] { histogram(on, in.view(), counts, between); }, right});
  }
  std::uint32_t const* theirs = nullptr;
  for (library const& other : other_libraries()) {
    library::counting<T> count = nullptr;
    if constexpr (sizeof(T) == 1) count = other.histogram_u8;
    if constexpr (sizeof(T) == 4) count = other.histogram_u32;
    if (count == nullptr) continue;
    all.push_back({other.name, [&, count, bins] { theirs = count(in.begin(), n, bins); },
                   [&] { return std::equal(expected.begin(), expected.end(), theirs); }});
  }
  now.run({"cpu", "histogram " + std::to_string(bins) + ", " + spread, type_name<T>(), n, bytes,
           std::move(all)});
}

}  // namespace

void run_histograms(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (std::string const& type : or_standard<std::string>(wanted.types, {"u8", "u32"})) {
    for (int const bins : or_standard<int>(wanted.bins, {256})) {
      for (std::string const& spread :
           or_standard<std::string>(wanted.spreads, names_of(sample_axis))) {
        for (index_t const n : or_standard<index_t>(wanted.sizes, {1 << 20, 1 << 26})) {
          now.where_known([&] {
            if (type == "u8" && bins <= 256) {
              count<std::uint8_t>(on, now, bins, spread, n);
            } else if (type == "u32") {
              count<std::uint32_t>(on, now, bins, spread, n);
            } else {
              throw invalid_argument("scan-bench has no histogram of " + type + " in " +
                                     std::to_string(bins) +
                                     " bins on the CPU; expected u8 (256 bins) or u32");
            }
          });
        }
      }
    }
  }
}

}  // namespace libscan::bench::cpu
