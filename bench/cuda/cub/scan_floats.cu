// SPDX-License-Identifier: Apache-2.0
// Sums of floating-point items by CUB.
#include <bench/cuda/cub/scan.cuh>

template libscan::bench::implementations
libscan::bench::LIBSCAN_BENCH_CUB::scans<libscan::bench::float_scans>(scan_problem const&);
