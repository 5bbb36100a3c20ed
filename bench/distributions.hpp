// SPDX-License-Identifier: Apache-2.0
// Every axis along which inputs vary: values of items, lengths of segments, and the share of items
// that a predicate holds for. All data follow from positions, so every engine and every run gets
// the same. Floating-point items are small integers around 0: their sums are exact in any order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <bench/types.hpp>
#include <libscan/core/error.hpp>

namespace libscan::bench {

/// Values of items: any value of the type, or 1 (in floating point 1 and -1 alternately).
inline constexpr std::array<std::string_view, 2> item_axis{"random", "ones"};

/// Lengths of segments: all items in one; 1 each; 1 to 32; P(length >= k) = 1 / k; half of all
/// items in one among segments of 1 to 4; 1 to 32, each followed by an empty one.
inline constexpr std::array<std::string_view, 6> length_axis{"one",       "ones", "short",
                                                             "power-law", "huge", "half-empty"};

/// The same for sorts, and 20 to 60; 16 each; 1024 each; eight of equal length.
inline constexpr std::array<std::string_view, 10> sort_length_axis{
    "one",        "ones",   "short",   "power-law", "huge",
    "half-empty", "medium", "rows-16", "rows-1024", "few-huge"};

/// All of them, and four each.
inline constexpr std::array<std::string_view, 11> all_length_axis{
    "one",    "ones",   "short",   "power-law", "huge",    "half-empty",
    "medium", "rows-4", "rows-16", "rows-1024", "few-huge"};

/// How segments are described: a byte, a bit or a 32-bit key per item, or 32-bit offsets.
inline constexpr std::array<std::string_view, 4> head_axis{"flags", "bits", "keys", "offsets"};

/// How a mask is stored: a byte or a bit per item.
inline constexpr std::array<std::string_view, 2> mask_axis{"bytes", "bits"};

/// The number of items that a filter keeps of a thousand.
inline constexpr std::array<int, 3> keep_axis{10, 500, 990};

/// Values of keys: any of the type; 256 values from the whole range, in random order; ascending;
/// all equal.
inline constexpr std::array<std::string_view, 4> key_axis{"uniform", "256-distinct", "sorted",
                                                          "constant"};

/// Mean lengths of runs of equal items; lengths vary up to twice that.
inline constexpr std::array<int, 3> run_axis{1, 8, 1024};

/// The number of buckets that keys split items into.
inline constexpr std::array<int, 3> bucket_axis{8, 64, 256};

/// Where a split writes: two outputs; one buffer, both parts in their order; one buffer filled from
/// both ends.
inline constexpr std::array<std::string_view, 3> output_axis{"two", "one", "reversed"};

/// The numbers of items of Table 2 in Harris, Sengupta & Owens, "Parallel Prefix Sum (Scan) with
/// CUDA" (2007): 1024, 2048 ... 16777216.
inline std::vector<index_t> paper_sizes() {
  std::vector<index_t> sizes;
  for (index_t n = 1024; n <= 16777216; n *= 2) sizes.push_back(n);
  return sizes;
}

/// The values of an axis as strings, as in options.
template <std::size_t Count>
std::vector<std::string> names_of(std::array<std::string_view, Count> const& axis) {
  return {axis.begin(), axis.end()};
}

/// Host memory that starts uninitialized.
template <class T>
struct host_array {
  std::unique_ptr<T[]> items;
  index_t size = 0;

  explicit host_array(index_t n)
      : items(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n))), size(n) {}
  T* begin() const { return items.get(); }
  T* end() const { return items.get() + size; }
  T& operator[](index_t i) const { return items[static_cast<std::size_t>(i)]; }
  std::span<T const> view() const { return {begin(), end()}; }
};

/// {at(0), ..., at(n - 1)}, made by all cores.
template <class T, class At>
host_array<T> generated(index_t n, At at) {
  host_array<T> result(n);
  index_t const parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (index_t part = 0; part < parts; ++part) {
    helpers.emplace_back([&, part] {
      for (index_t i = n * part / parts; i < n * (part + 1) / parts; ++i) result[i] = at(i);
    });
  }
  for (std::thread& helper : helpers) helper.join();
  return result;
}

/// Word i of a stream of random words (the finaliser of SplitMix64: Steele, Lea & Flood 2014).
LIBSCAN_HOST_DEVICE constexpr std::uint64_t random_word(std::uint64_t stream, index_t i) {
  std::uint64_t x = (static_cast<std::uint64_t>(i) + 1 + (stream << 40)) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Item i, for a value on the axis `item_axis`.
template <class T>
T item_at(bool ones, index_t i) {
  std::uint64_t const word = random_word(0, i);
  if constexpr (std::is_integral_v<T>) {
    return ones ? T{1} : static_cast<T>(word);
  } else if constexpr (std::is_same_v<T, affine_map>) {
    if (ones) return {1, 1};
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  } else {
    // A walk of 2^28 such steps stays below 2^24, a half's below 2^16.
    int const most = sizeof(T) == 2 ? 1 : 63;
    int const step = static_cast<int>(word % static_cast<unsigned>(2 * most + 1)) - most;
    return static_cast<T>(static_cast<float>(!ones ? step : i % 2 == 0 ? 1 : -1));
  }
}

/// n items for a name on `item_axis`.
template <class T>
host_array<T> items_of(std::string_view values, index_t n) {
  bool const ones = values == "ones";
  return generated<T>(n, [=](index_t i) { return item_at<T>(ones, i); });
}

/// Item i of the input of a filter or a mask: uniform in [0, 1000).
LIBSCAN_HOST_DEVICE constexpr std::uint32_t per_mille_at(index_t i) {
  return static_cast<std::uint32_t>(random_word(1, i) % 1000);
}

/// `per_mille_at` as a functor.
struct split_item_at {
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const { return per_mille_at(i); }
};

/// Item i of those that a mask selects from: any value.
struct word_at {
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(random_word(0, i));
  }
};

/// Byte i of a mask that marks `per_mille` items of a thousand.
struct flag_at {
  std::uint32_t per_mille;
  LIBSCAN_HOST_DEVICE std::uint8_t operator()(index_t i) const {
    return per_mille_at(i) < per_mille ? 1 : 0;
  }
};

/// Word w of the same mask as bits.
struct flags_at {
  flag_at flag;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t w) const {
    std::uint32_t word = 0;
    for (int bit = 0; bit < 32; ++bit) word |= std::uint32_t{flag(32 * w + bit)} << bit;
    return word;
  }
};

/// The least bytes that a filter by such a mask moves: the mask, the sectors of memory that hold
/// kept 32-bit items, and those items once more.
inline double masked_bytes(index_t n, index_t kept, flag_at flag, index_t mask_bytes) {
  constexpr int sector_items = 32 / sizeof(std::uint32_t);
  double const read = 1 - std::pow(1 - flag.per_mille / 1000.0, sector_items);
  double const items = read * static_cast<double>(n) + static_cast<double>(kept);
  return sizeof(std::uint32_t) * items + static_cast<double>(mask_bytes);
}

/// Item i of runs of equal items with this mean length: the k-th run begins anywhere in the k-th
/// piece of that length.
struct run_item_at {
  int length;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    index_t const piece = i / length;
    auto const skipped =
        static_cast<index_t>(random_word(4, piece) % static_cast<unsigned>(length));
    bool const begun = i >= piece * length + skipped;
    return static_cast<std::uint32_t>(random_word(5, begun ? piece + 1 : piece));
  }
};

/// Key i of n, for a value on the axis `key_axis`. Key: an unsigned type.
template <class Key>
class key_at {
 public:
  /// Throws `invalid_argument` if the axis has no such name.
  key_at(std::string_view values, index_t n)
      : kind_(std::find(key_axis.begin(), key_axis.end(), values) - key_axis.begin()),
        n_(static_cast<std::uint64_t>(n)) {
    if (kind_ < static_cast<index_t>(key_axis.size())) return;
    throw invalid_argument("keys \"" + std::string(values) + "\" are unknown");
  }

  LIBSCAN_HOST_DEVICE Key operator()(index_t i) const {
    std::uint64_t const word = random_word(6, i);
    if (kind_ == 0) return static_cast<Key>(word);
    if (kind_ == 1) return static_cast<Key>(random_word(7, static_cast<index_t>(word % 256)));
    if (kind_ == 3) return static_cast<Key>(random_word(7, 0));
    std::uint64_t const most = static_cast<Key>(~Key{0}), step = most / n_;
    auto const place = static_cast<std::uint64_t>(i);
    return static_cast<Key>(step > 0 ? place * step + word % step : place / (n_ / most + 1));
  }

 private:
  index_t kind_;
  std::uint64_t n_;
};

/// Values that travel with keys, all different.
struct value_at {
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(i) * 0x9e3779b1u;
  }
};

/// Positions.
struct position_at {
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(i);
  }
};

/// The bucket of item i, uniform over all buckets.
struct bucket_at {
  int buckets;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(random_word(8, i) % static_cast<unsigned>(buckets));
  }
};

namespace detail {

/// The length of a segment that begins at item i of n.
inline index_t segment_length(std::string_view lengths, index_t i, index_t n) {
  std::uint64_t const word = random_word(2, i);
  if (lengths == "one") return n;
  if (lengths == "ones") return 1;
  if (lengths == "short" || lengths == "half-empty") return static_cast<index_t>(1 + word % 32);
  if (lengths == "medium") return static_cast<index_t>(20 + word % 41);
  if (lengths == "rows-4") return 4;
  if (lengths == "rows-16") return 16;
  if (lengths == "rows-1024") return 1024;
  if (lengths == "few-huge") return ceil_div(n, index_t{8});
  if (lengths == "power-law") {
    double const u = (static_cast<double>(word >> 11) + 1) / 9007199254740992.0;
    return static_cast<index_t>(std::min(static_cast<double>(n), std::floor(1 / u)));
  }
  if (lengths == "huge") {
    // Met once, since it ends after 3 n / 4.
    if (i >= n / 4 && i < 3 * n / 4) return n / 2;
    return static_cast<index_t>(1 + word % 4);
  }
  throw invalid_argument("lengths of segments \"" + std::string(lengths) + "\" are unknown");
}

}  // namespace detail

/// The begins of the segments of n items, and n at the end. `lengths` is a name on
/// `all_length_axis`. Throws `invalid_argument` for other names, and for n above 2^31 - 1.
inline std::vector<std::int32_t> offsets_of(std::string_view lengths, index_t n) {
  if (n > INT32_MAX) throw invalid_argument("segments are measured up to 2^31 - 1 items");
  std::vector<std::int32_t> offsets{0};
  for (index_t i = 0; i < n;) {
    i = std::min(n, i + detail::segment_length(lengths, i, n));
    offsets.push_back(static_cast<std::int32_t>(i));
    if (lengths == "half-empty" && i < n) offsets.push_back(static_cast<std::int32_t>(i));
  }
  return offsets;
}

}  // namespace libscan::bench
