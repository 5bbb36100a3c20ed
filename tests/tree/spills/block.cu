// SPDX-License-Identifier: Apache-2.0
// Every block collective but the textbook scans in a kernel of its own, for spills.py.
#include <libscan/block/binary_scan.cuh>
#include <libscan/block/radix_sort.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/block/segmented_scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <tests/tree/spills/collective.cuh>

using namespace libscan;
using namespace libscan::test;

namespace {

using enum scan_kind;
using enum scan_direction;

constexpr int max_threads = 1024;

struct counts {
  using item = unsigned;
  using storage = no_storage;
  static __device__ unsigned run(storage&, unsigned x, bool flag) {
    return static_cast<unsigned>(block::count(flag)) + (block::all(flag) ? 1 : 0) +
           (block::any(flag) ? 1 : 0) + block::sum_by_counts<8>(x);
  }
};

template <scan_kind Kind, scan_direction Direction, block::partial_sums How>
struct binary_scan {
  using item = int;
  using storage = block::binary_scan_storage<max_threads>;
  static __device__ int run(storage& shared, int x, bool flag) {
    auto const scanned = block::binary_scan<Kind, Direction, How>(shared, flag);
    return scanned.rank * x + scanned.count;
  }
};

struct split {
  using item = int;
  using storage = block::binary_scan_storage<max_threads>;
  static __device__ int run(storage& shared, int x, bool flag) {
    auto const place = block::split(shared, flag);
    return place.position * x + place.falses;
  }
};

template <class Key>
struct radix_sort {
  using item = Key;
  using storage = block::radix_sort_storage<Key, max_threads>;
  static __device__ Key run(storage& shared, Key key, bool) {
    return block::radix_sort(shared, key);
  }
};

struct segmented_binary_scan {
  using item = int;
  using storage = block::segmented_scan_storage<int, max_threads>;
  static __device__ int run(storage& shared, int x, bool flag) {
    auto const scanned = block::segmented_binary_scan(shared, x > 0, flag);
    return scanned.prefix + scanned.last;
  }
};

template <class Op>
struct inclusive_scan {
  using item = typename Op::value_type;
  using storage = block::scan_storage<item, max_threads>;
  static __device__ item run(storage& shared, item x, bool flag) {
    auto const scanned = block::inclusive_scan(shared, x, Op{});
    return flag ? scanned.prefix : scanned.total;
  }
};

template <class Op>
struct exclusive_scan {
  using item = typename Op::value_type;
  using storage = block::scan_storage<item, max_threads>;
  static __device__ item run(storage& shared, item x, bool flag) {
    auto const scanned = block::exclusive_scan(shared, x, Op{});
    return flag ? scanned.prefix : scanned.total;
  }
};

template <class Op>
struct segmented_scan {
  using item = typename Op::value_type;
  using storage = block::segmented_scan_storage<item, max_threads>;
  static __device__ item run(storage& shared, item x, bool flag) {
    auto const scanned = block::segmented_scan(shared, x, flag, Op{});
    return flag ? scanned.prefix : scanned.last;
  }
};

template <class Op>
struct tree_reduce {
  using item = typename Op::value_type;
  using storage = block::tree_reduce_storage<item, max_threads>;
  static __device__ item run(storage& shared, item x, bool) {
    return block::tree_reduce(shared, x, Op{});
  }
};

/// A tile goes through registers in both directions.
template <class T>
struct tile_kernel {
  static constexpr int block_threads = 256;
  static constexpr int items_per_thread = 64 / sizeof(T);
  using shared_storage = block::tile_storage<T, block_threads, items_per_thread>;
  __device__ void operator()(shared_storage& shared, T const* in, T* out, int valid) const {
    T items[items_per_thread];
    block::load_tile(shared, in, index_t{0}, valid, T{}, items);
    block::store_tile(shared, out, index_t{0}, valid, items);
  }
};

template <class T>
void compile_tile() {
  simt::launch<tile_kernel<T>>({.blocks = 1, .threads = 256}, static_cast<T const*>(nullptr),
                               static_cast<T*>(nullptr), 0);
}

}  // namespace

void compile_block_collectives() {
  using enum block::partial_sums;
  compile_all<max_threads, counts, binary_scan<exclusive, forward, generic>,
              binary_scan<inclusive, reverse, bitwise>, split, radix_sort<std::uint32_t>,
              segmented_binary_scan>();
  compile_for_operators<inclusive_scan>();
  compile_for_operators<exclusive_scan>();
  compile_for_operators<segmented_scan>();
  compile_for_operators<tree_reduce>();
  compile_tile<std::uint8_t>();
  compile_tile<float>();
  compile_tile<double>();
}
