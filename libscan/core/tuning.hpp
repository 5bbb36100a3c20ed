// SPDX-License-Identifier: Apache-2.0
// The sizes kernels are compiled for, one struct per algorithm. Results never depend on them,
// except the order in which floating-point operands are associated.
#pragma once

#include <cstddef>

namespace libscan::inline v1 {

/// Tile of the device scan: 16 KiB of values where possible. Chosen by hand for the first release;
/// not yet searched.
template <class T>
struct scan_tuning {
  static constexpr int block_threads = 256;
  static constexpr int resident_blocks = 4;  // of a multiprocessor: hides the look-back's latency
  static constexpr int items_per_thread = sizeof(T) <= 4    ? 16
                                          : sizeof(T) <= 64 ? static_cast<int>(64 / sizeof(T))
                                                            : 1;
};

/// Tile of the filter.
template <class T>
struct filter_tuning : scan_tuning<T> {};

/// The smallest tile there is, for tests: a few items already make many tiles.
struct tiny_tuning {
  static constexpr int block_threads = 32;
  static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 1;
};

}  // namespace libscan::inline v1
