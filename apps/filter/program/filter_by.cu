// SPDX-License-Identifier: Apache-2.0
// The filters of filter_by.hpp on the machine that this file is compiled for.
#include <apps/filter/device/textbook_filter.cuh>
#include <apps/filter/program/filter_by.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>

namespace libscan::apps {

template <class Machine>
index_t device_positions<Machine>::find(Machine on, filter_algorithm which,
                                        std::span<std::uint8_t const> flags, index_t* positions) {
  device::on_machine const here(on);
  device::transfer_buffer<std::uint8_t> const d_flags(flags);
  index_t const n = d_flags.size();
  device::transfer_buffer<index_t> const d_positions(n);
  device::transfer_buffer<index_t> const d_count(1);
  auto const find_all = which == filter_algorithm::scatter ? device::positions_by_scatter
                                                           : device::positions_by_ballots;
  find_all(d_flags.data(), n, d_positions.data(), d_count.data());
  index_t count = 0;
  d_count.read_sync(&count, 1);
  d_positions.read_sync(positions, count);
  return count;
}

template struct device_positions<device::this_machine>;

}  // namespace libscan::apps
