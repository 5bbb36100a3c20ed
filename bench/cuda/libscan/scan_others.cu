// SPDX-License-Identifier: Apache-2.0
// Widening sums, and operators that are no sums by libscan.
#include <bench/cuda/libscan/scan.cuh>

template libscan::bench::implementations
libscan::bench::by_libscan::scans<libscan::bench::other_scans>(scan_problem const&);
