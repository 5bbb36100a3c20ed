// SPDX-License-Identifier: Apache-2.0
// Filters, splits and sorts of more than 2^32 items: results are known in closed form and checked
// on the GPU. The executor does the same with few items, which tests the formulas.
#include <cstdint>
#include <vector>

#include <libscan/filter.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/runs.cuh>
#include <libscan/segmented_sort.cuh>
#include <libscan/split.cuh>
#include <libscan/split_by_key.cuh>
#include <tests/large/memory.hpp>
#include <tests/large/results.hpp>
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

/// Flags, p in q of them set, and where item j is after a stable split by them.
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

/// The names of the items sorted.
struct sorted_names {
  sorted_places places;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t j) const { return names{}(places(j)); }
};

/// Where item j is after a stable sort of flags within segments.
struct places_within {
  even_flags flags;
  three_segments segments;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t j) const {
    int const s = j >= segments.begin(2) ? 2 : j >= segments.begin(1) ? 1 : 0;
    index_t const begin = segments.begin(s), set_before = flags.steps().before(begin);
    index_t const set = flags.steps().before(segments.begin(s + 1)) - set_before;
    index_t const clear = segments.begin(s + 1) - begin - set, k = j - begin;
    return k < clear ? flags.place_of_clear(begin - set_before + k)
                     : flags.place_of_set(set_before + k - clear);
  }
};

/// The flags and the names there.
struct flags_within {
  places_within places;
  LIBSCAN_HOST_DEVICE int operator()(index_t j) const { return places.flags(places(j)); }
};
struct names_within {
  places_within places;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t j) const { return names{}(places(j)); }
};

/// Runs of one item, every fourth of two: item i is of run i - i / 5. Neighbors differ in the low
/// bits of their runs.
struct short_runs {
  static LIBSCAN_HOST_DEVICE index_t run_of(index_t i) { return i - i / 5; }
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(run_of(i));
  }
  /// How many n items have.
  static index_t runs(index_t n) { return run_of(n - 1) + 1; }
};

/// What run r is called, and its length if it is not the last.
struct run_values {
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t r) const {
    return static_cast<std::uint32_t>(r);
  }
};
struct run_lengths {
  LIBSCAN_HOST_DEVICE int operator()(index_t r) const { return r > 0 && r % 4 == 0 ? 2 : 1; }
};

}  // namespace

TEST_CASE("2^32 + 1 keys are sorted") {
  shuffled_numbers const numbers{on_gpu ? 32 : 12};
  index_t const n = numbers.count() + 1;
  if (!has_memory(13 * n)) return;
  auto const keys = filled<std::uint32_t>(n, numbers);
  workspace ws;
  sort_keys(ws, keys.data(), keys.data(), n);
  REQUIRE(difference_from(keys.data(), n, sorted_numbers{}) == "");
}

TEST_CASE("values move with 2^32 + 1 keys") {
  shuffled_numbers const numbers{on_gpu ? 32 : 12};
  index_t const n = numbers.count() + 1;
  if (!has_memory(13 * n)) return;
  auto const keys = filled<std::uint32_t>(n, numbers);
  auto const values = filled<std::uint8_t>(n, names{});
  workspace ws;
  sort_pairs(ws, static_cast<std::uint32_t const*>(keys.data()), keys.data(),
             static_cast<std::uint8_t const*>(values.data()), values.data(), n);
  REQUIRE(difference_from(keys.data(), n, sorted_numbers{}) == "");
  REQUIRE(difference_from(values.data(), n, sorted_names{{numbers}}) == "");
}

TEST_CASE("keys and values are sorted within a segment of more than 2^32, and others") {
  index_t const n = large(two_33 + 64);
  places_within const places{{3, 11, n}, {n}};
  if (!has_memory(7 * n)) return;
  std::vector<index_t> begins;
  for (int s = 0; s <= 3; ++s) begins.push_back(places.segments.begin(s));
  device_buffer<index_t> const offsets(begins);
  auto const keys = filled<std::uint8_t>(n, places.flags);
  auto const values = filled<std::uint8_t>(n, names{});
  device_buffer<std::uint8_t> const keys_out(static_cast<std::size_t>(n));
  device_buffer<std::uint8_t> const values_out(static_cast<std::size_t>(n));
  workspace ws;
  segmented_sort_pairs(ws, static_cast<std::uint8_t const*>(keys.data()), keys_out.data(),
                       static_cast<std::uint8_t const*>(values.data()), values_out.data(), n,
                       static_cast<index_t const*>(offsets.data()), 3);
  REQUIRE(difference_from(keys_out.data(), n, flags_within{places}) == "");
  REQUIRE(difference_from(values_out.data(), n, names_within{places}) == "");
}

TEST_CASE("more than 2^32 runs") {
  index_t const n = large(two_32 + two_32 / 3), runs = short_runs::runs(n);
  if (!has_memory(4 * n)) return;
  auto const items = filled<std::uint8_t>(n, short_runs{});
  auto const* const in = static_cast<std::uint8_t const*>(items.data());
  device_buffer<std::uint8_t> const values(static_cast<std::size_t>(runs));
  device_buffer<std::uint8_t> const lengths(static_cast<std::size_t>(runs));
  device_buffer<index_t> const count(1);
  workspace ws;
  unique(ws, in, values.data(), n, count.data());
  REQUIRE(count.copy().front() == runs);
  REQUIRE(difference_from(values.data(), runs, run_values{}) == "");
  simt::fill_async(values.data(), 255, static_cast<std::size_t>(runs), {});
  run_length_encode(ws, in, values.data(), lengths.data(), no_output{}, n, count.data());
  REQUIRE(count.copy().front() == runs);
  REQUIRE(difference_from(values.data(), runs, run_values{}) == "");
  REQUIRE(difference_from(lengths.data(), runs - 1, run_lengths{}) == "");
}

TEST_CASE("argsort of 2^32 + 1 keys, with indices of 64 bits") {
  shuffled_numbers const numbers{on_gpu ? 32 : 12};
  index_t const n = numbers.count() + 1;
  if (!has_memory(30 * n)) return;
  auto const keys = filled<std::uint32_t>(n, numbers);
  device_buffer<index_t> const places(static_cast<std::size_t>(n));
  workspace ws;
  argsort(ws, static_cast<std::uint32_t const*>(keys.data()), places.data(), n);
  REQUIRE(difference_from(places.data(), n, sorted_places{numbers}) == "");
}

TEST_CASE("a split by keys, more than 2^32 of them equal, with values") {
  even_flags const flags{1, 2000, large(two_32 + two_32 / 512)};
  index_t const n = flags.n, clear = n - flags.set();
  if (!has_memory(11 * n)) return;
  auto const keys = filled<std::uint8_t>(n, flags);
  auto const values = filled<std::uint32_t>(n, names{});
  device_buffer<std::uint8_t> const keys_out(static_cast<std::size_t>(n));
  device_buffer<std::uint32_t> const values_out(static_cast<std::size_t>(n));
  device_buffer<index_t> const offsets(3);
  workspace ws;
  split_by_key(ws, static_cast<std::uint8_t const*>(keys.data()), keys_out.data(),
               static_cast<std::uint32_t const*>(values.data()), values_out.data(), offsets.data(),
               n, 2);
  REQUIRE((offsets.copy() == std::vector<index_t>{0, clear, n}));
  REQUIRE(difference_from(keys_out.data(), n, sorted_flags{flags}) == "");
  REQUIRE(difference_from(values_out.data(), n, clear_first{flags}) == "");
}

TEST_CASE("a filter that keeps more than 2^31 of 2^32 + 65 items, and where they are") {
  even_flags const flags{7, 12, large(two_32 + 65)};
  index_t const n = flags.n;
  if (!has_memory(14 * n)) return;
  auto const mask = filled<std::uint8_t>(n, flags);
  device_buffer<index_t> const count(1);
  workspace ws;
  {
    auto const capacity = static_cast<std::size_t>(flags.set());
    device_buffer<index_t> const places(capacity);
    mask_indices(ws, byte_mask{mask.data()}, places.data(), n, count.data());
    REQUIRE(count.copy().front() == flags.set());
    REQUIRE(difference_from(places.data(), flags.set(), places_set{flags}) == "");
  }
  auto const items = filled<std::uint32_t>(n, names{});
  device_buffer<std::uint32_t> const out(static_cast<std::size_t>(n));
  filter(ws, static_cast<std::uint32_t const*>(items.data()), out.data(), n, byte_mask{mask.data()},
         count.data());
  REQUIRE(count.copy().front() == flags.set());
  REQUIRE(difference_from(out.data(), flags.set(), set_first{flags}) == "");
  split(ws, static_cast<std::uint32_t const*>(items.data()), out.data(), n, byte_mask{mask.data()},
        count.data());
  REQUIRE(count.copy().front() == flags.set());
  REQUIRE(difference_from(out.data(), n, set_first{flags}) == "");
}
