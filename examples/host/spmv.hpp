// SPDX-License-Identifier: Apache-2.0
// Example: sparse products of the host API, as docs/tour.md shows them.
#pragma once

#include <vector>

#include <libscan/spmv.hpp>

namespace examples {

/// y = A x, then z = A y by a matrix made ready; A, which is square, by its entries.
inline void multiply_twice(libscan::engine const& engine,
                           libscan::coo_matrix<double> const& entries, std::vector<double> const& x,
                           std::vector<double>& y, std::vector<double>& z) {
  auto const a = libscan::to_rows(engine, entries);  // entries of one place add up
  libscan::spmv(engine, a, x, y);                    // y = A x

  libscan::prepared_matrix<double> ready(engine, a);  // for many products
  ready.multiply(y, z);                               // z = A y
}

}  // namespace examples
