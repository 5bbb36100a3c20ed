// SPDX-License-Identifier: Apache-2.0
// Tests of the vector code, for every instruction set that this CPU has and Highway compiled for:
// against loops, and float for float and bit for bit against each other.
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <libscan/cpu/vector_targets.hpp>

#include <hwy/highway.h>

#include <libscan/cpu/vector_heads.hpp>
#include <libscan/cpu/vector_pack.hpp>
#include <libscan/cpu/vector_scan.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/cpu_targets.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {
namespace {

using cpu::store_policy;
using cpu::detail::vector_scan;
using cpu::detail::vector_scan_of_items;
using cpu::detail::vector_segmented_scan;
using cpu::detail::wanted_sum;

constexpr scan_kind both_kinds[] = {scan_kind::inclusive, scan_kind::exclusive};
constexpr store_policy both_policies[] = {store_policy::cached, store_policy::non_temporal};

/// Around vectors and groups of every width, streams that would collide, and several stages.
constexpr index_t sizes[] = {1,  2,  7,  8,  9,  15,  16,  17,   31,
                             32, 33, 63, 64, 65, 100, 257, 2048, 8209};

/// Items whose sums are exact and the same in every order.
template <class Op, class Item = typename Op::value_type>
std::vector<Item> exact_items(Op, index_t n) {
  using T = typename Op::value_type;
  bool const sums_of_floats = std::is_floating_point_v<T> && std::is_same_v<Op, plus<T>>;
  return make_input<Item>(sums_of_floats ? pattern::small : pattern::special, n);
}

/// A scan of items by `code` to T between canaries: out of place, or in place if they are of T, at
/// some offset.
template <class T, class Item, class Scan>
scan_result<T> guarded(std::vector<Item> const& in, bool in_place, int offset, Scan scan) {
  guarded_buffer<T> out(static_cast<index_t>(in.size()), offset);
  Item const* from = in.data();
  if constexpr (std::is_same_v<Item, T>) {
    if (in_place) from = std::copy(in.begin(), in.end(), out.data()) - in.size();
  }
  T const total = scan(from, out.data());
  CHECK(out.damage() == "");
  return {out.copy(), total};
}

template <class Op, class Item>
void check_scans(vector_scan_of_items<Op, Item> const& code) {
  using T = typename Op::value_type;
  Op const op;
  T const carry = T(3);
  for (index_t const n : sizes) {
    auto const in = exact_items<Op, Item>(op, n);
    for (scan_kind const kind : both_kinds) {
      auto const expected = scan_oracle(kind, in, op, carry);
      for (store_policy const policy : both_policies) {
        for (int const offset : {0, 1}) {
          auto const got = guarded<T>(in, offset == 1, offset, [&](Item const* from, T* to) {
            return code.scan(kind, from, to, n, carry, policy, nullptr);
          });
          CHECK(difference(expected, got) == "");
        }
      }
    }
    auto const exclusive = scan_oracle(scan_kind::exclusive, in, op, carry);
    for (index_t const more : {index_t{1}, n / 3 + 1, n}) {
      wanted_sum<Item, T> beside{in.data(), more, T{}};
      auto const got = guarded<T>(in, false, 0, [&](Item const* from, T* to) {
        return code.scan(scan_kind::exclusive, from, to, n, carry, store_policy::non_temporal,
                         &beside);
      });
      CHECK(difference(exclusive, got) == "");
      CHECK(difference({code.sum(in.data(), more)}, std::vector<T>{beside.sum}) == "");
    }
    auto const rest = std::vector<Item>(in.begin() + 1, in.end());
    auto const sum = scan_oracle(scan_kind::inclusive, rest, op, static_cast<T>(in[0])).total;
    CHECK(difference({sum}, std::vector<T>{code.sum(in.data(), n)}) == "");
  }
}

/// What a segmented scan should give, item after item.
template <class Op, class T = typename Op::value_type>
scan_result<T> segmented_loop(scan_kind kind, std::vector<T> const& in,
                              std::vector<std::uint8_t> const& heads, Op op, T carry, T init) {
  auto const plain = oracle_of(op);
  scan_result<T> result{{}, carry};
  for (std::size_t i = 0; i < in.size(); ++i) {
    T const before = heads[i] ? init : result.total;
    result.total = plain(before, in[i]);
    result.out.push_back(kind == scan_kind::inclusive ? result.total : before);
  }
  return result;
}

/// The same head flags as bits, and noise after the last.
std::vector<cpu::head_word> words_of(std::vector<std::uint8_t> const& heads) {
  std::vector<cpu::head_word> words(heads.size() / 64 + 1, 0);
  words.back() = ~cpu::head_word{0} << heads.size() % 64;
  for (std::size_t i = 0; i < heads.size(); ++i)
    words[i / 64] |= cpu::head_word{heads[i]} << i % 64;
  return words;
}

template <class Op>
void check_segmented_scans(vector_segmented_scan<Op> const& code) {
  using T = typename Op::value_type;
  Op const op;
  T const carry = T(3), init = T(2);
  for (index_t const n : sizes) {
    auto const in = exact_items(op, n);
    for (int const heads_in_64 : {0, 1, 16, 64}) {
      if (quick_types && n > 2048 && heads_in_64 != 1) continue;  // large ones: few segments
      random_words random(static_cast<std::uint64_t>(n));
      std::vector<std::uint8_t> heads;
      for (index_t i = 0; i < n; ++i)
        heads.push_back(random.below(64) < std::uint64_t(heads_in_64));
      auto const words = words_of(heads);
      cpu::memory_piece const ahead{in.data(), n * static_cast<index_t>(sizeof(T))};
      for (scan_kind const kind : both_kinds) {
        auto const expected = segmented_loop(kind, in, heads, op, carry, init);
        for (store_policy const policy : both_policies) {
          bool const streams = policy == store_policy::non_temporal;
          // In the quick set each kind is stored by one policy, and with more segments by the
          // other.
          bool const inclusive = kind == scan_kind::inclusive;
          bool const few = heads_in_64 == 1 || heads_in_64 == 64;
          if (quick_types && n >= 100 && streams == (inclusive == few)) continue;
          int const offset = streams && n % 2 == 1 ? 1 : 0;
          auto const got = guarded<T>(in, offset == 1, offset, [&](T const* from, T* to) {
            return code.scan(kind, from, words.data(), to, n, carry, init, policy, ahead, {});
          });
          CHECK(difference(expected, got) == "");
        }
      }
    }
  }
}

TEST_CASE("vector scans agree with a loop, whatever the instruction set") {
  for_each_target([] {
    auto const check = [](auto const& code) { check_scans(code); };
    auto scans = cpu::detail::current_vector_scans();
    scans.for_each(check);
    auto widening = cpu::detail::current_vector_widening_scans();
    widening.for_each(check);
  });
}

/// What marks are expected, and that no word after them is touched.
template <class IsHead, class Mark>
void check_marks(index_t n, IsHead is_head, Mark mark) {
  std::vector<std::uint8_t> heads;
  for (index_t i = 0; i < n; ++i) heads.push_back(is_head(i) ? 1 : 0);
  auto expected = words_of(heads);
  expected.resize(static_cast<std::size_t>(ceil_div(n, cpu::word_heads)));
  if (n % 64 != 0) expected.back() &= ~(~cpu::head_word{0} << n % 64);
  guarded_buffer<cpu::head_word> marked(ceil_div(n, cpu::word_heads), 1);
  mark(marked.data());
  CHECK(difference(expected, marked.copy()) == "");
  CHECK(marked.damage() == "");
}

template <class Key>
void check_changes(cpu::detail::change_marker mark) {
  for (index_t const n : sizes) {
    for (std::uint64_t const of_8 : {0, 1, 8}) {
      random_words random(static_cast<std::uint64_t>(n));
      auto const values = make_input<Key>(pattern::special, n + 1);
      guarded_buffer<Key> keys(n + 1, 3);
      for (index_t i = 0; i <= n; ++i) {
        keys.data()[i] = i == 0 || random.below(8) < of_8 ? values[i] : keys.data()[i - 1];
      }
      Key const* const from = keys.data() + 1;
      check_marks(
          n, [&](index_t i) { return !(from[i] == from[i - 1]); },
          [&](cpu::head_word* to) { mark(from, n, to); });
    }
  }
}

template <class Offset>
void check_offsets(cpu::detail::offset_marker mark) {
  for (std::uint64_t const of_8 : {0, 1, 4, 8}) {
    for (int const times : {1, 3}) {
      // Ascending numbers below 1000, each so many times; those from 192 on are marked.
      random_words random(of_8);
      std::vector<Offset> numbers;
      std::vector<bool> heads(1000);
      for (index_t i = 185; i < 1000; ++i) {
        heads[static_cast<std::size_t>(i)] = random.below(8) < of_8;
        if (heads[static_cast<std::size_t>(i)]) {
          numbers.insert(numbers.end(), times, static_cast<Offset>(i));
        }
      }
      for (index_t const last : {192, 193, 300, 999, 1000}) {
        auto const past =
            std::lower_bound(numbers.begin(), numbers.end(), static_cast<Offset>(last));
        index_t const count = past - numbers.begin();
        check_marks(
            64 * 8,
            [&](index_t i) { return i + 192 < last && heads[static_cast<std::size_t>(i + 192)]; },
            [&](cpu::head_word* to) {
              Offset const* at = numbers.data();
              at += mark(at, count, 192, 3, to);
              at += mark(at, count - (at - numbers.data()), 192 + 3 * 64, 5, to + 3);
              CHECK((at == numbers.data() || at[-1] < 192 + 8 * 64));
            });
      }
    }
  }
}

/// Each number in turn is less than the one before, equal to it, or next to the greatest.
template <class Number>
void check_ascent(cpu::detail::ascent_check find_ascent) {
  auto const ascend = [=](Number const* numbers, index_t n) {
    return find_ascent(numbers, n, 3).ascend;
  };
  constexpr Number max = std::numeric_limits<Number>::max();
  for (index_t const n : {1, 2, 3, 7, 16, 17, 33, 70}) {
    std::vector<Number> numbers(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Number>(3 * i + 1);
    CHECK(ascend(numbers.data(), n));
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      auto changed = numbers;
      changed[i] = changed[i - 1];
      CHECK(ascend(changed.data(), n));
      --changed[i];
      CHECK_FALSE(ascend(changed.data(), n));
      // Also where the sign bit decides, as a signed number and an unsigned one.
      changed[i] = max;
      CHECK(ascend(changed.data(), n) == (static_cast<index_t>(i) == n - 1));
      auto const rest = changed.begin() + static_cast<std::ptrdiff_t>(i);
      std::fill(rest, changed.end(), max / 2 + 1);
      CHECK(ascend(changed.data(), n));
      if constexpr (std::is_signed_v<Number>) {
        for (Number const negative : {Number{-1}, std::numeric_limits<Number>::min()}) {
          std::fill(rest, changed.end(), negative);
          CHECK_FALSE(ascend(changed.data(), n));
          changed.back() = max;
          CHECK(ascend(changed.data(), n) == (static_cast<index_t>(i) == n - 1));
        }
      }
    }
    if constexpr (std::is_signed_v<Number>) {
      numbers[0] = -1;
      CHECK_FALSE(ascend(numbers.data(), n));
    }
  }
}

/// Each number in turn is one more or less than the same step would make it, or far more.
template <class Number>
void check_steps(cpu::detail::ascent_check find_ascent) {
  for (index_t const step : {0, 1, 5}) {
    for (index_t const n : {1, 2, 3, 7, 16, 17, 33, 70}) {
      std::vector<Number> numbers(static_cast<std::size_t>(n));
      for (index_t i = 0; i < n; ++i) {
        numbers[static_cast<std::size_t>(i)] = static_cast<Number>(7 + step * i);
      }
      CHECK(find_ascent(numbers.data(), n, step).equal_step);
      CHECK(find_ascent(numbers.data(), n, step + 1).equal_step == (n == 1));
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        for (std::uint64_t const wrong :
             {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << (8 * sizeof(Number) - 1)}) {
          auto changed = numbers;
          changed[i] = static_cast<Number>(changed[i] + wrong);
          CHECK(find_ascent(changed.data(), n, step).equal_step == (n == 1));
        }
      }
    }
  }
}

TEST_CASE("a descent of numbers is found at any place, whatever the instruction set") {
  for_each_target([] {
    auto const code = cpu::detail::current_vector_heads();
    check_ascent<std::uint32_t>(code.ascent_of_4_bytes);
    check_ascent<std::int64_t>(code.ascent_of_8_bytes);
  });
}

TEST_CASE("other steps between numbers are found at any place, whatever the instruction set") {
  for_each_target([] {
    auto const code = cpu::detail::current_vector_heads();
    check_steps<std::uint32_t>(code.ascent_of_4_bytes);
    check_steps<std::int64_t>(code.ascent_of_8_bytes);
  });
}

TEST_CASE("head flags are marked as a loop marks them, whatever the instruction set") {
  for_each_target([] {
    auto const code = cpu::detail::current_vector_heads();
    check_offsets<std::uint32_t>(code.offsets_of_4_bytes);
    check_offsets<std::uint64_t>(code.offsets_of_8_bytes);
    check_changes<std::uint8_t>(code.keys_of_1_byte);
    check_changes<std::uint16_t>(code.keys_of_2_bytes);
    check_changes<std::uint32_t>(code.keys_of_4_bytes);
    check_changes<std::uint64_t>(code.keys_of_8_bytes);
    check_changes<float>(code.floats);
    check_changes<double>(code.doubles);
    for (index_t const n : sizes) {
      auto const values = make_input<std::uint8_t>(pattern::random, n);
      guarded_buffer<std::uint8_t> flags(n, 3);
      for (index_t i = 0; i < n; ++i) flags.data()[i] = i % 3 == 0 ? 0 : values[i];
      check_marks(
          n, [&](index_t i) { return flags.data()[i] != 0; },
          [&](cpu::head_word* to) { code.flags(flags.data(), n, to); });
    }
  });
}

TEST_CASE("segmented vector scans agree with a loop, whatever the instruction set") {
  for_each_target([] {
    auto scans = cpu::detail::current_vector_segmented_scans();
    scans.for_each([](auto const& code) { check_segmented_scans(code); });
  });
}

/// The bits that sums and scans of some floats give by the code at hand.
template <class T>
std::vector<T> rounded_sums(std::vector<T> const& in) {
  auto const n = static_cast<index_t>(in.size());
  std::vector<std::uint8_t> heads;
  for (index_t i = 0; i < n; ++i) heads.push_back(i % 23 == 5);
  auto const words = words_of(heads);
  auto const scans = cpu::detail::current_vector_scans();
  auto const segmented = cpu::detail::current_vector_segmented_scans();
  vector_scan<plus<T>> const& plain = scans;
  vector_segmented_scan<plus<T>> const& within = segmented;
  std::vector<T> all{plain.sum(in.data(), n)};
  std::vector<T> room(in.size());
  wanted_sum<T> beside{in.data(), n, T{}};
  plain.scan(scan_kind::inclusive, in.data(), room.data(), n / 2 + 1, T(0.1), store_policy::cached,
             &beside);
  CHECK(difference({all[0]}, std::vector<T>{beside.sum}) == "");
  for (scan_kind const kind : both_kinds) {
    std::vector<T> out(in.size());
    all.push_back(
        plain.scan(kind, in.data(), out.data(), n, T(0.1), store_policy::cached, nullptr));
    all.insert(all.end(), out.begin(), out.end());
    all.push_back(within.scan(kind, in.data(), words.data(), out.data(), n, T(0.1), T(0.7),
                              store_policy::cached, {}, {}));
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

TEMPLATE_TEST_CASE("floating-point sums have the same bits on every instruction set", "", float,
                   double) {
  for (index_t const n : sizes) {
    auto const in = make_input<TestType>(pattern::random, n);
    auto const expected = rounded_sums(in);
    for_each_target([&] { CHECK(bit_difference(expected, rounded_sums(in)) == ""); });
  }
}

TEMPLATE_TEST_CASE("floating-point sums have the same bits on every architecture", "", float,
                   double) {
  // No processor runs the code of another: each has to come to the same checksum (FNV-1a by words).
  std::uint64_t checksum = 0xcbf29ce484222325U;
  for (index_t const n : sizes) {
    std::vector<TestType> in;
    for (index_t i = 0; i < n; ++i) in.push_back(TestType(i % 2 == 0 ? 1 : -1) / TestType(i + 3));
    for (TestType const sum : rounded_sums(in)) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &sum, sizeof(sum));
      checksum = (checksum ^ bits) * 0x100000001b3U;
    }
  }
  CHECK(checksum == (sizeof(TestType) == 4 ? 0x9b112ea7ad509afdU : 0xcae33731d1dab069U));
}

template <class Bits>
void check_packing(cpu::detail::item_packer pack, cpu::detail::vector_packs const& code) {
  for (index_t const n : sizes) {
    for (std::uint64_t const of_64 : {0, 1, 32, 64}) {
      random_words words(static_cast<std::uint64_t>(n));
      auto const items = make_input<Bits>(pattern::random, n);
      std::vector<std::uint8_t> flags;
      for (index_t i = 0; i < n; ++i) flags.push_back(words.below(64) < of_64 ? 1 : 0);
      for (std::uint8_t const wanted : {0, 1}) {
        std::vector<Bits> expected;
        std::vector<std::uint32_t> places;
        for (index_t i = 0; i < n; ++i) {
          if (flags[i] != wanted) continue;
          expected.push_back(items[i]);
          places.push_back(static_cast<std::uint32_t>(77 + i));
        }
        auto const count = static_cast<index_t>(expected.size());
        guarded_buffer<Bits> out(n, 1);
        REQUIRE(pack(items.data(), flags.data(), wanted, n, out.data()) == count);
        CHECK(difference(expected, {out.data(), out.data() + count}) == "");
        CHECK(out.damage() == "");
        if (wanted == 0) continue;
        guarded_buffer<std::uint32_t> positions(n, 1);
        REQUIRE(code.positions(77, flags.data(), n, positions.data()) == count);
        CHECK(difference(places, {positions.data(), positions.data() + count}) == "");
        CHECK(positions.damage() == "");
      }
    }
  }
}

TEST_CASE("packing keeps what is wanted in order, whatever the instruction set") {
  for_each_target([] {
    auto const code = cpu::detail::current_vector_packs();
    check_packing<std::uint8_t>(code.items_of_1_byte, code);
    check_packing<std::uint16_t>(code.items_of_2_bytes, code);
    check_packing<std::uint32_t>(code.items_of_4_bytes, code);
    check_packing<std::uint64_t>(code.items_of_8_bytes, code);
  });
}

template <class Rank>
void check_ranks(cpu::detail::ranker<Rank> rank) {
  for (index_t const n : sizes) {
    for (std::uint64_t const of_64 : {0, 1, 32, 64}) {
      random_words random(static_cast<std::uint64_t>(n));
      std::vector<std::uint8_t> ones;
      for (index_t i = 0; i < n; ++i) ones.push_back(random.below(64) < of_64 ? 1 : 0);
      auto const words = words_of(ones);
      Rank const before = static_cast<Rank>(-70);
      for (scan_kind const kind : both_kinds) {
        auto const expected = scan_oracle(kind, ones, plus<Rank>{}, before).out;
        for (store_policy const policy : both_policies) {
          guarded_buffer<Rank> ranks(
              n, policy == store_policy::non_temporal ? static_cast<int>(n % 3) : 1);
          rank(kind, words.data(), n, before, ranks.data(), policy);
          CHECK(difference(expected, ranks.copy()) == "");
          CHECK(ranks.damage() == "");
        }
      }
    }
  }
}

TEST_CASE("bits are ranked as a loop counts them, whatever the instruction set") {
  for_each_target([] {
    auto const code = cpu::detail::current_vector_ranks();
    check_ranks(code.of_4_bytes);
    check_ranks(code.of_8_bytes);
  });
}

TEST_CASE("items of odd sizes are packed one by one") {
  using item = std::array<char, 3>;
  item const items[] = {{'a', 'b', 'c'}, {'d', 'e', 'f'}, {'g', 'h', 'i'}};
  std::uint8_t const flags[] = {0, 1, 1};
  item out[3];
  CHECK(cpu::detail::pack_items(items, flags, 1, 3, out) == 2);
  CHECK((out[0] == items[1] && out[1] == items[2]));
}

TEST_CASE("a streamed copy copies every byte and no other") {
  auto const from = make_input<std::uint8_t>(pattern::random, 1000);
  for (int const offset : {0, 1, 16}) {
    for (index_t const n : {0, 1, 63, 64, 65, 128, 777}) {
      guarded_buffer<std::uint8_t> to(n, offset);
      cpu::copy_by(store_policy::non_temporal, from.data(), n, to.data());
      CHECK(to.damage() == "");
      CHECK(difference({from.begin(), from.begin() + n}, to.copy()) == "");
    }
  }
}

}  // namespace
}  // namespace libscan::test
