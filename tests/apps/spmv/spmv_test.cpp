// SPDX-License-Identifier: Apache-2.0
// Sparse matrices on CPU threads and through the host API, against loops.
#include <libscan/cpu/coo_to_csr.hpp>
#include <libscan/cpu/spmv.hpp>
#include <libscan/spmv.hpp>
#include <tests/apps/spmv/lists.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

template <class Value, class Offset>
csr_matrix<Value, Offset> view_of(host_csr<Value, Offset> const& host) {
  return {host.rows,           host.columns,        host.nonzeros(),
          host.offsets.data(), host.indices.data(), host.values.data()};
}

template <class Y, class S, class Value, class Offset, class X>
std::vector<Y> product(int threads, host_csr<Value, Offset> const& host, std::vector<X> const& x,
                       std::vector<Y> const& y, S s, typename S::value_type alpha = S::one(),
                       typename S::value_type beta = S::zero()) {
  guarded_buffer<Y> out(y);
  with_threads(threads,
               [&] { cpu::spmv(threads, view_of(host), x.data(), out.data(), s, alpha, beta); });
  REQUIRE(out.damage() == "");
  return out.copy();
}

template <class Offset, class Value>
host_csr<Value, Offset> convert(int threads, host_coo<Value> const& host) {
  index_t const most = host.kind == symmetry::general ? host.entries() : 2 * host.entries();
  guarded_buffer<Offset> offsets(host.rows + 1);
  guarded_buffer<std::int32_t> indices(most);
  guarded_buffer<Value> values(std::is_same_v<Value, no_values> ? 0 : most);
  coo_matrix<Value> const list{
      host.rows,           host.columns,       host.entries(), host.row_indices.data(),
      host.indices.data(), host.values.data(), host.kind};
  index_t entries = 0;
  with_threads(threads, [&] {
    entries = cpu::coo_to_csr(threads, list, offsets.data(), indices.data(), values.data());
  });
  REQUIRE(offsets.damage() == "");
  REQUIRE(indices.damage() == "");
  REQUIRE(values.damage() == "");
  host_csr<Value, Offset> got{host.rows, host.columns, offsets.copy(), indices.copy(),
                              values.copy()};
  REQUIRE(static_cast<index_t>(got.offsets.back()) == entries);
  got.indices.resize(static_cast<std::size_t>(entries));
  if (!std::is_same_v<Value, no_values>) got.values.resize(static_cast<std::size_t>(entries));
  return got;
}

template <class T>
sparse_matrix<T> owned(host_csr<T> const& host) {
  return {host.rows, host.columns, host.offsets, host.indices, host.values};
}

}  // namespace

TEMPLATE_TEST_CASE("products on threads are exact where sums are, and bounded elsewhere", "", float,
                   double) {
  using T = TestType;
  index_t const rows = sized(5000, 2000);
  for (auto const& shape : row_shapes(rows, sized(60000, 30000))) {
    INFO(shape.name);
    auto const exact = make_csr<T, std::int32_t>(rows, 777, shape.length, pattern::small);
    auto const x = make_input<T>(pattern::small, 777, 1);
    auto const y = make_input<T>(pattern::small, rows, 2);
    plus_times<T> const s;
    REQUIRE(product(16, exact, x, y, s, T(3), T(-2)) == spmv_oracle(exact, x, y, s, T(3), T(-2)));
    auto const rounded = make_csr<T>(rows, 777, shape.length, pattern::random);
    auto const r = make_input<T>(pattern::random, 777, 1);
    auto const got = product(1, rounded, r, y, s, T(0.7), T(-1.3));
    REQUIRE(spmv_error(rounded, r, y, T(0.7), T(-1.3), got) == "");
    for (int const threads : thread_counts) {
      REQUIRE(bit_difference(got, product(threads, rounded, r, y, s, T(0.7), T(-1.3))) == "");
    }
  }
}

TEMPLATE_TEST_CASE("rows in vectors: any length, on every number of threads, beside empty rows", "",
                   float, double) {
  using T = TestType;
  for (index_t const longest :
       sized_list<index_t>({1, 3, 8, 9, 16, 17, 40, 5000}, {1, 8, 9, 17, 40, 5000})) {
    INFO("rows of up to " << longest);
    index_t const rows = longest > 1000 ? 40 : sized(3001, 1501), columns = 1234;
    auto const length = [=](index_t r) {
      return r / 64 % 3 == 1 ? 0 : (r * 7 + r / 5) % (longest + 1);
    };
    auto const narrow = make_csr<T, std::int32_t>(rows, columns, length, pattern::random);
    auto const wide = make_csr<T, std::int64_t>(rows, columns, length, pattern::random);
    auto const x = make_input<T>(pattern::random, columns, 1);
    std::vector<T> const y(static_cast<std::size_t>(rows), T(5));
    plus_times<T> const s;
    auto const got = product(1, narrow, x, y, s);
    REQUIRE(spmv_error(narrow, x, y, T(1), T(0), got) == "");
    for (int const threads : thread_counts) {
      REQUIRE(bit_difference(got, product(threads, narrow, x, y, s)) == "");
      REQUIRE(bit_difference(got, product(threads, wide, x, y, s)) == "");
    }
  }
}

TEMPLATE_TEST_CASE("rows of neighbors, and of all but one, on every number of threads", "", float,
                   double) {
  using T = TestType;
  index_t const rows = 5000, columns = 5100;
  for (index_t const band : {16, 27, 48}) {
    INFO("rows of " << band);
    auto matrix = make_csr<T>(
        rows, columns, [=](index_t) { return band; }, pattern::random);
    for (index_t k = 0; k < matrix.nonzeros(); ++k) {
      index_t const row = k / band, place = k % band;
      bool const elsewhere = row % 10 == 5 && place == row % band;
      matrix.indices[static_cast<std::size_t>(k)] =
          static_cast<std::int32_t>(elsewhere ? columns - 1 - row : row + place);
    }
    auto const x = make_input<T>(pattern::random, columns, 1);
    auto const y = make_input<T>(pattern::random, rows, 2);
    plus_times<T> const s;
    for (T const beta : {T(0), T(2)}) {
      auto const got = product(1, matrix, x, y, s, T(1), beta);
      REQUIRE(spmv_error(matrix, x, y, T(1), beta, got) == "");
      for (int const threads : thread_counts) {
        REQUIRE(bit_difference(got, product(threads, matrix, x, y, s, T(1), beta)) == "");
      }
    }
  }
}

TEST_CASE("what is not a number stays in its row") {
  auto matrix = make_csr<float>(
      500, 60, [](index_t r) { return r % 20; }, pattern::small);
  std::fill(matrix.indices.begin(), matrix.indices.end(), 1);
  matrix.indices[1000] = 0;
  auto x = make_input<float>(pattern::small, 60, 1);
  x[0] = std::numeric_limits<float>::infinity();
  matrix.values[1000] = 0;
  auto const y = product(16, matrix, x, std::vector<float>(500), plus_times<float>{});
  for (std::size_t r = 0; r < 500; ++r) {
    bool const here = matrix.offsets[r] <= 1000 && 1000 < matrix.offsets[r + 1];
    REQUIRE((y[r] != y[r]) == here);
  }
}

TEST_CASE("a row without entries is +0, whatever its neighbors") {
  for (index_t const others : {0, 1, 40}) {
    auto const matrix = make_csr<float>(
        600, 60, [others](index_t r) { return r == 500 ? 0 : others; }, pattern::small);
    std::vector<float> const x(60, 1.0F);
    std::vector<float> y(600, -0.0F);
    cpu::spmv(2, view_of(matrix), x.data(), y.data(), plus_times<float>{}, 1.0F, 1.0F);
    CHECK(!std::signbit(y[500]));
  }
}

TEST_CASE("a row without entries is +0 without vector code, too") {
  for (index_t const others : {0, 1, 100}) {
    auto const matrix =
        make_csr<no_values>(50, 60, [others](index_t r) { return r % 7 == 3 ? 0 : others; });
    std::vector<float> const x(60, 1.0F);
    for (float const beta : {0.0F, 1.0F}) {
      auto const y =
          product(2, matrix, x, std::vector<float>(50, -0.0F), plus_times<float>{}, 1.0F, beta);
      for (std::size_t r = 3; r < 50; r += 7) CHECK((y[r] == 0 && !std::signbit(y[r])));
    }
  }
}

TEST_CASE("products on threads in other semirings, patterns, halves") {
  index_t const rows = 900;
  for (auto const& shape : row_shapes(rows, 40000)) {
    INFO(shape.name);
    auto const host = make_csr<float>(rows, 333, shape.length, pattern::random, 3);
    auto const x = make_input<float>(pattern::random, 333, 4);
    auto const y = make_input<float>(pattern::random, rows, 5);
    REQUIRE(product(16, host, x, y, min_plus<float>{}, 0.5f, 0.25f) ==
            spmv_oracle(host, x, y, min_plus<float>{}, 0.5f, 0.25f));
    REQUIRE(product(16, host, x, y, max_times<float>{}) ==
            spmv_oracle(host, x, y, max_times<float>{}));
    auto const links = make_csr<no_values>(rows, 333, shape.length);
    auto const from = make_input<std::int32_t>(pattern::low_entropy, 333, 7);
    auto const to = make_input<std::int32_t>(pattern::zeros, rows, 8);
    REQUIRE(product(16, links, from, to, or_and<std::int32_t>{}) ==
            spmv_oracle(links, from, to, or_and<std::int32_t>{}));
    auto const half = make_csr<bfloat16>(rows, 333, shape.length, pattern::small, 3);
    auto const small = make_input<float>(pattern::small, 333, 4);
    REQUIRE(product(16, half, small, y, plus_times<float>{}) ==
            spmv_oracle(half, small, y, plus_times<float>{}));
  }
}

TEST_CASE("lists become matrices by rows on threads") {
  for (symmetry const kind : {symmetry::general, symmetry::symmetric, symmetry::skew}) {
    for (index_t const n :
         {index_t{0}, index_t{1}, index_t{2}, index_t{500}, sized(200000, 140000)}) {
      for (index_t const size : {1, 7, 100, 70000}) {
        auto const turn = static_cast<std::size_t>(size) + static_cast<std::size_t>(kind);
        if (quick_types && n > 500 && turn % 2 != 0) continue;  // two sizes of each kind
        auto const host = make_coo<double>(size, size, n, kind, pattern::small);
        auto const expected = coo_oracle<std::int32_t>(host);
        for (int const threads : thread_counts) {
          // Many in the quick set: by each number of threads for some of the matrices.
          if (quick_types && n > 500 && threads != thread_counts[1 + turn % 3]) continue;
          INFO(threads << " threads, " << n << " entries, " << size << " rows");
          auto const got = convert<std::int32_t>(threads, host);
          REQUIRE(difference(expected.offsets, got.offsets) == "");
          REQUIRE(difference(expected.indices, got.indices) == "");
          REQUIRE(difference(expected.values, got.values) == "");
        }
      }
    }
  }
  auto const links = make_coo<no_values>(3, 9000, 100000);
  auto const expected = coo_oracle<std::int64_t>(links);
  for (int const threads : thread_counts) {
    auto const got = convert<std::int64_t>(threads, links);
    REQUIRE(difference(expected.offsets, got.offsets) == "");
    REQUIRE(difference(expected.indices, got.indices) == "");
  }
}

TEST_CASE("entries on the diagonal stand once where places fill 32 bits") {
  auto host = make_coo<double>(65536, 65536, 300, symmetry::symmetric, pattern::small);
  for (std::size_t k = 0; k < 300; k += 3) host.row_indices[k] = host.indices[k];
  auto const expected = coo_oracle<std::int32_t>(host);
  auto const got = convert<std::int32_t>(1, host);
  REQUIRE(difference(expected.offsets, got.offsets) == "");
  REQUIRE(difference(expected.indices, got.indices) == "");
  REQUIRE(difference(expected.values, got.values) == "");
}

TEST_CASE("rounded sums of one place are those of the list's order") {
  auto const host = make_coo<float>(40, 40, 100000, symmetry::symmetric, pattern::random);
  auto const expected = coo_oracle<std::int32_t>(host);
  REQUIRE(bit_difference(expected.values, convert<std::int32_t>(1, host).values) == "");
  REQUIRE(bit_difference(expected.values, convert<std::int32_t>(16, host).values) == "");
}

TEMPLATE_TEST_CASE("the host API multiplies and converts", "", float, double, std::int64_t) {
  using T = TestType;
  engine const on = engine::cpu(2);
  auto const host = make_coo<T>(300, 200, 5000);
  coo_matrix<T> list{300,
                     200,
                     5000,
                     host.row_indices.data(),
                     host.indices.data(),
                     host.values.data(),
                     symmetry::general};
  auto const matrix = to_rows(on, list);
  auto const expected = coo_oracle<std::int64_t>(host);
  REQUIRE(matrix.offsets == expected.offsets);
  REQUIRE(matrix.indices == expected.indices);
  REQUIRE(matrix.values == expected.values);
  auto const x = make_input<T>(pattern::small, 200, 1);
  auto y = make_input<T>(pattern::small, 300, 2);
  auto const before = y;
  T const alpha = 2, beta = 3;
  REQUIRE(spmv<T>(on, matrix, x, y, {.alpha = alpha, .beta = beta}) >= 0);
  REQUIRE(y == spmv_oracle(expected, x, before, plus_times<T>{}, alpha, beta));
  spmv<T>(on, matrix, x, y, {.semiring = semiring_kind::min_plus});
  REQUIRE(y == spmv_oracle(expected, x, before, min_plus<T>{}));
  list.values = nullptr;
  auto const links = to_rows(on, list);
  REQUIRE(links.values.empty());
  spmv<T>(on, links, x, y, {.semiring = semiring_kind::or_and});
  host_csr<no_values> const places{300, 200, links.offsets, links.indices, {}};
  REQUIRE(y == spmv_oracle(places, x, before, or_and<T>{}));
}

TEST_CASE("a prepared matrix multiplies any number of times, as one made for one product") {
  engine const on = engine::cpu(2);
  auto const matrix = owned(make_csr<double>(
      30000, 500, [](index_t r) { return r == 77 ? 40000 : r % 13; }, pattern::random));
  prepared_matrix<double> first(on, matrix);
  auto const x = make_input<double>(pattern::random, 500, 1);
  auto const before = make_input<double>(pattern::random, 30000, 2);
  double const alpha = 0.7, beta = -1.3;
  std::vector<double> expected(30000), got(30000, std::numeric_limits<double>::quiet_NaN());
  spmv(on, matrix, x, expected);
  REQUIRE(first.multiply(x, got) >= 0);
  REQUIRE(bit_difference(expected, got) == "");
  prepared_matrix<double> ready = std::move(first);
  for (int round = 0; round < 3; ++round) {
    for (auto const kind : {semiring_kind::plus_times, semiring_kind::max_times}) {
      product_options<double> const how{kind, alpha, beta};
      expected = before;
      got = before;
      spmv(on, matrix, x, expected, how);
      ready.multiply(x, got, how);
      REQUIRE(bit_difference(expected, got) == "");
    }
  }
  // Nothing would be left of a matrix that no one keeps.
  STATIC_REQUIRE(!std::is_constructible_v<prepared_matrix<double>, engine, sparse_matrix<double>>);
}

TEST_CASE("the first of several wrong indices or rows is named, on any number of threads") {
  auto matrix = owned(make_csr<float>(90000, 50, [](index_t) { return 3; }));
  for (std::size_t const k : {200001, 100000, 150000}) matrix.indices[k] = 50;
  auto const words = [&](int threads) {
    try {
      with_threads(threads, [&] { prepared_matrix<float>(engine::cpu(threads), matrix); });
    } catch (invalid_argument const& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  for (int const threads : thread_counts) {
    REQUIRE(words(threads) == "spmv: index 50 of entry 100000; expected 0 to 49");
  }
  for (std::size_t const r : {80000, 50000, 70000}) matrix.offsets[r] += 5;
  for (int const threads : thread_counts) {
    REQUIRE(words(threads) ==
            "spmv: offset 50001 is 150003; expected offsets that ascend within 0 to 270000");
  }
}

TEST_CASE("the host API refuses what is no matrix, and vectors that do not fit") {
  engine const on = engine::cpu(1);
  auto matrix = owned(make_csr<float>(10, 5, [](index_t) { return 2; }));
  std::vector<float> x(5), y(10);
  spmv<float>(on, matrix, x, y);
  REQUIRE_THROWS_AS(spmv<float>(on, matrix, y, y), invalid_argument);
  REQUIRE_THROWS_AS(spmv<float>(on, matrix, x, x), invalid_argument);
  std::vector<float> both(12);
  REQUIRE_THROWS_AS(spmv<float>(on, matrix, std::span<float const>(both).first(5),
                                std::span<float>(both).subspan(2, 10)),
                    invalid_argument);
  auto const square = owned(make_csr<float>(5, 5, [](index_t) { return 1; }));
  // The words are the host API's, whose engines check once more.
  REQUIRE_THROWS_WITH(spmv<float>(on, square, x, {const_cast<float*>(square.values.data()), 5}),
                      "spmv: y overlaps the values; expected memory separate from it");
  auto wrong = matrix;
  wrong.indices[7] = 5;
  REQUIRE_THROWS_AS(spmv<float>(on, wrong, x, y), invalid_argument);
  wrong = matrix;
  wrong.indices[7] = -1;
  REQUIRE_THROWS_AS(spmv<float>(on, wrong, x, y), invalid_argument);
  wrong = matrix;
  std::swap(wrong.offsets[2], wrong.offsets[3]);
  REQUIRE_THROWS_AS(spmv<float>(on, wrong, x, y), invalid_argument);
  wrong = matrix;
  wrong.offsets.back() = 19;
  REQUIRE_THROWS_AS(spmv<float>(on, wrong, x, y), invalid_argument);
  wrong = matrix;
  wrong.offsets.front() = 1;
  REQUIRE_THROWS_AS(spmv<float>(on, wrong, x, y), invalid_argument);
  wrong = matrix;
  wrong.offsets.clear();
  REQUIRE_THROWS_AS(spmv<float>(on, wrong, x, y), invalid_argument);
  wrong = matrix;
  wrong.offsets.pop_back();
  REQUIRE_THROWS_AS(spmv<float>(on, wrong, x, y), invalid_argument);
  wrong = matrix;
  wrong.values.pop_back();
  REQUIRE_THROWS_AS(spmv<float>(on, wrong, x, y), invalid_argument);
  std::int32_t const rows[] = {0, 3}, columns[] = {1, 1};
  REQUIRE_THROWS_AS(to_rows(on, coo_matrix<float>{3, 2, 2, rows, columns}), invalid_argument);
  REQUIRE_THROWS_AS(to_rows(on, coo_matrix<float>{4, 1, 2, rows, columns}), invalid_argument);
  REQUIRE(to_rows(on, coo_matrix<float>{4, 2, 2, rows, columns}).nonzeros() == 2);

  std::int32_t bytes[] = {0, 0, 0};  // whatever is read, it is a valid index
  auto* const misaligned =
      reinterpret_cast<std::int32_t*>(reinterpret_cast<unsigned char*>(bytes) + 1);
  for (engine const& each : test::engines()) {
    INFO(each.description());
    REQUIRE_THROWS_AS(to_rows(each, coo_matrix<float>{4, 2, 2, misaligned, columns}),
                      invalid_argument);
    REQUIRE_THROWS_AS(to_rows(each, coo_matrix<float>{4, 2, 2, rows, misaligned}),
                      invalid_argument);
  }
}

TEST_CASE("errors of lists name the call that the caller made") {
  std::int32_t const rows[] = {0, 3}, columns[] = {1, 1};
  std::int64_t offsets[5];
  std::int32_t indices[4];
  float values[] = {1, 2}, sums[4];
  for (coo_matrix<float> const& list :
       {coo_matrix<float>{-1, 2, 2, rows, columns, values},
        coo_matrix<float>{4, 2, 2, rows, columns, values, symmetry::symmetric},
        coo_matrix<float>{3, 2, 2, rows, columns, values},
        coo_matrix<float>{4, 1, 2, rows, columns, values}}) {
    using Catch::Matchers::StartsWith;
    REQUIRE_THROWS_WITH(to_rows(engine::cpu(2), list), StartsWith("to_rows: "));
    REQUIRE_THROWS_WITH(cpu::coo_to_csr(2, list, offsets, indices, sums),
                        StartsWith("coo_to_csr: "));
  }
}

TEST_CASE("products by offsets of any name of 64 bits have the bits of the others'") {
  static_assert(cpu::detail::has_vector_rows<float, long long, float, float, plus_times<float>>);
  auto const matrix = make_csr<float, std::int64_t>(
      3000, 500, [](index_t r) { return r == 77 ? 40000 : r % 13; }, pattern::random);
  host_csr<float, long long> const same{matrix.rows,
                                        matrix.columns,
                                        {matrix.offsets.begin(), matrix.offsets.end()},
                                        matrix.indices,
                                        matrix.values};
  auto const x = make_input<float>(pattern::random, 500, 1);
  std::vector<float> const y(3000);
  for (int const threads : thread_counts) {
    REQUIRE(bit_difference(product(threads, matrix, x, y, plus_times<float>{}),
                           product(threads, same, x, y, plus_times<float>{})) == "");
  }
}

TEST_CASE("products and lists on threads refuse outputs that share memory with anything") {
  auto const host = make_csr<std::int32_t, std::int32_t>(10, 20, [](index_t) { return 3; });
  std::vector<std::int32_t> x(20), y(10), both(29);
  auto const multiply = [&](std::int32_t const* from, std::int32_t const* to) {
    cpu::spmv(2, view_of(host), from, const_cast<std::int32_t*>(to));
  };
  REQUIRE_NOTHROW(multiply(x.data(), y.data()));
  REQUIRE_THROWS_AS(multiply(both.data(), both.data() + 19), invalid_argument);
  REQUIRE_THROWS_AS(multiply(x.data(), host.offsets.data() + 10), invalid_argument);
  REQUIRE_THROWS_AS(multiply(x.data(), host.indices.data() + 29), invalid_argument);
  REQUIRE_THROWS_AS(multiply(x.data(), host.values.data() + 29), invalid_argument);

  auto const list = make_coo<std::int32_t>(10, 10, 30, symmetry::general);
  coo_matrix<std::int32_t> const view{
      10, 10, 30, list.row_indices.data(), list.indices.data(), list.values.data()};
  std::vector<std::int32_t> offsets(11), indices(30), values(30);
  auto const convert_to = [&](std::int32_t const* a, std::int32_t const* b, std::int32_t const* c) {
    cpu::coo_to_csr(2, view, const_cast<std::int32_t*>(a), const_cast<std::int32_t*>(b),
                    const_cast<std::int32_t*>(c));
  };
  std::int32_t const *const a = offsets.data(), *const b = indices.data(), *const c = values.data();
  REQUIRE_NOTHROW(convert_to(a, b, c));
  REQUIRE_THROWS_AS(convert_to(b + 29, b, c), invalid_argument);
  REQUIRE_THROWS_AS(convert_to(c + 29, b, c), invalid_argument);
  REQUIRE_THROWS_AS(convert_to(a, c, c), invalid_argument);
  REQUIRE_THROWS_AS(convert_to(a, b, list.values.data()), invalid_argument);
  REQUIRE_THROWS_AS(convert_to(a, list.row_indices.data() + 29, c), invalid_argument);
  REQUIRE_THROWS_AS(convert_to(list.indices.data() + 29, b, c), invalid_argument);
}
