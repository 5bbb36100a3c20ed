// SPDX-License-Identifier: Apache-2.0
// --verify of scan-sort: sorts again with std::stable_sort and a comparison independent of the
// library's, and reports where the result differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <apps/common/data_file.hpp>
#include <apps/common/verifiers.hpp>
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

/// Sorts words by bits [first_bit, end_bit), first_bit < end_bit, with their positions, by
/// cub::DeviceRadixSort on the current GPU. Only in builds with CUDA. Throws `device_error`.
std::vector<index_t> positions_by_cub(std::span<std::uint64_t const> words, int first_bit,
                                      int end_bit);

/// The same by thrust::stable_sort_by_key.
std::vector<index_t> positions_by_thrust(std::span<std::uint64_t const> words, int first_bit,
                                         int end_bit);

/// Empty if `by` puts the keys into the same order as std::stable_sort; otherwise the first
/// difference. It gets the keys as unsigned words of the same order. Throws `device_error`.
std::string difference_of(verifier by, array const& keys, sort_options const& options);

}  // namespace libscan::apps
