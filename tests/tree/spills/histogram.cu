// SPDX-License-Identifier: Apache-2.0
// The kernels of the histogram for the types and bins they are tuned for, for spills.py.
#include <cstdint>

#include <libscan/histogram.cuh>

using namespace libscan;

namespace {

template <class Sample, class Rule>
void compile(workspace& ws, Rule const& rule) {
  Sample const* const in = nullptr;
  std::uint32_t* const counts = nullptr;
  histogram(ws, in, counts, rule, 0, nullptr);
  counted_histogram(ws, in, 0, rule, counts, nullptr);
}

template <class Sample>
void compile_integers(workspace& ws) {
  compile<Sample>(ws, integer_bins<Sample>(0, 256));
  compile<Sample>(ws, even_bins<Sample>(0, 256, 256));
}

}  // namespace

void compile_histograms(workspace& ws, float const* edges) {
  compile_integers<std::uint8_t>(ws);
  compile_integers<std::uint32_t>(ws);
  compile<float>(ws, even_bins<float>(0, 256, 256));
  compile<float>(ws, edge_bins<float>(edges, 256));
}
