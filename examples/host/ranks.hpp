// SPDX-License-Identifier: Apache-2.0
// Example: sums and a sort of arrays that are spread over ranks, as docs/distributed.md shows them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/scan.hpp>

namespace examples {

/// What this rank gets.
struct rank_results {
  std::vector<std::int64_t> offsets;
  std::int64_t total;
  double sum;
  std::vector<std::uint32_t> sorted;
};

/// All ranks of `comm` call this, each with its part of the arrays.
inline rank_results sum_and_sort(libscan::communicator const& comm,
                                 std::vector<std::int64_t> const& lengths,
                                 std::vector<double> const& prices,
                                 std::vector<std::uint32_t> const& keys) {
  libscan::ranks const on{comm, libscan::engine::cpu()};  // takes the place of an engine

  std::vector<std::int64_t> offsets(lengths.size());
  std::int64_t const total =
      libscan::exclusive_scan(on, lengths, offsets);  // the same on every rank
  double const sum = libscan::reduce(on, prices);

  std::vector<std::uint32_t> sorted(keys.size());  // this rank's part of the sorted array
  libscan::sort_keys(on, keys, sorted);
  return {std::move(offsets), total, sum, std::move(sorted)};
}

}  // namespace examples
