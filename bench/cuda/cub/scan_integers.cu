// SPDX-License-Identifier: Apache-2.0
// Sums of integers by CUB.
#include <bench/cuda/cub/scan.cuh>

template libscan::bench::implementations
libscan::bench::LIBSCAN_BENCH_CUB::scans<libscan::bench::integer_scans>(scan_problem const&);
