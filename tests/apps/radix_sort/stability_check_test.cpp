// SPDX-License-Identifier: Apache-2.0
// The checks that a tile has been sorted stably, on tiles in which one pair of neighbors is wrong:
// the first, the last, any. A check that leaves out a pair misses it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <apps/radix_sort/device/register_tile.cuh>
#include <apps/radix_sort/device/staged_shape.cuh>
#include <apps/radix_sort/device/tiny_tuning.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using device::digit_place;

template <class Key, tile_witness Witness, int Items, int Parts, int Same = 1>
struct kind_of_tile {
  using order = sort_order<Key>;
  using tile = device::sorted_tile<order, void, Witness, Items>;
  static constexpr int items = Items, parts = Parts, same = Same;
  // Positions ascend within a digit; keys by themselves, `Same` of them equal.
  static __device__ Key key(int i) {
    return static_cast<Key>(Witness == tile_witness::positions ? 1 : i / Same + 1);
  }
};

/// found[p parts + q]: whether part q of the tile ascends when items p and p + 1 have changed
/// places; for p = valid - 1 none have.
template <class Kind>
struct one_wrong_pair_kernel {
  using shared_storage = typename Kind::tile;
  __device__ void operator()(shared_storage& tile, typename Kind::order order, digit_place place,
                             int valid, int* found) const {
    constexpr int share = Kind::items / Kind::parts;
    int const lane = simt::lane_id();
    for (int i = lane; i < Kind::items; i += simt::warp_size) {
      int const n = i < valid ? i : 0;  // what lies past the end does not ascend
      tile.put(static_cast<unsigned>(i), Kind::key(n), n);
    }
    for (int p = 0; p < valid; ++p) {
      if (lane < 2 && p + 1 < valid) {
        tile.put(static_cast<unsigned>(p + lane), Kind::key(p + 1 - lane), p + 1 - lane);
      }
      simt::sync_warp();
      for (int q = 0; q < Kind::parts; ++q) {
        bool const good = tile.ascends(order, place, q * share, (q + 1) * share, valid);
        if (lane == 0) found[p * Kind::parts + q] = good ? 1 : 0;
      }
      simt::sync_warp();
      if (lane < 2 && p + 1 < valid) {
        tile.put(static_cast<unsigned>(p + lane), Kind::key(p + lane), p + lane);
      }
      simt::sync_warp();
    }
  }
};

template <class Kind>
void require_found(int valid) {
  std::vector<int> expected;
  for (int p = 0; p < valid; ++p) {
    for (int q = 0; q < Kind::parts; ++q) {
      bool const wrong = p + 1 < valid && p / (Kind::items / Kind::parts) == q;
      expected.push_back(wrong ? 0 : 1);
    }
  }
  device_buffer<int> const found(expected.size());
  simt::launch<one_wrong_pair_kernel<Kind>>({.blocks = 1, .threads = simt::warp_size},
                                            typename Kind::order{}, digit_place{0, 8, 8}, valid,
                                            found.data());
  auto const got = found.copy();
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO("items " << i / Kind::parts << " and the next, part " << i % Kind::parts << " of " << valid
                  << " items");
    REQUIRE(got[i] == expected[i]);
  }
}

/// A tile's items, any way round, put in order by `repair`.
template <class Kind>
struct repair_kernel {
  using shared_storage = typename Kind::tile;
  __device__ void operator()(shared_storage& tile, typename Kind::order order, digit_place place,
                             int const* places, int valid, int* from) const {
    for (int i = simt::lane_id(); i < valid; i += simt::warp_size) {
      tile.put(static_cast<unsigned>(i), Kind::key(places[i]), places[i]);
    }
    simt::sync_warp();
    tile.repair(order, place, valid);
    for (int i = simt::lane_id(); i < valid; i += simt::warp_size) {
      from[i] = Kind::tile::has_positions ? tile.position[i] : static_cast<int>(tile.key[i]) - 1;
    }
  }
};

constexpr auto by_keys = tile_witness::keys;
constexpr auto by_positions = tile_witness::positions;

/// A block's tile: its ranks come the wrong way round in each row, and only two items can tell.
template <class Key>
struct block_kind {
  using order = sort_order<Key>;
  using tuning = tiny_cluster_sort<rank_order::reversed>;
  using tile = device::register_tile<order, void, tuning>;
};

/// Sorts `keys` by `place` once for each of the lists of keys.
template <class Key>
struct sort_tile_kernel {
  using kind = block_kind<Key>;
  using tile_type = typename kind::tile;
  using shared_storage = typename tile_type::shared_storage;
  __device__ void operator()(shared_storage& shared, Key const* keys, int lists, unsigned n,
                             int rows, bool witness, digit_place place, Key* out,
                             int* in_order) const {
    typename kind::order const order{};
    typename tile_type::lane_items lane(n, rows);
    for (int list = 0; list < lists; ++list) {
      lane.load(keys + index_t{list} * n);
      tile_type::sort(shared, order, witness, place, lane, [](unsigned) {});
      for (unsigned i = threadIdx.x; i < n; i += tile_type::block_threads) {
        out[index_t{list} * n + i] = shared.key[i];
      }
      bool const good = tile_type::in_order(shared, order, n);
      if (threadIdx.x == 0) in_order[list] = good ? 1 : 0;
    }
  }
};

template <class Key>
void require_stable(std::vector<Key> const& keys, unsigned n, digit_place place,
                    std::vector<Key> const& expected) {
  auto const lists = static_cast<int>(keys.size() / n);
  device_buffer<Key> const in(keys), out(keys.size());
  device_buffer<int> const in_order(static_cast<std::size_t>(lists));
  int const rows = static_cast<int>((n + 255) / 256);
  simt::launch<sort_tile_kernel<Key>>(
      {.blocks = 1, .threads = block_kind<Key>::tile::block_threads},
      static_cast<Key const*>(in.data()), lists, n, rows, true, place, out.data(), in_order.data());
  auto const got = out.copy();
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i]) continue;
    INFO("list " << i / n << " of " << n << " keys, item " << i % n);
    REQUIRE(got[i] == expected[i]);
  }
}

}  // namespace

TEST_CASE("one wrong pair of neighbors is found wherever it is") {
  for (int const valid : {2048, 1100, 513, 512, 129, 33, 2, 1}) {
    if (valid == 1100 && scaled(0, 1) == 1) continue;
    require_found<kind_of_tile<std::uint32_t, by_keys, 2048, 2>>(valid);
  }
  for (int const valid : {1531, 800, 257, 3}) {
    if (valid == 800 && scaled(0, 1) == 1) continue;
    require_found<kind_of_tile<std::uint64_t, by_keys, 1536, 3>>(valid);
    require_found<kind_of_tile<std::uint64_t, by_positions, 1536, 2>>(valid);
    require_found<kind_of_tile<float, by_positions, 1536, 2>>(valid);
  }
  // As bytes, 255 keys differ: in a part that the last rows of the fast path end in.
  require_found<kind_of_tile<std::uint8_t, by_positions, 4160, 1>>(scaled(4160, 2060));
}

TEMPLATE_TEST_CASE("a tile in any order is repaired", "",
                   (kind_of_tile<std::uint8_t, by_keys, 128, 1>),
                   (kind_of_tile<std::uint8_t, by_keys, 128, 1, 3>),
                   (kind_of_tile<float, by_positions, 128, 1>)) {
  for (int const valid : {0, 1, 2, 3, 63, 64, 65, 127, 128}) {
    std::vector<int> places, expected;
    for (int i = 0; i < valid; ++i) places.push_back(i);
    expected = places;
    random_words words(static_cast<std::uint64_t>(valid));
    for (std::size_t i = places.size(); i > 1; --i)
      std::swap(places[i - 1], places[words.below(i)]);
    device_buffer<int> const in(places), from(places.size());
    simt::launch<repair_kernel<TestType>>({.blocks = 1, .threads = simt::warp_size},
                                          typename TestType::order{}, digit_place{0, 0, 8},
                                          static_cast<int const*>(in.data()), valid, from.data());
    for (int& place : expected) place /= TestType::same;
    REQUIRE(from.copy() == expected);
  }
}

TEST_CASE("a block finds the two keys of its tile that were ranked the wrong way round") {
  // All other keys of a digit are the same, so that no one can distinguish them.
  for (unsigned const n : {1024U, 1000U, 257U, 40U}) {
    if (n == 1000 && scaled(0, 1) == 1) continue;
    std::vector<std::uint32_t> keys, expected;
    for (unsigned p = 0; p + 1 < n; ++p) {
      if (n > 257 && p > 70 && p % scaled(7, 71) != 0) continue;
      for (unsigned i = 0; i < n; ++i) {
        unsigned const high = i < p ? 0 : i < p + 2 ? 1 : 2;
        expected.push_back(high << 8 | (high == 1 ? i - p : 0));
      }
      // The two are neighbors in a row of a warp.
      keys.insert(keys.end(), expected.end() - n, expected.end());
      if (p % simt::warp_size == simt::warp_size - 1) {
        std::rotate(keys.end() - n, keys.end() - n + 1, keys.end());
      }
    }
    require_stable(keys, n, {0, 8, 8}, expected);
  }
}

TEST_CASE("a block finds two floats of its tile that were ranked the wrong way round") {
  // In a row of 32 all keys have different digits, except two. The lower bit of these tells them
  // apart, and their positions show in which order they were.
  std::vector<float> keys, expected;
  for (int first = 0; first < 250; first += scaled(1, 3)) {
    if (first % 32 == 31) continue;
    std::vector<float> list;
    for (int i = 0; i < 256; ++i) {
      std::uint32_t const bits =
          static_cast<std::uint32_t>(i % 32 * 8 + i / 32) << 15 | 0x00800000U;
      list.push_back(libscan::detail::bits_as<float>(bits));
    }
    auto const at = static_cast<std::size_t>(first);
    list[at + 1] =
        libscan::detail::bits_as<float>(libscan::detail::bits_as<std::uint32_t>(list[at]) | 1U);
    keys.insert(keys.end(), list.begin(), list.end());
    std::stable_sort(list.begin(), list.end(), [](float a, float b) {
      return (libscan::detail::bits_as<std::uint32_t>(a) >> 15) <
             (libscan::detail::bits_as<std::uint32_t>(b) >> 15);
    });
    expected.insert(expected.end(), list.begin(), list.end());
  }
  require_stable(keys, 256, {0, 15, 8}, expected);
}
