// SPDX-License-Identifier: Apache-2.0
// Where segments begin, and which items are kept.
#include <algorithm>
#include <vector>

#include <apps/check/case_data.hpp>
#include <apps/check/case_parts.hpp>
#include <apps/check/parallel.hpp>

namespace libscan::apps {
namespace {

index_t length_of(check_case const& c, index_t begin, std::uint64_t k) {
  std::uint64_t const word = random_word(c.word(for_lengths), k);
  switch (c.shape) {
    case segment_shape::one:
      return c.n;
    case segment_shape::single:
      return 1;
    case segment_shape::some_empty:
      return static_cast<index_t>(word % 3 == 0 ? word / 3 % 40 : 0);
    case segment_shape::power_law: {
      auto const share = static_cast<index_t>(1 + (word >> 16) % 65536);
      return std::max<index_t>(1, std::min<index_t>(c.n, 65536 / share));
    }
    case segment_shape::huge_among_tiny:
      break;
  }
  bool const huge = begin >= c.n / 4 && begin < c.n / 4 + 3;
  return huge ? std::max<index_t>(1, c.n / 2) : static_cast<index_t>(1 + word % 3);
}

/// Calls found(begin) for each segment, which may be empty.
template <class Found>
void each_segment(check_case const& c, Found found) {
  index_t begin = 0;
  for (std::uint64_t k = 0; begin < c.n; ++k) {
    found(begin);
    begin = std::min(c.n, begin + length_of(c, begin, k));
  }
}

void make_flags(check_case const& c, std::uint8_t* flags) {
  std::uint64_t const words = c.word(for_flags);
  auto const percent = static_cast<std::uint64_t>(c.keep_percent);
  in_pieces(c.n, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      std::uint64_t const word = random_word(words, static_cast<std::uint64_t>(i));
      // Any nonzero value is true.
      flags[i] = static_cast<std::uint8_t>(word % 100 < percent ? 1 + (word >> 32) % 255 : 0);
    }
  });
}

/// Bits after the last item are set if the flags' values are random.
template <class Flag>
void pack_bits(index_t n, Flag const& flag, std::uint32_t* words) {
  in_pieces(ceil_div(n, index_t{32}), [&](index_t begin, index_t end) {
    for (index_t w = begin; w < end; ++w) {
      std::uint32_t word = 0;
      for (index_t i = 0; i < 32; ++i) {
        if (32 * w + i >= n || flag(32 * w + i)) word |= std::uint32_t{1} << i;
      }
      words[w] = word;
    }
  });
}

/// Makes the description of segments.
void make_segments(check_case const& c, placed in) {
  std::vector<std::uint8_t> heads(static_cast<std::size_t>(c.n), 0);
  auto* const offsets = in.at<index_t>(slot::places);
  index_t s = 0;
  each_segment(c, [&](index_t begin) {
    heads[static_cast<std::size_t>(begin)] = 1;
    if (offsets != nullptr) offsets[s++] = begin;
  });
  if (offsets != nullptr) offsets[s] = c.n;
  if (auto* const flags = in.at<std::uint8_t>(slot::flags)) {
    for (index_t i = 0; i < c.n; ++i) {
      flags[i] = heads[static_cast<std::size_t>(i)] != 0 ? static_cast<std::uint8_t>(i | 1) : 0;
    }
  }
  if (auto* const words = in.at<std::uint32_t>(slot::bits)) {
    pack_bits(
        c.n, [&](index_t i) { return heads[static_cast<std::size_t>(i)] != 0; }, words);
  }
  if (c.what == task::segmented_by_keys || c.what == task::sums_by_keys) {
    auto* const keys = in.at<std::int32_t>(slot::keys);
    std::int32_t key = 0;
    for (index_t i = 0; i < c.n; ++i) {
      key = (key + heads[static_cast<std::size_t>(i)]) % 3;
      keys[i] = key;
    }
  }
}

}  // namespace

index_t count_segments(check_case const& c) {
  if (!in_segments(c.what)) return 0;
  if (c.what == task::sums_by_length) return ceil_div(c.n, segment_length(c));
  index_t count = 0;
  each_segment(c, [&](index_t) { ++count; });
  return count;
}

void make_marks(check_case const& c, placed in) {
  if (in_segments(c.what)) {
    make_segments(c, in);
  } else if (by_flags(c.what)) {
    make_flags(c, in.at<std::uint8_t>(slot::flags));
  } else if (by_bits(c.what)) {
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(c.n));
    make_flags(c, flags.data());
    pack_bits(
        c.n, [&](index_t i) { return flags[static_cast<std::size_t>(i)] != 0; },
        in.at<std::uint32_t>(slot::bits));
  }
}

}  // namespace libscan::apps
