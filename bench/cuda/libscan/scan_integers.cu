// SPDX-License-Identifier: Apache-2.0
// Sums of integers by libscan.
#include <bench/cuda/libscan/scan.cuh>

template libscan::bench::implementations
libscan::bench::by_libscan::scans<libscan::bench::integer_scans>(scan_problem const&);
