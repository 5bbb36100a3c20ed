// SPDX-License-Identifier: Apache-2.0
// What a case should give, by plain loops and std::stable_sort, and whether it did.
#pragma once

#include <string>
#include <vector>

#include <apps/check/check_case.hpp>
#include <apps/check/image.hpp>

namespace libscan::apps {

/// By how much each item of an output may differ, where any may; the total's last.
using tolerances = std::vector<double>;

/// Computes what case `c` of inputs `in` should leave in `out`, which has been prepared. Sums of
/// floats that any order of association may round get a tolerance each: n eps sum |x|.
void compute_expected(check_case const& c, placed in, placed out, tolerances& allowed);

/// Empty if `got` is `expected`, byte by byte with the canaries, but for NaNs in scans, whose
/// payload nobody promises, and `allowed`; else the first difference.
std::string first_difference(check_case const& c, placed expected, placed got,
                             tolerances const& allowed);

}  // namespace libscan::apps
