// SPDX-License-Identifier: Apache-2.0
// What the tests of the host APIs of the split by key and of the segmented sort share, on any
// engine: inputs, what should come out, and all calls between canaries.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include <libscan/segmented_sort.hpp>
#include <libscan/split_by_key.hpp>
#include <tests/apps/radix_sort/program/sort_oracle.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {

/// Different values, of all bytes.
template <class Value>
std::vector<Value> make_values(std::size_t n) {
  std::vector<Value> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const bits = i * 0x9e3779b97f4a7c15u;
    std::memcpy(&values[i], &bits, sizeof(Value) < sizeof(bits) ? sizeof(Value) : sizeof(bits));
  }
  return values;
}

/// A value of a size that no sort carries along, and aligned to no more than a byte.
struct four_letters {
  char letters[4];
  bool operator==(four_letters const&) const = default;
};
struct long_value {
  std::uint64_t words[3];
  bool operator==(long_value const&) const = default;
};

/// Empty if the first items of `out` are `expected`, and nothing else was written.
template <class T>
std::string wrong_items(guarded_buffer<T>& out, std::vector<T> const& expected) {
  auto got = out.copy();
  got.resize(expected.size());
  if (auto const found = bit_difference(expected, got); !found.empty()) return found;
  auto const n = static_cast<index_t>(expected.size());
  return out.written_from(n) + out.damage();
}

/// n keys, some of each of so many buckets; a quarter of the keys are in bucket 0.
template <class Key>
std::vector<Key> bucket_keys(index_t n, int buckets) {
  random_words words(static_cast<std::uint64_t>(n) * 1000 + static_cast<std::uint64_t>(buckets));
  std::vector<Key> keys;
  for (index_t i = 0; i < n; ++i) {
    auto const bucket = words.below(static_cast<std::uint64_t>(buckets));
    keys.push_back(static_cast<Key>(words.below(4) == 0 ? 0 : bucket));
  }
  return keys;
}

/// Splits keys, without and with values; empty if all is well.
template <class Value, class Key>
std::string split_error(engine const& on, std::vector<Key> const& keys, int buckets, int offset) {
  auto const n = static_cast<index_t>(keys.size());
  auto const positions = sorted_positions(keys, false, std::less<>{});
  std::vector<index_t> begins;
  for (int b = 0; b <= buckets; ++b) {
    begins.push_back(std::count_if(keys.begin(), keys.end(), [&](Key key) {
      return static_cast<std::uint64_t>(key) < static_cast<std::uint64_t>(b);
    }));
  }
  auto const values = make_values<Value>(keys.size());
  guarded_buffer<Key> out(n + 3, offset), with(n + 3, offset);
  guarded_buffer<Value> moved(n + 3, offset);
  guarded_buffer<index_t> at(buckets + 1), also_at(buckets + 1);
  split_by_key(on, keys, out.items(), at.items());
  split_by_key(on, keys, with.items(), values, moved.items(), also_at.items());
  for (auto* const grouped : {&out, &with}) {
    auto const found = wrong_items(*grouped, items_at(keys, positions));
    if (!found.empty()) return "keys: " + found;
  }
  for (auto* const offsets : {&at, &also_at}) {
    if (auto const found = wrong_items(*offsets, begins); !found.empty()) return "offset: " + found;
  }
  auto const found = wrong_items(moved, items_at(values, positions));
  return found.empty() ? "" : "values: " + found;
}

/// Offsets of segments of n items: many tiny ones, some of them empty, and few huge ones.
inline std::vector<index_t> mixed_offsets(index_t n) {
  random_words words(static_cast<std::uint64_t>(n));
  std::vector<index_t> offsets{0};
  while (offsets.back() < n) {
    std::uint64_t const longest[] = {2, 20, 20, 20, 20, 20, 20, 3000};
    auto const length = static_cast<index_t>(words.below(longest[words.below(8)]));
    // One in a hundred takes a tenth of all.
    offsets.push_back(offsets.back() + (words.below(100) == 0 ? n / 10 : length));
  }
  offsets.back() = n;
  return offsets;
}

/// The positions that sort each segment.
template <class Key>
std::vector<index_t> segment_positions(std::vector<Key> const& keys,
                                       std::vector<index_t> const& offsets, bool descending) {
  std::vector<index_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), index_t{0});
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::stable_sort(positions.begin() + offsets[s], positions.begin() + offsets[s + 1],
                     [&](index_t a, index_t b) {
                       Key const& x = keys[static_cast<std::size_t>(a)];
                       Key const& y = keys[static_cast<std::size_t>(b)];
                       return descending ? comes_before(y, x) : comes_before(x, y);
                     });
  }
  return positions;
}

/// Sorts segments: keys, pairs and positions, into other memory and in place; empty if all is well.
template <class Value, class Key>
std::string segments_error(engine const& on, std::vector<Key> const& keys,
                           std::vector<index_t> const& offsets, sort_direction direction) {
  auto const n = static_cast<index_t>(keys.size());
  sort_options const options{direction, 0, -1};
  auto const positions = segment_positions(keys, offsets, direction == sort_direction::descending);
  auto const values = make_values<Value>(keys.size());
  auto const sorted = items_at(keys, positions);
  auto const sorted_values = items_at(values, positions);
  guarded_buffer<Key> out(n + 3), with(n + 3);
  guarded_buffer<Value> moved(n + 3);
  guarded_buffer<index_t> at(n + 3);
  segmented_sort_keys(on, keys, out.items(), offsets, options);
  if (auto const found = wrong_items(out, sorted); !found.empty()) return "keys: " + found;
  segmented_sort_pairs(on, keys, with.items(), values, moved.items(), offsets, options);
  if (auto const found = wrong_items(with, sorted); !found.empty()) return "of pairs: " + found;
  if (auto const found = wrong_items(moved, sorted_values); !found.empty())
    return "values: " + found;
  segmented_argsort(on, keys, at.items(), offsets, options);
  if (auto const found = wrong_items(at, positions); !found.empty()) return "positions: " + found;
  auto alone = keys, both = keys;
  auto both_values = values;
  segmented_sort_keys(on, alone, alone, offsets, options);
  segmented_sort_pairs(on, both, both, both_values, both_values, offsets, options);
  auto const found = bit_difference(sorted, alone) + bit_difference(sorted, both) +
                     bit_difference(sorted_values, both_values);
  return found.empty() ? "" : "in place: " + found;
}

}  // namespace libscan::test
