// SPDX-License-Identifier: Apache-2.0
// The product of matrix and vector on the device against loops: every shape, algorithm, type and
// semiring, canaries, dirty workspaces, repeatability.
#include <tuple>
#include <type_traits>

#include <libscan/spmv.cuh>
#include <tests/apps/spmv/matrices.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Small windows and spans, so that small matrices have many.
struct tiny_spmv {
  static constexpr int block_threads = 64;
  [[maybe_unused]] static constexpr int resident_blocks = 1;
  static constexpr int items_per_lane = 4;
  static constexpr int short_row = 3;
  static constexpr index_t span_items(index_t) { return 50; }
};

/// Spans as long as the ends of rows in a plan allow.
struct longest_spans : tiny_spmv {
  static constexpr index_t span_items(index_t) { return 65472; }
};

template <class Tuning, class S>
using tuning_or_own =
    std::conditional_t<std::is_void_v<Tuning>, spmv_tuning<typename S::value_type>, Tuning>;

/// The device's result, from a workspace of exactly the bytes requested, full of `dirt`. The
/// balanced algorithm's is the same to the bit with a plan.
template <spmv_algorithm Road, class Tuning = void, class Y, class S, class Value, class Offset,
          class X>
std::vector<Y> product(host_csr<Value, Offset> const& host, std::vector<X> const& x,
                       std::vector<Y> const& y, S s, typename S::value_type alpha = S::one(),
                       typename S::value_type beta = S::zero(), unsigned char dirt = 0xff,
                       int misaligned = 0) {
  device_image<Offset> const offsets(host.offsets, misaligned);
  device_image<std::int32_t> const indices(host.indices, 2 * misaligned);
  device_image<Value> const values(host.values, 3 * misaligned);
  device_image<X> const d_x(x, misaligned);
  device_image<Y> d_y(y, 3 * misaligned);
  std::size_t const bytes =
      spmv_workspace_bytes<typename S::value_type, Road, tuning_or_own<Tuning, S>>(host.rows,
                                                                                   host.nonzeros());
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  simt::fill_async(memory.data(), dirt, bytes);
  workspace ws(memory.data(), bytes);
  csr_matrix<Value, Offset> const matrix{host.rows,      host.columns,   host.nonzeros(),
                                         offsets.data(), indices.data(), values.data()};
  spmv<Road, Tuning>(ws, matrix, d_x.data(), d_y.data(), s, alpha, beta);
  auto const got = d_y.read();
  REQUIRE(d_y.damage() == "");
  if constexpr (Road == spmv_algorithm::balanced) {
    using T = typename S::value_type;
    using tuning = tuning_or_own<Tuning, S>;
    std::size_t const of_plan = spmv_plan_bytes<T, tuning>(host.rows, host.nonzeros());
    device_image<unsigned char> plan_memory(std::vector<unsigned char>(of_plan, dirt));
    spmv_plan<T, tuning> const plan(matrix, workspace(plan_memory.data(), of_plan));
    device_image<Y> planned(y, 3 * misaligned);
    simt::fill_async(memory.data(), dirt, bytes);
    spmv(ws, plan, matrix, d_x.data(), planned.data(), s, alpha, beta);
    REQUIRE(bit_difference(got, planned.read()) == "");
    REQUIRE(planned.damage() == "");
    REQUIRE(plan_memory.damage() == "");
  }
  return got;
}

/// One way to multiply.
template <spmv_algorithm Road, class Tuning = void>
struct by_algorithm {
  template <class... Arguments>
  static auto multiply(Arguments const&... arguments) {
    return product<Road, Tuning>(arguments...);
  }
};
using balanced = by_algorithm<spmv_algorithm::balanced>;
using tiny_balanced = by_algorithm<spmv_algorithm::balanced, tiny_spmv>;
using segmented_sums = by_algorithm<spmv_algorithm::segmented>;
using scalar = by_algorithm<spmv_algorithm::scalar>;
using vector = by_algorithm<spmv_algorithm::vector>;

template <class... Roads>
struct algorithms {};
using every_algorithm = algorithms<balanced, tiny_balanced, segmented_sums, scalar, vector>;

/// Some algorithms in builds of few types, in others all.
template <class... Roads>
using some_algorithms = std::conditional_t<few_types, algorithms<Roads...>, every_algorithm>;

/// Every algorithm's result is `expected`, to the bit except the sign of zeros.
template <class S, class Y, class Value, class Offset, class X, class... Roads>
void require_exact(algorithms<Roads...>, host_csr<Value, Offset> const& host,
                   std::vector<X> const& x, std::vector<Y> const& y, S s,
                   typename S::value_type alpha, typename S::value_type beta) {
  auto const expected = spmv_oracle(host, x, y, s, alpha, beta);
  auto const require = [&](std::vector<Y> const& got) { REQUIRE(got == expected); };
  (require(Roads::multiply(host, x, y, s, alpha, beta)), ...);
}

/// Quick builds have these offsets in one test.
using narrow_offset = std::conditional_t<quick_types, std::int64_t, std::int32_t>;

template <class T>
std::vector<T> small_numbers(index_t n, std::uint64_t stream) {
  return make_input<T>(pattern::small, n, stream);
}

}  // namespace

TEST_CASE("all algorithms multiply exactly where every sum is exact, whatever the rows' lengths") {
  index_t const rows = scaled(1000, 300);
  for (auto const& shape : row_shapes(rows, scaled(9000, 1500))) {
    INFO(shape.name);
    auto const host = make_csr<float, narrow_offset>(rows, 777, shape.length, pattern::small);
    auto const x = small_numbers<float>(777, 1);
    auto const y = small_numbers<float>(rows, 2);
    require_exact(every_algorithm{}, host, x, y, plus_times<float>{}, 1, 0);
    require_exact(every_algorithm{}, host, x, y, plus_times<float>{}, 3, -2);
  }
}

TEST_CASE("with the smallest spans and windows, under any schedule") {
  using T = std::conditional_t<quick_types, float, double>;
  using tiny = tiny_spmv;
  each_schedule(scaled(6, 2), [](std::string const& schedule) {
    INFO(schedule);
    for (auto const& shape : row_shapes(200, 700)) {
      INFO(shape.name);
      auto const host = make_csr<T>(200, 64, shape.length, pattern::small);
      auto const x = small_numbers<T>(64, 3);
      std::vector<T> const y(200, T(-1));
      plus_times<T> const s;
      REQUIRE(product<spmv_algorithm::balanced, tiny>(host, x, y, s) == spmv_oracle(host, x, y, s));
    }
  });
}

TEST_CASE("with the longest spans that a plan has") {
  index_t const rows = scaled(120000, 70000);
  auto const host = make_csr<float, narrow_offset>(
      rows, 64, [](index_t r) { return r % 3; }, pattern::small);
  auto const x = small_numbers<float>(64, 3);
  std::vector<float> const y(static_cast<std::size_t>(rows), -1.0f);
  plus_times<float> const s;
  REQUIRE(product<spmv_algorithm::balanced, longest_spans>(host, x, y, s) ==
          spmv_oracle(host, x, y, s));
}

TEST_CASE("a row over any number of spans is closed once, by a thread or by a block") {
  std::vector<std::int64_t> offsets;  // of spans of one item: row r begins in span offsets[r] + r
  std::vector<index_t> closed;
  std::vector<float> heads, tails, expected;
  auto const add_span = [&](index_t row, float head) {
    closed.push_back(row);
    heads.push_back(head);
    tails.push_back(static_cast<float>(closed.size() % 7));
  };
  add_span(-1, 0);
  for (int const parts : {1, 2, 31, 32, 33, 34, 64, 300, 33}) {
    auto const row = static_cast<index_t>(offsets.size());
    offsets.push_back(static_cast<index_t>(closed.size()) - 1 - row);
    float sum = tails.back();
    for (int part = 1; part < parts; ++part) {
      add_span(-1, 0);
      sum += tails.back();
    }
    add_span(row, static_cast<float>(row + 100));
    expected.push_back(sum + heads.back());
  }
  auto const all = static_cast<index_t>(closed.size());
  device_image<std::int64_t> const d_offsets(offsets);
  device_image<index_t> d_closed(closed);
  device_image<float> d_heads(heads), d_tails(tails), d_y(static_cast<index_t>(expected.size()));
  device::span_sums<float> spans(nullptr, all, 1);
  spans.closed = d_closed.data();
  spans.heads = d_heads.data();
  spans.tails = d_tails.data();
  workspace const ws;
  row_result<float, plus_times<float>> const out{d_y.data(), {}, 1, 0};
  device::close_rows(ws.stream(), spans,
                     device::first_span_of_row<std::int64_t>{d_offsets.data(), 1}, out,
                     plus<float>{});
  REQUIRE(d_y.read() == expected);
  REQUIRE(d_y.damage() == "");
}

TEST_CASE("any number of rows from none to 200, with every number of entries") {
  for (index_t rows = 0; rows <= 200; rows += scaled(1, 13)) {
    for (index_t const most : {0, 1, 2, 5, 40}) {
      INFO(rows << " rows of up to " << most);
      auto const host = make_csr<float>(
          rows, 10, [&](index_t r) { return most == 0 ? 0 : (r * 7 + rows) % (most + 1); },
          pattern::small);
      auto const x = small_numbers<float>(10, 4);
      auto const y = small_numbers<float>(rows, 5);
      plus_times<float> const s;
      auto const expected = spmv_oracle(host, x, y, s);
      REQUIRE(product<spmv_algorithm::balanced>(host, x, y, s) == expected);
      REQUIRE(product<spmv_algorithm::balanced, tiny_spmv>(host, x, y, s) == expected);
    }
  }
}

TEST_CASE("a matrix without rows or columns or entries") {
  plus_times<float> const s;
  std::vector<float> const none;
  host_csr<float> const nothing;
  REQUIRE(product<spmv_algorithm::balanced>(nothing, none, none, s).empty());
  REQUIRE(product<spmv_algorithm::segmented>(nothing, none, none, s).empty());
  auto const tall = make_csr<float>(5000, 0, [](index_t) { return 1; });
  std::vector<float> const y(5000, 2.5f);
  REQUIRE(product<spmv_algorithm::balanced>(tall, none, y, s) == std::vector<float>(5000, 0.0f));
  REQUIRE(product<spmv_algorithm::segmented>(tall, none, y, s) == std::vector<float>(5000, 0.0f));
  REQUIRE(product<spmv_algorithm::balanced>(tall, none, y, s, 1, 2) ==
          std::vector<float>(5000, 5.0f));
}

using rounded_types = types_to_test<std::tuple<float>, std::tuple<double>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("rounded sums are within n eps sum |a| |x|, and repeat bitwise", "",
                        rounded_types) {
  using T = TestType;
  index_t const rows = scaled(2000, 400);
  for (auto const& shape : row_shapes(rows, scaled(20000, 2000))) {
    INFO(shape.name);
    auto const host = make_csr<T>(rows, 5000, shape.length, pattern::random, 7);
    auto const x = make_input<T>(pattern::random, 5000, 8);
    auto const y = make_input<T>(pattern::random, rows, 9);
    plus_times<T> const s;
    T const alpha = T(0.7), beta = T(-1.3);
    auto const got = product<spmv_algorithm::balanced>(host, x, y, s, alpha, beta);
    REQUIRE(spmv_error(host, x, y, alpha, beta, got) == "");
    if constexpr (!few_types || std::is_same_v<T, double> || quick_types) {
      REQUIRE(spmv_error(host, x, y, alpha, beta,
                         product<spmv_algorithm::segmented>(host, x, y, s, alpha, beta)) == "");
      REQUIRE(spmv_error(host, x, y, alpha, beta,
                         product<spmv_algorithm::vector>(host, x, y, s, alpha, beta)) == "");
      REQUIRE(spmv_error(host, x, y, alpha, beta,
                         product<spmv_algorithm::scalar>(host, x, y, s, alpha, beta)) == "");
    }
    each_schedule(scaled(3, 1), [&](std::string const& schedule) {
      INFO(schedule);
      auto const again = product<spmv_algorithm::balanced>(host, x, y, s, alpha, beta, 0x5a);
      REQUIRE(bit_difference(got, again) == "");
    });
  }
}

TEST_CASE("without beta, y is not read: not its NaN") {
  auto const host = make_csr<float>(
      300, 20, [](index_t r) { return r % 5; }, pattern::small);
  auto const x = small_numbers<float>(20, 1);
  std::vector<float> const y(300, std::numeric_limits<float>::quiet_NaN());
  plus_times<float> const s;
  std::vector<float> const blank(300, 0.0f);
  REQUIRE(product<spmv_algorithm::balanced>(host, x, y, s) == spmv_oracle(host, x, blank, s));
  REQUIRE(product<spmv_algorithm::vector>(host, x, y, s) == spmv_oracle(host, x, blank, s));
}

TEST_CASE("a row without entries is +0, and NaN stays in its row") {
  using T = std::conditional_t<quick_types, float, double>;
  auto host = make_csr<T>(
      100, 10, [](index_t r) { return r % 2 * 3; }, pattern::ones);
  host.values[0] = std::numeric_limits<T>::quiet_NaN();
  auto const got = product<spmv_algorithm::balanced>(host, std::vector<T>(10, T(-0.0)),
                                                     std::vector<T>(100, T(1)), plus_times<T>{});
  REQUIRE(std::isnan(got[1]));
  for (std::size_t r = 0; r < 100; ++r) {
    if (r != 1) REQUIRE((got[r] == 0.0 && !std::signbit(got[r])));
  }
}

TEST_CASE("NaN and infinities stay in their rows, whatever the rows' lengths and pointers") {
  float const infinity = std::numeric_limits<float>::infinity();
  float const special[] = {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
  auto const same = [](std::vector<float> const& a, std::vector<float> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float one, float other) {
      return one == other || (std::isnan(one) && std::isnan(other));
    });
  };
  index_t const rows = scaled(900, 300);
  int misaligned = 0;
  for (auto const& shape : row_shapes(rows, scaled(5000, 1500))) {
    INFO(shape.name);
    auto host = make_csr<float, narrow_offset>(rows, 99, shape.length, pattern::small);
    for (std::size_t k = 3; k < host.values.size(); k += 41) host.values[k] = special[k % 3];
    auto const x = make_input<float>(pattern::ones, 99, 1);
    std::vector<float> const y(static_cast<std::size_t>(rows), 1.0f);
    plus_times<float> const s;
    auto const expected = spmv_oracle(host, x, y, s);
    misaligned = (misaligned + 1) % 5;
    REQUIRE(
        same(expected, product<spmv_algorithm::balanced>(host, x, y, s, 1, 0, 0xff, misaligned)));
    REQUIRE(same(expected, product<spmv_algorithm::balanced, tiny_spmv>(host, x, y, s, 1, 0, 0xff,
                                                                        misaligned)));
    REQUIRE(
        same(expected, product<spmv_algorithm::segmented>(host, x, y, s, 1, 0, 0xff, misaligned)));
    REQUIRE(same(expected, product<spmv_algorithm::vector>(host, x, y, s, 1, 0, 0xff, misaligned)));
  }
}

TEST_CASE("semirings: shortest paths, likeliest paths, reachability") {
  index_t const rows = scaled(600, 150);
  for (auto const& shape : row_shapes(rows, scaled(3000, 700))) {
    INFO(shape.name);
    auto const host = make_csr<float>(rows, 333, shape.length, pattern::random, 3);
    auto const x = make_input<float>(pattern::random, 333, 4);
    auto const y = make_input<float>(pattern::random, rows, 5);
    require_exact(some_algorithms<balanced, tiny_balanced>{}, host, x, y, min_plus<float>{}, 0.25f,
                  0.5f);
    if constexpr (!quick_types) {
      require_exact(some_algorithms<segmented_sums, vector>{}, host, x, y, max_times<float>{}, 2.0f,
                    0.5f);
    }
    auto const links = make_csr<std::int32_t>(rows, 333, shape.length, pattern::small, 6);
    auto const from = make_input<std::int32_t>(pattern::low_entropy, 333, 7);
    auto const to = make_input<std::int32_t>(pattern::zeros, rows, 8);
    require_exact(some_algorithms<vector>{}, links, from, to, or_and<std::int32_t>{}, 1, 1);
    if constexpr (!quick_types) {
      require_exact(some_algorithms<tiny_balanced, scalar>{}, links, from, to,
                    plus_times<std::int32_t>{}, -3, 7);
      require_exact(some_algorithms<segmented_sums>{}, links, from, to, min_plus<std::int32_t>{}, 0,
                    1);
    }
  }
}

using path_types = types_to_test<std::tuple<float>, std::tuple<std::int64_t>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("where there is no path there is none after another step", "", path_types) {
  using T = TestType;
  T const no_way = min_plus<T>::zero(), impossible = max_times<T>::zero();
  // Row 0 has no entries; row 1 leads to what cannot be reached; row 2 to both.
  host_csr<T> const host{3, 2, {0, 0, 2, 4}, {0, 0, 0, 1}, {T(-2), T(0), T(-2), T(3)}};
  std::vector<T> const y(3, T(5));
  auto const nearer =
      product<spmv_algorithm::balanced>(host, std::vector<T>{no_way, T(4)}, y, min_plus<T>{}, T(1));
  REQUIRE(nearer == std::vector<T>{no_way, no_way, T(8)});
  auto const likelier = product<spmv_algorithm::balanced>(host, std::vector<T>{impossible, T(4)}, y,
                                                          max_times<T>{}, T(2));
  REQUIRE(likelier == std::vector<T>{impossible, impossible, T(24)});
}

TEST_CASE("a pattern matrix counts each entry as one") {
  auto const host = make_csr<no_values, std::int32_t>(900, 50, [](index_t r) { return r % 9; });
  auto const x = small_numbers<double>(50, 1);
  std::vector<double> const y(900, 4.0);
  require_exact(some_algorithms<tiny_balanced, vector>{}, host, x, y, plus_times<double>{}, 1.0,
                0.5);
  if constexpr (!quick_types) {
    require_exact(some_algorithms<segmented_sums>{}, host, x, y, min_plus<double>{}, 0.0, 0.0);
  }
}

using half_types = types_to_test<std::tuple<float16>, std::tuple<bfloat16>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("halves are summed in float and rounded once", "", half_types) {
  auto const host = make_csr<TestType>(700, 90, [](index_t r) { return r % 60; });
  std::vector<TestType> x, y;
  for (float const value : make_input<float>(pattern::random, 90, 1)) {
    x.push_back(as_entry<TestType>(value));
  }
  for (float const value : make_input<float>(pattern::random, 700, 2)) {
    y.push_back(as_entry<TestType>(value));
  }
  plus_times<float> const s;
  auto const got = product<spmv_algorithm::balanced>(host, x, y, s, 0.5f, 0.25f);
  REQUIRE(spmv_error(host, x, y, 0.5f, 0.25f, got) == "");
  std::vector<float> const blank(700, 0.0f);
  auto const wide = product<spmv_algorithm::balanced>(host, x, blank, s);
  REQUIRE(spmv_error(host, x, blank, 1.0f, 0.0f, wide) == "");
}

TEST_CASE("halves: every one survives, every float goes to the nearest") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    auto const half = float16::of_bits(static_cast<std::uint16_t>(bits));
    bfloat16 const brain{static_cast<std::uint16_t>(bits)};
    float const number = widened(half);
    bool right;
    if (std::isnan(number)) {
      right = std::isnan(widened(as_entry<float16>(number)));
    } else {
      right = as_entry<float16>(number) == half;
      if ((bits & 0x7fffu) < 0x7bffu) {
        float const next = widened(float16::of_bits(static_cast<std::uint16_t>(bits + 1)));
        float const middle = (number + next) / 2;
        unsigned const even = bits % 2 == 0 ? bits : bits + 1;
        right = right && as_entry<float16>(middle).bits == even &&
                as_entry<float16>(std::nextafter(middle, number)).bits == bits &&
                as_entry<float16>(std::nextafter(middle, next)).bits == bits + 1;
      }
    }
    float const wide = widened(brain);
    if (std::isnan(wide)) {
      right = right && std::isnan(widened(as_entry<bfloat16>(wide)));
    } else {
      right = right && as_entry<bfloat16>(wide) == brain;
    }
    if (right) continue;  // an assertion for each takes long
    INFO("bits " << bits);
    REQUIRE(right);
  }
  REQUIRE(as_entry<float16>(65519.0f).bits == 0x7bff);
  REQUIRE(as_entry<float16>(65520.0f).bits == 0x7c00);
  REQUIRE(as_entry<float16>(-1e30f).bits == 0xfc00);
  REQUIRE(as_entry<bfloat16>(3.4e38f).bits == 0x7f80);
}

TEST_CASE("sizes that no matrix has, and workspaces that are too small, are refused") {
  workspace ws;
  float* const none = nullptr;
  csr_matrix<float> matrix{-1, 1, 0, nullptr, nullptr};
  REQUIRE_THROWS_AS(spmv(ws, matrix, none, none), invalid_argument);
  matrix.rows = 0;
  matrix.nonzeros = 3;
  REQUIRE_THROWS_AS(spmv(ws, matrix, none, none), invalid_argument);
  auto const host = make_csr<float>(100, 3, [](index_t) { return 2; });
  workspace small(nullptr, 8);
  matrix = {100, 3, 200, host.offsets.data(), host.indices.data(), host.values.data()};
  REQUIRE_THROWS_AS(spmv(small, matrix, none, none), invalid_argument);
  REQUIRE_THROWS_AS(spmv_plan<float>(matrix, workspace(nullptr, 8)), invalid_argument);
  REQUIRE_THROWS_AS(spmv_plan<float>(csr_matrix<float>{-1, 1, 0, nullptr, nullptr}),
                    invalid_argument);
}

TEST_CASE("a plan serves matrices of the same offsets, and is refused by those of other sizes") {
  auto const length = [](index_t r) { return r % 7; };
  auto const host = make_csr<float>(1000, 30, length, pattern::small, 1);
  auto const other = make_csr<float>(1000, 30, length, pattern::small, 2);
  device_image<std::int64_t> const offsets(host.offsets);
  device_image<std::int32_t> const indices(other.indices);
  device_image<float> const values(other.values);
  auto const x = small_numbers<float>(30, 3);
  device_image<float> const d_x(x);
  device_image<float> d_y(std::vector<float>(1000, -1.0f));
  csr_matrix<float> matrix{1000,           30,           host.nonzeros(), offsets.data(),
                           indices.data(), values.data()};
  spmv_plan<float> made(matrix);
  spmv_plan<float> const plan = std::move(made);
  workspace ws;
  spmv(ws, plan, matrix, d_x.data(), d_y.data());
  plus_times<float> const s;
  REQUIRE(d_y.read() == spmv_oracle(other, x, std::vector<float>(1000), s));
  --matrix.nonzeros;
  REQUIRE_THROWS_AS(spmv(ws, plan, matrix, d_x.data(), d_y.data()), invalid_argument);
  ++matrix.nonzeros;
  --matrix.rows;
  REQUIRE_THROWS_AS(spmv(ws, plan, matrix, d_x.data(), d_y.data()), invalid_argument);
}
