// SPDX-License-Identifier: Apache-2.0
// The bucket of a word in a split of skewed words, whose highest bits would put most of them into
// few buckets. A sample shows how many further bits to use after each value of the highest ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <apps/radix_sort/cpu/leaf_sort.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// A map from words to buckets that is monotonic.
template <class Word>
class bucket_map {
 public:
  /// Uses `highest`, the highest bits in which words differ, and bits below it where many of the
  /// `sample` agree in it: all buckets then get about equal shares.
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
