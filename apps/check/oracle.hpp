// SPDX-License-Identifier: Apache-2.0
// The expected results of a case, by plain loops and std::stable_sort, and the comparison with
// them.
#pragma once

#include <string>
#include <vector>

#include <apps/check/check_case.hpp>
#include <apps/check/image.hpp>

namespace libscan::apps {

/// The allowed error of each item of an output, if any is allowed; the total's comes last.
using tolerances = std::vector<double>;

/// Computes the expected outputs of case `c` with inputs `in` into the prepared `out`. Sums of
/// floats that are rounded get a tolerance each, valid for any order of association: n eps sum |x|.
void compute_expected(check_case const& c, placed in, placed out, tolerances& allowed);

/// Empty if `got` equals `expected` byte by byte, canaries included, except for NaNs in scans
/// (payloads are unspecified) and for `allowed`; else the first difference.
std::string first_difference(check_case const& c, placed expected, placed got,
                             tolerances const& allowed);

}  // namespace libscan::apps
