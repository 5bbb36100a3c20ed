// SPDX-License-Identifier: Apache-2.0
// Device scans of the types and operators that the other tests leave out: every width of integer,
// both floats, 16-bit floats, structures of 12 and 36 bytes, which no bulk copy moves, and items
// and results transformed in flight; some of them within segments.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <libscan/core/half.hpp>
#include <libscan/scan.cuh>
#include <libscan/segmented_scan.cuh>
#include <tests/device/segmented_cases.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/transformed.hpp>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

using namespace libscan;
using namespace libscan::test;

namespace {

/// For one block, for the resident scan and for the pipelined one.
std::vector<index_t> sizes() {
  if (on_gpu) return {700, 200003, 2000003};
  return {700, 5003, scaled(40009, 17001)};
}

/// All bits set but one, and in most items all: the and of many items keeps some to the end.
template <class T>
std::vector<T> nearly_all_bits(index_t n) {
  random_words words;
  std::vector<T> items;
  for (index_t i = 0; i < n; ++i) {
    bool const clears = words.below(static_cast<std::uint64_t>(n)) < 3 * sizeof(T);
    auto const bit = std::uint64_t{1} << words.below(8 * sizeof(T));
    items.push_back(static_cast<T>(~(clears ? bit : 0)));
  }
  return items;
}

/// Items that every operator shows: results differ all along, and floating sums are exact.
template <class Op>
struct items_for {
  static auto make(index_t n) {
    using T = typename Op::value_type;
    if constexpr (std::is_floating_point_v<T>) {
      return make_input<T>(pattern::small, n);
    } else {
      return make_items<T>(n);
    }
  }
};
template <class T>
struct items_for<minimum<T>> {
  static auto make(index_t n) { return make_input<T>(pattern::reversed, n); }
};
template <class T>
struct items_for<maximum<T>> {
  static auto make(index_t n) { return make_input<T>(pattern::sorted, n); }
};
template <class T>
struct items_for<bit_and<T>> {
  static auto make(index_t n) { return nearly_all_bits<T>(n); }
};
template <class T>
struct items_for<bit_or<T>> {
  static auto make(index_t n) {
    auto items = nearly_all_bits<T>(n);
    for (T& item : items) item = static_cast<T>(~item);
    return items;
  }
};

template <scan_kind Kind, class Op, class Tuning = void>
void require_scan(index_t n) {
  using T = typename Op::value_type;
  INFO("n = " << n << (Kind == scan_kind::inclusive ? ", inclusive" : ", exclusive"));
  auto const items = items_for<Op>::make(n);
  T const init = items.back();
  auto const expected = scan_oracle(Kind, items, Op{}, init);
  device_image<T> in(items), out(n, 1), total(1);
  workspace ws;
  auto const* const first = static_cast<T const*>(in.data());
  if constexpr (Kind == scan_kind::inclusive) {
    inclusive_scan<Tuning>(ws, first, out.data(), n, Op{}, total.data(), init);
  } else {
    exclusive_scan<Tuning>(ws, first, out.data(), n, Op{}, total.data(), init);
  }
  REQUIRE(difference(expected, {out.read(), total.read()[0]}) == "");
  REQUIRE(out.damage() == "");
  REQUIRE(total.damage() == "");
}

/// Under the fixed schedule and a seeded one.
template <scan_kind Kind, class Op, class Tuning = void>
void require_scans() {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sizes()) require_scan<Kind, Op, Tuning>(n);
  });
}

template <class Op>
using pipelined = tried<
    pipeline_tuning<typename Op::value_type, typename Op::value_type, typename Op::value_type>, Op>;
template <class Op>
using looking_back = tried<look_back_tuning<typename Op::value_type>, Op>;
template <class Op>
using by_choice = tried<chosen, Op>;

}  // namespace

using sums = types_to_test<
    std::tuple<pipelined<plus<std::int8_t>>>,
    std::tuple<looking_back<plus<std::int16_t>>, looking_back<plus<double>>>,
    std::tuple<by_choice<plus<std::int8_t>>, by_choice<plus<std::int16_t>>,
               by_choice<plus<std::uint16_t>>, by_choice<plus<std::uint32_t>>,
               by_choice<plus<std::int64_t>>, by_choice<plus<float>>, by_choice<plus<double>>>>;
TEMPLATE_LIST_TEST_CASE("sums of every type agree with a loop", "", sums) {
  using op = typename TestType::with;
  using way = way_of<typename TestType::way>;
  require_scans<scan_kind::exclusive, op, way>();
  if constexpr (!few_types) require_scans<scan_kind::inclusive, op, way>();
}

using exclusive_operators =
    types_to_test<std::tuple<looking_back<bit_or<std::uint64_t>>>,
                  std::tuple<looking_back<minimum<std::uint8_t>>, looking_back<maximum<double>>>,
                  std::tuple<by_choice<minimum<std::uint8_t>>, by_choice<maximum<double>>,
                             by_choice<bit_or<std::uint64_t>>>>;
TEMPLATE_LIST_TEST_CASE("exclusive scans with other operators agree with a loop", "",
                        exclusive_operators) {
  require_scans<scan_kind::exclusive, typename TestType::with, way_of<typename TestType::way>>();
}

namespace {

/// A result of three bytes, which no access moves at once.
struct three_bytes {
  std::uint8_t byte[3];
  three_bytes() = default;
  LIBSCAN_HOST_DEVICE three_bytes(int value)
      : byte{static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
             static_cast<std::uint8_t>(value >> 16)} {}
};

}  // namespace

using ways_of_three_bytes =
    types_to_test<std::tuple<pipeline_tuning<std::uint8_t, int, three_bytes>>, std::tuple<chosen>>;
TEMPLATE_LIST_TEST_CASE("results of three bytes agree with a loop", "", ways_of_three_bytes) {
  index_t const n = scaled(20001, 5001);
  std::vector<std::uint8_t> items;
  for (index_t i = 0; i < n; ++i) items.push_back(static_cast<std::uint8_t>(i * 37));
  device_image<std::uint8_t> in(items);
  device_image<three_bytes> out(n);
  workspace ws;
  inclusive_scan<way_of<TestType>>(ws, in.data(), out.data(), n, plus<int>{});
  auto const got = out.read();
  int sum = 0;
  bool same = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    sum += items[i];
    three_bytes const expected(sum);
    for (int b = 0; b < 3; ++b) same = same && expected.byte[b] == got[i].byte[b];
  }
  REQUIRE(same);
  REQUIRE(out.damage() == "");
}

namespace {

/// A kilobyte: a large block's threads could not hold one each in shared memory.
struct page {
  std::uint32_t word[256];
  bool operator==(page const&) const = default;
};

struct add_pages {
  using value_type = page;
  LIBSCAN_HOST_DEVICE static constexpr page identity() { return {}; }
  LIBSCAN_HOST_DEVICE page operator()(page a, page const& b) const {
    for (int i = 0; i < 256; ++i) a.word[i] += b.word[i];
    return a;
  }
};

}  // namespace

TEST_CASE("structures of a kilobyte agree with a loop") {
  std::vector<page> items(300);
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t w = 0; w < 256; ++w) items[i].word[w] = static_cast<std::uint32_t>(i * w + 1);
  }
  auto const expected = scan_oracle(scan_kind::inclusive, items, add_pages{}, page{});
  auto const n = static_cast<index_t>(items.size());
  device_image<page> in(items), out(n);
  workspace ws;
  inclusive_scan(ws, static_cast<page const*>(in.data()), out.data(), n, add_pages{});
  REQUIRE(out.read() == expected.out);
  REQUIRE(out.damage() == "");
}

TEST_CASE("a structure of 12 bytes agrees with a loop") {
  require_scans<scan_kind::exclusive, join_shears>();
}

using inclusive_operators =
    types_to_test<std::tuple<looking_back<bit_xor<std::int8_t>>>,
                  std::tuple<looking_back<minimum<float>>, pipelined<bit_and<std::int32_t>>,
                             looking_back<maximum<std::uint32_t>>, looking_back<multiply>>,
                  std::tuple<by_choice<minimum<float>>, by_choice<maximum<std::uint32_t>>,
                             by_choice<bit_and<std::int32_t>>, by_choice<bit_xor<std::int8_t>>,
                             by_choice<multiply>>>;
TEMPLATE_LIST_TEST_CASE("inclusive scans with other operators agree with a loop", "",
                        inclusive_operators) {
  require_scans<scan_kind::inclusive, typename TestType::with, way_of<typename TestType::way>>();
}

TEST_CASE("items are transformed as they are loaded, results as they are stored") {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sizes()) {
      INFO("n = " << n);
      auto const items = make_items<std::int16_t>(n);
      auto const squares = transform_all(items, squared{});
      device_image<std::int16_t> in(items);
      device_image<std::uint64_t> out(n, 1);
      device_image<std::int64_t> total(1);
      transformed const first{static_cast<std::int16_t const*>(in.data()), squared{}};
      transforming const result{out.data(), inverted{}};
      workspace ws;
      auto expected = scan_oracle(scan_kind::inclusive, squares, plus<std::int64_t>{}, 5);
      inclusive_scan(ws, first, result, n, plus<std::int64_t>{}, total.data(), 5);
      REQUIRE(difference(transform_all(expected.out, inverted{}), out.read()) == "");
      REQUIRE(total.read()[0] == expected.total);
      expected = scan_oracle(scan_kind::exclusive, squares, plus<std::int64_t>{}, 5);
      exclusive_scan(ws, first, result, n, plus<std::int64_t>{}, nullptr, 5);
      REQUIRE(difference(transform_all(expected.out, inverted{}), out.read()) == "");
      REQUIRE(out.damage() == "");
    }
  });
}

namespace {

/// The same, and one for the pipelined scan within segments.
std::vector<index_t> segmented_sizes() {
  auto all = sizes();
  if (on_gpu) all.push_back(9000001);
  return all;
}

/// Numbers as items of another type, and back.
template <class To, class From>
std::vector<To> converted(std::vector<From> const& numbers) {
  std::vector<To> result(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if constexpr (std::is_arithmetic_v<To>) {
      result[i] = static_cast<To>(numbers[i]);
    } else {
      result[i] = static_cast<float>(numbers[i]);
    }
  }
  return result;
}

/// Scans Items made of whole numbers within segments.
template <scan_kind Kind, class Item, class Op>
void require_segmented_scan(std::vector<typename Op::value_type> const& values) {
  auto const n = static_cast<index_t>(values.size());
  INFO("n = " << n);
  auto const heads = flags_of(make_offsets(segment_shape::power_law, n));
  auto const expected = segmented_oracle(Kind, values, heads, Op{}, Op::identity());
  device_image<Item> in(converted<Item>(values));
  device_image<std::uint8_t> flags(heads);
  for (int const offset : {0, 3}) {  // aligned rows are stored as vectors, others item by item
    device_image<Item> out(n, offset);
    workspace ws;
    segmented_scan<Kind>(ws, static_cast<Item const*>(in.data()), out.data(),
                         head_flags{flags.data()}, n, Op{});
    REQUIRE(difference(expected, converted<typename Op::value_type>(out.read())) == "");
    REQUIRE(out.damage() == "");
  }
}

}  // namespace

using types_within_segments =
    types_to_test<std::tuple<std::int8_t>, std::tuple<double>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("sums and minima within segments agree with a loop", "",
                        types_within_segments) {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : segmented_sizes()) {
      auto const values = make_input<TestType>(pattern::small, n);
      require_segmented_scan<scan_kind::inclusive, TestType, plus<TestType>>(values);
      require_segmented_scan<scan_kind::exclusive, TestType, minimum<TestType>>(values);
    }
  });
}

namespace {

#ifdef __CUDACC__
using half_types = std::tuple<__half, __nv_bfloat16>;
using halves_within_segments = half_types;
#else
using half_types = types_to_test<std::tuple<float16>, std::tuple<bfloat16>, std::tuple<>>;
using halves_within_segments = types_to_test<std::tuple<bfloat16>, std::tuple<float16>>;
#endif

/// Steps between whole numbers below 128: steps and sums are exact in 8 bits of significand.
std::vector<float> small_steps(index_t n) {
  random_words words(7);
  std::vector<float> values;
  float at = 0;
  for (index_t i = 0; i < n; ++i) {
    auto const next = static_cast<float>(words.below(128));
    values.push_back(next - at);
    at = next;
  }
  return values;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("16-bit floats are summed in float and stored as they came", "",
                        half_types) {
  for (index_t const n : sizes()) {
    INFO("n = " << n);
    auto const values = small_steps(n);
    device_image<TestType> in(converted<TestType>(values)), aligned(n), unaligned(n, 3);
    auto const* const first = static_cast<TestType const*>(in.data());
    device_image<float> total(1);
    workspace ws;
    for (scan_kind const kind : {scan_kind::inclusive, scan_kind::exclusive}) {
      auto& out = kind == scan_kind::inclusive ? aligned : unaligned;
      auto const expected = scan_oracle(kind, values, plus<float>{}, 0.0f);
      if (kind == scan_kind::inclusive) {
        inclusive_scan(ws, first, out.data(), n, plus<float>{}, total.data(), 0.0f);
      } else {
        exclusive_scan(ws, first, out.data(), n, plus<float>{}, total.data(), 0.0f);
      }
      REQUIRE(difference(expected.out, converted<float>(out.read())) == "");
      REQUIRE(total.read()[0] == expected.total);
      REQUIRE(out.damage() == "");
    }
  }
}

TEMPLATE_LIST_TEST_CASE("16-bit floats within segments are summed in float", "",
                        halves_within_segments) {
  for (index_t const n : segmented_sizes()) {
    auto const values = small_steps(n);
    require_segmented_scan<scan_kind::inclusive, TestType, plus<float>>(values);
    require_segmented_scan<scan_kind::exclusive, TestType, minimum<float>>(values);
  }
}
