// SPDX-License-Identifier: Apache-2.0
// Every device-wide scan of the literature, and the library's own among them, with one interface:
// the strategy is a type, or a name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include <libscan/scan.cuh>
#include <libscan/textbook/block/catalog.cuh>
#include <libscan/textbook/block/raked.cuh>
#include <libscan/textbook/chained_scan.cuh>
#include <libscan/textbook/decoupled_look_back.cuh>
#include <libscan/textbook/global_hillis_steele.cuh>
#include <libscan/textbook/names.hpp>
#include <libscan/textbook/one_block.cuh>
#include <libscan/textbook/reduce_then_scan.cuh>
#include <libscan/textbook/scan_then_fan.cuh>
#include <libscan/textbook/scan_then_propagate.cuh>
#include <libscan/textbook/sequential.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// The block scans.
namespace textbook = block::textbook;

#ifdef __CUDACC__
#pragma nv_exec_check_disable  // the body is for the host, or for kernels
#endif
/// Calls body(BlockScan{}) for the textbook scan of that name, one of those with `Items` items per
/// thread, 1 or 2; paddings are for 32 banks. Instantiates the body for all of them.
template <int Items, class Body>
LIBSCAN_HOST_DEVICE auto with_block_scan(block_algorithm which, Body body) {
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

/// The same for all block scans.
template <class Body>
auto with_block_scan(block_algorithm which, Body body) {
  return items_per_thread(which) == 1 ? with_block_scan<1>(which, body)
                                      : with_block_scan<2>(which, body);
}

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
    return with_block_scan<Items>(op.block_scan, [&](auto scan) {
      return scan.exclusive(as<decltype(scan)>(shared), x, op);
    });
  }
  template <class T, int MaxThreads, class X, class Op>
  static __device__ auto inclusive(storage<T, MaxThreads>& shared, X const& x, Op op) {
    return with_block_scan<Items>(op.block_scan, [&](auto scan) {
      return scan.inclusive(as<decltype(scan)>(shared), x, op);
    });
  }

 private:
  template <class BlockScan, class T, int MaxThreads>
  static __device__ auto& as(storage<T, MaxThreads>& shared) {
    return *reinterpret_cast<typename BlockScan::template storage<T, MaxThreads>*>(shared.bytes);
  }
};

/// `libscan::exclusive_scan` and `inclusive_scan`, with their tuning. Reads n, writes n.
struct production {
  static constexpr scan_strategy which = scan_strategy::production;

  template <class T, class Out>
  static constexpr std::size_t workspace_bytes(index_t n) {
    return libscan::scan_workspace_bytes<T>(n);
  }

  template <scan_kind Kind, class In, class Out, class Op>
  static void scan(workspace& ws, In in, Out out, index_t n, Op op,
                   typename Op::value_type* d_total, typename Op::value_type init) {
    if constexpr (Kind == scan_kind::exclusive) {
      libscan::exclusive_scan(ws, in, out, n, op, d_total, init);
    } else {
      libscan::inclusive_scan(ws, in, out, n, op, d_total, init);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies

namespace libscan::inline LIBSCAN_MACHINE {

namespace device::strategies {

/// The default block scan and block size of strategies.
using default_block_scan = block::textbook::blelloch<block::textbook::padded<32>>;
inline constexpr int default_block_threads = 256;

/// The most threads of a block, and the threads of a single one.
inline constexpr int max_block_threads = 1024;

/// The work for n = 0.
struct write_total_kernel {
  static constexpr int block_threads = 1;
  template <class T>
  __device__ void operator()(T value, T* total) const {
    *total = value;
  }
};

/// Calls body(Strategy{}) for a strategy with `runs_block_scan`, made of blocks of `BlockThreads`
/// threads that run `BlockScan`; "one-block" has the largest block there is. Instantiates the body
/// for all of them.
template <class BlockScan, int BlockThreads, class Body>
decltype(auto) with_block_strategy(scan_strategy which, Body body) {
  switch (which) {
    case scan_strategy::one_block:
      return body(one_block<BlockScan, max_block_threads>{});
    case scan_strategy::scan_then_fan:
      return body(scan_then_fan<BlockScan, BlockThreads>{});
    case scan_strategy::scan_then_propagate:
      return body(scan_then_propagate<BlockScan, BlockThreads>{});
    case scan_strategy::reduce_then_scan:
      return body(reduce_then_scan<BlockScan, BlockThreads>{});
    case scan_strategy::chained_scan:
      return body(chained_scan<BlockScan, BlockThreads>{});
    default:
      return body(decoupled_look_back<BlockScan, BlockThreads>{});
  }
}

/// The same for any strategy.
template <class BlockScan = default_block_scan, int BlockThreads = default_block_threads,
          class Body>
decltype(auto) with_strategy(scan_strategy which, Body body) {
  switch (which) {
    case scan_strategy::sequential:
      return body(sequential{});
    case scan_strategy::global_hillis_steele:
      return body(global_hillis_steele<BlockThreads>{});
    case scan_strategy::production:
      return body(production{});
    default:
      return with_block_strategy<BlockScan, BlockThreads>(which, body);
  }
}

/// Calls body(Strategy{}, op) for a strategy with `runs_block_scan` whose blocks run the textbook
/// scan of that name, which `op` also names. Instantiates the body for two block scans of each
/// strategy.
template <int BlockThreads, class Op, class Body>
void with_block_scan_in(scan_strategy which, block_algorithm block_scan, Op op, Body body) {
  choosing<Op> const named{op, block_scan};
  auto const add_operator = [&](auto strategy) { body(strategy, named); };
  if (items_per_thread(block_scan) == 1) {
    with_block_strategy<chosen_block_scan<1>, BlockThreads>(which, add_operator);
  } else {
    with_block_strategy<chosen_block_scan<2>, BlockThreads>(which, add_operator);
  }
}

}  // namespace device::strategies

/// Bytes of workspace that a scan of n items by `strategy` needs, with values of type T and an
/// output of type Out. A pure function of its arguments; needs no device.
template <class Strategy, class T, class Out = T*>
constexpr std::size_t strategy_workspace_bytes(index_t n, Strategy strategy = {}) {
  return n <= 0 ? 0 : strategy.template workspace_bytes<T, Out>(n);
}

/// The same for the strategies that `with_strategy` makes by default.
template <class T, class Out = T*>
std::size_t strategy_workspace_bytes(scan_strategy which, index_t n) {
  return device::strategies::with_strategy(which, [n](auto strategy) {
    return libscan::strategy_workspace_bytes<decltype(strategy), T, Out>(n);
  });
}

/// out[i] = init op in[0] op ... op in[i] if Kind is inclusive, op in[i - 1] if it is exclusive,
/// for 0 <= i < n, and *d_total = init op in[0] op ... op in[n - 1], by a strategy of
/// libscan/textbook/.
///
/// Types: `in` and `out` are random-access iterators of the device; items are converted to
/// Op::value_type before the operator is applied, and results from it when they are stored.
/// Operator: associative; need not commute; called on items, `init` and the identity, only as
/// op(earlier, later), except by `production` if it is `commutative`. n: any size >= 0 that the
/// strategy supports (all sizes, except `one_block`), known to the host; n = 0 writes only the
/// total. d_total: one value in device memory, or null.
/// Aliasing: `out` may be equal to `in`; any other overlap is undefined, or refused by `production`
/// where `exclusive_scan` refuses it.
/// Synchronization: asynchronous on the workspace's stream.
/// Workspace: `strategy_workspace_bytes`; allocates only if the workspace must grow.
/// Traffic and launches: see the strategy.
/// Determinism: results are bitwise the same in every run, those of `production` on one kind of
/// GPU; floating-point results differ between strategies.
/// Progress: launches wait for one another; within a launch, tiles wait only for tiles claimed by
/// running blocks. `production` also has cooperative launches, which start when all their blocks
/// fit.
/// Throws: `invalid_argument` (negative n, n too large for one block, workspace too small,
/// overlap), `device_error`.
template <scan_kind Kind, class Strategy, class In, class Out, class Op>
void scan_with(Strategy strategy, workspace& ws, In in, Out out, index_t n, Op op,
               typename Op::value_type* d_total,
               std::type_identity_t<typename Op::value_type> init) {
  static_assert(monoid<Op>,
                "a scan's operator needs value_type, identity() and an associative call");
  if (n < 0) throw invalid_argument("number of items is " + std::to_string(n) + "; expected >= 0");
  if (n > 0) {
    strategy.template scan<Kind>(ws, in, out, n, op, d_total, init);
  } else if (d_total != nullptr) {
    simt::launch<device::strategies::write_total_kernel>(
        {.blocks = 1, .threads = 1, .on = ws.stream()}, init, d_total);
  }
}

/// The same for the strategy of that name, as `with_strategy` makes it. Instantiates all of them.
template <scan_kind Kind, class In, class Out, class Op>
void scan_with(scan_strategy which, workspace& ws, In in, Out out, index_t n, Op op,
               typename Op::value_type* d_total,
               std::type_identity_t<typename Op::value_type> init) {
  device::strategies::with_strategy(which, [&](auto strategy) {
    libscan::scan_with<Kind>(strategy, ws, in, out, n, op, d_total, init);
  });
}

}  // namespace libscan::inline LIBSCAN_MACHINE
