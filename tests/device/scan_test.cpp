// SPDX-License-Identifier: Apache-2.0
// The single-pass device scan against a sequential loop: sizes, operators, types, schedules,
// places.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <libscan/scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// The tile the library chooses for a scan of T.
template <class T>
constexpr index_t tile_items = [] {
  using tuning = pipeline_tuning<T, T, T>;
  return index_t{tuning::group_threads} * tuning::vector_items * tuning::rows;
}();

/// No tuning: the library chooses.
using automatic = void;

struct place {
  int in_offset = 0;
  int out_offset = 0;
  bool in_place = false;
};

/// Has items scanned on the device, between canaries, and brings the result back. Not compiled
/// once for each way.
template <class T, class Item>
test::scan_result<T> between_canaries(
    std::vector<Item> const& items, place where,
    std::function<void(workspace&, Item* in, T* out, T* total)> const& scan) {
  auto const n = static_cast<index_t>(items.size());
  workspace ws;
  device_image<Item> in(items, where.in_offset);
  device_image<T> apart(where.in_place ? 0 : n, where.out_offset);
  device_image<T> total(1);
  T* out = apart.data();
  if constexpr (std::is_same_v<T, Item>) out = where.in_place ? in.data() : apart.data();
  scan(ws, in.data(), out, total.data());
  auto const input_after = in.read();
  test::scan_result<T> result{apart.read(), total.read()[0]};
  if constexpr (std::is_same_v<T, Item>) {
    if (where.in_place) result.out = input_after;
  }
  REQUIRE(in.damage() + apart.damage() + total.damage() == "");
  if (!where.in_place) REQUIRE(bit_difference(items, input_after) == "");
  return result;
}

template <class Tuning, class Op, class Item>
test::scan_result<typename Op::value_type> scan_on_device(scan_kind kind,
                                                          std::vector<Item> const& items, Op op,
                                                          typename Op::value_type init,
                                                          place where = {}) {
  using T = typename Op::value_type;
  auto const n = static_cast<index_t>(items.size());
  return between_canaries<T, Item>(items, where, [&](workspace& ws, Item* in, T* out, T* total) {
    if (kind == scan_kind::exclusive) {
      exclusive_scan<Tuning>(ws, in, out, n, op, total, init);
    } else {
      inclusive_scan<Tuning>(ws, in, out, n, op, total, init);
    }
  });
}

template <class Tuning, class Op, class Item>
void require_scan(scan_kind kind, std::vector<Item> const& items, Op op,
                  typename Op::value_type init, place where = {}) {
  auto const expected = scan_oracle(kind, items, op, init);
  auto const got = scan_on_device<Tuning>(kind, items, op, init, where);
  INFO("n = " << items.size() << (kind == scan_kind::inclusive ? ", inclusive" : ", exclusive"));
  REQUIRE(difference(expected, got) == "");
}

constexpr scan_kind both_kinds[] = {scan_kind::exclusive, scan_kind::inclusive};

template <class Tuning, class Op>
void require_sizes(std::vector<index_t> const& sizes, Op op, typename Op::value_type init) {
  using T = typename Op::value_type;
  for (index_t const n : sizes) {
    for (scan_kind const kind : both_kinds) require_scan<Tuning>(kind, make_items<T>(n), op, init);
  }
}

/// An init that results show.
template <class Op>
typename Op::value_type some_init() {
  if constexpr (std::is_same_v<Op, compose>) {
    return {3, 5};
  } else if constexpr (std::is_same_v<Op, keep_last>) {
    return {42, 1};
  } else if constexpr (std::is_same_v<Op, tripwire>) {
    return interval::over(-5, 0);
  } else {
    return 7;
  }
}

using sum = plus<std::int32_t>;

}  // namespace

using smallest_ways = types_to_test<
    std::tuple<tried<tiny_tuning, tripwire>, tried<tiny_pipeline_tuning, compose>,
               tried<tiny_resident_tuning, keep_last>>,
    std::tuple<tried<tiny_tuning, compose>, tried<tiny_pipeline_tuning, tripwire>,
               tried<tiny_resident_tuning, sum>>,
    std::tuple<tried<tiny_tuning, sum>, tried<tiny_tuning, keep_last>,
               tried<tiny_pipeline_tuning, sum>, tried<tiny_pipeline_tuning, keep_last>,
               tried<tiny_resident_tuning, compose>, tried<tiny_resident_tuning, tripwire>>>;
TEMPLATE_LIST_TEST_CASE("with the smallest tiles, every n from 0 to 200 agrees with a loop", "",
                        smallest_ways) {
  using op = typename TestType::with;
  each_schedule(scaled(4, 1), [](std::string const& schedule) {
    INFO(schedule);
    require_sizes<typename TestType::way>(tiny_sizes(), op{}, some_init<op>());
  });
}

TEMPLATE_TEST_CASE("many of the smallest tiles agree with a loop", "", tiny_tuning,
                   tiny_pipeline_tuning) {
  each_schedule(scaled(6, 2), [](std::string const& schedule) {
    INFO(schedule);
    require_sizes<TestType>({5000, 9999}, compose{}, affine{3, 5});
  });
}

namespace {

template <class Op>
using pipelined = tried<
    pipeline_tuning<typename Op::value_type, typename Op::value_type, typename Op::value_type>, Op>;
template <class Op>
using looking_back = tried<look_back_tuning<typename Op::value_type>, Op>;

}  // namespace

using ladder_operators = types_to_test<
    std::tuple<tried<automatic, sum>, pipelined<plus<std::uint8_t>>>,
    std::tuple<looking_back<tripwire>, pipelined<minimum<std::int64_t>>>,
    std::tuple<tried<automatic, plus<std::uint8_t>>, tried<automatic, minimum<std::int64_t>>,
               tried<automatic, tripwire>, tried<automatic, plus<std::uint64_t>>,
               tried<automatic, maximum<std::int16_t>>, tried<automatic, bit_and<std::uint16_t>>,
               tried<automatic, bit_xor<std::uint32_t>>, tried<automatic, compose>,
               tried<automatic, keep_last>>>;
TEMPLATE_LIST_TEST_CASE("the size ladder agrees with a loop, in every type and operator", "",
                        ladder_operators) {
  using op = typename TestType::with;
  using T = typename op::value_type;
  index_t const limit = on_gpu ? 2000000 : scaled(270000, 9000);
  each_schedule(scaled(1, 1), [&](std::string const& schedule) {
    INFO(schedule);
    auto const sizes = size_ladder(tile_items<T>, pipeline_tuning<T, T, T>::group_threads, limit);
    require_sizes<typename TestType::way>(sizes, op{}, op::identity());
  });
}

#ifndef LIBSCAN_TEST_QUICK
namespace {

/// An operator that looks up at run time what it is.
struct sum_or_greatest {
  using value_type = std::int64_t;
  bool greatest;
  LIBSCAN_HOST_DEVICE constexpr value_type identity() const {
    return greatest ? maximum<value_type>::identity() : 0;
  }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type a, value_type b) const {
    return greatest ? maximum<value_type>{}(a, b) : plus<value_type>{}(a, b);
  }
};

}  // namespace

using branching_ways = types_to_test<std::tuple<looking_back<sum_or_greatest>>,
                                     std::tuple<tried<tiny_pipeline_tuning, sum_or_greatest>>,
                                     std::tuple<tried<automatic, sum_or_greatest>>>;
TEMPLATE_LIST_TEST_CASE("operators that branch agree with a loop", "", branching_ways) {
  using way = typename TestType::way;
  for (bool const greatest : {false, true}) {
    require_sizes<way>({33, 1500, 20001}, sum_or_greatest{greatest}, 5);
    if (on_gpu) require_sizes<way>({300001, 3000001}, sum_or_greatest{greatest}, 5);
  }
}
#endif

#ifndef LIBSCAN_TEST_ALWAYS_REDUCED
TEST_CASE("a million items agree with a loop") {
  if (reduced()) return;
  require_sizes<automatic>({1000003}, plus<std::int32_t>{}, 1);
}
#endif

TEST_CASE("items are converted to the accumulator before the first addition") {
  std::vector<std::uint8_t> const bytes(3000, 255);
  using T = std::conditional_t<quick_types, std::int32_t, std::uint32_t>;
  using tuning = automatic_or<look_back_tuning<T>>;
  for (scan_kind const kind : both_kinds) {
    require_scan<tuning>(kind, bytes, plus<T>{}, T{0});
  }
}

TEST_CASE("all input patterns, over several tiles") {
  for (pattern const p : all_patterns()) {
    INFO("pattern " << static_cast<int>(p));
    auto const items = make_input<std::int32_t>(p, 10000);
    require_scan<automatic>(scan_kind::inclusive, items, plus<std::int32_t>{}, 0);
  }
}

TEST_CASE("no pointer needs alignment beyond its type's, and nothing outside is touched") {
  auto const items = make_items<std::int32_t>(700);
  auto const bytes = make_items<std::uint8_t>(700);
  using of_bytes =
      std::conditional_t<quick_types, pipeline_tuning<std::uint8_t, std::uint8_t, std::uint8_t>,
                         automatic>;
  for (int offset = 0; offset <= 16; ++offset) {
    INFO("offset " << offset);
    place const where{offset, 16 - offset, false};
    require_scan<tiny_tuning>(scan_kind::exclusive, items, plus<std::int32_t>{}, 0, where);
    require_scan<tiny_pipeline_tuning>(scan_kind::exclusive, items, plus<std::int32_t>{}, 0, where);
    require_scan<tiny_resident_tuning>(scan_kind::exclusive, items, plus<std::int32_t>{}, 0, where);
    require_scan<of_bytes>(scan_kind::inclusive, bytes, plus<std::uint8_t>{}, 0, where);
  }
}

TEST_CASE("the output may be the input") {
  each_schedule(scaled(4, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {1, 33, 1000, 9000}) {
      for (scan_kind const kind : both_kinds) {
        place const where{3, 0, true};
        require_scan<automatic>(kind, make_items<std::int32_t>(n), plus<std::int32_t>{}, 5, where);
        require_scan<tiny_tuning>(kind, make_items<affine>(n), compose{}, affine{1, 1}, where);
        require_scan<tiny_pipeline_tuning>(kind, make_items<affine>(n), compose{}, affine{1, 1},
                                           where);
      }
    }
  });
}

using floating_ways =
    types_to_test<std::tuple<looking_back<plus<float>>>, std::tuple<pipelined<plus<double>>>,
                  std::tuple<tried<automatic, plus<float>>, tried<automatic, plus<double>>>>;
TEMPLATE_LIST_TEST_CASE("floating sums are within the bound of any order, and repeat bit for bit",
                        "", floating_ways) {
  using way = typename TestType::way;
  typename TestType::with const op;
  using T = typename TestType::with::value_type;
  auto const items = make_input<T>(pattern::random, scaled(70000, 20000));
  auto const first = scan_on_device<way>(scan_kind::inclusive, items, op, T(0.5));
  REQUIRE(sum_error(scan_kind::inclusive, items, T(0.5), first) == "");
  int const repeats = on_gpu ? 20 : 1;
  each_schedule(scaled(8, 3), [&](std::string const& schedule) {
    INFO(schedule);
    for (int k = 0; k < repeats; ++k) {
      auto const again = scan_on_device<way>(scan_kind::inclusive, items, op, T(0.5));
      REQUIRE(bit_difference(first.out, again.out) == "");
    }
  });
}

TEST_CASE("identities are exact: -0.0 stays, infinities are found, NaN is passed on") {
  using tuning = automatic_or<look_back_tuning<float>>;
  std::vector<float> const zeros(100, -0.0f);
  require_scan<tuning>(scan_kind::inclusive, zeros, plus<float>{}, -0.0f);
  if constexpr (!quick_types) {
    std::vector<float> const infinite(100, std::numeric_limits<float>::infinity());
    require_scan<tuning>(scan_kind::inclusive, infinite, minimum<float>{},
                         minimum<float>::identity());
    auto const special = make_input<float>(pattern::special, 5000);
    require_scan<tuning>(scan_kind::exclusive, special, maximum<float>{},
                         maximum<float>::identity());
  }
}

TEMPLATE_TEST_CASE("the number of items may lie in device memory", "", tiny_tuning,
                   tiny_pipeline_tuning, tiny_resident_tuning, automatic) {
  auto const items = make_items<std::int32_t>(1000);
  for (index_t const n : {-3, 0, 1, 32, 999, 1000, 5000}) {
    INFO("n on the device = " << n);
    index_t const taken = n < 0 ? 0 : n > 1000 ? 1000 : n;
    device_image<std::int32_t> in(items), out(1000), total(1);
    device_image<index_t> length(std::vector<index_t>{n});
    workspace ws;
    exclusive_scan<TestType>(ws, in.data(), out.data(), item_count::on_device(length.data(), 1000),
                             plus<std::int32_t>{}, total.data(), 9);
    auto got = out.read();
    REQUIRE(out.written_from(taken) == "");
    got.resize(static_cast<std::size_t>(taken));
    std::vector<std::int32_t> const part(items.begin(), items.begin() + taken);
    auto const expected = scan_oracle(scan_kind::exclusive, part, plus<std::int32_t>{}, 9);
    REQUIRE(difference(expected, {got, total.read()[0]}) == "");
  }
}

TEST_CASE("a dirty workspace, a reused one and the caller's own memory are all the same") {
  using T = std::conditional_t<few_types, std::int32_t, double>;
  index_t const n = 3 * tile_items<T> + 5;
  auto const items = make_items<T>(n);
  auto const expected = scan_on_device<automatic>(scan_kind::inclusive, items, plus<T>{}, 0);
  std::size_t const bytes = scan_workspace_bytes<T>(n);
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  simt::fill_async(memory.data(), 0xff, bytes);
  workspace ws(memory.data(), bytes);
  device_image<T> in(items), out(n);
  for (int k = 0; k < 3; ++k) {
    inclusive_scan(ws, in.data(), out.data(), n, plus<T>{}, nullptr, 0);
    REQUIRE(bit_difference(expected.out, out.read()) == "");
  }
}

TEST_CASE("no items have the init as total, in a dirty workspace, too") {
  std::size_t const bytes = scan_workspace_bytes<std::int32_t>(0);
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  simt::fill_async(memory.data(), 0xff, bytes);
  workspace ws(memory.data(), bytes);
  device_image<std::int32_t> in(1), out(1), total(1);
  exclusive_scan<tiny_tuning>(ws, in.data(), out.data(), 0, sum{}, total.data(), 5);
  REQUIRE(total.read()[0] == 5);
  REQUIRE(out.written_from(0) == "");
}

TEST_CASE("what cannot work is refused before anything runs") {
  device_image<int> items(100000);
  workspace small(items.data(), 8);
  REQUIRE_THROWS_WITH(exclusive_scan(small, items.data(), items.data(), 100000, plus<int>{}),
                      Catch::Contains("workspace of 8 bytes, but the call needs"));
  workspace ws;
  REQUIRE_THROWS_AS(exclusive_scan(ws, items.data(), items.data(), -1, plus<int>{}),
                    invalid_argument);
}

TEST_CASE("tiles in flight are as many as bring 30 KiB, at least two, at most all") {
  STATIC_REQUIRE(pipeline_tiles_in_flight(30720, 7) == 2);
  STATIC_REQUIRE(pipeline_tiles_in_flight(6912, 12) == 5);
  STATIC_REQUIRE(pipeline_tiles_in_flight(2048, 12) == 12);
  // Only what is copied counts: not the space that totals of another type wait in.
  STATIC_REQUIRE(
      segmented_reduce_pipeline_tuning<std::uint32_t, std::uint32_t, 1>::max_tiles_in_flight == 2);
  STATIC_REQUIRE(
      segmented_reduce_pipeline_tuning<std::uint8_t, std::uint32_t, 1>::max_tiles_in_flight > 2);
}

namespace {
struct too_deep : tiny_pipeline_tuning {
  static constexpr int stages = 4096;
};
}  // namespace

TEST_CASE("a pipeline that no GPU has space for is refused") {
  workspace ws;
  device_image<std::int32_t> in(100), out(100);
  REQUIRE_THROWS_AS(exclusive_scan<too_deep>(ws, static_cast<std::int32_t const*>(in.data()),
                                             out.data(), 100, plus<std::int32_t>{}),
                    invalid_argument);
}

#ifdef __CUDACC__
TEST_CASE("a captured scan replays with changed data, on a stream of its own") {
  cudaStream_t stream;
  LIBSCAN_CHECK(cudaStreamCreate(&stream));
  {
    index_t const n = 100000;
    std::size_t const bytes = scan_workspace_bytes<std::int32_t>(n);
    device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
    workspace ws(memory.data(), bytes, stream);
    device_image<std::int32_t> in(n), out(n), total(1);
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    LIBSCAN_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    exclusive_scan(ws, in.data(), out.data(), n, plus<std::int32_t>{}, total.data());
    LIBSCAN_CHECK(cudaStreamEndCapture(stream, &graph));
    LIBSCAN_CHECK(cudaGraphInstantiate(&replay, graph, 0));
    for (std::uint64_t round = 0; round < 5; ++round) {
      auto const items = make_items<std::int32_t>(n, round);
      simt::copy_async(in.data(), items.data(), n * sizeof(std::int32_t), stream);
      LIBSCAN_CHECK(cudaGraphLaunch(replay, stream));
      LIBSCAN_CHECK(cudaStreamSynchronize(stream));
      auto const expected = scan_oracle(scan_kind::exclusive, items, plus<std::int32_t>{}, 0);
      REQUIRE(difference(expected, {out.read(), total.read()[0]}) == "");
    }
    LIBSCAN_CHECK(cudaGraphExecDestroy(replay));
    LIBSCAN_CHECK(cudaGraphDestroy(graph));
  }
  LIBSCAN_CHECK(cudaStreamDestroy(stream));
}
#endif

TEST_CASE("outputs of scans that overlap the input otherwise than exactly are refused") {
  using tuning = automatic_or<tiny_tuning>;  // All ways begin alike.
  workspace ws;
  int items[100] = {};
  auto const all = [&](auto in, auto out) {
    plus<int> const op;
    REQUIRE_THROWS_AS(exclusive_scan<tuning>(ws, in, out, 50, op), invalid_argument);
    REQUIRE_THROWS_AS(inclusive_scan<tuning>(ws, in, out, 50, op), invalid_argument);
    REQUIRE_THROWS_AS(reverse_exclusive_scan<tuning>(ws, in, out, 50, op), invalid_argument);
    REQUIRE_THROWS_AS(reverse_inclusive_scan<tuning>(ws, in, out, 50, op), invalid_argument);
  };
  all(static_cast<int const*>(items), items + 1);
  all(static_cast<int const*>(items + 49), items);
  if constexpr (!quick_types) {
    all(reinterpret_cast<signed char const*>(items), items);  // results are larger
  }
  device_image<int> const in(std::vector<int>(100, 1));
  REQUIRE_NOTHROW(exclusive_scan(ws, in.data(), in.data() + 50, 50, plus<int>{}));
}
