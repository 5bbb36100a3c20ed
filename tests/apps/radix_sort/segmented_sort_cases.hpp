// SPDX-License-Identifier: Apache-2.0
// What the tests of the sort within segments share: lengths of segments, and calls compared with
// std::stable_sort of each.
#pragma once

#include <libscan/segmented_sort.cuh>
#include <tests/apps/radix_sort/sort_cases.hpp>

namespace libscan::test {

/// Offsets of segments of the given lengths, from `first` on.
inline std::vector<std::int32_t> offsets_of(std::vector<int> const& lengths, int first = 0) {
  std::vector<std::int32_t> offsets{first};
  for (int const length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// `count` lengths below `limit`, every `rare`-th below `huge`.
inline std::vector<int> mixed_lengths(int count, int limit, int rare, int huge) {
  random_words words(static_cast<std::uint64_t>(count * limit + huge));
  std::vector<int> lengths;
  for (int i = 0; i < count; ++i) {
    auto const bound = static_cast<std::uint64_t>(i % rare == rare - 1 ? huge : limit);
    lengths.push_back(static_cast<int>(words.below(bound)));
  }
  return lengths;
}

/// Long segments in tiles of a block of two warps.
struct two_warps_sort : tiny_segmented_sort {
  struct tiles : tiny_segmented_sort::tiles {
    static constexpr int block_threads = 64;
  };
};

/// Keys with values, and keys only, in segments of those lengths; `outside`: items before and
/// after them, which stay.
template <class Tuning, class Key>
void require_sorted_segments(std::vector<int> const& lengths, variety how, int outside = 0) {
  auto const offsets = offsets_of(lengths, outside);
  index_t const n = offsets.back() + outside;
  auto const segments = static_cast<index_t>(lengths.size());
  INFO(segments << " segments of " << n << " items");
  auto const keys = make_keys<Key>(how, n);
  auto const positions = sorted_positions(keys, offsets, plain_order{});
  std::vector<index_t> values(keys.size());
  std::iota(values.begin(), values.end(), index_t{0});
  workspace ws;
  auto const outside_kept = [&](auto items) {  // what is to be written is not there yet
    for (auto i = offsets.front(); i < offsets.back(); ++i) {
      items[static_cast<std::size_t>(i)] = {};
    }
    return items;
  };
  device_image<Key> in(keys, 1), out(outside_kept(keys), 2), alone(outside_kept(keys));
  device_image<index_t> with(values), moved(outside_kept(values), 1);
  device_image<std::int32_t> bounds(offsets);
  segmented_sort_pairs<Tuning>(ws, static_cast<Key const*>(in.data()), out.data(),
                               static_cast<index_t const*>(with.data()), moved.data(), n,
                               static_cast<std::int32_t const*>(bounds.data()), segments);
  REQUIRE(difference(positions, moved.read()) == "");
  REQUIRE(bit_difference(taken(keys, positions), out.read()) == "");
  segmented_sort_keys<Tuning>(ws, static_cast<Key const*>(in.data()), alone.data(), n,
                              static_cast<std::int32_t const*>(bounds.data()), segments);
  REQUIRE(bit_difference(taken(keys, positions), alone.read()) == "");
  REQUIRE(in.damage() + out.damage() + moved.damage() + alone.damage() == "");
}

/// Keys only, in the order that `before` tells.
template <class Key, class Order, class Before>
void require_sorted_keys(std::vector<int> const& lengths, std::vector<Key> const& keys,
                         Order const& order, Before before) {
  auto const offsets = offsets_of(lengths);
  INFO(lengths.size() << " segments of " << offsets.back() << " items");
  auto const expected = taken(keys, sorted_positions(keys, offsets, before));
  workspace ws;
  device_image<Key> in(keys), out(offsets.back());
  device_image<std::int32_t> bounds(offsets);
  segmented_sort_keys<tiny_segmented_sort>(
      ws, static_cast<Key const*>(in.data()), out.data(), offsets.back(),
      static_cast<std::int32_t const*>(bounds.data()), static_cast<index_t>(lengths.size()), order);
  REQUIRE(bit_difference(expected, out.read()) == "");
}

/// The order of half of a number.
struct halved {
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(std::uint32_t key) const { return key / 2; }
  LIBSCAN_HOST_DEVICE std::uint32_t key(std::uint32_t word) const { return word * 2; }
};

/// A value of any size.
template <int Size>
struct bytes {
  std::uint8_t byte[Size];
  bool operator==(bytes const&) const = default;
};
template <int Size>
bytes<Size> value_of(index_t i) {
  bytes<Size> value{};
  for (int k = 0; k < Size; ++k) value.byte[k] = static_cast<std::uint8_t>(i >> k % 3 * 8);
  return value;
}

/// Pairs of keys and values of so many bytes, in segments of all kinds.
template <class Key, int Size, class Offset, class Order>
void require_sorted_pairs(Order order) {
  auto lengths = mixed_lengths(90, 12, 7, 400);
  for (int s = 0; s < 40; ++s) lengths.push_back(s % 32);  // a warp without longer ones
  auto const at = offsets_of(lengths, 2);
  std::vector<Offset> const offsets(at.begin(), at.end());
  auto const segments = static_cast<index_t>(lengths.size());
  index_t const n = at.back() + 2;
  auto const keys = make_keys<Key>(variety::few, n);
  auto const positions = sorted_positions(keys, offsets, plain_order{});
  std::vector<bytes<Size>> values, expected;
  for (index_t i = 0; i < n; ++i) values.push_back(value_of<Size>(i));
  for (index_t const i : positions) expected.push_back(value_of<Size>(i));
  workspace ws;
  device_image<Key> in(keys), out(keys, 1);
  device_image<bytes<Size>> with(values), moved(values, 1);
  device_image<Offset> bounds(offsets);
  segmented_sort_pairs<tiny_segmented_sort>(
      ws, static_cast<Key const*>(in.data()), out.data(),
      static_cast<bytes<Size> const*>(with.data()), moved.data(), n,
      static_cast<Offset const*>(bounds.data()), segments, order);
  REQUIRE(bit_difference(taken(keys, positions), out.read()) == "");
  REQUIRE(bit_difference(expected, moved.read()) == "");
  REQUIRE(out.damage() + moved.damage() == "");
}

}  // namespace libscan::test
