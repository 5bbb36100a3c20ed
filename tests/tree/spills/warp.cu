// SPDX-License-Identifier: Apache-2.0
// Every warp collective in a kernel of its own, for spills.py.
#include <libscan/warp/binary_scan.cuh>
#include <libscan/warp/bitwise_scan.cuh>
#include <libscan/warp/scan.cuh>
#include <libscan/warp/segmented_scan.cuh>
#include <libscan/warp/shared_scan.cuh>
#include <tests/tree/spills/collective.cuh>

using namespace libscan;
using namespace libscan::test;

namespace {

using enum scan_kind;
using enum scan_direction;

struct count_and_binary_scans {
  using item = int;
  using storage = no_storage;
  static __device__ int run(storage&, int x, bool flag) {
    using warp::arithmetic_lane_masks;
    return warp::count(flag) + warp::binary_scan<exclusive, forward>(flag).rank * x +
           warp::binary_scan<inclusive, reverse, arithmetic_lane_masks>(flag).rank;
  }
};

template <int Bits>
struct bitwise_scan {
  using item = unsigned;
  using storage = no_storage;
  static __device__ unsigned run(storage&, unsigned x, bool) {
    auto const scanned = warp::bitwise_scan<Bits>(x);
    return scanned.prefix + scanned.total;
  }
};

struct segmented_binary_scan {
  using item = unsigned;
  using storage = no_storage;
  static __device__ unsigned run(storage&, unsigned x, bool flag) {
    auto const by_word = warp::segmented_binary_scan(flag, x);
    auto const by_lanes = warp::segmented_binary_scan<inclusive>(flag, (x & 1u) != 0);
    return static_cast<unsigned>(by_word.rank * by_word.count + by_lanes.rank * by_lanes.count);
  }
};

template <class Op>
struct inclusive_scan {
  using item = typename Op::value_type;
  using storage = no_storage;
  static __device__ item run(storage&, item x, bool flag) {
    auto const scanned = warp::inclusive_scan(x, Op{});
    return flag ? scanned.prefix : scanned.total;
  }
};

template <class Op>
struct exclusive_scan {
  using item = typename Op::value_type;
  using storage = no_storage;
  static __device__ item run(storage&, item x, bool flag) {
    auto const scanned = warp::exclusive_scan(x, Op{});
    return flag ? scanned.prefix : scanned.total;
  }
};

template <class Op>
struct segmented_scan {
  using item = typename Op::value_type;
  using storage = no_storage;
  static __device__ item run(storage&, item x, bool flag) {
    auto const scanned = warp::segmented_scan(x, flag, Op{});
    return flag ? scanned.prefix : scanned.total;
  }
};

template <class Op>
struct shared_scan {
  using item = typename Op::value_type;
  using storage = warp::shared_scan_storage<item>;
  static __device__ item run(storage& shared, item x, bool flag) {
    auto const scanned = warp::shared_scan(shared, x, Op{});
    return flag ? scanned.prefix : scanned.total;
  }
};

}  // namespace

void compile_warp_collectives() {
  compile_all<1024, count_and_binary_scans, bitwise_scan<5>, bitwise_scan<32>,
              segmented_binary_scan>();
  compile_for_operators<inclusive_scan>();
  compile_for_operators<exclusive_scan>();
  compile_for_operators<segmented_scan>();
  compile_for_operators<shared_scan, 32>();
}
