// SPDX-License-Identifier: Apache-2.0
// The bins of a histogram that are not empty, on a machine with kernels.
#include <apps/histogram/host/histogram_device.hpp>
#include <libscan/filter.cuh>
#include <libscan/host/this_machine.cuh>

namespace libscan::inline v1::detail {

namespace {

/// Whether a bin has samples.
struct is_full {
  LIBSCAN_HOST_DEVICE bool operator()(std::uint64_t count) const { return count != 0; }
};

}  // namespace

template <class Machine>
void device_full_bins<Machine>::enqueue(Machine on, queue_place const& place,
                                        std::uint64_t const* all, int bins, index_t* full,
                                        std::uint64_t* counts, index_t* d_full) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  filter_with_indices(ws, all, counts, full, bins, is_full{}, d_full);
}

template <class Machine>
std::size_t device_full_bins<Machine>::workspace_bytes(int bins) {
  return filter_workspace_bytes<std::uint64_t>(bins);
}

template struct device_full_bins<device::this_machine>;

}  // namespace libscan::inline v1::detail
