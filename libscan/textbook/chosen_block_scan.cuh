// SPDX-License-Identifier: Apache-2.0
// A textbook block scan chosen at run time, so that a strategy's kernels are compiled once for all
// of them. The choice travels with the operator, which every kernel has.
#pragma once

#include <algorithm>
#include <cstddef>

#include <libscan/textbook/block/catalog.cuh>
#include <libscan/textbook/names.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// The block scans.
namespace textbook = block::textbook;

/// An operator that names the block scan.
template <class Op>
struct choosing : Op {
  block_algorithm block_scan;
};

/// Bytes for the storage of any of these block scans.
template <class T, int MaxThreads, class... BlockScans>
inline constexpr std::size_t largest_storage =
    std::max({sizeof(typename BlockScans::template storage<T, MaxThreads>)...});

/// The block scan that the operator names, one of those with `Items` items per thread, 1 or 2.
/// Paddings are for 32 banks.
template <int Items>
struct chosen_block_scan {
  static_assert(Items == 1 || Items == 2);
  static constexpr int items_per_thread = Items;

  /// Memory for the storage of any of them.
  template <class T, int MaxThreads>
  struct storage {
    static constexpr std::size_t size =
        Items == 1
            ? largest_storage<T, MaxThreads, textbook::sequential, textbook::quadratic,
                              textbook::hillis_steele, textbook::kogge_stone,
                              textbook::kogge_stone_double_buffered>
            : largest_storage<T, MaxThreads, textbook::blelloch<>,
                              textbook::blelloch<textbook::padded<32>>,
                              textbook::blelloch<textbook::fully_padded<32>>, textbook::brent_kung>;
    alignas(T) std::byte bytes[size];
  };

  /// As the block scan's own functions of these names.
  template <class T, int MaxThreads, class X, class Op>
  static __device__ auto exclusive(storage<T, MaxThreads>& shared, X const& x, Op op) {
    return visit(op.block_scan,
                 [&](auto scan) { return scan.exclusive(as<decltype(scan)>(shared), x, op); });
  }
  template <class T, int MaxThreads, class X, class Op>
  static __device__ auto inclusive(storage<T, MaxThreads>& shared, X const& x, Op op) {
    return visit(op.block_scan,
                 [&](auto scan) { return scan.inclusive(as<decltype(scan)>(shared), x, op); });
  }

 private:
  template <class BlockScan, class T, int MaxThreads>
  static __device__ auto& as(storage<T, MaxThreads>& shared) {
    return *reinterpret_cast<typename BlockScan::template storage<T, MaxThreads>*>(shared.bytes);
  }

  /// Calls body(BlockScan{}) for the block scan of that name.
  template <class Body>
  static __device__ auto visit(block_algorithm which, Body body) {
    if constexpr (Items == 1) {
      switch (which) {
        case block_algorithm::sequential:
          return body(textbook::sequential{});
        case block_algorithm::quadratic:
          return body(textbook::quadratic{});
        case block_algorithm::hillis_steele:
          return body(textbook::hillis_steele{});
        case block_algorithm::kogge_stone_double_buffered:
          return body(textbook::kogge_stone_double_buffered{});
        default:
          return body(textbook::kogge_stone{});
      }
    } else {
      switch (which) {
        case block_algorithm::blelloch:
          return body(textbook::blelloch<>{});
        case block_algorithm::blelloch_padded:
          return body(textbook::blelloch<textbook::padded<32>>{});
        case block_algorithm::blelloch_fully_padded:
          return body(textbook::blelloch<textbook::fully_padded<32>>{});
        default:
          return body(textbook::brent_kung{});
      }
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
