// SPDX-License-Identifier: Apache-2.0
// How host memory passes through a GPU: sizes that scan-bench-transfers measures, and a bound on
// device memory for tests. Internal.
#pragma once

#include <cstddef>
#include <limits>

namespace libscan::inline v1::detail {

/// Sizes of copies between pageable or pinned host memory and a GPU.
struct transfer_tuning {
  std::size_t min_bytes = std::size_t{16} << 20;   ///< from which pieces are used
  std::size_t piece_bytes = std::size_t{4} << 20;  ///< that kernels handle at once
  std::size_t unit_bytes = std::size_t{4} << 20;  ///< of pinned memory that a thread copies at once
  std::size_t staged_bytes = std::size_t{2} << 20;  ///< the same of pageable memory
  int staging_threads = 16;                         ///< at most, of pageable memory
  int pinned_threads = 1;  ///< that copy pinned memory, unless they wait for counts or make bits
  /// Bytes of device memory that a sort takes at most.
  std::size_t device_bytes = std::numeric_limits<std::size_t>::max();
};

/// Those of this process. To be changed only while no call runs.
inline transfer_tuning tuned_transfers;

/// Changes them for a scope.
class scoped_transfers {
 public:
  explicit scoped_transfers(transfer_tuning const& now) : before_(tuned_transfers) {
    tuned_transfers = now;
  }
  scoped_transfers(scoped_transfers const&) = delete;
  ~scoped_transfers() { tuned_transfers = before_; }

 private:
  transfer_tuning before_;
};

}  // namespace libscan::inline v1::detail
