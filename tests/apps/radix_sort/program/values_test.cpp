// SPDX-License-Identifier: Apache-2.0
// The radix sort on CPU threads of keys with values of any size, in place and not, against
// std::stable_sort on the untouched input.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/cpu/radix_sort.hpp>
#include <tests/apps/radix_sort/program/sort_oracle.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;
using cpu::detail::sort_tuning;

namespace {

/// Leaves of few bytes: a thousand items are split several times.
sort_tuning const tiny{96, 8, 2, 3};

template <std::size_t Bytes>
struct block_of_bytes {
  std::array<unsigned char, Bytes> bytes;
  bool operator==(block_of_bytes const&) const = default;
};

/// sort_pairs of values of any size, in place.
template <std::size_t Bytes>
std::string values_error(int threads, index_t n, sort_tuning const& tuning) {
  using value = block_of_bytes<Bytes>;
  auto keys = make_keys<std::int16_t>(pattern::small, n);
  std::vector<value> values(keys.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < Bytes; ++k) {
      values[i].bytes[k] = static_cast<unsigned char>(i >> (8 * (k % 4)));
    }
  }
  auto const order = sorted_positions(keys, false, comes_before<std::int16_t>);
  auto const expected_keys = items_at(keys, order);
  auto const expected = items_at(values, order);
  cpu::sort_pairs(threads, keys.data(), keys.data(), values.data(), values.data(), n, {}, tuning);
  return bit_difference(expected_keys, keys) + bit_difference(expected, values);
}

/// sort_pairs of words with values of their size, keys or values or both in place.
template <class T>
std::string in_place_error(index_t n, bool keys_too, bool values_too) {
  auto const keys = make_keys<T>(pattern::random, n);
  std::vector<T> numbers(keys.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(i * 7);
  auto const order = sorted_positions(keys, false, comes_before<T>);
  // All begin at a cache line.
  guarded_buffer<T> from(keys), with(numbers), out(n), moved(n);
  guarded_buffer<T>& to = keys_too ? from : out;
  guarded_buffer<T>& values_to = values_too ? with : moved;
  T const* const in = from.data();
  T const* const values_in = with.data();
  cpu::sort_pairs(2, in, to.data(), values_in, values_to.data(), n, {}, tiny);
  return bit_difference(items_at(keys, order), to.copy()) +
         bit_difference(items_at(numbers, order), values_to.copy()) + to.damage() +
         values_to.damage();
}

}  // namespace

TEST_CASE("pairs of one size are sorted in place, too") {
  for (index_t const n : {1, 100, 5000}) {
    for (bool const keys_too : {false, true}) {
      for (bool const values_too : {false, true}) {
        CHECK(in_place_error<std::uint32_t>(n, keys_too, values_too) == "");
        CHECK(in_place_error<std::uint64_t>(n, keys_too, values_too) == "");
      }
    }
  }
}

TEST_CASE("values of any size move with their keys, in place") {
  for (int const threads : thread_counts) {
    INFO("threads " << threads);
    with_threads(threads, [&] {
      for (index_t const n : {0, 1, 50, 3000}) {
        CHECK(values_error<1>(threads, n, tiny) == "");
        CHECK(values_error<2>(threads, n, {}) == "");
        CHECK(values_error<3>(threads, n, tiny) == "");
        CHECK(values_error<4>(threads, n, tiny) == "");
        CHECK(values_error<8>(threads, n, {}) == "");
        CHECK(values_error<12>(threads, n, {}) == "");
        CHECK(values_error<100>(threads, n, tiny) == "");
      }
      CHECK(values_error<12>(threads, 100000, {}) == "");
    });
  }
}
