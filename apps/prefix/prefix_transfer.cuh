// SPDX-License-Identifier: Apache-2.0
// Transfers of scan-prefix to a device and back: host memory in, an array of accumulators in the
// order of the scan on the device, host memory out.
#pragma once

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_scan.hpp>
#include <libscan/buffer.cuh>
#include <libscan/core/operator_list.hpp>
#include <libscan/host/convert_items.cuh>
#include <libscan/simt/simt.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Uploads, calls scan(items, op, init), which scans in place on the device, and downloads. Signed
/// integers are scanned as unsigned ones, to compile half as many kernels.
template <class T, class Scan>
void scan_on_device(prefix_call const& call, Scan scan) {
  if (call.n == 0) return;
  device::buffer<T> const items(call.n);
  bool const reverse = call.direction == scan_direction::reverse;
  auto const as_input = [](dtype type) { return libscan::detail::as_input(type); };
  device::upload(as_input(call.type), call.in, call.n, reverse, items.data());
  T const init = *static_cast<T const*>(call.init);
  auto const op = libscan::detail::operator_on_words<T>(call.op);
  using word = typename decltype(op)::value_type;
  scan(reinterpret_cast<word*>(items.data()), op, static_cast<word>(init));
  device::download_sync(items.data(), call.n, reverse, as_input(call.accumulator), call.out);
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
