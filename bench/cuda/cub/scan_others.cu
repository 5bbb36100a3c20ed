// SPDX-License-Identifier: Apache-2.0
// Widening sums, and operators that are no sums by CUB.
#include <bench/cuda/cub/scan.cuh>

template libscan::bench::implementations
libscan::bench::LIBSCAN_BENCH_CUB::scans<libscan::bench::other_scans>(scan_problem const&);
