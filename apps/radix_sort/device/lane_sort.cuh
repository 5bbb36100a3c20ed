// SPDX-License-Identifier: Apache-2.0
// The sort of a few keys by one lane, in its registers, or of more by several lanes of a warp.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// Batcher's sorting networks of a few items in one thread's registers ("Sorting networks and their
// applications", 1968): the places that are compared never depend on the items.

/// Puts two items in order.
template <class Item>
__device__ __forceinline__ void compare_exchange(Item& low, Item& high) {
  Item const a = low, b = high;
  bool const swap = b.before(a);
  low = swap ? b : a;
  high = swap ? a : b;
}

/// Odd-even merge sort: sorts Count items, a power of two, such that items[j].before(items[i]) is
/// false for i < j. Not stable.
template <int Count, class Item>
struct odd_even_sort {
  static_assert((Count & (Count - 1)) == 0);

  static __device__ __forceinline__ void sort(Item (&items)[Count]) {
    if constexpr (Count > 1) merge<1, 1>(items);
  }

 private:
  /// Merges sorted runs of `Run` items in pairs, from the step that compares at `Distance` on; then
  /// longer runs.
  template <int Run, int Distance>
  static __device__ __forceinline__ void merge(Item (&items)[Count]) {
    constexpr int first = Distance % Run;
#pragma unroll
    for (int i = first; i + Distance < Count; ++i) {
      bool const of_one_merge = i / (2 * Run) == (i + Distance) / (2 * Run);
      if ((i - first) / Distance % 2 != 0 || !of_one_merge) continue;
      device::compare_exchange(items[i], items[i + Distance]);
    }
    if constexpr (Distance > 1) {
      merge<Run, Distance / 2>(items);
    } else if constexpr (2 * Run < Count) {
      merge<2 * Run, 2 * Run>(items);
    }
  }
};

/// Sorts Count items, a power of two, that ascend up to one of them and descend after it, or a
/// rotation of such a sequence: steps of bitonic sort, from the one that compares at `Distance` on.
template <int Distance, int Count, class Item>
__device__ __forceinline__ void sort_bitonic(Item (&items)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (i / Distance % 2 == 0) device::compare_exchange(items[i], items[i + Distance]);
  }
  if constexpr (Distance > 1) device::sort_bitonic<Distance / 2>(items);
}

/// Merges the items of two halves of `lanes` lanes; each lane has Count items of its half in
/// ascending order, lane by lane. All lanes of the warp call; `lanes`: 2, 4, 8, 16 or 32.
template <int Count, class Item>
__device__ __forceinline__ void merge_lanes(Item (&items)[Count], int lanes) {
  auto const keep = [](Item& own, Item const& other, bool is_upper) {
    if (other.before(own) != is_upper) own = other;
  };
  bool const is_upper = (simt::lane_id() & lanes / 2) != 0;
#pragma unroll
  for (int i = 0; i < Count / 2; ++i) {  // the lowest of one half meet the highest of the other
    Item& a = items[i];
    Item& b = items[Count - 1 - i];
    Item const meets_a = simt::shfl_xor(simt::full_warp, b, lanes - 1);
    Item const meets_b = simt::shfl_xor(simt::full_warp, a, lanes - 1);
    keep(a, meets_a, is_upper);
    keep(b, meets_b, is_upper);
  }
#pragma unroll 1
  for (int distance = lanes / 4; distance > 0; distance /= 2) {
    bool const is_right = (simt::lane_id() & distance) != 0;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      keep(items[i], simt::shfl_xor(simt::full_warp, items[i], distance), is_right);
    }
  }
  device::sort_bitonic<Count / 2>(items);
}

/// A key's word, without its place: enough if the word gives the key back, and no value belongs to
/// it. Like all items here it has last(place), which comes after all keys that have places before
/// it.
template <class Word>
class lone_word {
 public:
  lone_word() = default;
  explicit __device__ __forceinline__ lone_word(Word word) : word_(word) {}
  static __device__ __forceinline__ lone_word last(int) {
    return lone_word(static_cast<Word>(~Word{0}));
  }

  __device__ __forceinline__ Word word() const { return static_cast<Word>(word_); }
  __device__ __forceinline__ bool before(lone_word const& other) const {
    return word_ < other.word_;
  }

 private:
  std::conditional_t<sizeof(Word) < 4, std::uint32_t, Word> word_;
};

/// A key's word together with the key's place, which decides between equal words, so any sort of
/// them is stable.
template <class Word>
class placed_word {
 public:
  placed_word() = default;
  __device__ __forceinline__ placed_word(Word word, int place)
      : word_(word), place_(static_cast<unsigned>(place)) {}
  static __device__ __forceinline__ placed_word last(int place) {
    return {static_cast<Word>(~Word{0}), place};
  }

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
  static __device__ __forceinline__ placed_word last(int place) {
    return {static_cast<Word>(~Word{0}), place};
  }

  __device__ __forceinline__ Word word() const { return static_cast<Word>(both_ >> 16); }
  __device__ __forceinline__ int place() const { return static_cast<int>(both_ & 0xffff); }
  __device__ __forceinline__ bool before(placed_word const& other) const {
    return both_ < other.both_;
  }

 private:
  std::uint32_t both_;
};

/// The words of a key that has several, together with its place.
template <class Order>
class placed_words {
 public:
  using word_type = typename Order::word_type;

  placed_words() = default;
  __device__ __forceinline__ placed_words(Order const& order, typename Order::key_type const& key,
                                          int place)
      : place_(place) {
#pragma unroll
    for (int w = 0; w < Order::words; ++w) {
      word_[w] = static_cast<word_type>(order.word(key, w) & order.counting(w));
    }
  }
  static __device__ __forceinline__ placed_words last(int place) {
    placed_words item;
    for (word_type& word : item.word_) word = static_cast<word_type>(~word_type{0});
    item.place_ = place;
    return item;
  }

  __device__ __forceinline__ int place() const { return place_; }
  __device__ __forceinline__ bool before(placed_words const& other) const {
    bool is_before = place_ < other.place_;
#pragma unroll
    for (int w = 0; w < Order::words; ++w) {  // the most significant decides last
      is_before = word_[w] < other.word_[w] || (word_[w] == other.word_[w] && is_before);
    }
    return is_before;
  }

 private:
  word_type word_[Order::words];
  int place_;
};

/// Whether keys may be sorted as words only, and recovered from the words: they are one word each,
/// and have no values.
template <class Order, class Value>
inline constexpr bool may_sort_alone = Order::invertible&& std::is_void_v<Value>;

/// Whether a key is the one that its word gives back. Some keys are not: those that are equal to
/// others but not identical.
template <class Order>
__device__ __forceinline__ bool recoverable_from_word(Order const& order,
                                                      typename Order::key_type const& key,
                                                      typename Order::word_type word) {
  if constexpr (equal_is_identical<Order>) {
    return true;
  } else {
    typename Order::key_type const said = order.key(word);
    typename Order::word_type a, b;
    static_assert(sizeof(key) == sizeof(word));
    std::memcpy(&a, __builtin_addressof(key), sizeof(a));
    std::memcpy(&b, __builtin_addressof(said), sizeof(b));
    return a == b;
  }
}

/// How many items of a type a thread has in flight at once, in registers.
template <class T>
inline constexpr int items_in_flight = sizeof(T) <= 4    ? 8
                                       : sizeof(T) <= 8  ? 4
                                       : sizeof(T) <= 16 ? 2
                                                         : 1;

/// Sorts runs of items, each by a row of `lanes` lanes. A run has `length` items, at most lanes *
/// Width; item i of the input is item_at(i), and put(i, item) stores item i of the output. All
/// lanes of the warp call, with the same arguments within a run. `lanes`: 1, 2, 4, 8, 16 or 32, the
/// same for all. Each lane reads and stores at places of its own, and stores nothing before it has
/// read all.
template <int Width, class ItemAt, class Put>
__device__ __forceinline__ void sort_by_lanes(int lanes, int length, ItemAt const& item_at,
                                              Put const& put) {
  using Item = decltype(item_at(0));
  int const first = (simt::lane_id() & (lanes - 1)) * Width;
  Item items[Width];
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    items[j] = Item::last(first + j);
    if (j < length - first) items[j] = item_at(first + j);
  }
  odd_even_sort<Width, Item>::sort(items);
#pragma unroll 1
  for (int merged = 2; merged <= lanes; merged *= 2) device::merge_lanes(items, merged);
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    if (j < length - first) put(first + j, items[j]);
  }
}

/// act(width) with the smallest of Width, 2 * Width ... Most that is enough for `longest`.
template <int Max, int Width = 8, class Act>
__device__ __forceinline__ void with_width(unsigned longest, Act const& act) {
  if constexpr (Width >= Max) {
    act(std::integral_constant<int, Max>{});
  } else if (longest <= Width) {
    act(std::integral_constant<int, Width>{});
  } else {
    device::with_width<Max, 2 * Width>(longest, act);
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
