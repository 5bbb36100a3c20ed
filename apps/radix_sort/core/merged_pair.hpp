// SPDX-License-Identifier: Apache-2.0
// What merges of sorted runs in device memory are about. Internal.
#pragma once

#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// The values of a merge of keys only.
struct no_values {};

/// Two neighboring runs [begin, middle) and [middle, end), and the first tile of their merge.
struct merged_pair {
  index_t begin, middle, end, first_tile;
};

}  // namespace libscan::inline v1::detail
