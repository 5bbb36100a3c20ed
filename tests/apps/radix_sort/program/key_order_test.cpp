// SPDX-License-Identifier: Apache-2.0
// Keys and the words that stand for them.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <apps/radix_sort/core/key_order.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Bits of keys of all kinds.
template <class Word>
std::vector<Word> many_bits() {
  std::vector<Word> all;
  if constexpr (sizeof(Word) <= 2) {
    for (unsigned bits = 0; bits < 1u << 8 * sizeof(Word); ++bits) {
      all.push_back(static_cast<Word>(bits));
    }
  } else {
    random_words words(1);
    for (int i = 0; i < 10000; ++i) all.push_back(static_cast<Word>(words()));
    for (unsigned bits = 0; bits < 1u << 16; ++bits) {  // infinities, and what is near to zero
      all.push_back(static_cast<Word>(static_cast<Word>(bits) << (8 * sizeof(Word) - 16)));
      all.push_back(static_cast<Word>(bits));
    }
  }
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("a word leads back to a key that is equal, of integers to the same", "",
                   std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double) {
  using order_type = sort_order<TestType>;
  STATIC_REQUIRE(order_type::invertible);
  for (auto const direction : {sort_direction::ascending, sort_direction::descending}) {
    order_type const order{.direction = direction};
    index_t wrong = 0, others = 0;
    for (auto const bits : many_bits<typename order_type::word_type>()) {
      auto const key = std::bit_cast<TestType>(bits);
      auto const word = order.word(key);
      auto const again = order.key(word);
      if (order.word(again) != word) ++wrong;
      if (std::memcmp(&again, &key, sizeof(key)) != 0) ++others;
    }
    CHECK(wrong == 0);
    if (std::is_integral_v<TestType>) CHECK(others == 0);  // of floats, -0 and NaNs
  }
}

TEST_CASE("only zeros below zero and NaNs are not what their words tell") {
  sort_order<float> const order;
  for (auto const bits : many_bits<std::uint32_t>()) {
    auto const key = std::bit_cast<float>(bits);
    bool const reported = std::bit_cast<std::uint32_t>(order.key(order.word(key))) == bits;
    bool const is_negative_zero = bits == 0x8000'0000u;
    bool const is_one_of_the_nans = bits == 0x7fff'ffffu;
    if (reported != (is_one_of_the_nans || (!is_negative_zero && !std::isnan(key)))) FAIL(bits);
  }
}

TEST_CASE("whether all bits count") {
  CHECK(sort_order<std::uint32_t>{}.has_all_bits());
  CHECK(sort_order<std::uint32_t>{.end_bit = 32}.has_all_bits());
  CHECK(!sort_order<std::uint32_t>{.end_bit = 31}.has_all_bits());
  CHECK(!sort_order<std::uint32_t>{.first_bit = 1}.has_all_bits());
}
