// SPDX-License-Identifier: Apache-2.0
// Passes the filters of filter_by.hpp to their engines.
#include <apps/filter/program/filter_by.hpp>

#include <libscan/core/error.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

index_t positions_by(engine const& on, filter_algorithm which, std::span<std::uint8_t const> flags,
                     std::span<index_t> positions) {
  if (flags.empty()) return 0;
  return libscan::detail::on_engine(
      on, static_cast<index_t>(flags.size()),
      [&](auto device) {
        return device_positions<decltype(device)>::find(device, which, flags, positions.data());
      },
      [](int) -> index_t {
        throw invalid_argument("positions_by: the cpu engine; expected one that runs kernels");
      });
}

}  // namespace libscan::apps
