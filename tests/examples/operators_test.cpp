// SPDX-License-Identifier: Apache-2.0
// The example kernels that scan with operators of their own: a lexer, linear recurrences and
// polynomials, against sequential loops.
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <examples/kernels/lexer.cuh>
#include <examples/kernels/polynomial.cuh>
#include <examples/kernels/recurrence.cuh>
#include <tests/examples/kernels.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace examples;
using namespace examples::test;

namespace {

/// A lexer with a loop and a switch: nothing in common with the tables of lexer.cuh.
std::vector<lexer_state> lex_oracle(std::vector<char> const& line) {
  using enum lexer_state;
  auto const outside = [](lexer_state before, char c) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"') return text;
    if (std::isspace(byte)) return blank;
    bool const begins = before == blank || before == closed || before == mark;
    if (std::isdigit(byte)) return begins ? number : before;
    if (std::isalpha(byte) || c == '_') return before == number || before == wrong ? wrong : name;
    return mark;
  };
  std::vector<lexer_state> states;
  lexer_state now = blank;
  for (char const c : line) {
    switch (now) {
      case text:
        now = c == '"' ? closed : c == '\\' ? escape : text;
        break;
      case escape:
        now = text;
        break;
      default:
        now = outside(now, c);
    }
    states.push_back(now);
  }
  return states;
}

std::vector<lexer_state> lex(std::vector<char> const& text) {
  device_image<char> in(text);
  device_image<lexer_state> out(static_cast<index_t>(text.size()));
  simt::launch<lex_kernel>(one_block, input(in), static_cast<index_t>(text.size()), out.data());
  return take(out);
}

template <class T>
std::vector<T> recur(std::vector<affine_map<T>> const& steps, T start) {
  device_image<affine_map<T>> in(steps);
  device_image<T> out(static_cast<index_t>(steps.size()));
  simt::launch<recurrence_kernel<T>>(one_block, input(in), static_cast<index_t>(steps.size()),
                                     start, out.data());
  return take(out);
}

template <class T>
std::vector<T> polynomial(std::vector<T> const& c, std::vector<T> const& points) {
  device_image<T> in(c), at(points), out(static_cast<index_t>(points.size()));
  simt::launch<polynomial_kernel<T>>(
      {.blocks = static_cast<unsigned>(points.size()), .threads = block_threads}, input(in),
      static_cast<int>(c.size()), input(at), out.data());
  return take(out);
}

}  // namespace

TEST_CASE("a lexer is a scan of transitions") {
  using enum lexer_state;
  std::string const line = "x1 = 42;";
  REQUIRE(lex({line.begin(), line.end()}) ==
          std::vector<lexer_state>{name, name, blank, mark, blank, number, number, mark});
  each_size({0, 1, 2, 31, 32, 33, 255, 256, 257, 513, 3000}, [](index_t n) {
    for (std::uint64_t stream = 0; stream < 4; ++stream) {
      // Many quotes and escapes, or few: with few, a text runs through many tiles.
      std::string_view const marks = stream % 2 == 0 ? "ab_Z019 \t\n\"\"\"\\\\;+" : "\"\\ 1;";
      int const letters = stream % 2 == 0 ? 0 : 200;
      std::vector<char> text;
      int const last = letters + static_cast<int>(marks.size()) - 1;
      for (int const k : numbers<int>(n, 0, last, stream)) {
        text.push_back(k < letters ? 'a' : marks[static_cast<std::size_t>(k - letters)]);
      }
      REQUIRE(lex(text) == lex_oracle(text));
    }
  });
}

TEST_CASE("functions of an automaton compose in any grouping") {
  compose_transitions const op;
  random_words words;
  for (int round = 0; round < 500; ++round) {
    transition f[3];
    for (transition& each : f) {
      each.digits = static_cast<unsigned>(words()) & 0x77777777u;
      REQUIRE(op(op.identity(), each).digits == each.digits);
      REQUIRE(op(each, op.identity()).digits == each.digits);
    }
    REQUIRE(op(op(f[0], f[1]), f[2]).digits == op(f[0], op(f[1], f[2])).digits);
  }
  transition const quote = transition_of('"'), letter = transition_of('a');
  REQUIRE(op(quote, letter).digits != op(letter, quote).digits);
}

TEST_CASE("a linear recurrence is a scan of affine maps") {
  std::vector<index_t> const sizes{0, 1, 31, 32, 33, 255, 256, 257, 512, 3000};
  each_size(sizes, [](index_t n) {
    auto const a = make_input<std::uint32_t>(pattern::random, n, 1);
    auto const b = make_input<std::uint32_t>(pattern::random, n, 2);
    std::vector<affine_map<std::uint32_t>> steps;
    std::vector<std::uint32_t> expected;
    std::uint32_t x = 17;
    for (std::size_t i = 0; i < a.size(); ++i) {
      steps.push_back({a[i] | 1u, b[i]});
      expected.push_back(x = steps[i].a * x + steps[i].b);
    }
    REQUIRE(recur(steps, std::uint32_t{17}) == expected);
  });
  each_size(sizes, [](index_t n) {
    auto const a = make_input<float>(pattern::random, n, 3);
    auto const b = make_input<float>(pattern::random, n, 4);
    std::vector<affine_map<float>> steps;
    for (std::size_t i = 0; i < a.size(); ++i) steps.push_back({a[i], b[i]});
    auto const got = recur(steps, 0.5f);
    double x = 0.5, magnitude = 0.5;
    for (std::size_t i = 0; i < a.size(); ++i) {
      x = double{a[i]} * x + double{b[i]};
      magnitude = std::abs(double{a[i]}) * magnitude + std::abs(double{b[i]});
      // No term takes part in more than two roundings a step, however the steps are grouped.
      double const bound =
          2.0 * static_cast<double>(i + 1) * std::numeric_limits<float>::epsilon() * magnitude;
      REQUIRE(std::abs(double{got[i]} - x) <= bound);
    }
  });
}

TEST_CASE("a polynomial's value is a scan of powers and a reduction") {
  std::vector<index_t> const sizes{0, 1, 2, 32, 255, 256, 257, 2000};
  each_size(sizes, [](index_t n) {
    auto const c = make_input<std::uint32_t>(pattern::random, n, 1);
    std::vector<std::uint32_t> const points{0, 1, 3, 0xffffffffu, 12345678};
    std::vector<std::uint32_t> expected;
    for (std::uint32_t const x : points) {
      std::uint32_t y = 0;
      for (auto k = c.rbegin(); k != c.rend(); ++k) y = y * x + *k;
      expected.push_back(y);
    }
    REQUIRE(polynomial(c, points) == expected);
  });
  each_size(sizes, [](index_t n) {
    auto const c = make_input<double>(pattern::random, n, 2);
    std::vector<double> const points{0.0, 1.0, -0.99, 1.001};
    auto const got = polynomial(c, points);
    for (std::size_t p = 0; p < points.size(); ++p) {
      long double y = 0, magnitude = 0;
      for (auto k = c.rbegin(); k != c.rend(); ++k) {
        y = y * points[p] + *k;
        magnitude = magnitude * std::abs(points[p]) + std::abs(*k);
      }
      // At most n - 1 roundings in a power, one to weigh it, n in the sum.
      long double const bound = 2.0L * static_cast<long double>(n + 1) *
                                std::numeric_limits<double>::epsilon() * magnitude;
      REQUIRE(std::abs(static_cast<long double>(got[p]) - y) <= bound);
    }
  });
}
