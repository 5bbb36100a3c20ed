// SPDX-License-Identifier: Apache-2.0
// --verify of scan-sort: sorts again with std::stable_sort and a comparison independent of the
// library's, and reports where the result differs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <apps/common/data_file.hpp>
#include <libscan/core/types.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::apps {

/// The positions of `keys` in sorted order; of equal keys only the first if `unique`.
std::vector<index_t> expected_positions(array const& keys, sort_options const& options,
                                        bool unique);

/// Empty if `got` is item expected[j] of `items` for each j, bit by bit; otherwise the first
/// difference. `what` the items are: "item" or "value".
std::string verify_items(array const& items, std::span<index_t const> expected,
                         std::span<std::byte const> got, char const* what);

/// Empty if `got` is `expected`; otherwise the first difference.
std::string verify_positions(std::span<index_t const> expected, std::span<index_t const> got);

}  // namespace libscan::apps
