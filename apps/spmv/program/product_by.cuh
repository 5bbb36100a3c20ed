// SPDX-License-Identifier: Apache-2.0
// The implementation of product_by.hpp: host memory in, the kernels of spmv.cuh, host memory out.
// Compiled for each type of entry in a translation unit of its own.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

#include <apps/spmv/host/spmv_device.cuh>
#include <apps/spmv/program/product_by.hpp>

namespace libscan::apps {

/// Calls body(algorithm), a std::integral_constant, for an algorithm known at run time.
template <class Body>
void with_spmv_algorithm(spmv_algorithm which, Body body) {
  switch (which) {
    case spmv_algorithm::segmented:
      return body(std::integral_constant<spmv_algorithm, spmv_algorithm::segmented>{});
    case spmv_algorithm::scalar:
      return body(std::integral_constant<spmv_algorithm, spmv_algorithm::scalar>{});
    case spmv_algorithm::vector:
      return body(std::integral_constant<spmv_algorithm, spmv_algorithm::vector>{});
    case spmv_algorithm::balanced:
      break;
  }
  return body(std::integral_constant<spmv_algorithm, spmv_algorithm::balanced>{});
}

/// See product_by.hpp.
template <class Machine, class T>
double device_product<Machine, T>::run(Machine on, spmv_algorithm which,
                                       csr_matrix<T> const& matrix, std::span<T const> x,
                                       std::span<T> y, semiring_kind semiring, int repeat) {
  using clock = std::chrono::steady_clock;
  device::on_machine const here(on);
  libscan::detail::device_matrix<T> there(matrix);
  simt::copy_async(there.x.data(), x.data(), x.size_bytes());
  product_options<T> how;
  how.semiring = semiring;
  double fastest = std::numeric_limits<double>::infinity();
  with_spmv_algorithm(which, [&](auto algorithm) {
    libscan::detail::with_product(
        there.view(), how, [&](auto const& on_device, auto s, T alpha, T beta) {
          for (int i = 0; i < repeat; ++i) {
            simt::synchronize();
            auto const begun = clock::now();
            spmv<algorithm.value>(there.ws, on_device, static_cast<T const*>(there.x.data()),
                                  there.y.data(), s, alpha, beta);
            simt::synchronize();
            std::chrono::duration<double> const seconds = clock::now() - begun;
            fastest = std::min(fastest, seconds.count());
          }
        });
  });
  there.y.read_sync(y.data(), static_cast<index_t>(y.size()));
  return fastest;
}

}  // namespace libscan::apps
