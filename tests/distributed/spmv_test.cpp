// SPDX-License-Identifier: Apache-2.0
// Sparse matrices on ranks: rows from lists of entries against one process, and products against
// plain loops and against one rank, bit for bit, for every shape of rows and spread of entries.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <apps/spmv/host/semiring_choice.hpp>
#include <libscan/distributed/error.hpp>
#include <libscan/distributed/spmv.hpp>
#include <tests/distributed/lists.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using test::list_of_shape;
using test::part_of;
using test::part_of_list;
using test::spread;
using test::view_of;

namespace {

constexpr int many_ranks = static_cast<int>(test::sized(1000, 130));

/// The matrices of all ranks, joined.
template <class T>
struct joined_rows {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<T> values;

  void append(sparse_matrix<T> const& mine) {
    std::int64_t const before = offsets.back();
    for (std::size_t r = 1; r < mine.offsets.size(); ++r) {
      offsets.push_back(before + mine.offsets[r]);
    }
    indices.insert(indices.end(), mine.indices.begin(), mine.indices.end());
    values.insert(values.end(), mine.values.begin(), mine.values.end());
  }
};

/// The rows of a list on p ranks must be those of one process.
template <class T>
void check_rows(int p, spread how, test::host_coo<T> const& list, bool own_lengths) {
  auto const d = test::spread_out(how, list.entries(), p);
  auto const lengths = test::spread_out(how, list.rows, p);
  auto const expected = libscan::to_rows(engine::cpu(1), view_of(list));
  std::vector<std::optional<distributed_rows<T>>> found(static_cast<std::size_t>(p));
  test::on_ranks(p, static_cast<std::uint64_t>(p), [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    std::optional<index_t> here;
    if (own_lengths) here = lengths.size(comm.rank());
    found[static_cast<std::size_t>(comm.rank())] =
        libscan::to_rows(on, part_of_list(list, d, comm.rank()), here);
  });
  joined_rows<T> all;
  index_t most = 0;
  for (int r = 0; r < p; ++r) {
    auto const& one = *found[static_cast<std::size_t>(r)];
    REQUIRE(one.parts.size(r) == one.mine.rows);
    if (own_lengths) REQUIRE(one.parts.size(r) == lengths.size(r));
    most = std::max(most, one.mine.rows + one.mine.nonzeros());
    all.append(one.mine);
  }
  CHECK(all.offsets == expected.offsets);
  CHECK(all.indices == expected.indices);
  CHECK(test::same_bits(all.values, expected.values));
  // No rank has more than its share, except the last row, which stays whole. Equal places add up
  // after rows are shared out.
  if (own_lengths || list.rows == 0) return;
  index_t longest = 0;
  std::vector<index_t> lengths_of_rows(static_cast<std::size_t>(list.rows));
  for (std::size_t k = 0; k < list.indices.size(); ++k) {
    auto const count = [&](std::int32_t row) {
      longest = std::max(longest, ++lengths_of_rows[static_cast<std::size_t>(row)]);
    };
    count(list.row_indices[k]);
    if (list.kind != symmetry::general) count(list.indices[k]);
  }
  index_t const items = list.rows + (list.kind == symmetry::general ? 1 : 2) * list.entries();
  CHECK(most <= items / p + longest + 2);
}

/// The product on p ranks: y, with lists and vectors spread in these ways.
template <class T>
std::vector<T> product_on(int p, spread how, test::host_coo<T> const& list, std::vector<T> x,
                          std::vector<T> y, product_options<T> const& options, int threads = 1) {
  auto const d = test::spread_out(how, list.entries(), p);
  auto const columns = test::spread_out(how, list.columns, p);
  bool const own = how != spread::even;  // who holds which rows and columns
  auto const rows = test::spread_out(how, list.rows, p);
  test::on_ranks(p, static_cast<std::uint64_t>(p) + 5, [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(threads)};
    std::optional<index_t> rows_here, columns_here;
    if (own) rows_here = rows.size(comm.rank());
    if (own) columns_here = columns.size(comm.rank());
    distributed_matrix<T> a(on, libscan::to_rows(on, part_of_list(list, d, comm.rank()), rows_here),
                            columns_here);
    for (int i = 0; i < 2; ++i) {  // the plan serves many products
      auto mine = part_of(y, a.rows(), comm.rank());
      std::vector<T> const before(mine.begin(), mine.end());
      a.multiply(part_of(x, a.columns(), comm.rank()), mine, options);
      if (i == 0) std::ranges::copy(before, mine.begin());
    }
  });
  return y;
}

template <class T>
std::vector<T> vector_of(index_t n, test::pattern values, std::uint64_t stream) {
  return test::make_input<T>(values, n, stream);
}

}  // namespace

TEST_CASE("rows of a list that is spread over ranks are those of one process") {
  for (int const p : test::sized_list({1, 2, 3, 4, 7, 64}, {1, 3, 64})) {
    for (auto const how : test::all_spreads()) {
      for (auto const kind : {symmetry::general, symmetry::symmetric, symmetry::skew}) {
        for (index_t const n : {index_t{0}, index_t{3}, index_t{40}, index_t{3000}}) {
          INFO("ranks " << p << ", spread " << static_cast<int>(how) << ", symmetry "
                        << static_cast<int>(kind) << ", entries " << n);
          // Few places, so that many entries add up, and floats whose sums are rounded.
          auto const list =
              test::make_coo<double>(n / 20 + 3, n / 20 + 3, n, kind, test::pattern::random);
          check_rows(p, how, list, false);
          check_rows(p, how, list, true);
        }
      }
    }
  }
}

TEST_CASE("rows of every shape are shared out by rows and entries, on up to 1000 ranks") {
  for (int const p : test::sized_list({2, 7, 64, many_ranks}, {7, many_ranks})) {
    for (auto const& shape : test::row_shapes(500, 2000)) {
      if (p == many_ranks && shape.name != "power law") continue;
      INFO("ranks " << p << ", rows: " << shape.name);
      check_rows(p, spread::even, list_of_shape<std::int64_t>(500, 700, shape), false);
      if (p < many_ranks) {
        check_rows(p, spread::all_on_last, list_of_shape<float>(500, 300, shape), false);
      }
    }
  }
}

TEST_CASE("lists without values, matrices without rows, and lists without entries") {
  for (int const p : {1, 3, 7}) {
    auto list = test::make_coo<double>(30, 30, 100, symmetry::symmetric);
    list.values.clear();
    check_rows(p, spread::even, list, false);
    check_rows(p, spread::all_on_last, list, false);
    check_rows(p, spread::even, test::make_coo<double>(1, 1, 0), false);
    test::host_coo<double> none;
    check_rows(p, spread::even, none, false);
    none.columns = 9;
    CHECK(product_on<double>(p, spread::even, none, std::vector<double>(9, 1.0), {}, {}).empty());
  }
}

TEST_CASE("products on ranks are those of a plain loop where sums are exact") {
  for (int const p : test::sized_list({1, 2, 3, 4, 7, 64, many_ranks}, {1, 3, 64, many_ranks})) {
    for (auto const& shape : test::row_shapes(300, 900)) {
      for (auto const how : test::all_spreads()) {
        if (p == many_ranks && (how != spread::uneven || shape.name != "power law")) continue;
        if (p == 64 && how == spread::all_on_last) continue;
        INFO("ranks " << p << ", spread " << static_cast<int>(how) << ", rows: " << shape.name);
        auto const list = list_of_shape<double>(300, 260, shape);
        auto const matrix = test::coo_oracle<std::int64_t>(list);
        auto const x = vector_of<double>(260, test::pattern::small, 1);
        auto const y = vector_of<double>(300, test::pattern::small, 2);
        product_options<double> how_much;
        how_much.alpha = 2;
        how_much.beta = -1;
        CHECK(product_on(p, how, list, x, y, how_much) ==
              test::spmv_oracle(matrix, x, y, plus_times<double>{}, 2, -1));
      }
    }
  }
}

TEST_CASE("neighboring rows that are several blocks each have sums of their own") {
  auto const list =
      list_of_shape<double>(4, 60000, {"long", [](index_t r) { return r == 1 ? 3 : 40000; }});
  auto const matrix = test::coo_oracle<std::int64_t>(list);
  auto const x = vector_of<double>(60000, test::pattern::small, 1);
  std::vector<double> const y(4);
  auto const expected = test::spmv_oracle(matrix, x, y, plus_times<double>{});
  for (int const p : {1, 2}) CHECK(product_on(p, spread::even, list, x, y, {}) == expected);
}

TEST_CASE("integer products on ranks, in every semiring, are those of a plain loop") {
  auto const shape = test::row_shapes(400, 800).back();
  auto const list = list_of_shape<std::int64_t>(400, 400, shape, test::pattern::random);
  auto const matrix = test::coo_oracle<std::int64_t>(list);
  auto const x = vector_of<std::int64_t>(400, test::pattern::random, 3);
  std::vector<std::int64_t> const y(400, 7);
  for (auto const kind : {semiring_kind::plus_times, semiring_kind::min_plus,
                          semiring_kind::max_times, semiring_kind::or_and}) {
    product_options<std::int64_t> how;
    how.semiring = kind;
    auto const expected = libscan::detail::with_semiring<std::int64_t>(
        kind, [&](auto s) { return test::spmv_oracle(matrix, x, y, s); });
    for (int const p : {1, 2, 3, 7}) {
      INFO("semiring " << static_cast<int>(kind) << ", ranks " << p);
      CHECK(product_on(p, spread::every_third, list, x, y, how) == expected);
    }
  }
}

TEST_CASE("without values, each entry of a product on ranks counts as one") {
  auto list = list_of_shape<float>(300, 900, {"one", [](index_t) { return index_t{1}; }});
  list.values.assign(list.values.size(), 1.0F);
  auto const x = vector_of<float>(900, test::pattern::small, 3);
  std::vector<float> const y(300);
  auto const expected =
      test::spmv_oracle(test::coo_oracle<std::int64_t>(list), x, y, plus_times<float>{});
  list.values.clear();
  for (int const p : {1, 3, 64}) CHECK(product_on(p, spread::uneven, list, x, y, {}) == expected);
}

using float_types = test::types_to_test<std::tuple<float>, std::tuple<double>>;
TEMPLATE_LIST_TEST_CASE("products of floats have the same bits for any number of ranks and threads",
                        "", float_types) {
  using T = TestType;
  // Rows of more entries than a block, too.
  for (auto const& shape : test::row_shapes(700, 40000)) {
    INFO("rows: " << shape.name);
    auto const list = list_of_shape<T>(700, 60000, shape, test::pattern::random);
    auto const x = vector_of<T>(60000, test::pattern::random, 4);
    std::vector<T> const zeros(700);
    auto const expected = product_on(1, spread::even, list, x, zeros, {});
    auto const matrix = test::coo_oracle<std::int64_t>(list);
    CHECK(test::spmv_error<T>(matrix, x, zeros, T(1), T(0), expected) == "");
    for (int const p : test::sized_list({2, 3, 4, 7, 64}, {16})) {
      INFO("ranks " << p);
      CHECK(test::same_bits(product_on(p, spread::even, list, x, zeros, {}), expected));
    }
    CHECK(test::same_bits(product_on(3, spread::uneven, list, x, zeros, {}), expected));
    CHECK(test::same_bits(product_on(1, spread::even, list, x, zeros, {}, 3), expected));
  }
}

TEST_CASE("ranks exchange only the components that their rows need") {
  // Each row needs its own column and those beside it; rows are shared out evenly.
  index_t const n = 100000;
  test::host_coo<double> list{n, n, {}, {}, {}, symmetry::general};
  for (index_t r = 0; r < n; ++r) {
    for (index_t c = std::max<index_t>(r - 1, 0); c < std::min(r + 2, n); ++c) {
      list.row_indices.push_back(static_cast<std::int32_t>(r));
      list.indices.push_back(static_cast<std::int32_t>(c));
      list.values.push_back(1);
    }
  }
  for (int const p : {1, 2, 5}) {
    auto const d = distribution::even(list.entries(), p);
    test::on_ranks(p, 1, [&](communicator const& comm) {
      ranks const on{comm, engine::cpu(1)};
      distributed_matrix<double> const a(on,
                                         libscan::to_rows(on, part_of_list(list, d, comm.rank())));
      int const neighbors = (comm.rank() > 0 ? 1 : 0) + (comm.rank() + 1 < p ? 1 : 0);
      CHECK(a.halo() == neighbors);
      CHECK(a.columns().begin(comm.rank()) == a.rows().begin(comm.rank()));
    });
  }
}

TEST_CASE("wrong lists and vectors on one rank are refused on all ranks, which can go on") {
  auto const list = test::make_coo<double>(20, 20, 60);
  auto const d = distribution::even(60, 3);
  std::vector<std::string> said(3);
  auto const refused = [&](std::string const& words, auto const& call) {
    test::on_ranks(3, 9, [&](communicator const& comm) {
      ranks const on{comm, engine::cpu(1)};
      distributed_matrix<double> a(on, libscan::to_rows(on, part_of_list(list, d, comm.rank())));
      auto const length = [&](distribution const& of) {
        return static_cast<std::size_t>(of.size(comm.rank()));
      };
      std::vector<double> x(length(a.columns()), 1), y(length(a.rows()));
      auto part = part_of_list(list, d, comm.rank());
      try {
        call(on, a, x, y, part, comm.rank() == 1);
      } catch (error const& e) {
        said[static_cast<std::size_t>(comm.rank())] = e.what();
      }
      a.multiply(std::vector<double>(length(a.columns()), 1),
                 y = std::vector<double>(length(a.rows())));
    });
    for (std::string const& one : said) CHECK(one.find(words) != std::string::npos);
    said.assign(3, "");
  };
  refused("x has length", [](auto&, auto& a, auto& x, auto& y, auto&, bool odd) {
    if (odd) x.pop_back();
    a.multiply(x, y);
  });
  refused("y has length", [](auto&, auto& a, auto& x, auto& y, auto&, bool odd) {
    if (odd) y.push_back(0);
    a.multiply(x, y);
  });
  refused("overlaps", [](auto&, auto& a, auto& x, auto& y, auto&, bool odd) {
    a.multiply(odd ? std::span<double const>(y) : x, y);
  });
  refused("index 20", [&](auto& on, auto&, auto&, auto&, auto& part, bool odd) {
    std::vector<std::int32_t> rows(20, odd ? 20 : 0);
    part.row_indices = rows.data();
    libscan::to_rows(on, part);
  });
  refused("20 x 21", [](auto& on, auto&, auto&, auto&, auto& part, bool odd) {
    if (odd) part.columns = 21;
    libscan::to_rows(on, part);
  });
  refused("without values", [](auto& on, auto&, auto&, auto&, auto& part, bool odd) {
    if (odd) part.values = nullptr;
    libscan::to_rows(on, part);
  });
  refused("another sum than 20", [](auto& on, auto&, auto&, auto&, auto& part, bool odd) {
    libscan::to_rows(on, part, odd ? 7 : 6);
  });
  refused("on all ranks or on none", [](auto& on, auto&, auto&, auto&, auto& part, bool odd) {
    libscan::to_rows(on, part, odd ? std::optional<index_t>(20) : std::nullopt);
  });
  refused("expected the result of to_rows",
          [](auto& on, auto&, auto&, auto&, auto& part, bool odd) {
            auto rows = libscan::to_rows(on, part);
            if (odd) rows.mine.values.pop_back();
            distributed_matrix<double> const a(on, std::move(rows));
          });
}

TEST_CASE("each failed send of a matrix and its products is thrown on all ranks") {
  auto const list = test::make_coo<float>(50, 50, 200, symmetry::symmetric);
  auto const d = test::spread_out(spread::uneven, 200, 4);
  auto const body = [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    distributed_matrix<float> a(on, libscan::to_rows(on, part_of_list(list, d, comm.rank())));
    std::vector<float> const x(static_cast<std::size_t>(a.columns().size(comm.rank())), 1.0F);
    std::vector<float> y(static_cast<std::size_t>(a.rows().size(comm.rank())));
    a.multiply(x, y);
    a.multiply(x, y);
  };
  simulated_ranks counting(4, 1);
  counting.run(body);
  for (int rank = 0; rank < 4; ++rank) {
    for (index_t send = 0; send < counting.sends(rank); ++send) {
      INFO("rank " << rank << ", send " << send);
      for (bool const lost : {false, true}) {
        simulated_ranks failing(4, static_cast<std::uint64_t>(send));
        lost ? failing.lose(rank, send) : failing.fail(rank, send);
        for (auto const& outcome : failing.outcomes(body)) CHECK(outcome != nullptr);
      }
    }
  }
}
