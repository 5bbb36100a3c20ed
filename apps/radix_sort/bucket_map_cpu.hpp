// SPDX-License-Identifier: Apache-2.0
// Which bucket of a split a word belongs to, where words are skewed: their highest bits alone would
// put most of them into few buckets. A sample tells how many further bits to go by behind each
// value of the highest ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <apps/radix_sort/leaf_sort_cpu.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// A map from words to buckets that never puts a word into an earlier bucket than a smaller one.
template <class Word>
class bucket_map {
 public:
  /// Goes by `highest`, which holds the highest bits in which words differ, and by bits below it
  /// where many of the `sample` agree in it: a bucket then takes about as many of all words as any
  /// other.
  bucket_map(digit highest, std::vector<Word> const& sample) : highest_(highest) {
    std::vector<std::uint32_t> counts(std::size_t{1} << highest.bits);
    for (Word const word : sample) ++counts[highest.of(word)];
    std::uint32_t base = 0;
    for (std::uint32_t const count : counts) {
      // 2^further is at most this value's share of 2^11.
      auto const share = (std::uint64_t{count} << 11) / std::max<std::size_t>(1, sample.size());
      int const wanted = static_cast<int>(std::bit_width(share)) - 1;
      int const further = count < 4 ? 0 : std::clamp(wanted, 0, highest.shift);
      parts_.push_back({base, static_cast<std::uint16_t>(highest.shift - further),
                        static_cast<std::uint16_t>((1U << further) - 1)});
      base += 1U << further;
    }
    buckets_ = static_cast<int>(base);
  }

  /// One more than the last bucket: at most 2^bits of `highest` and 2^11 more.
  int buckets() const { return buckets_; }

  std::uint32_t of(Word word) const {
    part const here = parts_[highest_.of(word)];
    return here.base + (static_cast<std::uint32_t>(word >> here.shift) & here.mask);
  }

  int end_bit() const { return highest_.shift + highest_.bits; }

 private:
  struct part {
    std::uint32_t base;
    std::uint16_t shift;
    std::uint16_t mask;
  };

  digit highest_;
  std::vector<part> parts_;
  int buckets_ = 0;
};

}  // namespace libscan::inline v1::cpu::detail
