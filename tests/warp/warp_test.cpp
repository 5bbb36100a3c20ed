// SPDX-License-Identifier: Apache-2.0
// The warp scans of any operator against their definition: by shuffles, in padded shared memory,
// and within segments.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/warp/scan.cuh>
#include <libscan/warp/segmented_scan.cuh>
#include <libscan/warp/shared_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/warp/odd_items.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int warps = 3;
constexpr int items_of_warps = warps * 32;

/// By shuffles; each warp of a block by itself, in one, two or three dimensions.
template <scan_kind Kind, class Op>
struct shuffle_kernel {
  using T = typename Op::value_type;
  __device__ void operator()(T const* in, T* out, T* totals) const {
    int const i = simt::thread_rank();
    auto const scanned = Kind == scan_kind::inclusive ? warp::inclusive_scan(in[i], Op{})
                                                      : warp::exclusive_scan(in[i], Op{});
    out[i] = scanned.prefix;
    totals[i] = scanned.total;
  }
};

/// In shared memory, twice with one storage: it must be reusable at once.
template <scan_kind Kind, class Op>
struct shared_kernel {
  using T = typename Op::value_type;
  struct shared_storage {
    warp::shared_scan_storage<T> of_warp[warps];
  };
  __device__ void operator()(shared_storage& shared, T const* in, T* out, T* totals) const {
    int const i = simt::thread_rank();
    auto& own = shared.of_warp[i / 32];
    T const total = warp::shared_scan<Kind>(own, in[i], Op{}).total;
    own.value[63 - simt::lane_id()] = Op::identity();
    simt::sync_warp();
    out[i] = warp::shared_scan<Kind>(own, in[i], Op{}).prefix;
    totals[i] = total;
  }
};

template <template <scan_kind, class> class Kernel, scan_kind Kind, class Op>
void require_warp_scan(simt::dim3 shape) {
  using T = typename Op::value_type;
  auto const items = make_items<T>(items_of_warps);
  device_image<T> in(items), out(items_of_warps), totals(items_of_warps);
  simt::launch<Kernel<Kind, Op>>({.blocks = 1, .threads = shape}, static_cast<T const*>(in.data()),
                                 out.data(), totals.data());
  auto const got = out.read(), got_totals = totals.read();
  for (int warp = 0; warp < warps; ++warp) {
    auto const own = [warp](std::vector<T> const& all) {
      return std::vector<T>(all.begin() + warp * 32, all.begin() + (warp + 1) * 32);
    };
    auto const expected = scan_oracle(Kind, own(items), Op{}, Op::identity());
    REQUIRE(difference(expected.out, own(got)) == "");
    REQUIRE(difference(std::vector<T>(32, expected.total), own(got_totals)) == "");
  }
}

/// What a warp combines; only lane 0 has it.
template <class Op>
struct combine_kernel {
  using T = typename Op::value_type;
  __device__ void operator()(T const* in, T* totals) const {
    int const i = simt::thread_rank();
    T const total = warp::combine(in[i], Op{});
    if (simt::lane_id() == 0) totals[i / 32] = total;
  }
};

template <template <scan_kind, class> class Kernel, class Op>
void require_warp_scans() {
  each_schedule(2, [](std::string const& schedule) {
    INFO(schedule);
    for (auto const shape : {simt::dim3(96), simt::dim3(3, 32), simt::dim3(4, 4, 6)}) {
      require_warp_scan<Kernel, scan_kind::inclusive, Op>(shape);
      require_warp_scan<Kernel, scan_kind::exclusive, Op>(shape);
    }
  });
}

/// Segments of a warp; their head flags in a word, and then each lane's own.
template <scan_kind Kind, class Op>
struct segmented_kernel {
  using T = typename Op::value_type;
  __device__ void operator()(T const* in, unsigned heads, T* out, T* totals) const {
    int const lane = simt::lane_id();
    auto const by_word = warp::segmented_scan<Kind>(in[lane], heads, Op{});
    auto const by_lane = warp::segmented_scan<Kind>(in[lane], (heads >> lane & 1u) != 0, Op{});
    out[lane] = by_word.prefix;
    totals[lane] = by_word.total;
    out[32 + lane] = by_lane.prefix;
    totals[32 + lane] = by_lane.total;
  }
};

template <scan_kind Kind, class Op>
void require_segmented_scan(unsigned heads) {
  using T = typename Op::value_type;
  INFO("head flags " << std::hex << heads);
  auto const items = make_items<T>(32);
  device_image<T> in(items), out(64), totals(64);
  simt::launch<segmented_kernel<Kind, Op>>({.blocks = 1, .threads = 32},
                                           static_cast<T const*>(in.data()), heads, out.data(),
                                           totals.data());
  std::vector<T> expected, expected_totals;
  for (int begin = 0, end = 1; begin < 32; begin = end++) {
    while (end < 32 && (heads >> end & 1u) == 0) ++end;
    std::vector<T> const own(items.begin() + begin, items.begin() + end);
    auto const scanned = scan_oracle(Kind, own, Op{}, Op::identity());
    expected.insert(expected.end(), scanned.out.begin(), scanned.out.end());
    expected_totals.insert(expected_totals.end(), own.size(), scanned.total);
  }
  auto const twice = [](std::vector<T> all) {
    all.reserve(64);
    all.insert(all.end(), all.begin(), all.begin() + 32);
    return all;
  };
  REQUIRE(difference(twice(expected), out.read()) == "");
  REQUIRE(difference(twice(expected_totals), totals.read()) == "");
}

}  // namespace

TEMPLATE_TEST_CASE("warp scans by shuffles keep operand order and give the total to every lane", "",
                   plus<std::int32_t>, plus<std::uint8_t>, maximum<double>, compose, keep_last,
                   tripwire, permute, long_compose) {
  require_warp_scans<shuffle_kernel, TestType>();
}

TEMPLATE_TEST_CASE("so do warp scans in padded shared memory, whose storage is reusable at once",
                   "", plus<std::int32_t>, plus<std::uint8_t>, maximum<double>, compose, keep_last,
                   tripwire, permute, long_compose) {
  require_warp_scans<shared_kernel, TestType>();
}

TEMPLATE_TEST_CASE("a warp combines the values of its lanes in order", "", plus<std::int32_t>,
                   minimum<std::int32_t>, maximum<double>, compose, keep_last, tripwire, permute,
                   long_compose) {
  using T = typename TestType::value_type;
  auto const items = make_items<T>(items_of_warps);
  std::vector<T> expected;
  for (int warp = 0; warp < warps; ++warp) {
    std::vector<T> const own(items.begin() + warp * 32, items.begin() + (warp + 1) * 32);
    expected.push_back(
        scan_oracle(scan_kind::inclusive, own, TestType{}, TestType::identity()).total);
  }
  for (auto const shape : {simt::dim3(96), simt::dim3(3, 32), simt::dim3(4, 4, 6)}) {
    device_image<T> in(items), totals(warps);
    simt::launch<combine_kernel<TestType>>({.blocks = 1, .threads = shape},
                                           static_cast<T const*>(in.data()), totals.data());
    REQUIRE(difference(expected, totals.read()) == "");
  }
}

TEMPLATE_TEST_CASE("segmented warp scans keep to their segments, by a word and by lanes' flags", "",
                   plus<std::int32_t>, compose, keep_last, tripwire, permute, long_compose) {
  std::vector<unsigned> words{0u, 1u, 0x80000000u, 0x80000001u, 0xffffffffu, 0xa5a5a5a5u};
  random_words random;
  while (words.size() < 20) words.push_back(static_cast<unsigned>(random() & random()));
  each_schedule(scaled(2, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (unsigned const heads : words) {
      require_segmented_scan<scan_kind::inclusive, TestType>(heads);
      require_segmented_scan<scan_kind::exclusive, TestType>(heads);
    }
  });
}
