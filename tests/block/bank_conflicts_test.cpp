// SPDX-License-Identifier: Apache-2.0
// What Harris claims of bank conflicts in the tree's sweeps, counted by racecheck, which only
// hears accesses of memory: 16 banks as in 2007, and today's 32.
#include <tests/block/counting.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace libscan::test;
using namespace libscan::block::textbook;

namespace {

/// Passes over the banks in both sweeps of the tree: each up-sweep node loads left and right and
/// stores right; each down-sweep node loads and stores both. Loading the items and reading the
/// results is free of conflicts in any layout, and not among them.
template <class Layout>
executor::line_counts tree_passes(int n, int banks) {
  return measure_scan<scan_kind::exclusive, blelloch<Layout>>(n, banks).of_file(
      "block/tree_sweeps.cuh");
}

/// Passes without conflicts: 7 accesses on each level of n/2, n/4 ... 1 nodes, as many nodes at
/// once as there are banks.
int ideal_passes(int n, int banks) {
  int passes = 0;
  for (int nodes = n / 2; nodes > 0; nodes /= 2) passes += 7 * ceil_div(nodes, banks);
  return passes;
}

}  // namespace

TEST_CASE("on 16 banks, the plain tree of 512 items conflicts up to 16 ways, and padding helps") {
  CHECK(ideal_passes(512, 16) == 245);
  auto const plain = tree_passes<dense>(512, 16);
  CHECK(plain.shared_ideal == 245);
  CHECK(plain.shared_wavefronts == 1113);
  CHECK(plain.shared_worst == 16);
  auto const simple = tree_passes<padded<16>>(512, 16);
  CHECK(simple.shared_ideal == 245);
  CHECK(simple.shared_wavefronts == 273);  // 1.11 times ideal
  CHECK(simple.shared_worst == 2);
  auto const full = tree_passes<fully_padded<16>>(512, 16);
  CHECK(full.shared_wavefronts == 245);
  CHECK(full.shared_worst == 1);
}

TEST_CASE(
    "on 32 banks, simple padding is free of conflicts up to 1024 items, full padding beyond") {
  CHECK(tree_passes<dense>(512, 32).shared_ideal == 140);
  CHECK(tree_passes<dense>(512, 32).shared_wavefronts == 665);  // 4.75 times ideal
  each_power(2, 1024, [](int n, int) {
    auto const simple = tree_passes<padded<32>>(n, 32);
    CHECK(simple.shared_ideal == ideal_passes(n, 32));
    CHECK(simple.shared_wavefronts == simple.shared_ideal);
  });
  CHECK(ideal_passes(2048, 32) == 476);
  CHECK(tree_passes<padded<32>>(2048, 32).shared_ideal == 476);
  CHECK(tree_passes<padded<32>>(2048, 32).shared_wavefronts == 511);  // 1.07 times ideal
  CHECK(tree_passes<fully_padded<32>>(2048, 32).shared_wavefronts == 476);
}
