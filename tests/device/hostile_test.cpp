// SPDX-License-Identifier: Apache-2.0
// Device calls with types whose namespace has a greedy function of every name that libscan uses: a
// call that argument-dependent lookup could take elsewhere does not compile. The same of calls of
// applications: tests/apps/hostile_device_test.cpp.
#include <cstdint>
#include <vector>

#include <libscan/binary_scan.cuh>
#include <libscan/block/radix_sort.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/block/segmented_scan.cuh>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <libscan/textbook/block/catalog.cuh>
#include <libscan/textbook/catalog.cuh>
#include <libscan/warp/shared_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/hostile_device.hpp>

using namespace libscan;
using hostile::number;
using libscan::test::device_buffer;

namespace {

constexpr index_t n = 3000;

/// 0 0 0 0 1 1 1 1 ... 99 99 99 99 0 0 ...
std::vector<number> some_numbers() {
  std::vector<number> items;
  for (index_t i = 0; i < n; ++i) items.push_back(number(static_cast<int>(i / 4 % 100)));
  return items;
}

int sum_of(std::vector<number> const& items, index_t begin, index_t end) {
  int sum = 0;
  for (index_t i = begin; i < end; ++i) sum += items[static_cast<std::size_t>(i)].value;
  return sum;
}

/// Items, and space for as many results and one total.
struct one_case {
  std::vector<number> host = some_numbers();
  device_buffer<number> in{host}, out{host}, total{1};
  hostile::items<number const> const from{in.data()};
  hostile::items<number> const to{out.data()};
  workspace ws;

  int result(index_t i) { return out.copy()[static_cast<std::size_t>(i)].value; }
  int read_total() { return total.copy()[0].value; }
};

}  // namespace

TEMPLATE_TEST_CASE("Device scans and reductions call no foreign functions", "", hostile::add,
                   hostile::add_any, plus<number>) {
  one_case c;
  TestType const op;
  number const zero(0);
  int const sum = sum_of(c.host, 0, n);
  libscan::inclusive_scan(c.ws, c.in.data(), c.out.data(), n, op, c.total.data(), zero);
  CHECK(c.result(n - 1) == sum);
  libscan::exclusive_scan(c.ws, c.from, c.to, n, op, c.total.data(), zero);
  CHECK(c.result(n - 1) == sum_of(c.host, 0, n - 1));
  CHECK(c.read_total() == sum);
  libscan::exclusive_scan<tiny_pipeline_tuning>(c.ws, c.in.data(), c.out.data(), n, op,
                                                c.total.data(), zero);
  CHECK(c.result(n - 1) == sum_of(c.host, 0, n - 1));
  libscan::exclusive_scan<tiny_tuning>(c.ws, c.in.data(), c.out.data(), item_count(n), op,
                                       c.total.data(), zero);
  CHECK(c.result(100) == sum_of(c.host, 0, 100));
  libscan::reverse_inclusive_scan(c.ws, c.from, c.to, n, op, c.total.data(), zero);
  CHECK(c.result(100) == sum_of(c.host, 100, n));
  libscan::reverse_exclusive_scan(c.ws, c.in.data(), c.out.data(), n, op, c.total.data(), zero);
  CHECK(c.result(100) == sum_of(c.host, 101, n));
  libscan::reverse_exclusive_scan<tiny_pipeline_tuning>(c.ws, c.in.data(), c.out.data(), n, op,
                                                        c.total.data(), zero);
  CHECK(c.result(0) == sum_of(c.host, 1, n));
  libscan::reduce(c.ws, c.in.data(), c.total.data(), n, op, zero);
  CHECK(c.read_total() == sum);
  libscan::reduce(c.ws, c.from, c.total.data(), n, op, zero);
  CHECK(c.read_total() == sum);
}

namespace {

/// A scan and totals of segments by `heads`, which begin every four items.
template <class Op, class Heads>
void require_segments(one_case& c, Op op, Heads heads) {
  number const zero(0);
  libscan::inclusive_segmented_scan(c.ws, c.in.data(), c.out.data(), heads, n, op, zero);
  CHECK(c.result(4 * 7 + 3) == 28);
  libscan::exclusive_segmented_scan(c.ws, c.from, c.to, heads, n, op, zero);
  CHECK(c.result(4 * 7 + 3) == 21);
  libscan::segmented_reduce(c.ws, c.in.data(), c.out.data(), heads, n, op, nullptr, zero);
  CHECK(c.result(7) == 28);
  libscan::segmented_reduce(c.ws, c.from, c.to, heads, n, op, nullptr, zero);
  CHECK(c.result(8) == 32);
}

}  // namespace

TEMPLATE_TEST_CASE("Device calls over segments call no foreign functions", "", hostile::add,
                   hostile::add_any) {
  one_case c;
  TestType const op;
  std::vector<int> ascending;
  std::vector<std::uint8_t> marked(static_cast<std::size_t>(n));
  for (int begin = 0; begin <= n; begin += 4) ascending.push_back(begin);
  for (std::size_t i = 0; i < marked.size(); i += 4) marked[i] = 1;
  device_buffer<int> const offsets(ascending);
  device_buffer<std::uint8_t> const flags(marked);
  device_buffer<std::uint32_t> const bits(
      std::vector<std::uint32_t>(static_cast<std::size_t>(n) / 32 + 1, 0x11111111u));
  require_segments(c, op, head_flags{flags.data()});
  require_segments(c, op, head_bits{bits.data()});
  require_segments(c, op, segment_offsets<int>{offsets.data(), n / 4});
  require_segments(c, op, segment_keys<number const*>{c.in.data()});
  require_segments(c, op, segment_keys<hostile::items<number const>, hostile::is_same>{c.from, {}});
  require_segments(c, op, equal_segments{4});
  require_segments(c, op, segment_ranges<int>{offsets.data(), offsets.data() + 1, n / 4});
  device_buffer<number> const unique(c.host);
  device_buffer<index_t> const runs(1);
  libscan::reduce_by_key(c.ws, c.in.data(), c.in.data(), unique.data(), c.out.data(), n, op,
                         runs.data(), hostile::is_same{}, number(0));
  CHECK(runs.copy()[0] == n / 4);
  CHECK(unique.copy()[7].value == 7);
  CHECK(c.result(7) == 28);
  device_buffer<number> over(c.host);
  libscan::inclusive_segmented_scan(c.ws, c.in.data(), over.data(),
                                    segment_keys<number const*>{over.data()}, n, op, number(0));
  CHECK(over.copy()[4 * 7 + 3].value == 28);
}

TEST_CASE("Ranks of marked items call no foreign functions") {
  one_case c;
  device_buffer<std::uint32_t> const words(
      std::vector<std::uint32_t>(static_cast<std::size_t>(n) / 32 + 1, 0x11111111u));
  device_buffer<index_t> const ranks(static_cast<std::size_t>(n)), total(1);
  libscan::exclusive_binary_scan(c.ws, bit_mask{words.data()}, ranks.data(), n, total.data());
  CHECK(total.copy()[0] == n / 4);
  CHECK(ranks.copy()[5] == 2);
}

TEMPLATE_TEST_CASE("Strategies call no foreign functions", "", hostile::add) {
  one_case c;
  for (scan_strategy const which : all_scan_strategies) {
    index_t const items = which == scan_strategy::one_block ? 1000 : n;
    libscan::scan_with<scan_kind::exclusive>(which, c.ws, c.in.data(), c.out.data(), items,
                                             TestType{}, c.total.data(), number(0));
    CHECK(c.result(items - 1) == sum_of(c.host, 0, items - 1));
    CHECK(c.read_total() == sum_of(c.host, 0, items));
  }
}

namespace {

/// Scans of one block of 64 threads; each writes the total of all threads' items, or leaves 0.
struct collectives_kernel {
  static constexpr int block_threads = 64;
  static constexpr int items = 2 * block_threads;
  struct shared_storage {
    block::scan_storage<number, block_threads> scan;
    block::segmented_scan_storage<number, block_threads> segmented;
    block::tree_reduce_storage<number, block_threads> tree;
    block::tile_storage<number, block_threads, 2> tile;
    warp::shared_scan_storage<number> warps[2];
  };

  __device__ void operator()(shared_storage& shared, hostile::items<number const> in,
                             hostile::items<number> out) const {
    hostile::add const op;
    number pair[2];
    block::load_tile(shared.tile, in, 0, items, number(0), pair);
    number const own = op(pair[0], pair[1]);
    int const thread = static_cast<int>(threadIdx.x);
    bool const writes = thread == block_threads - 1;
    auto const put = [&](int to, number result) {
      if (writes) out[items + to] = result;
    };
    block::store_tile(shared.tile, out, 0, items, pair);
    put(0, block::inclusive_scan(shared.scan, own, op).prefix);
    put(1, op(block::exclusive_scan(shared.scan, own, op).prefix, own));
    put(2, block::tree_reduce(shared.tree, own, op));
    put(3,
        block::segmented_scan<scan_kind::inclusive>(shared.segmented, own, thread == 0, op).last);
    auto& storage = shared.warps[thread / simt::warp_size];
    number const of_warp = warp::shared_scan(storage, own, op).total;
    put(4, warp::inclusive_scan(own, op).total.value == of_warp.value ? of_warp : number(-1));
    put(5, warp::segmented_scan(own, thread % simt::warp_size == 0, op).total);
  }
};

/// A textbook scan of one block.
template <class Algorithm>
struct textbook_kernel {
  static constexpr int block_threads = 64;
  using shared_storage = typename Algorithm::template storage<number, block_threads>;

  __device__ void operator()(shared_storage& shared, hostile::items<number const> in,
                             hostile::items<number> out) const {
    number pair[Algorithm::items_per_thread];
    for (int which = 0; which < 2; ++which) {
      for (int k = 0; k < Algorithm::items_per_thread; ++k) {
        pair[k] = in[k * block_threads + static_cast<int>(threadIdx.x)];
      }
      number const total = which == 0 ? block::textbook::scan_tile<scan_kind::inclusive, Algorithm>(
                                            shared, pair, hostile::add{})
                                      : block::textbook::scan_tile<scan_kind::exclusive, Algorithm>(
                                            shared, pair, hostile::add{});
      if (threadIdx.x == 0) out[which] = total;
    }
  }
};

}  // namespace

TEST_CASE("Collectives call no foreign functions") {
  one_case c;
  simt::launch<collectives_kernel>({.blocks = 1, .threads = collectives_kernel::block_threads},
                                   c.from, c.to);
  constexpr int items = collectives_kernel::items;
  int const sum = sum_of(c.host, 0, items), of_warp = sum_of(c.host, items / 2, items);
  int const expected[] = {sum, sum, sum, sum, of_warp, of_warp};
  for (int i = 0; i < 6; ++i) {
    INFO(i);
    CHECK(c.result(items + i) == expected[i]);
  }
  CHECK(c.result(items - 1) == c.host[items - 1].value);
  int algorithms = 0;
  for (block_algorithm const which : all_block_algorithms) {
    device::strategies::with_block_scan(which, [&](auto algorithm) {
      using kernel = textbook_kernel<decltype(algorithm)>;
      simt::launch<kernel>({.blocks = 1, .threads = kernel::block_threads}, c.from, c.to);
      int const items_in_all = kernel::block_threads * decltype(algorithm)::items_per_thread;
      CHECK(c.result(0) == sum_of(c.host, 0, items_in_all));
      CHECK(c.result(1) == sum_of(c.host, 0, items_in_all));
      ++algorithms;
    });
  }
  CHECK(algorithms == 9);
}
