// SPDX-License-Identifier: Apache-2.0
// The filters of scan-filter by a selected algorithm, in plain C++. Those that the host API does
// not have see a flag per item, and find positions: so one compiled filter serves all types of
// items.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <libscan/core/name_table.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// The filters. `single_pass`: production. `scatter`: the textbook's, a scan of all flags and a
/// scatter. `ballots`: the Fermi chapter's, whose blocks count by barriers and rank by ballots.
enum class filter_algorithm : std::uint8_t { single_pass, scatter, ballots };

/// Their names.
inline constexpr name_table<filter_algorithm, 3, 3> filter_algorithm_names{
    "algorithm of a filter",
    {"single-pass", "scatter", "ballots"},
    {{{"select", "single-pass"}, {"scan-and-scatter", "scatter"}, {"binary-scan", "ballots"}}}};

/// Whether it has kernels only.
constexpr bool needs_kernels(std::optional<filter_algorithm> which) {
  return which && *which != filter_algorithm::single_pass;
}

/// The filters that the host API does not have, on a `cuda_device` or an `executor_run`.
template <class Machine>
struct device_positions {
  /// Writes the positions of nonzero flags, in their order, and returns their number. `which` is
  /// not `single_pass`; `positions` has space for all flags. Throws `device_error` or
  /// std::bad_alloc.
  static index_t find(Machine on, filter_algorithm which, std::span<std::uint8_t const> flags,
                      index_t* positions);
};

}  // namespace libscan::apps
