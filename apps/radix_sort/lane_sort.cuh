// SPDX-License-Identifier: Apache-2.0
// The stable sort of up to 32 keys by one lane, in its registers; the lanes of a warp each sort
// keys of their own.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/sorting_network.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A key's word together with the key's place, which decides between equal words: so that any sort
/// of them is stable.
template <class Word>
class placed_word {
 public:
  placed_word() = default;
  __device__ __forceinline__ placed_word(Word word, int place)
      : word_(word), place_(static_cast<unsigned>(place)) {}

  __device__ __forceinline__ Word word() const { return word_; }
  __device__ __forceinline__ int place() const { return static_cast<int>(place_); }
  __device__ __forceinline__ bool before(placed_word const& other) const {
    if constexpr (sizeof(Word) == 4) {
      return both() < other.both();  // two instructions
    } else {
      return word_ < other.word_ || (word_ == other.word_ && place_ < other.place_);
    }
  }

 private:
  __device__ __forceinline__ std::uint64_t both() const {
    return std::uint64_t{word_} << 32 | place_;
  }

  Word word_;
  unsigned place_;
};
/// Short words share 32 bits with their place.
template <class Word>
requires(sizeof(Word) <= 2) class placed_word<Word> {
 public:
  placed_word() = default;
  __device__ __forceinline__ placed_word(Word word, int place)
      : both_(std::uint32_t{word} << 16 | static_cast<unsigned>(place)) {}

  __device__ __forceinline__ Word word() const { return static_cast<Word>(both_ >> 16); }
  __device__ __forceinline__ int place() const { return static_cast<int>(both_ & 0xffff); }
  __device__ __forceinline__ bool before(placed_word const& other) const {
    return both_ < other.both_;
  }

 private:
  std::uint32_t both_;
};

/// How many items of a type a thread has on their way at once, in registers.
template <class T>
inline constexpr int items_on_their_way = sizeof(T) <= 4    ? 8
                                          : sizeof(T) <= 8  ? 4
                                          : sizeof(T) <= 16 ? 2
                                                            : 1;

/// Keys that one lane sorts, at most.
inline constexpr int most_lane_items = 32;

/// Sorts `length` keys, at most Width: the word of the j-th is word_at(j), that which comes p-th
/// put(p, word, j).
template <int Width, class Word, class WordAt, class Put>
__device__ __forceinline__ void sort_words(int length, WordAt word_at, Put put) {
  using placed = placed_word<Word>;
  placed items[Width];
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    auto word = static_cast<Word>(~Word{0});
    if (j < length) word = word_at(j);
    items[j] = placed(word, j);
  }
  auto const before = [](placed const& a, placed const& b) { return a.before(b); };
  sorting_network<Width, placed, decltype(before)>::sort(items, before);
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    if (j < length) put(j, items[j].word(), items[j].place());
  }
}

/// Sorts `length` keys that are more than a word: place(p) = which of key_at(0), key_at(1) ...
/// comes p-th. By insertion, so rare that short code is better than quick code.
template <class Order, class KeyAt, class Place>
__device__ void sort_places(int length, Order const& order, KeyAt key_at, Place place) {
  for (int j = 0; j < length; ++j) {
    int to = j;
    while (to > 0 && order(key_at(j), key_at(static_cast<int>(place(to - 1))))) {
      place(to) = place(to - 1);
      --to;
    }
    place(to) = static_cast<std::remove_reference_t<decltype(place(to))>>(j);
  }
}

/// act(width), as a compile-time constant, with the least width that is enough for the keys of each
/// lane of the warp, at most Most. All lanes call.
template <int Most = most_lane_items, class Act>
__device__ __forceinline__ void with_width(int length, Act act) {
  static_assert(Most == 16 || Most == 32);
  unsigned const longest = simt::reduce_max(simt::full_warp, static_cast<unsigned>(length));
  if (longest <= 8) {
    act(std::integral_constant<int, 8>{});
  } else if (longest <= 16) {
    act(std::integral_constant<int, 16>{});
  } else if constexpr (Most > 16) {
    act(std::integral_constant<int, Most>{});
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
