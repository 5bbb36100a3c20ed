// SPDX-License-Identifier: Apache-2.0
// Predicates against a naive recursive evaluation of random expressions that shares no code with
// the parser, and the words of every refusal.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <apps/filter/cpu/vector_predicate.hpp>
#include <apps/filter/host/interval_set.hpp>
#include <apps/filter/program/verify.hpp>
#include <libscan/predicate_parser.hpp>
#include <tests/apps/filter/item_types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;
using libscan::detail::last_ordinal;
using libscan::detail::number_at;
using libscan::detail::ordinal;

namespace {

/// A number with a text that stands for it, and its order against items.
struct written_number {
  std::string text;
  __int128 halves = 0;      // twice the value, against integers
  int infinite = 0;         // its sign if it is infinite
  long double value = 0.0;  // against floats, before rounding

  /// -1, 0, 1 as x is less, equal, greater. x is not NaN.
  template <class T>
  int order(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      T const other = static_cast<T>(value);
      return (x > other) - (x < other);
    } else {
      if (infinite != 0) return -infinite;
      __int128 const twice = 2 * static_cast<__int128>(x);
      return (twice > halves) - (twice < halves);
    }
  }
};

std::string decimal(unsigned __int128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

/// An integer or half, near an edge of some integer type.
written_number number_in_halves(random_words& words) {
  int const power = static_cast<int>(words.below(67));
  __int128 halves = (static_cast<__int128>(1) << power) + static_cast<int>(words.below(7)) - 3;
  if (words.below(4) == 0) halves = static_cast<int>(words.below(40));
  if (halves < 0) halves = -halves;
  auto const magnitude = static_cast<unsigned __int128>(halves);
  bool const half = magnitude % 2 != 0;
  std::string text = decimal(magnitude / 2);
  switch (words.below(4)) {
    case 0:
      text += half ? ".5" : ".0";
      break;
    case 1:  // as so many tenths
      text = decimal(magnitude * 5) + "e-1";
      break;
    case 2:
      text = "0.000" + decimal(magnitude * 5) + "E+" +
             std::to_string(decimal(magnitude * 5).size() + 2);
      break;
    default:
      text += half ? ".500" : "";
  }
  written_number number{text, halves, 0, static_cast<long double>(halves) / 2};
  if (!half && magnitude / 2 <= ~std::uint64_t{0} && words.below(4) == 0) {
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(magnitude / 2));
    number.text = hex;
  }
  if (words.below(2) == 0) {
    number.text.insert(0, "-");
    number.halves = -number.halves;
    number.value = -number.value;
  }
  return number;
}

template <class T>
written_number any_number(random_words& words) {
  if (words.below(8) == 0) {
    bool const negative = words.below(2) == 0;
    long double const infinity = std::numeric_limits<long double>::infinity();
    return {negative ? "-inf" : "Infinity", 0, negative ? -1 : 1, negative ? -infinity : infinity};
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (words.below(2) == 0) {
      auto const edges = edge_values<T>();
      T x = edges[words.below(edges.size())];
      if (std::isnan(x)) x = T(0);
      char text[64];
      std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<T>::max_digits10,
                    static_cast<double>(x));
      return {text, 0, 0, static_cast<long double>(x)};
    }
    if (words.below(8) == 0) return {"1e39", 0, 0, 1e39L};
    if (words.below(8) == 0) return {"-1e400", 0, 0, -1e400L};
  }
  return number_in_halves(words);
}

/// A random expression: its text, and what it means.
struct naive {
  enum class kind { relation, nan, finite, bits, negation, conjunction, disjunction };
  kind what;
  std::string relation;
  written_number number;
  std::uint64_t mask = 0;
  std::unique_ptr<naive> left;
  std::unique_ptr<naive> right;

  std::string text() const {
    switch (what) {
      case kind::relation:
        return relation + " " + number.text;
      case kind::nan:
        return "nan";
      case kind::finite:
        return "FINITE";
      case kind::bits:
        return "bits " + std::to_string(mask);
      case kind::negation:
        return "not (" + left->text() + ")";
      case kind::conjunction:
        return "(" + left->text() + ")and(" + right->text() + ")";
      default:
        return "(" + left->text() + " or " + right->text() + ")";
    }
  }

  template <class T>
  bool holds(T x) const {
    switch (what) {
      case kind::nan:
        return std::isnan(static_cast<long double>(x));
      case kind::finite:
        return std::isfinite(static_cast<long double>(x));
      case kind::bits:
        if constexpr (std::is_integral_v<T>) return (static_cast<std::uint64_t>(x) & mask) != 0;
        return false;
      case kind::negation:
        return !left->holds(x);
      case kind::conjunction:
        return left->holds(x) && right->holds(x);
      case kind::disjunction:
        return left->holds(x) || right->holds(x);
      default:
        break;
    }
    if (std::isnan(static_cast<long double>(x))) return relation == "!=";
    int const order = number.order(x);
    if (relation == "<") return order < 0;
    if (relation == "<=") return order <= 0;
    if (relation == ">") return order > 0;
    if (relation == ">=") return order >= 0;
    return (relation == "==") == (order == 0);
  }
};

template <class T>
std::unique_ptr<naive> random_expression(random_words& words, int depth) {
  auto node = std::make_unique<naive>();
  std::uint64_t const choice = words.below(depth == 0 ? 6 : 14);
  if (choice == 0) {
    node->what = naive::kind::nan;
  } else if (choice == 1) {
    node->what = naive::kind::finite;
  } else if (choice == 2 && std::is_integral_v<T>) {
    node->what = naive::kind::bits;
    node->mask = words() >> (64 - 8 * sizeof(T)) >> words.below(8 * sizeof(T));
  } else if (choice < 6) {
    char const* const relations[] = {"<", "<=", ">", ">=", "==", "!="};
    node->what = naive::kind::relation;
    node->relation = relations[words.below(6)];
    node->number = any_number<T>(words);
  } else {
    node->what = choice < 8    ? naive::kind::negation
                 : choice < 11 ? naive::kind::conjunction
                               : naive::kind::disjunction;
    node->left = random_expression<T>(words, depth - 1);
    if (node->what != naive::kind::negation) node->right = random_expression<T>(words, depth - 1);
  }
  return node;
}

/// Which items the cpu engine keeps, found many at once.
template <class T>
std::vector<std::uint8_t> marks_of(predicate<T> const& keep, std::vector<T> const& items) {
  std::vector<std::uint8_t> marks(items.size());
  cpu::keep_predicate<T> const rule{items.data(), &keep};
  auto const n = static_cast<index_t>(items.size());
  for (index_t i = 0; i < n; i += cpu::mark_items) {
    if (!rule.mark(i, std::min(cpu::mark_items, n - i), marks.data() + i)) FAIL("not marked");
  }
  return marks;
}

/// Compares every form of evaluation with the naive one; empty if all agree.
template <class T>
std::string disagreement(naive const& meaning, std::string const& text,
                         std::vector<T> const& items) {
  expression const tree(text);
  predicate<T> const keep = bind_predicate<T>(tree);
  apps::plain_evaluator<T> const plain(tree);
  auto const marks = marks_of(keep, items);
  for (std::size_t i = 0; i < items.size(); ++i) {
    T const x = items[i];
    bool const expected = meaning.holds(x);
    bool const fast = visit_predicate(keep, [x](auto const& test) { return test(x); });
    bool const marked = marks[i] == 1;
    if (keep(x) == expected && fast == expected && plain(x) == expected && marked == expected) {
      continue;
    }
    return item_type_name<T>() + " " + std::to_string(x) + " and \"" + text + "\": expected " +
           std::to_string(expected) + ", got " + std::to_string(keep(x)) + ", visited " +
           std::to_string(fast) + ", plain " + std::to_string(plain(x)) + ", marked " +
           std::to_string(marks[i]);
  }
  return "";
}

std::string refusal(std::string const& text) {
  try {
    (void)parse_predicate<std::int16_t>(text);
  } catch (invalid_argument const& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a predicate means what a naive evaluation of its text says") {
  int too_complex = 0;
  for_each_item_type([&]<class T>() {
    random_words words(sizeof(T) + 100 * std::is_signed_v<T> + 1000 * std::is_integral_v<T>);
    auto const edges = edge_values<T>();
    for (int round = 0; round < sized(4000, 1000); ++round) {
      auto const meaning = random_expression<T>(words, round % 5);
      std::string const text = meaning->text();
      try {
        std::string const found = disagreement<T>(*meaning, text, edges);
        if (!found.empty()) FAIL(found);
      } catch (invalid_argument const& e) {
        if (std::string(e.what()).find("more than 31 steps") == std::string::npos) throw;
        ++too_complex;
      }
    }
  });
  CHECK(too_complex < 100);
}

TEST_CASE("common predicates are a single test of an interval") {
  char const* const texts[] = {"< 5",           ">= 4.5 and < 9",    "!= 0",        "not (>= 3)",
                               "nan",           "not nan",           "finite",      "not finite",
                               "< -5 or > 5",   "not (nan or == 0)", "> 3 and < 2", "== inf",
                               "> 1 or not > 1"};
  for_each_item_type([&]<class T>() {
    for (char const* const text : texts) {
      INFO(item_type_name<T>() << " " << text);
      CHECK(parse_predicate<T>(text).is_interval());
    }
  });
  CHECK(parse_predicate<std::uint8_t>("bits 0x80").is_interval());
  CHECK(parse_predicate<std::int64_t>("not bits 3").is_interval());
  CHECK_FALSE(parse_predicate<double>("(< -5 or > 5) and != 7").is_interval());
}

TEST_CASE("literals are compared exactly with integers") {
  CHECK_FALSE(parse_predicate<std::int64_t>("> 9007199254740992")(9007199254740992));
  CHECK(parse_predicate<std::int64_t>("> 9007199254740992")(9007199254740993));
  CHECK(parse_predicate<std::int64_t>("== 9007199254740993")(9007199254740993));
  CHECK_FALSE(parse_predicate<std::int64_t>("== 9007199254740993")(9007199254740992));
  CHECK(parse_predicate<std::uint64_t>("== 18446744073709551615")(~std::uint64_t{0}));
  CHECK(parse_predicate<std::uint64_t>("< 18446744073709551616")(~std::uint64_t{0}));
  CHECK(parse_predicate<std::int64_t>("<= -9223372036854775808")(
      std::numeric_limits<std::int64_t>::min()));
  CHECK(parse_predicate<std::uint8_t>("< 300")(255));
  CHECK(parse_predicate<std::uint8_t>(">= -1")(0));
  CHECK(parse_predicate<std::int32_t>(">= 4.5")(5));
  CHECK_FALSE(parse_predicate<std::int32_t>(">= 4.5")(4));
  CHECK(parse_predicate<std::int32_t>("> -4.5")(-4));
  CHECK(parse_predicate<std::int32_t>("== 2.5e1")(25));
  CHECK_FALSE(parse_predicate<std::int32_t>("== 1e-999999999999")(0));
  CHECK(parse_predicate<std::int32_t>("< 1e999999999999")(std::numeric_limits<int>::max()));
}

TEST_CASE("literals are rounded to the type of floats") {
  CHECK(parse_predicate<float>("== 0.1")(0.1F));
  CHECK_FALSE(parse_predicate<double>("== 0.1")(static_cast<double>(0.1F)));
  CHECK(parse_predicate<double>("== 0x20000000000001")(9007199254740992.0));
  float const largest = std::numeric_limits<float>::max();
  float const infinity = std::numeric_limits<float>::infinity();
  CHECK(parse_predicate<float>("< 1e39")(largest));
  CHECK(parse_predicate<float>("<= 1e39")(infinity));
  CHECK(parse_predicate<float>(">= -1e39")(-infinity));
  CHECK(parse_predicate<float>("== 1e39")(infinity));
  CHECK_FALSE(parse_predicate<float>("> 1e39")(infinity));
  CHECK_FALSE(parse_predicate<float>("<= 3.4e38")(infinity));
  CHECK(parse_predicate<double>("<= 1e400")(std::numeric_limits<double>::infinity()));
  CHECK(parse_predicate<double>("== -0")(0.0));
  CHECK(parse_predicate<double>(">= 0")(-0.0));
  CHECK_FALSE(parse_predicate<double>("< 0")(-0.0));
}

TEST_CASE("a refused predicate names the column, what was expected and what was found") {
  auto const at = [](int column, std::string const& text, std::string const& words) {
    return "predicate \"" + text + "\", column " + std::to_string(column) + ": " + words;
  };
  std::string const test =
      "expected a comparison (< <= > >= == !=), \"nan\", \"finite\", \"bits\", \"not\" or \"(\"";
  CHECK(refusal("") == at(1, "", test + ", found the end"));
  CHECK(refusal("x > 5") == at(1, "x > 5", test + ", found \"x\""));
  CHECK(refusal("= 5") == at(1, "= 5", test + ", found \"=\""));
  CHECK(refusal(">= and < 9") ==
        at(4, ">= and < 9", "expected a number after \">=\", found \"and\""));
  CHECK(refusal("> 3 < 5") == at(5, "> 3 < 5", "expected \"and\", \"or\" or the end, found \"<\""));
  CHECK(refusal("(> 3") ==
        at(5, "(> 3", "expected \")\" for the \"(\" of column 1, found the end"));
  CHECK(refusal("> 3)") == at(4, "> 3)", "expected \"and\", \"or\" or the end, found \")\""));
  CHECK(refusal("== nan") == at(4, "== nan", "expected a number after \"==\", found \"nan\""));
  CHECK(refusal("> 1.5.2") == at(3, "> 1.5.2", "expected a number after \">\", found \"1.5.2\""));
  CHECK(refusal("> -4x") == at(3, "> -4x", "expected a number after \">\", found \"-4x\""));
  CHECK(refusal(">\u0661") == at(2, ">\u0661", "expected a number after \">\", found \"\u0661\""));
  CHECK(refusal("> 1 \u2227 < 3") ==
        at(5, "> 1 \u2227 < 3", "expected \"and\", \"or\" or the end, found \"\u2227\""));
  CHECK(refusal("> 1e") == at(3, "> 1e", "expected a number after \">\", found \"1e\""));
  CHECK(refusal("> 0x") == at(3, "> 0x", "expected a number after \">\", found \"0x\""));
  CHECK(refusal("bits -1") ==
        at(6, "bits -1",
           "expected an integer >= 0 after \"bits\", of at most 64 bits, found "
           "\"-1\""));
  CHECK(refusal("bits 0x10000") ==
        at(1, "bits 0x10000", "the mask 0x10000 has bits beyond the 16 of an item"));
  CHECK(refusal("finitely") == at(1, "finitely", test + ", found \"finitely\""));
  CHECK_THROWS_WITH(
      parse_predicate<float>("nan or bits 1"),
      at(8, "nan or bits 1", "\"bits\" is for integers, the items are floating-point"));
}

TEST_CASE("a predicate beyond the limits is refused, whatever its length") {
  std::string const deep(200000, '(');
  CHECK(refusal(deep).find("nested deeper than 100 levels") != std::string::npos);
  std::string nots;
  for (int i = 0; i < 100000; ++i) nots += "not ";
  CHECK(refusal(nots + "nan").find("nested deeper than 100 levels") != std::string::npos);
  std::string chain = "== 0";
  for (int i = 1; i < 2000; ++i) chain += " or == " + std::to_string(i);
  CHECK(refusal(chain).find("more than 1000 tests and operations") != std::string::npos);

  // 400 neighbors are one interval; 17 lonely numbers are too many, 16 are not.
  std::string neighbors = "== 0";
  for (int i = 1; i < 400; ++i) neighbors += " or == " + std::to_string(i);
  CHECK(parse_predicate<std::int16_t>(neighbors).is_interval());
  std::string lonely = "== 0";
  for (int i = 1; i < 16; ++i) lonely += " or == " + std::to_string(2 * i);
  CHECK(parse_predicate<std::int16_t>(lonely)(30));
  CHECK(parse_predicate<std::int16_t>("not (" + lonely + ")")(31));
  CHECK(refusal(lonely + " or == 32").find("more than 31 steps") != std::string::npos);
}

TEST_CASE("intervals and programs that mean nothing are refused") {
  CHECK_THROWS_AS(predicate<int>(in_interval<int>{3, 2}), invalid_argument);
  CHECK_THROWS_AS(predicate<double>(in_interval<double>{0.0, std::nan("")}), invalid_argument);
  CHECK(predicate<int>(in_interval<int>{2, 3})(3));
  using program = predicate_program<int>;
  program steps;
  CHECK_THROWS_AS(predicate<int>(steps), invalid_argument);
  steps.append({program::operation::test, {2, 3}});
  CHECK(predicate<int>(steps)(2));
  steps.append({program::operation::conjunction, {}});
  CHECK_THROWS_AS(predicate<int>(steps), invalid_argument);
}

TEST_CASE("ordinals count the numbers of a type in their order") {
  for_each_item_type([]<class T>() {
    for (T const x : edge_values<T>()) {
      if (x != x) continue;
      auto const place = ordinal(x);
      CHECK(number_at<T>(place) == x);
      if (place > 0) CHECK(number_at<T>(place - 1) < x);
      if (place < last_ordinal<T>()) CHECK(number_at<T>(place + 1) > x);
    }
    CHECK(ordinal(T(-0.0)) == ordinal(T(0)));
    T const first = std::numeric_limits<T>::has_infinity
                        ? static_cast<T>(-std::numeric_limits<T>::infinity())
                        : std::numeric_limits<T>::lowest();
    CHECK(ordinal(first) == 0);
  });
}
