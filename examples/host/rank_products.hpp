// SPDX-License-Identifier: Apache-2.0
// Example: products of a sparse matrix that is spread over ranks, as docs/distributed.md shows
// them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <libscan/distributed/scan.hpp>
#include <libscan/distributed/spmv.hpp>

namespace examples {

/// The number of walks of `steps` steps in a graph, of whose edges each rank has some.
inline double count_walks(libscan::communicator const& comm,
                          libscan::coo_matrix<double> const& edges, int steps) {
  libscan::ranks const on{comm, libscan::engine::cpu()};
  auto const length = [&](libscan::distribution const& parts) {
    return static_cast<std::size_t>(parts.size(comm.rank()));
  };

  libscan::distributed_matrix<double> a(on, libscan::to_rows(on, edges));  // shares out the rows
  std::vector<double> x(length(a.columns()), 1.0), y(length(a.rows()));
  for (int step = 0; step < steps; ++step) {
    a.multiply(x, y);  // ranks exchange the components of x that they need
    std::swap(x, y);
  }
  double const walks = libscan::reduce(on, x);

  return walks;
}

}  // namespace examples
