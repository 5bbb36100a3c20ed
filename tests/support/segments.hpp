// SPDX-License-Identifier: Apache-2.0
// Segments for tests: their lengths, the descriptors that say where they begin, and the expected
// results of scans and reductions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {

/// The distribution of the lengths of segments.
enum class segment_shape : std::uint8_t {
  one,               ///< all items in one
  single,            ///< one item each
  some_empty,        ///< 0 to 3 items each, and runs of empty ones
  power_law,         ///< most have a few items, a few have most items
  huge_among_tiny,   ///< 1 or 2 items each, except for one with half of all
  around_multiples,  ///< head flags just before, at and just after the multiples of 128
};

/// All shapes.
inline std::vector<segment_shape> all_segment_shapes() {
  return {
      segment_shape::one,       segment_shape::single,          segment_shape::some_empty,
      segment_shape::power_law, segment_shape::huge_among_tiny, segment_shape::around_multiples};
}

/// In words, for the messages of tests.
inline std::string to_string(segment_shape shape) {
  char const* const names[] = {"one segment", "single items",    "empty segments",
                               "power law",   "huge among tiny", "around multiples"};
  return names[static_cast<int>(shape)];
}

namespace detail {

inline index_t segment_length(segment_shape shape, index_t begin, index_t n, random_words& words) {
  switch (shape) {
    case segment_shape::one:
      return n;
    case segment_shape::single:
      return 1;
    case segment_shape::some_empty:
      return static_cast<index_t>(words.below(3) == 0 ? words.below(4) : 0);
    case segment_shape::power_law:
      return static_cast<index_t>(1 +
                                  (std::uint64_t{1} << words.below(14)) / (1 + words.below(64)));
    case segment_shape::huge_among_tiny:
      return begin >= n / 4 && begin < n / 4 + 2 ? std::max<index_t>(1, n / 2)
                                                 : static_cast<index_t>(1 + words.below(2));
    case segment_shape::around_multiples: {
      index_t const next = (begin / 128 + 1) * 128 + static_cast<index_t>(words.below(3)) - 1;
      return std::max<index_t>(1, next - begin);
    }
  }
  return n;
}

}  // namespace detail

/// Offsets of segments of this shape that cover n items: one more than the number of segments.
inline std::vector<index_t> make_offsets(segment_shape shape, index_t n, std::uint64_t stream = 0) {
  random_words words(stream * 7919 + static_cast<std::uint64_t>(n));
  std::vector<index_t> offsets{0};
  while (offsets.back() < n) {
    index_t const begin = offsets.back();
    offsets.push_back(std::min(n, begin + detail::segment_length(shape, begin, n, words)));
  }
  if (shape == segment_shape::some_empty) offsets.insert(offsets.end(), 5, n);
  return offsets;
}

/// A byte per item: a nonzero value where a non-empty segment begins.
inline std::vector<std::uint8_t> flags_of(std::vector<index_t> const& offsets) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(offsets.back()), 0);
  for (index_t const at : offsets) {
    if (at < offsets.back())
      flags[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(1 << at % 8);
  }
  return flags;
}

/// The same as bits: bit i of word w is item 32 w + i. Bits after the last item are set.
inline std::vector<std::uint32_t> bits_of(std::vector<std::uint8_t> const& flags) {
  std::vector<std::uint32_t> words((flags.size() + 31) / 32, 0);
  for (std::size_t i = 0; i < words.size() * 32; ++i) {
    if (i >= flags.size() || flags[i] != 0) words[i / 32] |= 1U << i % 32;
  }
  return words;
}

/// Keys that change exactly at head flags; segments may share keys, neighbors do not.
template <class Key>
std::vector<Key> keys_of(std::vector<std::uint8_t> const& flags) {
  std::vector<Key> keys;
  keys.reserve(flags.size());
  unsigned segment = 0;
  for (std::uint8_t const flag : flags) {
    if (flag != 0) ++segment;
    keys.push_back(static_cast<Key>(segment % 3));
  }
  return keys;
}

/// A segmented scan, one item after the other, with `init` before each segment.
template <class Op, class Item>
std::vector<typename Op::value_type> segmented_oracle(scan_kind kind, std::vector<Item> const& in,
                                                      std::vector<std::uint8_t> const& heads, Op op,
                                                      typename Op::value_type init) {
  using T = typename Op::value_type;
  std::vector<T> out;
  out.reserve(in.size());
  auto const plain = oracle_of(op);
  T sum = init;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (heads[i] != 0) sum = init;
    T const before = sum;
    sum = plain(before, static_cast<T>(in[i]));
    out.push_back(kind == scan_kind::inclusive ? sum : before);
  }
  return out;
}

/// The total of each segment between offsets, including empty ones.
template <class Op, class Item>
std::vector<typename Op::value_type> segment_totals_oracle(std::vector<Item> const& in,
                                                           std::vector<index_t> const& offsets,
                                                           Op op, typename Op::value_type init) {
  using T = typename Op::value_type;
  auto const plain = oracle_of(op);
  std::vector<T> totals;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T sum = init;
    for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      sum = plain(sum, static_cast<T>(in[static_cast<std::size_t>(i)]));
    }
    totals.push_back(sum);
  }
  return totals;
}

/// Without the empty segments.
inline std::vector<index_t> without_empty(std::vector<index_t> offsets) {
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

}  // namespace libscan::test
