// SPDX-License-Identifier: Apache-2.0
// A bound on the device memory of calls on host memory, for tests and measurements. Internal.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>

namespace libscan::inline v1::detail {

inline std::atomic<std::size_t> max_device_bytes = std::numeric_limits<std::size_t>::max();

/// Bytes of device memory that sorts of host memory take at most.
inline std::size_t device_limit() { return max_device_bytes; }

/// Lowers the bound for a scope.
class limited_device {
 public:
  explicit limited_device(std::size_t bytes) : before_(max_device_bytes.exchange(bytes)) {}
  limited_device(limited_device const&) = delete;
  ~limited_device() { max_device_bytes = before_; }

 private:
  std::size_t before_;
};

}  // namespace libscan::inline v1::detail
