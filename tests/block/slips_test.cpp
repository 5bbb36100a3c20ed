// SPDX-License-Identifier: Apache-2.0
// Slips of the sources in numbers, index rules and macros. (Their wrong kernels are planted in the
// executor's suite: tests/simt/mistakes/source_mistakes.cpp.)
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <libscan/textbook/block/catalog.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;
using namespace libscan::block::textbook;

namespace {

using numbers = std::vector<int>;

numbers const eight{3, 1, 7, 0, 4, 1, 6, 3};

/// The tree's sweeps as Harris and Verona number their indices, one node after the other, with the
/// bounds checked.
struct printed_sweeps {
  numbers x;

  int& at(int i) { return x.at(static_cast<std::size_t>(i)); }
  int size() const { return static_cast<int>(x.size()); }

  void up() {
    for (int step = 1; step < size(); step *= 2) {
      for (int k = 0; k < size(); k += 2 * step) at(k + 2 * step - 1) += at(k + step - 1);
    }
  }
  /// Verona (III): i runs over every 2 step-th item, and is then multiplied once more.
  void up_of_verona() {
    for (int step = 1; step < size(); step *= 2) {
      for (int i = 0; i < size(); i += 2 * step) {
        int const right = (i + 1) * (2 * step) - 1;
        at(right) += at(right - step);
      }
    }
  }
  /// Harris, Algorithm 4, from level `first`.
  void down(int first) {
    at(size() - 1) = 0;
    for (int d = first; d >= 0; --d) {
      int const step = 1 << d;
      for (int k = 0; k < size(); k += 2 * step) swap_and_add(k + step - 1, k + 2 * step - 1);
    }
  }
  /// Verona (V): `right` is what should be `left`.
  void down_of_verona() {
    at(size() - 1) = 0;
    for (int step = size() / 2, limit = 1; step > 0; step /= 2, limit *= 2) {
      for (int thread = 0; thread < limit; ++thread) {
        int const right = (thread * 2 + 1) * step - 1;
        swap_and_add(right - step, right);
      }
    }
  }

 private:
  void swap_and_add(int left, int right) {
    int const sum = at(left);
    at(left) = at(right);
    at(right) += sum;
  }
};

/// Harris, Listing 2's block E, at the end or inside the loop over the tree's levels; counts the
/// stores of results.
template <bool InLoop>
struct storing_kernel {
  static constexpr int items = 64;
  struct shared_storage {
    tile<int, items> item;
  };
  __device__ void operator()(shared_storage& shared, int const* in, int* out, int* stores) const {
    auto& item = shared.item;
    int const a = static_cast<int>(threadIdx.x), b = a + items / 2;
    auto const store = [&] {
      out[a] = item.at(a);
      out[b] = item.at(b);
      simt::block_atomic_ref<int>(*stores).fetch_add(2, simt::memory_order_relaxed);
    };
    item.at(a) = in[a];
    item.at(b) = in[b];
    up_sweep(item, items, plus<int>{});
    if (a == 0) item.at(items - 1) = 0;
    for (int stride = items / 2; stride > 0; stride /= 2) {
      simt::sync_block();
      if (a < items / (2 * stride)) {
        int const left = stride * (2 * a + 1) - 1, right = left + stride;
        int const sum = item.at(left), before = item.at(right);
        item.at(left) = before;
        item.at(right) = plus<int>{}(before, sum);
      }
      simt::sync_block();
      if (InLoop) store();
    }
    if (!InLoop) store();
  }
};

/// How many results a scan of 64 items stored; the result must be right.
template <bool InLoop>
int stores_of_scan() {
  auto const items = make_items<int>(64);
  numbers out(64);
  int stores = 0;
  simt::launch<storing_kernel<InLoop>>({.blocks = 1, .threads = 32}, items.data(), out.data(),
                                       &stores);
  REQUIRE(out == scan_oracle(scan_kind::exclusive, items, plus<int>{}, 0).out);
  return stores;
}

}  // namespace

TEST_CASE("Harris's examples print 14 where 15 is right, and err nowhere else") {
  auto const differing = [](numbers const& printed, scan_kind kind) {
    auto const right = scan_oracle(kind, eight, plus<int>{}, 0).out;
    numbers positions;
    for (std::size_t i = 0; i < printed.size(); ++i) {
      if (printed[i] == right[i]) continue;
      positions.push_back(static_cast<int>(i));
      CHECK(printed[i] == 14);
      CHECK(right[i] == 15);
    }
    return positions;
  };
  CHECK(differing({3, 4, 11, 11, 14, 16, 22, 25}, scan_kind::inclusive) == numbers{4});
  CHECK(differing({0, 3, 4, 11, 11, 14, 16, 22}, scan_kind::exclusive) == numbers{5});
}

TEST_CASE("every size in Harris's Table 2 is a power of two, except one misprint") {
  auto const is_power_of_two = [](std::int64_t n) { return (n & (n - 1)) == 0; };
  CHECK(tree_size(1024) == 1024);
  for (std::int64_t n = 32768; n <= 16777216; n *= 2) CHECK(is_power_of_two(n));
  CHECK_FALSE(is_power_of_two(8388688));
  CHECK(is_power_of_two(8388608));
}

TEST_CASE("Listing 3 as printed pads nothing") {
  // The macro's sum of two shifts, as the compiler reads it: + binds tighter than >>.
  auto const printed = [](std::int64_t n, int banks, int log_banks) {
    return (n >> (banks + n)) >> (2 * log_banks);
  };
  for (int n = 16; n <= 40; ++n) {
    CHECK(printed(n, 16, 4) == 0);
    CHECK(printed(n, 4, 4) == 0);  // with the logarithm, but still without the parentheses
    CHECK(n >> 16 == 0);           // with the parentheses, but still without the logarithm
    CHECK(fully_padded<16>::place(n) - n == n / 16);
  }
  CHECK(padded<16>::place(511) == 511 + 31);            // + n >> 4
  CHECK(fully_padded<16>::place(511) == 511 + 31 + 1);  // + n >> 4, + n >> 8
  CHECK(padded<32>::place(2047) == 2047 + 63);          // + n >> 5
  CHECK(fully_padded<32>::place(2047) == 2047 + 63 + 1);
}

TEST_CASE("the printed index rules of the tree leave the array") {
  printed_sweeps tree{eight};
  tree.up();
  printed_sweeps const reduced_tree = tree;
  tree.down(2);  // log2 n - 1
  CHECK(tree.x == numbers{0, 3, 4, 11, 11, 15, 16, 22});
  tree = reduced_tree;
  CHECK_THROWS_AS(tree.down(3), std::out_of_range);  // log2 n
  tree = reduced_tree;
  CHECK_THROWS_AS(tree.down_of_verona(), std::out_of_range);  // item -1
  tree.x = eight;
  CHECK_THROWS_AS(tree.up_of_verona(), std::out_of_range);
}

TEST_CASE("Listing 2 stores every result once a level, where once would do") {
  CHECK(stores_of_scan<false>() == 64);
  CHECK(stores_of_scan<true>() == 64 * 6);  // n log2 n
}
