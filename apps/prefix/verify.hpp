// SPDX-License-Identifier: Apache-2.0
// --verify of scan-prefix: computes the scan again with a plain loop that shares no code with the
// engines, and reports where it differs.
#pragma once

#include <string>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_scan.hpp>

namespace libscan::apps {

/// What --verify found.
struct verdict {
  std::string difference;  ///< empty if there is none
  bool exact = true;       ///< results must be equal, not only near
  index_t unknown = 0;     ///< floating sums that could not be checked
};

/// Compares the output of `call` with a sequential loop.
///
/// Integers, and minima and maxima of floats, must be equal: -0 is not +0, any NaN is equal to any
/// other. A floating sum of k terms must be as near to the exact one as every order of association
/// is in which a term meets at most h additions, h = min(k - 1, `deepest`): within g sum |x|, where
/// g = h u / (1 - h u) and u is half an epsilon (Higham 2002, 4.2), or (k - 1) u where h u is not
/// small (Rump 2012). The exact sum is computed in a wider type, and the bound includes the error
/// of that type. The sum of infinities or NaNs must be what they add up to. Where partial sums may
/// overflow in some order the result is not checked: `unknown` counts these.
verdict verify_prefix(prefix_call const& call, index_t deepest);

/// Runs `call`, which has no segments, by std::inclusive_scan or std::exclusive_scan.
void prefix_by_standard(prefix_call const& call);

/// The same on the current GPU by cub::DeviceScan or by thrust::inclusive_scan and
/// thrust::exclusive_scan; verify_cuda.cu. Only in builds with CUDA. Throws `device_error`.
void prefix_by_cub(prefix_call const& call);
void prefix_by_thrust(prefix_call const& call);

}  // namespace libscan::apps
