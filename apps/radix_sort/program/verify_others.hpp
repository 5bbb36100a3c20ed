// SPDX-License-Identifier: Apache-2.0
// --verify=cub of scan-sort: CUB sorts the same keys on the first GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <apps/radix_sort/program/verify.hpp>

namespace libscan::apps {

/// Sorts words by bits [first_bit, end_bit), first_bit < end_bit, with their positions, by
/// cub::DeviceRadixSort. Only in builds with CUDA. Throws `device_error`.
std::vector<index_t> positions_by_cub(std::span<std::uint64_t const> words, int first_bit,
                                      int end_bit);

/// Empty if CUB puts the keys into the same order as std::stable_sort; otherwise the first
/// difference. CUB gets the keys as unsigned words of the same order. Throws `device_error`.
std::string verify_by_cub(array const& keys, sort_options const& options);

}  // namespace libscan::apps
