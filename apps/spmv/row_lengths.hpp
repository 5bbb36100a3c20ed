// SPDX-License-Identifier: Apache-2.0
// What --stats of scan-spmv says of a matrix.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <libscan/core/types.hpp>

namespace libscan::apps {

/// Lines about the rows between these offsets: how many there are, how long they are, and a plot of
/// how many have which length, by powers of two.
std::string describe_rows(std::span<std::int64_t const> offsets, index_t columns);

}  // namespace libscan::apps
