// SPDX-License-Identifier: Apache-2.0
// The worked examples of the sources, number for number, by every scan that computes them.
#include <string>
#include <vector>

#include <libscan/block/scan.cuh>
#include <libscan/block/segmented_scan.cuh>
#include <libscan/warp/segmented_scan.cuh>
#include <libscan/warp/shared_scan.cuh>
#include <tests/block/textbook.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using numbers = std::vector<int>;

constexpr auto inclusive = scan_kind::inclusive;
constexpr auto exclusive = scan_kind::exclusive;

/// The rows of a kernel's results: each a scan of the same items in another way.
enum way { of_block, of_warp, of_warp_in_shared_memory, ways };

/// One item per thread, scanned in every way; what lies after the n items is the identity.
template <scan_kind Kind>
struct production_kernel {
  static constexpr int block_threads = 32;
  struct shared_storage {
    block::scan_storage<int, block_threads> of_block;
    warp::shared_scan_storage<int> of_warp;
  };
  __device__ void operator()(shared_storage& shared, int const* in, int n, int* out) const {
    int const thread = simt::thread_rank();
    bool const exists = thread < n;
    int const x = exists ? in[thread] : 0;
    plus<int> const op;
    int const by_shared = warp::shared_scan<Kind>(shared.of_warp, x, op).prefix;
    int by_warp = 0, by_block = 0;
    if constexpr (Kind == inclusive) {
      by_warp = warp::inclusive_scan(x, op).prefix;
      by_block = block::inclusive_scan(shared.of_block, x, op).prefix;
    } else {
      by_warp = warp::exclusive_scan(x, op).prefix;
      by_block = block::exclusive_scan(shared.of_block, x, op).prefix;
    }
    if (!exists) return;
    out[of_block * n + thread] = by_block;
    out[of_warp * n + thread] = by_warp;
    out[of_warp_in_shared_memory * n + thread] = by_shared;
  }
};

template <scan_kind Kind>
void check_production(numbers const& items, numbers const& expected) {
  int const n = static_cast<int>(items.size());
  device_image<int> in(items), out(ways * n);
  simt::launch<production_kernel<Kind>>({.blocks = 1, .threads = 32},
                                        static_cast<int const*>(in.data()), n, out.data());
  auto const got = out.read();
  for (int way = 0; way < ways; ++way) {
    INFO("way " << way);
    CHECK(numbers(got.begin() + way * n, got.begin() + (way + 1) * n) == expected);
  }
}

/// The inclusive and the exclusive scan of `items`, in each of the library's ways within a block.
void check_all(numbers const& items, numbers const& inclusive_result,
               numbers const& exclusive_result) {
  each_algorithm(all_algorithms{}, [&](char const* name, auto algorithm) {
    INFO(name);
    CHECK(scan_few<decltype(algorithm)>(inclusive, items) == inclusive_result);
    CHECK(scan_few<decltype(algorithm)>(exclusive, items) == exclusive_result);
  });
  check_production<inclusive>(items, inclusive_result);
  check_production<exclusive>(items, exclusive_result);
}

/// Eight items with their head flags, from thread `first` of a block of two warps on: sums and, as
/// if every predicate were true, counts. Nothing lies before them, and a segment begins after.
template <scan_kind Kind>
struct segments_kernel {
  static constexpr int block_threads = 64;
  struct shared_storage {
    block::segmented_scan_storage<int, block_threads> sums;
  };
  __device__ void operator()(shared_storage& shared, int const* in, int const* heads, int first,
                             int* sums, int* counts) const {
    int const at = simt::thread_rank() - first;
    bool const exists = at >= 0 && at < 8;
    int const x = exists ? in[at] : 0;
    bool const head = exists ? heads[at] != 0 : at == 8;
    plus<int> const op;
    int const block_sum = block::segmented_scan<Kind>(shared.sums, x, head, op).prefix;
    int const block_count = block::segmented_binary_scan<Kind>(shared.sums, true, head).prefix;
    unsigned const word = simt::ballot(simt::full_warp, head);
    int const warp_sum = warp::segmented_scan<Kind>(x, word, op).prefix;
    int const warp_count = warp::segmented_binary_scan<Kind>(true, word).rank;
    int const lane_sum = warp::segmented_scan<Kind>(x, head, op).prefix;
    int const lane_count = warp::segmented_binary_scan<Kind>(true, head).rank;
    if (!exists) return;
    sums[at] = block_sum;
    counts[at] = block_count;
    sums[8 + at] = warp_sum;
    counts[8 + at] = warp_count;
    sums[16 + at] = lane_sum;
    counts[16 + at] = lane_count;
  }
};

/// `in_warps`: whether the example lies in one warp, so that the warp's scans show it too.
template <scan_kind Kind>
void check_segments(int first, bool in_warps, numbers const& expected_sums,
                    numbers const& expected_counts) {
  INFO("from thread " << first);
  device_image<int> in(numbers{3, 1, 7, 0, 4, 1, 6, 3}), heads(numbers{1, 0, 1, 0, 0, 1, 0, 1});
  device_image<int> sums(24), counts(24);
  simt::launch<segments_kernel<Kind>>(
      {.blocks = 1, .threads = 64}, static_cast<int const*>(in.data()),
      static_cast<int const*>(heads.data()), first, sums.data(), counts.data());
  auto const row = [](numbers const& all, int way) {
    return numbers(all.begin() + 8 * way, all.begin() + 8 * (way + 1));
  };
  auto const got_sums = sums.read(), got_counts = counts.read();
  for (int way = 0; way < (in_warps ? 3 : 1); ++way) {
    CHECK(row(got_sums, way) == expected_sums);
    CHECK(row(got_counts, way) == expected_counts);
  }
}

numbers const eight{3, 1, 7, 0, 4, 1, 6, 3};

}  // namespace

TEST_CASE("[3 1 7 0 4 1 6 3] of Harris, the chapter, the lecture and the walkthrough") {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    check_all(eight, {3, 4, 11, 11, 15, 16, 22, 25}, {0, 3, 4, 11, 11, 15, 16, 22});
  });
}

TEST_CASE("Verona's [3 1 7 4 6]") {
  check_all({3, 1, 7, 4, 6}, {3, 4, 11, 15, 21}, {0, 3, 4, 11, 15});
}

TEST_CASE("the lecture's sandwich of 100 inches leaves 39") {
  numbers const wanted{3, 5, 2, 7, 28, 4, 3, 0, 8, 1};
  numbers const cuts{3, 8, 10, 17, 45, 49, 52, 52, 60, 61};
  check_all(wanted, cuts, {0, 3, 8, 10, 17, 45, 49, 52, 52, 60});
  CHECK(100 - cuts.back() == 39);
}

TEST_CASE("two blocks of four do what the walkthrough draws") {
  each_algorithm(all_algorithms{}, [](char const* name, auto algorithm) {
    using algorithm_type = decltype(algorithm);
    INFO(name);
    auto const in_place = scan_pieces<algorithm_type, plus<int>, loading::in_place>(eight, 4);
    CHECK(in_place.scanned == numbers{3, 4, 11, 11, 4, 5, 11, 14});
    CHECK(in_place.sums == numbers{11, 14});
    CHECK(scan_few<algorithm_type>(inclusive, in_place.sums) == numbers{11, 25});
    CHECK(add_sums(in_place, 4, plus<int>{}) == numbers{3, 4, 11, 11, 15, 16, 22, 25});

    // The same, made exclusive by shifted loading: each sum lacks its piece's last item, and has
    // the one before its first.
    auto const shifted = scan_pieces<algorithm_type, plus<int>, loading::shifted>(eight, 4);
    CHECK(shifted.scanned == numbers{0, 3, 4, 11, 0, 4, 5, 11});
    CHECK(shifted.sums == numbers{11, 11});
    CHECK(add_sums(shifted, 4, plus<int>{}) == numbers{0, 3, 4, 11, 11, 15, 16, 22});
  });
}

TEST_CASE("the chapter's segments [[3 1] [7 0 4] [1 6] [3]]") {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    // With all predicates true, Listing 3.5 gives the exclusive counts 0 1 0 1 2 0 1 0.
    for (int const first : {0, 24, 40}) {
      check_segments<inclusive>(first, true, {3, 4, 7, 7, 11, 1, 7, 3}, {1, 2, 1, 2, 3, 1, 2, 1});
      check_segments<exclusive>(first, true, {0, 3, 0, 7, 7, 0, 1, 0}, {0, 1, 0, 1, 2, 0, 1, 0});
    }
    for (int const first : {28, 31}) {  // across two warps
      check_segments<inclusive>(first, false, {3, 4, 7, 7, 11, 1, 7, 3}, {1, 2, 1, 2, 3, 1, 2, 1});
      check_segments<exclusive>(first, false, {0, 3, 0, 7, 7, 0, 1, 0}, {0, 1, 0, 1, 2, 0, 1, 0});
    }
  });
}
