// SPDX-License-Identifier: Apache-2.0
// Items written and results checked on the device, by formulas.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

namespace libscan::test {

/// data[i] = formula(i). Grid and block are of any size.
struct fill_kernel {
  template <class T, class Formula>
  __device__ void operator()(T* data, index_t n, Formula formula) const {
    index_t const step = index_t{simt::gridDim.x} * simt::blockDim.x;
    index_t i = index_t{simt::blockIdx.x} * simt::blockDim.x + simt::threadIdx.x;
    for (; i < n; i += step) data[i] = static_cast<T>(formula(i));
  }
};

/// The number of wrong items, and the place of one of them.
struct wrong_items {
  std::uint64_t count;
  index_t example;
};

/// Adds to `wrong` the items with data[i] != formula(i).
struct compare_kernel {
  template <class T, class Formula>
  __device__ void operator()(T const* data, index_t n, Formula formula, wrong_items* wrong) const {
    index_t const step = index_t{simt::gridDim.x} * simt::blockDim.x;
    index_t i = index_t{simt::blockIdx.x} * simt::blockDim.x + simt::threadIdx.x;
    for (; i < n; i += step) {
      if (data[i] == static_cast<T>(formula(i))) continue;
      simt::atomic_ref<std::uint64_t> const count(wrong->count);
      if (count.fetch_add(1, simt::memory_order_relaxed) == 0) wrong->example = i;
    }
  }
};

/// A grid that is large enough for either machine.
inline simt::launch_config whole_device() {
  return {.blocks = static_cast<unsigned>(on_gpu ? 8 * simt::multiprocessor_count() : 2),
          .threads = on_gpu ? 256u : 32u};
}

/// Makes data[i] = formula(i) for 0 <= i < n.
template <class T, class Formula>
void fill_by(T* data, index_t n, Formula formula) {
  simt::launch<fill_kernel>(whole_device(), data, n, formula);
}

/// Empty if data[i] == formula(i) for 0 <= i < n; else the number of differences, and one of them.
template <class T, class Formula>
std::string difference_from(T const* data, index_t n, Formula formula) {
  device_buffer<wrong_items> const wrong(std::vector<wrong_items>{{0, 0}});
  simt::launch<compare_kernel>(whole_device(), data, n, formula, wrong.data());
  wrong_items const found = wrong.copy().front();
  if (found.count == 0) return "";
  T got;
  simt::copy_async(&got, data + found.example, sizeof got);
  simt::synchronize();
  std::ostringstream message;
  message << found.count << " of " << n << " items are wrong; item " << found.example
          << ": expected " << +static_cast<T>(formula(found.example)) << ", got " << +got;
  return message.str();
}

}  // namespace libscan::test
