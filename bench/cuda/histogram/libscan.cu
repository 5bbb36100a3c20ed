// SPDX-License-Identifier: Apache-2.0
// libscan's histograms, by every algorithm.
#include <libscan/sorted_histogram.cuh>

#include <memory>

#include <bench/cuda/histogram/problem.hpp>
#include <libscan/buffer.cuh>

namespace libscan::bench::by_libscan {

namespace {

template <class Sample, class Rule>
struct plain_kernel {
  static constexpr int block_threads = 256;
  __device__ void operator()(Sample const* in, index_t n, Rule rule, std::uint32_t* counts) const {
    index_t const threads = index_t{gridDim.x} * block_threads;
    for (index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x; i < n; i += threads) {
      int const place = rule.find(in[i]);
      if (place < rule.bins()) device::add_to_global(counts[place], 1);
    }
  }
};

/// call(samples, rule) with the samples and bins of a problem.
template <class Call>
void with_rule(histogram_problem const& problem, Call call) {
  int const bins = problem.bins;
  bool const integers = problem.kind == "integers", even = problem.kind == "even";
  if (problem.type == "f32") {
    auto const* const in = static_cast<float const*>(problem.in);
    if (even) call(in, even_bins<float>(0, bins, bins));
    if (problem.kind == "edges") call(in, edge_bins<float>(problem.edges, bins));
  } else if (problem.type == "u8") {
    auto const* const in = static_cast<std::uint8_t const*>(problem.in);
    if (integers) call(in, integer_bins<std::uint8_t>(0, bins));
    if (even) call(in, even_bins<std::uint8_t>(0, bins, bins));
  } else if (problem.type == "u32") {
    auto const* const in = static_cast<std::uint32_t const*>(problem.in);
    if (integers) call(in, integer_bins<std::uint32_t>(0, bins));
    if (even) call(in, even_bins<std::uint32_t>(0, bins, bins));
  }
}

}  // namespace

implementations offers(histogram_problem const& problem) {
  implementations all;
  with_rule(problem, [&](auto const* in, auto const& rule) {
    auto const ws = std::make_shared<workspace>();
    auto const totals = std::make_shared<device::buffer<sample_totals>>(1);
    index_t const n = problem.n;
    auto* const counts = problem.counts;
    all.push_back({"libscan", [=] { histogram(*ws, in, counts, rule, n, totals->data()); }});
    all.push_back(
        {"libscan sorted", [=] { sorted_histogram(*ws, in, counts, rule, n, totals->data()); }});
    if (rule.bins() > max_counted_bins) return;
    all.push_back(
        {"libscan counted", [=] { counted_histogram(*ws, in, n, rule, counts, totals->data()); }});
  });
  return all;
}

void count_plainly(histogram_problem const& problem) {
  simt::fill_async(problem.counts, 0,
                   static_cast<std::size_t>(problem.bins) * sizeof(std::uint32_t));
  with_rule(problem, [&](auto const* in, auto const& rule) {
    using kernel =
        plain_kernel<std::remove_cvref_t<decltype(*in)>, std::remove_cvref_t<decltype(rule)>>;
    simt::launch<kernel>({.blocks = 1024, .threads = kernel::block_threads}, in, problem.n, rule,
                         problem.counts);
  });
}

}  // namespace libscan::bench::by_libscan
