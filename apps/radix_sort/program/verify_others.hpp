// SPDX-License-Identifier: Apache-2.0
// --verify=NAME of scan-sort: another library sorts the same keys.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <apps/common/verifiers.hpp>
#include <apps/radix_sort/program/verify.hpp>

namespace libscan::apps {

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
