// SPDX-License-Identifier: Apache-2.0
// The sizes kernels are compiled for, one struct per algorithm. Results never depend on them,
// except the order in which floating-point operands are associated.
#pragma once

#include <cstddef>
#include <type_traits>

namespace libscan::inline v1 {

/// Tile of the look-back scan: 16 KiB of values where possible.
template <class T>
struct look_back_tuning {
  static constexpr int block_threads = 256;
  // Of a multiprocessor: hides the look-back's latency.
  static constexpr int resident_blocks = sizeof(T) <= 4 ? 4 : 3;
  static constexpr int items_per_thread = sizeof(T) <= 4    ? 16
                                          : sizeof(T) <= 64 ? static_cast<int>(64 / sizeof(T))
                                                            : 1;
};

/// How many consecutive items a thread moves at once: 16 bytes of whichever is larger.
template <class Item, class Result>
inline constexpr int widest_access =
    sizeof(Item) < 16 && sizeof(Result) < 16
        ? static_cast<int>(16 / (sizeof(Item) > sizeof(Result) ? sizeof(Item) : sizeof(Result)))
        : 1;

/// Registers for the values of a thread of the pipelined scan: as many as spill nothing, which
/// tests/house/spills.py checks. Operators on two words need room of their own.
template <class Item, class T, class Result>
constexpr int pipeline_registers() {
  if (sizeof(T) > 8) return 64;
  if (sizeof(T) > 4) return std::is_integral_v<T> ? 64 : 48;
  if (sizeof(Item) == 1 && sizeof(Result) == 1) return 32;
  return sizeof(Item) < 4 ? 48 : 72;
}

/// The pipelined scan of Items into Results, accumulated in T. Twelve or fourteen warps that scan
/// leave a thread 128 registers.
template <class Item, class T, class Result>
struct pipeline_tuning {
  static constexpr bool small = sizeof(Item) < 4;
  static constexpr int groups = small ? 4 : 7;
  static constexpr int group_threads = small ? 96 : 64;
  static constexpr int vector_items = widest_access<Item, Result>;
  static constexpr int value_registers = static_cast<int>((sizeof(T) + 3) / 4);
  static constexpr int registers = pipeline_registers<Item, T, Result>();
  static constexpr int row_registers = vector_items * value_registers;
  static constexpr int rows = registers > row_registers ? registers / row_registers : 1;
  static constexpr int stages = small ? 8 : 7;
};

/// The resident scan: one row for each warp of a block.
template <class Item, class Result>
struct resident_tuning {
  static constexpr int block_threads = 512;
  static constexpr int vector_items = widest_access<Item, Result>;
  static constexpr int rows = 1;
};

/// Tile of the filter.
template <class T>
struct filter_tuning : look_back_tuning<T> {};

/// The smallest tile there is, for tests: a few items already make many tiles.
struct tiny_tuning {
  static constexpr int block_threads = 32;
  static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 1;
};

/// The smallest pipeline that has all its parts, for tests.
struct tiny_pipeline_tuning {
  static constexpr int groups = 2;
  static constexpr int group_threads = 64;
  static constexpr int vector_items = 2;
  static constexpr int rows = 2;
  static constexpr int stages = 4;
};

/// The smallest tile of a resident scan, for tests.
struct tiny_resident_tuning {
  static constexpr int block_threads = 64;
  static constexpr int vector_items = 2;
  static constexpr int rows = 2;
};

}  // namespace libscan::inline v1
