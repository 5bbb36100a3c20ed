// SPDX-License-Identifier: Apache-2.0
// The filter on the CPU against std::copy_if: all types, the size ladder, every small size with
// tiny chunks, any number of threads, canaries, in-place, and what is refused.
#include <algorithm>
#include <atomic>
#include <stdexcept>

#include <apps/filter/program/verify.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/filter.hpp>
#include <libscan/predicate_parser.hpp>
#include <tests/apps/filter/item_types.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// What a filter should give, from plain loops.
template <class T>
struct expected_filter {
  std::vector<T> values;
  std::vector<index_t> indices;

  template <class Keep>
  expected_filter(std::vector<T> const& in, Keep keep) {
    std::copy_if(in.begin(), in.end(), std::back_inserter(values), keep);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (keep(in[i])) indices.push_back(static_cast<index_t>(i));
    }
  }
  index_t count() const { return static_cast<index_t>(values.size()); }
};

/// Empty if the first `count` items of `out` are `expected`, and nothing else was written.
template <class T>
std::string wrong(guarded_buffer<T>& out, index_t count, std::vector<T> const& expected) {
  if (count != static_cast<index_t>(expected.size())) {
    return std::to_string(count) + " kept, expected " + std::to_string(expected.size());
  }
  auto const all = out.copy();
  std::vector<T> const got(all.begin(), all.begin() + count);
  if (auto const found = bit_difference(expected, got); !found.empty()) return found;
  if (auto const found = out.written_from(count); !found.empty()) return found;
  return out.damage();
}

/// Runs the functions of the host API with outputs of n items; empty if all is well.
template <class T>
std::string host_api_error(engine const& on, std::vector<T> const& in, predicate<T> const& keep,
                           int offset = 0) {
  expected_filter<T> const expected(in, [&](T x) { return keep(x); });
  guarded_buffer<T> const values(in, offset);
  std::span<T const> const source(values.data(), in.size());
  guarded_buffer<T> out(static_cast<index_t>(in.size()), offset);
  guarded_buffer<index_t> indices(static_cast<index_t>(in.size()), offset);

  index_t const kept = filter(on, source, out.items(), keep);
  if (auto const found = wrong(out, kept, expected.values); !found.empty()) return found;
  index_t const found_at = filter_indices(on, source, indices.items(), keep);
  if (auto const found = wrong(indices, found_at, expected.indices); !found.empty()) {
    return "indices: " + found;
  }
  if (count_if(on, source, keep) != expected.count()) return "wrong count";
  guarded_buffer<T> with(static_cast<index_t>(in.size()), offset);
  guarded_buffer<index_t> at(static_cast<index_t>(in.size()), offset);
  index_t const both = filter_with_indices(on, source, with.items(), at.items(), keep);
  if (auto const found = wrong(with, both, expected.values); !found.empty()) {
    return "values with indices: " + found;
  }
  if (auto const found = wrong(at, both, expected.indices); !found.empty()) {
    return "indices of values: " + found;
  }
  return "";
}

/// Filters odd items in place; empty if they come first and nothing after them was touched.
std::string in_place_error(std::vector<int> const& in, int threads, index_t chunk_items) {
  auto const odd = [](int x) { return x % 2 != 0; };
  auto expected = expected_filter<int>(in, odd).values;
  auto const n = static_cast<index_t>(in.size());
  guarded_buffer<int> both(in);
  index_t const kept = cpu::filter(threads, both.data(), both.data(), n, odd, n, chunk_items);
  if (kept != static_cast<index_t>(expected.size())) return "wrong count";
  expected.insert(expected.end(), in.begin() + kept, in.end());
  return difference(expected, both.copy()) + both.damage();
}

/// Predicates of both forms that keep about nothing, half and everything.
template <class T>
std::vector<predicate<T>> some_predicates() {
  std::vector<predicate<T>> all;
  for (char const* const text : {"> 0", "!= 1", "nan", "not nan and < 2", "== 0 or == 2 or > 9"}) {
    all.push_back(parse_predicate<T>(text));
  }
  return all;
}

}  // namespace

TEST_CASE("a filter is std::copy_if for every type, size and number of threads") {
  with_threads(16, [&] {
    for_each_item_type([]<class T>() {
      auto const predicates = some_predicates<T>();
      for (index_t const n : size_ladder(cpu::filter_chunk_items, 64, sized(100000, 20000))) {
        for (pattern const p : {pattern::small, pattern::special}) {
          auto const in = make_input<T>(p, n);
          for (std::size_t k = 0; k < predicates.size(); ++k) {
            int const threads = thread_counts[(static_cast<std::size_t>(n) + k) % 4];
            auto const found = host_api_error(engine::cpu(threads), in, predicates[k]);
            if (!found.empty()) {
              FAIL(item_type_name<T>()
                   << " n " << n << " predicate " << k << " threads " << threads << ": " << found);
            }
          }
        }
      }
    });
  });
}

TEST_CASE("every pattern of input is filtered alike with any number of threads") {
  with_threads(16, [&] {
    for (pattern const p : all_patterns()) {
      auto const in = make_input<float>(p, sized(1000003, 100003));
      auto const keep = parse_predicate<float>("> 0.25 or nan");
      for (int const threads : thread_counts) {
        INFO("threads " << threads << " pattern " << static_cast<int>(p));
        CHECK(host_api_error(engine::cpu(threads), in, keep) == "");
      }
    }
  });
}

TEST_CASE("every small size is filtered with tiny chunks") {
  with_threads(16, [&] {
    auto const odd = [](int x) { return x % 2 != 0; };
    for (index_t const n : tiny_sizes()) {
      auto const in = make_input<int>(pattern::random, n);
      expected_filter<int> const expected(in, odd);
      for (index_t const chunk_items : {1, 3, 32}) {
        for (int const threads : thread_counts) {
          INFO("n " << n << " chunk " << chunk_items << " threads " << threads);
          guarded_buffer<int> out(n);
          guarded_buffer<index_t> at(n);
          index_t const kept = cpu::filter(threads, in.data(), out.data(), n, odd, n, chunk_items);
          index_t const found =
              cpu::filter_indices(threads, in.data(), at.data(), n, odd, n, chunk_items);
          REQUIRE(wrong(out, kept, expected.values) == "");
          REQUIRE(wrong(at, found, expected.indices) == "");
          REQUIRE(cpu::count_if(threads, in.data(), n, odd, chunk_items) == expected.count());
          guarded_buffer<int> with(n);
          guarded_buffer<index_t> with_at(n);
          cpu::keep_where<int const*, decltype(odd)> const rule{in.data(), odd};
          index_t const both = cpu::filter_with_indices_by(
              threads, in.data(), {with.data(), n, with_at.data(), n}, n, rule, chunk_items);
          REQUIRE(wrong(with, both, expected.values) == "");
          REQUIRE(wrong(with_at, both, expected.indices) == "");
        }
      }
    }
  });
}

TEST_CASE("an output that is the input itself is filtered in place") {
  with_threads(16, [&] {
    for (index_t const n : {0, 1, 31, 200, 40000}) {
      auto const in = make_input<int>(pattern::random, n);
      for (index_t const chunk_items : {1, 7, 4096}) {
        for (int const threads : thread_counts) {
          INFO("n " << n << " chunk " << chunk_items << " threads " << threads);
          REQUIRE(in_place_error(in, threads, chunk_items) == "");
        }
      }
    }
    auto in = make_input<double>(pattern::special, 100000);
    auto const keep = parse_predicate<double>("> 0");
    expected_filter<double> const expected(in, keep);
    index_t const kept = filter(engine::cpu(3), in, in, keep);
    in.resize(static_cast<std::size_t>(kept));
    CHECK(bit_difference(expected.values, in) == "");
  });
}

TEST_CASE("pointers of any alignment are filtered, and nothing is written beside") {
  for_each_item_type([]<class T>() {
    auto const in = make_input<T>(pattern::special, 3000);
    for (int offset = 0; offset <= 16; ++offset) {
      INFO(item_type_name<T>() << " offset " << offset);
      CHECK(host_api_error(engine::cpu(2), in, parse_predicate<T>("!= 0"), offset) == "");
    }
  });
}

TEST_CASE("an output need only hold what is kept") {
  with_threads(16, [&] {
    auto const in = make_input<int>(pattern::small, 100000);
    auto const keep = parse_predicate<int>(">= 2");
    expected_filter<int> const expected(in, keep);
    for (int const threads : thread_counts) {
      engine const on = engine::cpu(threads);
      guarded_buffer<int> exact(expected.count());
      CHECK(wrong(exact, filter(on, in, exact.items(), keep), expected.values) == "");
      guarded_buffer<index_t> exact_at(expected.count());
      CHECK(wrong(exact_at, filter_indices(on, in, exact_at.items(), keep), expected.indices) ==
            "");

      for (index_t const room : {index_t{0}, index_t{1}, expected.count() - 1}) {
        guarded_buffer<int> narrow(room);
        CHECK_THROWS_WITH(filter(on, in, narrow.items(), keep),
                          "filter: " + std::to_string(expected.count()) +
                              " items are kept, but out holds only " + std::to_string(room));
        CHECK(narrow.damage() == "");
        guarded_buffer<index_t> narrow_at(room);
        CHECK_THROWS_AS(filter_indices(on, in, narrow_at.items(), keep), invalid_argument);
        CHECK(narrow_at.damage() == "");
        guarded_buffer<int> wide(expected.count());
        guarded_buffer<index_t> wide_at(expected.count());
        CHECK_THROWS_WITH(filter_with_indices(on, in, narrow.items(), wide_at.items(), keep),
                          "filter_with_indices: " + std::to_string(expected.count()) +
                              " items are kept, but out holds only " + std::to_string(room));
        CHECK_THROWS_WITH(filter_with_indices(on, in, wide.items(), narrow_at.items(), keep),
                          "filter_with_indices: " + std::to_string(expected.count()) +
                              " items are kept, but indices holds only " + std::to_string(room));
        CHECK(narrow.damage() + narrow_at.damage() + wide.damage() + wide_at.damage() == "");
      }
    }
    CHECK(filter(engine::cpu(), in, std::span<int>{}, parse_predicate<int>("> 1000")) == 0);
  });
}

TEST_CASE("an output that overlaps the input otherwise than exactly is refused") {
  std::vector<int> items(1000, 1);
  auto const keep = parse_predicate<int>("== 1");
  std::span<int> const all(items);
  engine const on = engine::cpu(1);
  CHECK_THROWS_AS(filter(on, all.first(900), all.subspan(1), keep), invalid_argument);
  CHECK_THROWS_AS(filter(on, all.subspan(1), all.first(2), keep), invalid_argument);
  CHECK(filter(on, all.first(500), all.subspan(500), keep) == 500);
  CHECK(filter(on, all.subspan(500), all.first(500), keep) == 500);

  std::vector<index_t> numbers(10, 1);
  auto const wide = parse_predicate<index_t>("== 1");
  CHECK_THROWS_AS(filter_indices(on, numbers, numbers, wide), invalid_argument);
  std::vector<index_t> more(10), others(10);
  CHECK(filter_with_indices(on, numbers, numbers, more, wide) == 10);
  std::span<index_t> const some(numbers);
  CHECK_THROWS_AS(filter_with_indices(on, some.first(9), some.subspan(1), more, wide),
                  invalid_argument);
  CHECK_THROWS_AS(filter_with_indices(on, numbers, more, numbers, wide), invalid_argument);
  CHECK_THROWS_AS(filter_with_indices(on, numbers, more, more, wide), invalid_argument);
  CHECK(filter_with_indices(on, numbers, more, others, wide) == 10);
}

namespace {

/// Keeps nothing; cannot decide about items from 200 on, nor say where what it reads lies.
struct broken_rule {
  index_t n;
  bool mark(index_t begin, index_t items, std::uint8_t* flags) const {
    if (begin + items > 200) throw std::domain_error("marks of " + std::to_string(begin));
    std::fill_n(flags, items, std::uint8_t{0});
    return true;
  }
  std::span<std::byte const> memory(index_t begin, index_t end) const {
    if (end > n) throw std::logic_error("memory beyond the items");
    if (begin >= 200) throw std::domain_error("memory of " + std::to_string(begin));
    return {};
  }
};

}  // namespace

TEST_CASE("a chunk is not blamed for what the next one throws") {
  with_threads(16, [&] {
    std::vector<int> const in(1005);
    std::vector<int> out(1005);
    for (int const threads : thread_counts) {
      CHECK_THROWS_WITH(
          cpu::filter_by(threads, in.data(), out.data(), 1005, broken_rule{1005}, 1005, 10),
          "marks of 200");
    }
  });
}

TEST_CASE("a predicate is called for each item, once in place, and its exception gets out") {
  with_threads(16, [&] {
    auto const in = make_input<int>(pattern::sorted, 5000);
    std::vector<int> out(in.size());
    std::vector<std::atomic<int>> requested(in.size());
    auto const count = [&](int x) {
      ++requested[static_cast<std::size_t>(x)];
      return true;
    };
    cpu::filter(16, in.data(), out.data(), 5000, count, 5000, 64);
    // And again in place of a thread that is late.
    CHECK(std::all_of(requested.begin(), requested.end(),
                      [](auto const& times) { return times >= 1; }));
    std::fill(requested.begin(), requested.end(), 0);
    out = in;
    cpu::filter(16, out.data(), out.data(), 5000, count, 5000, 64);
    CHECK(std::all_of(requested.begin(), requested.end(),
                      [](auto const& times) { return times == 1; }));

    auto const trip = [](int x) -> bool {
      if (x == 3000) throw std::domain_error("tripped");
      return x % 2 == 0;
    };
    CHECK_THROWS_WITH(cpu::filter(16, in.data(), out.data(), 5000, trip, 5000, 64), "tripped");
    CHECK_THROWS_AS(cpu::filter(1, in.data(), out.data(), 5000, trip, 5000, 0), invalid_argument);
    index_t const too_many = (index_t{1} << 32) + 1;
    std::vector<index_t> at(in.size());
    CHECK_THROWS_AS(cpu::filter_indices(1, in.data(), at.data(), 5000, trip, 5000, too_many),
                    invalid_argument);
  });
}

TEST_CASE("--verify finds any item that is wrong, missing or too many") {
  expression const tree(">= 2 and not == 5");
  std::vector<int> const values{1, 2, 3, 4, 5, 6};
  std::span<int const> const in(values);
  apps::kept_by_tree<int> const keeps(tree, in);
  auto const check = [](auto const& right, auto const& verdict) {
    CHECK(verdict(right) == "");
    for (std::size_t i = 0; i <= right.size(); ++i) {
      auto const at = static_cast<std::ptrdiff_t>(i);
      auto more = right;
      more.insert(more.begin() + at, 77);
      CHECK(verdict(more) != "");
      if (i == right.size()) continue;
      auto wrong = right, fewer = right;
      wrong[i] = 77;
      CHECK(verdict(wrong).find("item " + std::to_string(i) + " is 77, expected ") !=
            std::string::npos);
      fewer.erase(fewer.begin() + at);
      CHECK(verdict(fewer) != "");
    }
  };
  check(std::vector<int>{2, 3, 4, 6},
        [&](std::vector<int> const& kept) { return apps::verify_values<int>(keeps, in, kept); });
  check(std::vector<int>{1, 5},
        [&](std::vector<int> const& rest) { return apps::verify_rejected<int>(keeps, in, rest); });
  check(std::vector<index_t>{1, 2, 3, 5},
        [&](std::vector<index_t> const& at) { return apps::verify_indices(keeps, in.size(), at); });
  for (index_t const kept : {0, 3, 4, 5}) {
    CHECK(apps::verify_count(keeps, in.size(), kept).empty() == (kept == 4));
  }
}

TEST_CASE("--verify says what differs") {
  expression const tree(">= 2 and not == 5");
  std::vector<int> const values{1, 2, 3, 4, 5, 6};
  std::span<int const> const in(values);
  apps::kept_by_tree<int> const keeps(tree, in);
  auto const check = [&](std::vector<int> const& kept) {
    return apps::verify_values<int>(keeps, in, kept);
  };
  CHECK(check({2, 3, 4, 6}) == "");
  CHECK(check({2, 3, 4}) == "3 items are kept, expected 4");
  CHECK(check({2, 3, 4, 6, 7}) == "5 items are kept, expected 4");
  CHECK(check({2, 4, 3, 6}) == "item 1 is 4, expected 3");
  std::vector<index_t> const at{1, 2, 3, 5};
  CHECK(apps::verify_indices(keeps, in.size(), at) == "");
  std::vector<index_t> const shifted{1, 2, 4, 5};
  CHECK(apps::verify_indices(keeps, in.size(), shifted) == "item 2 is 4, expected 3");
  CHECK(apps::verify_count(keeps, in.size(), 4) == "");
  CHECK(apps::verify_count(keeps, in.size(), 5) == "5 items are kept, expected 4");

  std::vector<double> const zeros{0.0};
  std::vector<double> const negative{-0.0};
  expression const zero("== 0");
  apps::kept_by_tree<double> const all(zero, zeros);
  CHECK(apps::verify_values<double>(all, zeros, negative) != "");

  std::vector<int> const rest{1, 5};
  CHECK(apps::verify_rejected<int>(keeps, in, rest) == "");
  CHECK(apps::verify_rejected<int>(keeps, in, in.first(1)) ==
        "of the rejected: 1 items are rejected, expected 2");
}
