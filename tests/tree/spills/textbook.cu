// SPDX-License-Identifier: Apache-2.0
// Every textbook scan in a kernel of its own, for spills.py.
#include <libscan/textbook/block/catalog.cuh>
#include <tests/tree/spills/collective.cuh>

using namespace libscan;
using namespace libscan::test;
using namespace libscan::block::textbook;

namespace {

constexpr int max_threads = 1024;

template <scan_kind Kind, class Algorithm, class Op>
struct textbook_scan {
  using T = typename Op::value_type;
  static constexpr int block_threads = max_threads;
  using shared_storage = typename Algorithm::template storage<T, max_threads>;
  __device__ void operator()(shared_storage& shared, T* data, T* total) const {
    T items[Algorithm::items_per_thread];
    for (int k = 0; k < Algorithm::items_per_thread; ++k) {
      items[k] = data[k * max_threads + this_thread()];
    }
    *total = scan_tile<Kind, Algorithm>(shared, items, Op{});
    for (int k = 0; k < Algorithm::items_per_thread; ++k) {
      data[k * max_threads + this_thread()] = items[k];
    }
  }
};

template <class Op>
struct shifts {
  using item = typename Op::value_type;
  using storage = shift_storage<item, max_threads>;
  static __device__ item run(storage& shared, item x, bool flag) {
    item const before = exclusive_from_inclusive(shared, x, Op{});
    return flag ? before : inclusive_from_exclusive(shared, before, x);
  }
};

template <class Algorithm, class Op>
void compile_scans() {
  auto* const data = static_cast<typename Op::value_type*>(nullptr);
  simt::launch_config const shape{.blocks = 1, .threads = max_threads};
  simt::launch<textbook_scan<scan_kind::inclusive, Algorithm, Op>>(shape, data, data);
  simt::launch<textbook_scan<scan_kind::exclusive, Algorithm, Op>>(shape, data, data);
}

template <class Algorithm>
void compile_algorithm() {
  compile_scans<Algorithm, plus<std::int32_t>>();
  compile_scans<Algorithm, plus<double>>();
  compile_scans<Algorithm, tripwire>();
}

}  // namespace

void compile_textbook_scans() {
  compile_algorithm<sequential>();
  compile_algorithm<quadratic>();
  compile_algorithm<hillis_steele>();
  compile_algorithm<kogge_stone>();
  compile_algorithm<kogge_stone_double_buffered>();
  compile_algorithm<blelloch<dense>>();
  compile_algorithm<blelloch<padded<32>>>();
  compile_algorithm<blelloch<fully_padded<32>>>();
  compile_algorithm<brent_kung>();
  compile_for_operators<shifts>();
}
