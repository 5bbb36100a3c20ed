// SPDX-License-Identifier: Apache-2.0
// Shared memory of the block's collectives may be reused as soon as a call has returned: here every
// thread overwrites a part of it at once, which others have to have read.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <libscan/block/binary_scan.cuh>
#include <libscan/block/radix_sort.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/block/segmented_scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <libscan/textbook/block/hillis_steele.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int max_threads = 96;
constexpr int items = 3;  // of each thread, and results
constexpr int rounds = 4;
constexpr int tile_items = max_threads * items;

/// Overwrites the storage, each word by one thread; it is threads of another warp that begin with
/// the first words in each round.
template <class Storage>
__device__ void spoil(Storage& storage, int round) {
  auto* const bytes = reinterpret_cast<unsigned char*>(&storage);
  int const threads = static_cast<int>(blockDim.x), words = static_cast<int>(sizeof(Storage) / 4);
  int const first = (static_cast<int>(threadIdx.x) + threads - round * simt::warp_size % threads);
  unsigned const garbage = 0x1abacadaU;
  for (int w = first % threads; w < words; w += threads) {
    memcpy(bytes + 4 * w, &garbage, sizeof garbage);
  }
}

/// Round r of a block: Call on the items of its tile r. Results of a thread are consecutive,
/// except those that Call stores itself.
template <class Call>
struct reuse_kernel {
  using shared_storage = typename Call::storage;
  __device__ void operator()(shared_storage& shared, int const* in, int* out, int valid) const {
    int const thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int round = 0; round < rounds; ++round) {
      int result[items] = {};
      int* const to = out + round * tile_items;
      Call::run(shared, in + round * tile_items, to, valid, result);
      spoil(shared, round);
      for (int k = 0; k < items; ++k) {
        if (Call::returns && thread * items + k < threads * items)
          to[thread * items + k] = result[k];
      }
      simt::sync_block();
    }
  }
};

struct loads {
  using storage = block::tile_storage<int, max_threads, items>;
  static constexpr bool returns = true;
  static __device__ void run(storage& shared, int const* in, int*, int valid,
                             int (&result)[items]) {
    block::load_tile(shared, in, 0, valid, -1, result, static_cast<int>(blockDim.x));
  }
  static void expect(std::vector<int> const& in, int threads, int valid, std::vector<int>& out) {
    for (int i = 0; i < threads * items; ++i) {
      out[static_cast<std::size_t>(i)] = i < valid ? in[static_cast<std::size_t>(i)] : -1;
    }
  }
};

struct stores {
  using storage = block::tile_storage<int, max_threads, items>;
  static constexpr bool returns = false;
  static __device__ void run(storage& shared, int const* in, int* out, int valid,
                             int (&result)[items]) {
    for (int k = 0; k < items; ++k) result[k] = in[static_cast<int>(threadIdx.x) * items + k];
    block::store_tile(shared, out, 0, valid, result, static_cast<int>(blockDim.x));
  }
  static void expect(std::vector<int> const& in, int, int valid, std::vector<int>& out) {
    std::copy_n(in.begin(), valid, out.begin());
  }
};

/// Calls whose threads have the first item of theirs, and results that a loop finds.
template <class Derived>
struct one_each {
  static constexpr bool returns = true;
  static __device__ void run(auto& shared, int const* in, int*, int, int (&result)[items]) {
    Derived::call(shared, in[static_cast<int>(threadIdx.x) * items], result);
  }
  static void expect(std::vector<int> const& in, int threads, int, std::vector<int>& out) {
    std::vector<int> own;
    for (int t = 0; t < threads; ++t) own.push_back(in[static_cast<std::size_t>(t * items)]);
    for (int t = 0; t < threads; ++t) {
      Derived::plain(own, static_cast<std::size_t>(t), &out[static_cast<std::size_t>(t * items)]);
    }
  }
};

int sum_of(std::vector<int> const& x, std::size_t first, std::size_t end) {
  unsigned sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += static_cast<unsigned>(x[i]);
  return static_cast<int>(sum);
}
bool odd(int x) { return (x & 1) != 0; }

struct scans : one_each<scans> {
  using storage = block::scan_storage<int, max_threads>;
  static __device__ void call(storage& shared, int x, int (&result)[items]) {
    auto const scanned = block::exclusive_scan(shared, x, plus<int>{});
    result[0] = scanned.prefix;
    result[1] = scanned.total;
  }
  static void plain(std::vector<int> const& x, std::size_t t, int* result) {
    result[0] = sum_of(x, 0, t);
    result[1] = sum_of(x, 0, x.size());
  }
};

struct segmented_scans : one_each<segmented_scans> {
  using storage = block::segmented_scan_storage<int, max_threads>;
  static __device__ void call(storage& shared, int x, int (&result)[items]) {
    auto const scanned = block::segmented_scan(shared, x, (x & 31) == 0, plus<int>{});
    result[0] = scanned.prefix;
    result[1] = scanned.last;
  }
  static void plain(std::vector<int> const& x, std::size_t t, int* result) {
    std::size_t head = t, last = x.size() - 1;
    while (head > 0 && (x[head] & 31) != 0) --head;
    while (last > 0 && (x[last] & 31) != 0) --last;
    result[0] = sum_of(x, head, t);
    result[1] = sum_of(x, last, x.size());
  }
};

struct binary_scans : one_each<binary_scans> {
  using storage = block::binary_scan_storage<max_threads>;
  static __device__ void call(storage& shared, int x, int (&result)[items]) {
    auto const scanned = block::binary_scan(shared, (x & 1) != 0);
    result[0] = scanned.rank;
    result[1] = scanned.count;
  }
  static void plain(std::vector<int> const& x, std::size_t t, int* result) {
    result[0] =
        static_cast<int>(std::count_if(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(t), odd));
    result[1] = static_cast<int>(std::count_if(x.begin(), x.end(), odd));
  }
};

struct splits : one_each<splits> {
  using storage = block::binary_scan_storage<max_threads>;
  static __device__ void call(storage& shared, int x, int (&result)[items]) {
    auto const place = block::split(shared, (x & 1) != 0);
    result[0] = place.position;
    result[1] = place.falses;
  }
  static void plain(std::vector<int> const& x, std::size_t t, int* result) {
    binary_scans::plain(x, t, result);
    int const falses = static_cast<int>(x.size()) - result[1];
    result[0] = odd(x[t]) ? falses + result[0] : static_cast<int>(t) - result[0];
    result[1] = falses;
  }
};

/// A textbook scan, exclusive.
template <class Algorithm>
struct textbook_scans : one_each<textbook_scans<Algorithm>> {
  using storage = typename Algorithm::template storage<int, max_threads>;
  static __device__ void call(storage& shared, int x, int (&result)[items]) {
    auto const scanned = Algorithm::exclusive(shared, x, plus<int>{});
    result[0] = scanned.prefix;
    result[1] = scanned.total;
  }
  static void plain(std::vector<int> const& x, std::size_t t, int* result) {
    scans::plain(x, t, result);
  }
};
using hillis_steele_scans = textbook_scans<block::textbook::hillis_steele>;

struct sorts : one_each<sorts> {
  using storage = block::radix_sort_storage<unsigned, max_threads>;
  static __device__ void call(storage& shared, int x, int (&result)[items]) {
    result[0] = static_cast<int>(block::radix_sort(shared, static_cast<unsigned>(x), 0, 5));
  }
  static void plain(std::vector<int> const& x, std::size_t t, int* result) {
    std::vector<int> sorted = x;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](int a, int b) { return (a & 31) < (b & 31); });
    result[0] = sorted[t];
  }
};

struct tree_reductions : one_each<tree_reductions> {
  using storage = block::tree_reduce_storage<int, max_threads>;
  static __device__ void call(storage& shared, int x, int (&result)[items]) {
    result[0] = block::tree_reduce(shared, x, plus<int>{}, static_cast<int>(blockDim.x));
  }
  static void plain(std::vector<int> const& x, std::size_t, int* result) {
    result[0] = sum_of(x, 0, x.size());
  }
};

template <class Call>
void require_reusable(int threads, int valid) {
  auto const in = make_input<int>(pattern::random, rounds * tile_items);
  std::vector<int> expected(in.size(), 7);
  for (std::size_t r = 0; r < rounds; ++r) {
    auto const first = static_cast<std::ptrdiff_t>(r * tile_items);
    std::vector<int> const tile(in.begin() + first, in.begin() + first + tile_items);
    std::vector<int> out(tile_items, 7);
    if (Call::returns) std::fill_n(out.begin(), threads * items, 0);
    Call::expect(tile, threads, valid, out);
    std::copy(out.begin(), out.end(), expected.begin() + first);
  }
  device_buffer<int> const items_in(in), out(std::vector<int>(in.size(), 7));
  simt::launch<reuse_kernel<Call>>({.blocks = 1, .threads = static_cast<unsigned>(threads)},
                                   static_cast<int const*>(items_in.data()), out.data(), valid);
  REQUIRE(out.copy() == expected);
}

}  // namespace

TEMPLATE_TEST_CASE("a tile's shared memory may be reused at once", "", loads, stores) {
  each_schedule(5, [](std::string const& schedule) {
    INFO(schedule);
    for (int const threads : {max_threads, 64, 33, 1}) {
      for (int const left : {0, 1, 40}) {
        require_reusable<TestType>(threads, std::max(0, threads * items - left));
      }
    }
  });
}

TEMPLATE_TEST_CASE("a collective's shared memory may be reused at once", "", scans, segmented_scans,
                   binary_scans, hillis_steele_scans, splits, sorts, tree_reductions) {
  each_schedule(5, [](std::string const& schedule) {
    INFO(schedule);
    require_reusable<TestType>(max_threads, tile_items);
  });
}
