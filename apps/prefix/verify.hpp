// SPDX-License-Identifier: Apache-2.0
// --verify of scan-prefix: computes the scan again with a plain loop that shares nothing with the
// engines, and says where it differs.
#pragma once

#include <string>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>

namespace libscan::apps {

/// What --verify found.
struct verdict {
  std::string difference;  ///< empty if there is none
  bool exact = true;       ///< results were to be equal, not only near
  index_t unknown = 0;     ///< floating sums that nothing could be proven about
};

/// Compares the output of `call` with a sequential loop.
///
/// Integers, and minima and maxima of floats, must be equal: -0 is not +0, any NaN is any other.
/// A floating sum of k terms must be as near to the exact one as every order of association is in
/// which a term meets at most h additions, h = min(k - 1, `deepest`): within g sum |x|, where
/// g = h u / (1 - h u) and u is half an epsilon (Higham 2002, 4.2), or (k - 1) u where h u is not
/// small (Rump 2012). The exact sum is taken in a wider type, whose own error is allowed for. A sum
/// with an infinity or a NaN must be what it makes. Where partial sums may overflow in some order
/// nothing is checked: `unknown` counts these.
verdict verify_prefix(prefix_call const& call, index_t deepest);

}  // namespace libscan::apps
