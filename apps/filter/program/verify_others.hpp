// SPDX-License-Identifier: Apache-2.0
// --verify=NAME of scan-filter: another library keeps the same items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <apps/common/verifiers.hpp>
#include <apps/filter/program/verify.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

/// The positions with a nonzero flag, by cub::DeviceSelect::Flagged on the current GPU. Only in
/// builds with CUDA. Throws `device_error`.
std::vector<index_t> positions_by_cub(std::span<std::uint8_t const> flags);

/// The same by thrust::copy_if.
std::vector<index_t> positions_by_thrust(std::span<std::uint8_t const> flags);

/// The same by std::copy_if, on the CPU.
inline std::vector<index_t> positions_by_standard(std::span<std::uint8_t const> flags) {
  std::vector<index_t> positions(flags.size()), kept;
  std::iota(positions.begin(), positions.end(), index_t{0});
  std::copy_if(positions.begin(), positions.end(), std::back_inserter(kept),
               [&](index_t i) { return flags[static_cast<std::size_t>(i)] != 0; });
  return kept;
}

/// Empty if `by` keeps the same of n items as `keeps`, with which --verify compares the result;
/// otherwise the first difference. Throws `device_error`.
template <class Keeps>
std::string difference_of(verifier by, Keeps const& keeps, std::size_t n) {
  std::vector<std::uint8_t> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = keeps(i) ? 1 : 0;
  if (by == verifier::standard) return verify_indices(keeps, n, positions_by_standard(flags));
  if constexpr (libscan::detail::has_cuda) {
    return verify_indices(
        keeps, n, by == verifier::cub ? positions_by_cub(flags) : positions_by_thrust(flags));
  } else {
    libscan::detail::refuse_cuda();
  }
}

}  // namespace libscan::apps
