// SPDX-License-Identifier: Apache-2.0
// --verify=cub of scan-filter: CUB keeps the same items on the first GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <apps/filter/program/verify.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

/// The positions with a nonzero flag, by cub::DeviceSelect::Flagged. Only in builds with CUDA.
/// Throws `device_error`.
std::vector<index_t> positions_by_cub(std::span<std::uint8_t const> flags);

/// Empty if CUB keeps the same of n items as `keeps`, with which --verify compares the result;
/// otherwise the first difference. Throws `device_error`.
template <class Keeps>
std::string verify_by_cub(Keeps const& keeps, std::size_t n) {
  std::vector<std::uint8_t> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = keeps(i) ? 1 : 0;
  std::vector<index_t> kept;
  if constexpr (libscan::detail::has_cuda) {
    kept = positions_by_cub(flags);
  } else {
    libscan::detail::refuse_cuda();
  }
  std::string const found = verify_indices(keeps, n, kept);
  return found.empty() ? "" : "CUB: " + found;
}

}  // namespace libscan::apps
