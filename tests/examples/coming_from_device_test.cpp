// SPDX-License-Identifier: Apache-2.0
// The calls that docs/coming-from.md names beside CUB's and Thrust's, except sorts and what is
// built on them, against results worked out by hand. tree.readme compares the page with this text.
#include <cmath>
#include <cstdint>
#include <vector>

#include <libscan/adjacent_difference.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/filter.cuh>
#include <libscan/reduce.cuh>
#include <libscan/runs.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <libscan/split.cuh>
#include <libscan/warp/scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>

// Not unnamed: nvcc 13.0 cannot name kernels' types there, in tests within the same namespace.
namespace coming_from_cub {

using namespace libscan;  // as a page's reader would
using libscan::test::device_buffer;
using T = int;
using items = std::vector<T>;
using places = std::vector<index_t>;

/// The first n items.
template <class U>
std::vector<U> front(device_buffer<U> const& all, std::size_t n) {
  std::vector<U> some = all.copy();
  some.resize(n);
  return some;
}

struct at_least_4 {
  __device__ bool operator()(T x) const { return x >= 4; }
};

struct same_parity {
  __device__ bool operator()(T a, T b) const { return a % 2 == b % 2; }
};

TEST_CASE("coming from CUB: scans, sums and differences") {
  device_buffer<T> const input(items{3, 1, 7, 0, 4}), output(5), all(1);
  T const* const in = input.data();
  T *const out = output.data(), *const d_total = all.data(), *const d_result = all.data();
  index_t const n = 5;
  maximum<T> const op;
  workspace ws;
  exclusive_scan(ws, in, out, n, plus<T>{}, d_total);
  CHECK(output.copy() == items{0, 3, 4, 11, 11});
  CHECK(all.copy() == items{15});
  inclusive_scan(ws, in, out, n, op);
  CHECK(output.copy() == items{3, 3, 7, 7, 7});
  reduce(ws, in, d_result, n, plus<T>{});
  CHECK(all.copy() == items{15});
  adjacent_difference(ws, in, out, n);
  CHECK(output.copy() == items{3, -2, 6, -7, 4});
}

TEST_CASE("coming from CUB: segments and keys") {
  device_buffer<T> const input(items{3, 1, 7, 0, 4}), output(5), sums(5), firsts(5);
  device_buffer<T> const of_items(items{2, 2, 5, 5, 6});
  device_buffer<index_t> const bounds(places{0, 2, 2, 5}), runs(1);
  T const *const in = input.data(), *const keys = of_items.data();
  T *const out = output.data(), *const totals = sums.data(), *const unique = firsts.data();
  index_t const n = 5, segments = 3;
  index_t const* const offsets = bounds.data();
  index_t* const d_count = runs.data();
  plus<T> const op;
  same_parity const equal;
  T const init = 10;
  workspace ws;
  inclusive_segmented_scan(ws, in, out, segment_keys{keys}, n, op);
  CHECK(output.copy() == items{3, 4, 7, 7, 4});
  inclusive_segmented_scan(ws, in, out, segment_keys{keys, equal}, n, op);
  CHECK(output.copy() == items{3, 4, 7, 7, 4});
  segmented_reduce(ws, in, totals, segment_offsets<index_t>{offsets, segments}, n, op);
  CHECK(front(sums, 3) == items{4, 0, 11});
  reduce_by_key(ws, keys, in, unique, totals, n, op, d_count);
  CHECK(runs.copy() == places{3});
  CHECK(front(firsts, 3) == items{2, 5, 6});
  CHECK(front(sums, 3) == items{4, 7, 4});
  reduce_by_key(ws, keys, in, unique, totals, n, op, d_count, equal, init);
  CHECK(runs.copy() == places{3});
  CHECK(front(sums, 3) == items{14, 17, 14});
}

TEST_CASE("coming from CUB: filters, splits and runs") {
  device_buffer<T> const input(items{5, 5, 1, 7, 0}), output(5), others(5), of_runs(5);
  device_buffer<std::uint8_t> const bytes(std::vector<std::uint8_t>{1, 0, 1, 0, 1});
  device_buffer<std::uint32_t> const words(std::vector<std::uint32_t>{0b10101});
  device_buffer<index_t> const found(1), run_lengths(5), begins(5);
  T* const in = input.data();
  T *const out = output.data(), *const rejected = others.data(), *const values = of_runs.data();
  index_t *const lengths = run_lengths.data(), *const offsets = begins.data();
  index_t *const d_count = found.data(), *const d_runs = found.data();
  index_t const n = 5;
  at_least_4 const predicate;
  workspace ws;
  filter(ws, in, out, n, predicate, d_count);
  CHECK(found.copy() == places{3});
  CHECK(front(output, 3) == items{5, 5, 7});
  filter(ws, in, out, n, byte_mask{bytes.data()}, d_count);
  CHECK(front(output, 3) == items{5, 1, 0});
  filter(ws, in, out, n, bit_mask{words.data()}, d_count);
  CHECK(front(output, 3) == items{5, 1, 0});
  unique(ws, in, out, n, d_count);
  CHECK(found.copy() == places{4});
  CHECK(front(output, 4) == items{5, 1, 7, 0});
  split(ws, in, out, rejected, n, predicate, d_count);
  CHECK(front(output, 3) == items{5, 5, 7});
  CHECK(front(others, 2) == items{1, 0});
  run_length_encode(ws, in, values, lengths, offsets, n, d_runs);
  CHECK(found.copy() == places{4});
  CHECK(front(of_runs, 4) == items{5, 1, 7, 0});
  CHECK(front(run_lengths, 4) == places{2, 1, 1, 1});
  CHECK(front(begins, 4) == places{0, 2, 3, 4});
  filter(ws, in, in, n, predicate, d_count);
  CHECK(front(input, 3) == items{5, 5, 7});
}

/// out[i] = how many threads of the block, and of the warp, are before thread i, and the total.
struct collectives_kernel {
  static constexpr int block_threads = 64;
  using shared_storage = block::scan_storage<T, block_threads>;
  __device__ void operator()(shared_storage& storage, T* out) const {
    auto const [in_block, of_block] = block::exclusive_scan(storage, 1, plus<T>{});
    auto const [in_warp, of_warp] = warp::exclusive_scan(1, plus<T>{});
    out[threadIdx.x] = in_block * 1000 + in_warp + of_block * 100000 + of_warp * 10000000;
  }
};

TEST_CASE("coming from CUB: collectives") {
  device_buffer<T> const output(64);
  simt::launch<collectives_kernel>({.blocks = 1, .threads = 64}, output.data());
  auto const got = output.copy();
  for (int i = 0; i < 64; ++i) {
    REQUIRE(got[static_cast<std::size_t>(i)] == i * 1000 + i % 32 + 6400000 + 320000000);
  }
}

}  // namespace coming_from_cub
