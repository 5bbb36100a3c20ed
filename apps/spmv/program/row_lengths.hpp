// SPDX-License-Identifier: Apache-2.0
// The output of --stats of scan-spmv.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <libscan/core/types.hpp>

namespace libscan::apps {

/// Lines about the rows between these offsets: their number, their lengths, and a plot of the
/// number of rows by length, in powers of two.
std::string describe_rows(std::span<std::int64_t const> offsets, index_t columns);

}  // namespace libscan::apps
