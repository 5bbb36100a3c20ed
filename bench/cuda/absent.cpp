// SPDX-License-Identifier: Apache-2.0
// The CUDA side of scan-bench in a build without nvcc.
#include <bench/measure.hpp>

namespace libscan::bench {

void run_cuda_workloads(options const&, report const&) {}

facts cuda_facts() { return {}; }

}  // namespace libscan::bench
