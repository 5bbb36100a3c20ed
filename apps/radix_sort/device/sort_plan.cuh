// SPDX-License-Identifier: Apache-2.0
// The passes of a sort: its digits; where their counts are; and, decided on the device from the
// counts, which of the passes move anything, from which buffer into which.
#pragma once

#include <cstddef>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <apps/radix_sort/core/sort_overlap.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/arguments.cuh>
#include <libscan/device/item_count.cuh>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// The counts that the tiles of a pass publish: the number of items of each digit in a tile, then in
// it and all tiles before it (decoupled look-back, Merrill & Garland 2016, with 256 counts a tile
// as in Onesweep, Adinets & Merrill 2022).

/// The most values that a digit of a sort can take.
inline constexpr int digit_values = 256;

/// A row of counts for each tile, and the number of tiles claimed, in device memory that must be
/// zero when a pass begins. Every count is in one word with its status, so no memory needs
/// ordering. A count has 30 bits, so a table serves up to 2^30 - 1 items. A small value, passed to
/// kernels.
class digit_table {
  static constexpr int first_row = 64;  // the ticket has memory lines of its own
  static constexpr unsigned own = 1u << 30;
  static constexpr unsigned prefix = 2u << 30;
  static constexpr unsigned count_mask = own - 1;

 public:
  digit_table() = default;
  LIBSCAN_HOST_DEVICE digit_table(unsigned* words, index_t count) : words_(words), count_(count) {}

  /// Words of device memory for `tiles` tiles.
  static constexpr index_t words(index_t tiles) { return first_row + tiles * digit_values; }

  /// Clears a part: thread `rank` of `ranks` calls with its own number.
  __device__ void clear(index_t rank, index_t ranks) const {
    for (index_t i = rank; i < count_; i += ranks) words_[i] = 0;
  }

  /// The next unclaimed tile.
  __device__ int claim() const {
    return static_cast<int>(
        simt::atomic_ref<unsigned>(words_[0]).fetch_add(1, simt::memory_order_relaxed));
  }

  /// Publishes how many items of a digit the tile has.
  __device__ void publish(int tile, int digit, unsigned count) const {
    at(tile, digit).store((tile == 0 ? prefix : own) | count, simt::memory_order_relaxed);
  }

  /// Returns how many items of a digit the tiles before this one have, and publishes the sum of
  /// those and this tile's `count`. Waits for earlier tiles to publish.
  __device__ unsigned look_back(int tile, int digit, unsigned count) const {
    if (tile == 0) return 0;
    unsigned before = 0;
    for (int other = tile - 1;;) {
      unsigned const word = at(other, digit).load(simt::memory_order_relaxed);
      if (word == 0) continue;
      before += word & count_mask;
      if ((word & prefix) != 0) break;
      --other;
    }
    publish_prefix(tile, digit, before + count);
    return before;
  }

  /// What a tile has published for a digit; never waits. See `is_there`, `is_prefix`, `count_of`.
  __device__ unsigned read(int tile, int digit) const {
    return at(tile, digit).load(simt::memory_order_relaxed);
  }
  static __device__ bool is_there(unsigned word) { return word != 0; }
  static __device__ bool is_prefix(unsigned word) { return (word & prefix) != 0; }
  static __device__ unsigned count_of(unsigned word) { return word & count_mask; }

  /// Publishes how many items of a digit the tiles up to this one have.
  __device__ void publish_prefix(int tile, int digit, unsigned count) const {
    at(tile, digit).store(prefix | count, simt::memory_order_relaxed);
  }

 private:
  __device__ simt::atomic_ref<unsigned> at(int tile, int digit) const {
    return simt::atomic_ref<unsigned>(words_[first_row + index_t{tile} * digit_values + digit]);
  }

  unsigned* words_ = nullptr;
  index_t count_ = 0;
};

/// The most bits of a digit.
inline constexpr int digit_bits = libscan::detail::sort_digit_bits;

/// A digit: bits [shift, shift + bits) of a key's word `word`, counted from the least significant.
/// Without bits, all keys agree.
struct digit_place {
  int word;
  int shift;
  int bits;

  template <class Order>
  __device__ __forceinline__ unsigned digit(Order const& order,
                                            typename Order::key_type const& key) const {
    return bits_of(order.word(key, word));
  }

  /// The digit, from the word that it is in.
  template <class Word>
  __device__ __forceinline__ unsigned bits_of(Word of_key) const {
    return static_cast<unsigned>(of_key >> shift) & ((1u << bits) - 1u);
  }
};

/// The bits of a key that are sorted after the pass over `place`: the order's bits up to the
/// digit's end, or all of them if no digit is left and sorted keys move once more.
template <class Order>
__device__ __forceinline__ typename Order::word_type sorted_bits(
    Order const& order, digit_place const& place, typename Order::key_type const& key) {
  using word = typename Order::word_type;
  int const end = place.bits == 0 ? Order::word_bits : place.shift + place.bits;
  auto const up_to_end = static_cast<word>(static_cast<word>(~word{0}) >> (Order::word_bits - end));
  return static_cast<word>(order.word(key) & (up_to_end >> order.first_bit << order.first_bit));
}

/// Whether keys without values that are equal in the order's bits keep their order.
enum class sort_stability : std::uint8_t { stable, any_order };

/// Whether ascending `sorted_bits` show that a pass is right: equal keys may come in any order, or
/// are identical. Not for floats, whose zeros differ.
template <class Order>
bool keys_are_witness(Order const& order, sort_stability stability = sort_stability::stable) {
  return equal_is_identical<Order> &&
         (stability == sort_stability::any_order || order.has_all_bits());
}

/// The digit that begins at a bit of the order.
template <class Order>
LIBSCAN_HOST_DEVICE digit_place digit_at(Order const& order, int bit) {
  int const word = bit / Order::word_bits;
  int const end_of_word = (word + 1) * Order::word_bits;
  int const end = order.end() < end_of_word ? order.end() : end_of_word;
  int const bits = end - bit < digit_bits ? end - bit : digit_bits;
  return {word, bit - word * Order::word_bits, bits};
}

/// The digits that make up the bits of the order, from the least significant.
template <class Order>
std::vector<digit_place> digit_places(Order const& order) {
  std::vector<digit_place> places;
  for (int bit = order.first_bit; bit < order.end(); bit += places.back().bits) {
    places.push_back(device::digit_at(order, bit));
  }
  return places;
}

/// Where items come from, where they end, and where they are in between. `in` may be null: items
/// are their positions. `in` may be `out`, or `other`.
template <class T>
struct sort_buffers {
  T const* in = nullptr;
  T* out = nullptr;
  T* other = nullptr;
};

/// Keys without values.
template <>
struct sort_buffers<void> {};

/// The memory of a call's items.
template <class Key, class Value>
libscan::detail::sort_memory_places memory_of(sort_buffers<Key> const& keys,
                                              sort_buffers<Value> const& values, index_t n) {
  libscan::detail::sort_memory_places places;
  places.keys_in = device::memory_of(keys.in, n);
  places.keys_out = device::memory_of(keys.out, n);
  if constexpr (!std::is_void_v<Value>) {
    places.values_in = device::memory_of(values.in, n);
    places.values_out = device::memory_of(values.out, n);
  }
  return places;
}

/// Where values come from and where they end; null if keys have no values.
template <class Value>
__device__ Value const* input_of(sort_buffers<Value> const& values) {
  return values.in;
}
template <class Value>
__device__ Value* output_of(sort_buffers<Value> const& values) {
  return values.out;
}
inline __device__ char const* input_of(sort_buffers<void> const&) { return nullptr; }
inline __device__ char* output_of(sort_buffers<void> const&) { return nullptr; }

/// How many passes a sort must make: any number; or an even or odd one, since the items begin in
/// `out` or in `other`.
enum class pass_count : unsigned char { any, even, odd };

/// What a pass does.
struct sort_step {
  int runs;           // or moves nothing
  int passes_before;  // that run
  int from_in;        // reads where the items come from
  int into_out;       // writes to where they end
};

/// What the passes of a sort share on the device.
struct sort_state {
  unsigned long long* counts;  // [pass][2][digit_values]: of each digit, later where it begins
  sort_step* steps;            // [pass]
  unsigned* arrived;           // blocks that have counted all theirs
  unsigned* tables;            // two of them
  index_t table_words;         // of each

  /// Where the items of each digit begin, of a pass's even or odd portions.
  __device__ unsigned long long* begins(int pass, index_t portion) const {
    return counts + (index_t{pass} * 2 + portion % 2) * digit_values;
  }

  /// Tables take turns.
  __device__ digit_table table(index_t turn) const {
    return {tables + turn % 2 * table_words, table_words};
  }
};

/// Where to store at which item each bucket of the first digit begins; or null.
struct bucket_offsets {
  index_t* out = nullptr;  // buckets + 1 of them
  int buckets = 0;

  __device__ void store(int bucket, index_t begin) const {
    if (out != nullptr && bucket <= buckets) out[bucket] = begin;
  }
  /// Stores the begin and the end of a bucket.
  __device__ void store_bucket(unsigned bucket, index_t begin, index_t end) const {
    if (bucket == 0) store(0, begin);
    store(static_cast<int>(bucket) + 1, end);
  }
};

/// The digits of a sort in one launch, and where to store at which items the values of one digit
/// begin.
struct digit_list {
  static constexpr std::size_t max_digits = 16;
  int count = 0;
  digit_place place[max_digits] = {};
  bucket_offsets offsets = {};

  digit_list(std::vector<digit_place> const& places, bucket_offsets to_tell) : offsets(to_tell) {
    for (digit_place const next : places) place[count++] = next;
  }
};

/// Which of the passes run. By one thread; `runs` of each step says whether its keys differ.
__device__ inline void plan_passes(sort_step* steps, int passes, pass_count wanted) {
  int running = 0;
  for (int p = 0; p < passes; ++p) running += steps[p].runs;
  // One more pass is a copy: the keys agree in its digit.
  bool const one_more =
      wanted == pass_count::any ? running == 0 : (running % 2 == 1) != (wanted == pass_count::odd);
  bool added = !one_more;
  for (int p = 0; p < passes && !added; ++p) {
    if (steps[p].runs != 0) continue;
    steps[p].runs = 1;
    ++running;
    added = true;
  }
  int before = 0;
  for (int p = 0; p < passes; ++p) {
    steps[p].passes_before = before;
    steps[p].from_in = before == 0 ? 1 : 0;
    steps[p].into_out = (running - 1 - before) % 2 == 0 ? 1 : 0;
    before += steps[p].runs;
  }
}

/// The buffer a step reads; null if items are their positions.
template <class T>
__device__ T const* source_of(sort_step const& step, sort_buffers<T> const& buffers) {
  if (step.from_in != 0) return buffers.in;
  return step.into_out != 0 ? buffers.other : buffers.out;
}

/// The buffer a step writes.
template <class T>
__device__ T* target_of(sort_step const& step, sort_buffers<T> const& buffers) {
  return step.into_out != 0 ? buffers.out : buffers.other;
}

/// Turns the number of items of each digit into the digits' first places, from `first` on. By one
/// warp.
template <class Count>
__device__ void begin_digits(Count* counts, index_t first) {
  constexpr int lane_digits = digit_values / simt::warp_size;
  Count* const begins = counts + simt::lane_id() * lane_digits;
  index_t count[lane_digits];
  index_t sum = 0;
#pragma unroll
  for (int j = 0; j < lane_digits; ++j) {
    count[j] = static_cast<index_t>(begins[j]);
    sum += count[j];
  }
  index_t next = warp::exclusive_scan(sum, plus<index_t>{}).prefix + first;
#pragma unroll
  for (int j = 0; j < lane_digits; ++j) {
    begins[j] = static_cast<Count>(next);
    next += count[j];
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
