// SPDX-License-Identifier: Apache-2.0
// Head bits made of offsets against a loop: offsets of every type, sorted or not, dense or sparse,
// within the items or far outside; of all items at once, and of a tile at a time.
#include <algorithm>

#include <libscan/device/head_bits.cuh>
#include <libscan/device/offsets_searched_per_tile.cuh>
#include <limits>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

enum class kind { anything, within, ascending, crowded, dense, jumping, extreme };
constexpr kind kinds[] = {kind::anything, kind::within,  kind::ascending, kind::crowded,
                          kind::dense,    kind::jumping, kind::extreme};

/// segments + 1 offsets for n items; a kind may ignore either.
template <class Offset>
std::vector<Offset> make_offsets(kind how, index_t segments, index_t n, random_words& words) {
  auto const below = [&](index_t limit) {
    return static_cast<index_t>(words.below(static_cast<std::uint64_t>(limit)));
  };
  index_t const step = 1 + below(40);
  index_t at = 0;
  std::vector<Offset> offsets;
  for (index_t s = 0; s <= segments; ++s) {
    switch (how) {
      case kind::anything:
        offsets.push_back(static_cast<Offset>(words()));
        break;
      case kind::within:
        offsets.push_back(static_cast<Offset>(below(n + 3)));
        break;
      case kind::ascending:
        offsets.push_back(static_cast<Offset>(at));
        at += below(step);
        break;
      case kind::crowded:  // at few places
        offsets.push_back(static_cast<Offset>(at));
        if (below(300) == 0) at += below(9);
        break;
      case kind::dense:
        offsets.push_back(static_cast<Offset>(at));
        at += below(50) > 0 ? 1 : -9;
        break;
      case kind::jumping:  // far, now and then
        offsets.push_back(static_cast<Offset>(at));
        at += below(1000) > 0 ? 1 : 60000 + below(90000);
        break;
      case kind::extreme:
        offsets.push_back(below(50) > 0  ? static_cast<Offset>(at)
                          : below(2) > 0 ? std::numeric_limits<Offset>::max()
                                         : std::numeric_limits<Offset>::min());
        at += below(3);
        break;
    }
  }
  return offsets;
}

/// The head flags of n items, by a loop. `empty`, if not null, as where segments may be numbered:
/// whether a segment has none, or an item is in none; what comes after the last segment has a head
/// then.
template <class Offset>
std::vector<std::uint32_t> expected_heads(std::vector<Offset> const& offsets, index_t n,
                                          std::size_t words, bool* empty = nullptr) {
  std::vector<std::uint32_t> expected(words);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    auto const at = static_cast<index_t>(offsets[s]), end = static_cast<index_t>(offsets[s + 1]);
    if (at < 0 || at >= n || at >= end) {
      if (empty != nullptr) *empty = true;
      continue;
    }
    expected[static_cast<std::size_t>(at / 32)] |= 1u << at % 32;
  }
  if (empty != nullptr && offsets.size() > 1) {
    auto const last = static_cast<index_t>(offsets.back());
    bool const stops = 0 <= last && last < n;
    if (stops) expected[static_cast<std::size_t>(last / 32)] |= 1u << last % 32;
    *empty = *empty || stops || offsets.front() != 0;
  }
  return expected;
}

/// `n`: the number of items as the device knows it, `at_most` as the host does. `before`: offsets
/// that stand in front of the first.
template <class Offset>
void require_heads(std::vector<Offset> const& offsets, index_t n, index_t at_most, int before) {
  auto const segments = static_cast<index_t>(offsets.size()) - 1;
  device_image<Offset> const in(offsets, before);
  segment_offsets<Offset> const heads{in.data(), segments};
  std::size_t const bytes = device::head_bytes(heads, at_most);
  device_image<std::uint32_t> words(static_cast<index_t>(bytes / sizeof(std::uint32_t)));
  device_image<index_t> const d_n(std::vector<index_t>{n});
  auto* const memory = reinterpret_cast<std::byte*>(words.data());
  auto const count = item_count::on_device(d_n.data(), at_most);
  device::prepare_heads(heads, memory, count, simt::stream{});
  simt::synchronize();
  REQUIRE(difference(expected_heads(offsets, n, bytes / sizeof(std::uint32_t)), words.read()) ==
          "");
  // The same bits again, what comes after them, and whether segments are to be numbered.
  bool empty = false;
  auto const expected = expected_heads(offsets, n, bytes / sizeof(std::uint32_t), &empty);
  device_image<index_t> numbered(std::vector<index_t>{0});
  device::mark_heads(heads, memory, count, numbered.data(), simt::stream{});
  REQUIRE(numbered.read()[0] == (empty ? segments : 0));
  REQUIRE(difference(expected, words.read()) == "");
  REQUIRE(words.damage() == "");
}

/// Writes the head bits of each tile, one block for all, and whether the memory after
/// their marks was damaged.
template <class Offset, int Threads, int TileItems>
struct tile_heads_kernel {
  using marks = device::tile_heads<device::offsets_searched_per_tile<Offset>, Threads, TileItems>;
  struct shared_storage {
    typename marks::shared_storage marked;
    std::uint32_t past[Threads];
  };

  __device__ void operator()(shared_storage& shared,
                             device::offsets_searched_per_tile<Offset> heads, index_t n,
                             std::uint32_t* words, int* damaged) const {
    shared.past[threadIdx.x] = 0x5a5a5a5a;
    for (index_t base = 0; base < n; base += TileItems) {
      int const valid = static_cast<int>(n - base < TileItems ? n - base : TileItems);
      auto const bits = marks::of(shared.marked, heads, base, valid);
      for (int i = static_cast<int>(threadIdx.x) * 32; i < valid; i += Threads * 32) {
        words[(base + i) / 32] = device::bits<32>(bits, base + i, valid - i);
      }
      simt::sync_block();
    }
    if (simt::sync_block_or(shared.past[threadIdx.x] != 0x5a5a5a5a) && threadIdx.x == 0) {
      *damaged = 1;
    }
  }
};

/// The head bits of n items as tiles of 1024 find them; requires that nothing else is written.
template <class Offset>
std::vector<std::uint32_t> tile_heads_of(std::vector<Offset> const& offsets, index_t n,
                                         int before = 0) {
  using kernel = tile_heads_kernel<Offset, 64, 1024>;
  device::offsets_searched_per_tile<Offset> heads{nullptr,
                                                  static_cast<index_t>(offsets.size()) - 1};
  device_image<Offset> const in(offsets, before);
  heads.offsets = in.data();
  device_image<std::uint32_t> words((n + 31) / 32);
  device_image<int> damaged(std::vector<int>{0});
  simt::launch<kernel>({.blocks = 1, .threads = 64}, heads, n, words.data(), damaged.data());
  simt::synchronize();
  REQUIRE(words.damage() == "");
  REQUIRE(damaged.read()[0] == 0);
  return words.read();
}

/// The same against the loop, of ascending offsets.
template <class Offset>
void require_tile_heads(std::vector<Offset> const& offsets, index_t n, int before) {
  auto const expected = expected_heads(offsets, n, static_cast<std::size_t>((n + 31) / 32));
  REQUIRE(difference(expected, tile_heads_of(offsets, n, before)) == "");
}

}  // namespace

TEMPLATE_TEST_CASE("offsets of any type and order set the bits a loop sets", "", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t) {
  random_words words(20261123);
  each_schedule(scaled(4, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (kind const how : kinds) {
      for (index_t const segments : {0, 1, 31, 255, 256, 257, 600, 1400, 2048, 5000}) {
        for (index_t const n : {0, 1, 100, 1000, 9000, 400000}) {
          if (n > 9000 && segments < 2048) continue;
          auto const offsets = make_offsets<TestType>(how, segments, n, words);
          int const before = static_cast<int>(words.below(5));
          INFO("kind " << int(how) << ", " << segments << " segments of " << n << ", after "
                       << before);
          require_heads(offsets, n, n + static_cast<index_t>(words.below(2)) * 777, before);
        }
      }
    }
  });
}

TEMPLATE_TEST_CASE("each tile finds the head flags that a loop sets", "", std::int8_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  random_words words(20261124);
  each_schedule(scaled(4, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const segments : {0, 1, 63, 64, 65, 600, 5000}) {
      for (index_t const n : {1, 100, 1024, 1025, 9000}) {
        for (kind const how : {kind::ascending, kind::crowded}) {
          auto offsets = make_offsets<TestType>(how, segments, n, words);
          // Those that wrapped around go where their values say; of the largest there are more.
          std::fill_n(offsets.rbegin(), segments / 50,
                      std::max(offsets.back(), std::numeric_limits<TestType>::max()));
          std::sort(offsets.begin(), offsets.end());
          int const before = static_cast<int>(words.below(5));
          INFO("kind " << int(how) << ", " << segments << " segments of " << n << ", after "
                       << before);
          require_tile_heads(offsets, n, before);
        }
      }
    }
  });
}

TEST_CASE("thousands of empty segments at one place hide no head flags") {
  for (index_t const place : {1024, 1500, 2047, 2048}) {
    for (int const empty : {500, 1100, 5000, 20000}) {
      std::vector<std::int32_t> offsets{0, 7, 1023};
      offsets.insert(offsets.end(), static_cast<std::size_t>(empty), static_cast<int>(place));
      for (int const after : {1, 2, 90, 2000}) offsets.push_back(static_cast<int>(place) + after);
      INFO(empty << " empty ones at " << place);
      require_tile_heads(offsets, 5000, 0);
    }
  }
}

#ifndef LIBSCAN_TEST_FINDS_RACES  // where two threads would mark the same head
TEMPLATE_TEST_CASE("offsets that do not ascend damage nothing", "", std::int8_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t) {
  random_words words(20261125);
  each_schedule(scaled(4, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (kind const how : kinds) {
      tile_heads_of(make_offsets<TestType>(how, 700, 3000, words), 3000,
                    static_cast<int>(words.below(5)));
    }
  });
}
#endif
