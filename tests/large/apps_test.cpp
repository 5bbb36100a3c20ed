// SPDX-License-Identifier: Apache-2.0
// Filters, splits and sorts of more than 2^32 items: results are known in closed form and checked
// on the GPU. The executor does the same with few items, which tests the formulas.
#include <cstdint>
#include <vector>

#include <apps/filter/filter.cuh>
#include <apps/filter/split.cuh>
#include <apps/radix_sort/radix_sort.cuh>
#include <apps/radix_sort/split_by_key.cuh>
#include <tests/large/room.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_formula.hpp>
#include <tests/support/formula.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// All numbers of `bits` bits in an order that looks random, again and again: item i is an odd
/// multiple of i. Odd numbers have inverses modulo a power of two, so that it is known where each
/// number is.
struct shuffled_numbers {
  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
  int bits;
  LIBSCAN_HOST_DEVICE index_t count() const { return index_t{1} << bits; }
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(wrapped(static_cast<std::uint64_t>(i) * factor));
  }
  /// Where number x is first.
  LIBSCAN_HOST_DEVICE index_t place_of(index_t x) const {
    std::uint64_t inverse = factor;  // right in three bits; each step doubles them
    for (int step = 0; step < 5; ++step) inverse *= 2 - factor * inverse;
    return wrapped(static_cast<std::uint64_t>(x) * inverse);
  }

 private:
  LIBSCAN_HOST_DEVICE index_t wrapped(std::uint64_t x) const {
    return static_cast<index_t>(x) & (count() - 1);
  }
};

/// count() + 1 of them, sorted: 0 is there twice.
struct sorted_numbers {
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t j) const {
    return static_cast<std::uint32_t>(j == 0 ? 0 : j - 1);
  }
};

/// And where each came from.
struct sorted_places {
  shuffled_numbers numbers;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t j) const {
    return j == 1 ? numbers.count() : numbers.place_of(j == 0 ? 0 : j - 1);
  }
};

/// Flags of which p in q are set, and where item j is after a stable split by them.
struct even_flags {
  index_t p, q, n;
  LIBSCAN_HOST_DEVICE even_steps steps() const { return {p, q}; }
  LIBSCAN_HOST_DEVICE index_t set() const { return steps().before(n); }
  LIBSCAN_HOST_DEVICE int operator()(index_t i) const { return static_cast<int>(steps()(i)); }
  LIBSCAN_HOST_DEVICE index_t place_of_set(index_t k) const { return ((k + 1) * q - 1) / p; }
  LIBSCAN_HOST_DEVICE index_t place_of_clear(index_t k) const { return k * q / (q - p); }
};

/// What tells the items apart.
struct names {
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(scrambled(i));
  }
};

/// Where the flags are set.
struct places_set {
  even_flags flags;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t k) const { return flags.place_of_set(k); }
};

/// The names of the items whose flags are set, then of the others.
struct set_first {
  even_flags flags;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t j) const {
    index_t const set = flags.set();
    return names{}(j < set ? flags.place_of_set(j) : flags.place_of_clear(j - set));
  }
};

/// The names of the items whose flags are clear, then of the others.
struct clear_first {
  even_flags flags;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t j) const {
    index_t const clear = flags.n - flags.set();
    return names{}(j < clear ? flags.place_of_clear(j) : flags.place_of_set(j - clear));
  }
};

/// The flags themselves, after that.
struct sorted_flags {
  even_flags flags;
  LIBSCAN_HOST_DEVICE int operator()(index_t j) const { return j < flags.n - flags.set() ? 0 : 1; }
};

}  // namespace

TEST_CASE("keys are sorted, of which there are 2^32 + 1") {
  shuffled_numbers const numbers{on_gpu ? 32 : 12};
  index_t const n = numbers.count() + 1;
  if (!has_room(13 * n)) return;
  auto const keys = filled<std::uint32_t>(n, numbers);
  workspace ws;
  sort_keys(ws, keys.data(), keys.data(), n);
  REQUIRE(difference_from(keys.data(), n, sorted_numbers{}) == "");
}

TEST_CASE("argsort of 2^32 + 1 keys, with indices of 64 bits") {
  shuffled_numbers const numbers{on_gpu ? 32 : 12};
  index_t const n = numbers.count() + 1;
  if (!has_room(30 * n)) return;
  auto const keys = filled<std::uint32_t>(n, numbers);
  device_buffer<index_t> const places(static_cast<std::size_t>(n));
  workspace ws;
  argsort(ws, static_cast<std::uint32_t const*>(keys.data()), places.data(), n);
  REQUIRE(difference_from(places.data(), n, sorted_places{numbers}) == "");
}

TEST_CASE("a split by keys of which more than 2^32 are equal, values with them") {
  even_flags const flags{1, 2000, large(two_32 + two_32 / 512)};
  index_t const n = flags.n, clear = n - flags.set();
  if (!has_room(11 * n)) return;
  auto const keys = filled<std::uint8_t>(n, flags);
  auto const values = filled<std::uint32_t>(n, names{});
  device_buffer<std::uint8_t> const keys_out(static_cast<std::size_t>(n));
  device_buffer<std::uint32_t> const values_out(static_cast<std::size_t>(n));
  device_buffer<index_t> const offsets(3);
  workspace ws;
  split_by_key(ws, static_cast<std::uint8_t const*>(keys.data()), keys_out.data(),
               static_cast<std::uint32_t const*>(values.data()), values_out.data(), n, 2,
               offsets.data());
  REQUIRE((offsets.copy() == std::vector<index_t>{0, clear, n}));
  REQUIRE(difference_from(keys_out.data(), n, sorted_flags{flags}) == "");
  REQUIRE(difference_from(values_out.data(), n, clear_first{flags}) == "");
}

TEST_CASE("a filter that keeps more than 2^31 of 2^32 + 65 items, and where they are") {
  even_flags const flags{7, 12, large(two_32 + 65)};
  index_t const n = flags.n;
  if (!has_room(14 * n)) return;
  auto const mask = filled<std::uint8_t>(n, flags);
  device_buffer<index_t> const count(1);
  workspace ws;
  {
    auto const room = static_cast<std::size_t>(flags.set());
    device_buffer<index_t> const places(room);
    mask_indices(ws, byte_mask{mask.data()}, places.data(), n, count.data());
    REQUIRE(count.copy().front() == flags.set());
    REQUIRE(difference_from(places.data(), flags.set(), places_set{flags}) == "");
  }
  auto const items = filled<std::uint32_t>(n, names{});
  device_buffer<std::uint32_t> const out(static_cast<std::size_t>(n));
  filter_flagged(ws, static_cast<std::uint32_t const*>(items.data()), mask.data(), out.data(), n,
                 count.data());
  REQUIRE(count.copy().front() == flags.set());
  REQUIRE(difference_from(out.data(), flags.set(), set_first{flags}) == "");
  split(ws, static_cast<std::uint32_t const*>(items.data()), out.data(), n, byte_mask{mask.data()},
        count.data());
  REQUIRE(count.copy().front() == flags.set());
  REQUIRE(difference_from(out.data(), n, set_first{flags}) == "");
}
