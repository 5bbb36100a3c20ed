// SPDX-License-Identifier: Apache-2.0
// Sorts and splits by key of device memory, with the types of values converted into sizes, and the
// machines with kernels that run them, in plain C++. radix_sort_device.cuh,
// segmented_sort_device.cuh and split_by_key_device.cuh implement those. Internal: users include
// the public headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <apps/radix_sort/core/key_order.hpp>
#include <apps/radix_sort/core/listed_segments.hpp>
#include <libscan/core/function_ref.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1::detail {

/// A sort of n keys, or of *d_n at most n if that is not null. All pointers are to device memory.
struct sort_call {
  void const* keys = nullptr;
  void* out = nullptr;           ///< null: the sorted keys are not wanted, only positions
  void const* values = nullptr;  ///< null: values are positions
  void* values_out = nullptr;    ///< null: there are no values
  int value_bytes = 0;           ///< of values, or of positions: 4 or 8
  index_t n = 0;
  index_t const* d_n = nullptr;
  bool in_segments = false;          ///< whether each segment is sorted by itself
  index_t const* offsets = nullptr;  ///< of sorts within segments: segments + 1
  index_t segments = 0;
  segmentation described = {};  ///< the segments in another form, if it has one
  bool any_order = false;       ///< of keys without values: equal ones may come in any order
};

/// A split by keys, which are unsigned integers of `key_bytes` in [0, buckets). All pointers are to
/// device memory. Values as of `sort_call`.
struct split_call {
  int key_bytes = 0;
  void const* keys = nullptr;
  void* out = nullptr;
  void const* values = nullptr;
  void* values_out = nullptr;
  int value_bytes = 0;
  index_t n = 0;
  index_t const* d_n = nullptr;
  index_t* offsets = nullptr;  ///< buckets + 1
  int buckets = 0;
};

/// Sets the segments of a call.
inline void set_described(sort_call& call, segmentation const& segments) {
  call.in_segments = segments.how() != segmentation::form::none;
  bool const direct = segments.how() == segmentation::form::offsets &&
                      detail::size_of(segments.type()) == sizeof(index_t);
  if (!direct) {
    call.described = segments;
    return;
  }
  call.offsets = static_cast<index_t const*>(segments.data());
  call.segments = segments.count();
}

/// Whether values have a size that no kernel moves: then positions move, and tell where values come
/// from.
inline bool moves_by_positions(int value_bytes) {
  return value_bytes != 0 && value_bytes != sizeof(std::uint32_t) &&
         value_bytes != sizeof(std::uint64_t);
}

/// Bytes of positions of n items, and of a number that is none.
inline int position_bytes(index_t n) {
  return n < (index_t{1} << 32) - 1 ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

/// A sort or split that has no values if it has no place for them. Throws `invalid_argument` for
/// misaligned keys, and for misaligned values that kernels move as words.
template <class Call>
Call checked_items(Call call, std::size_t key_bytes) {
  if (call.values_out == nullptr) call.value_bytes = 0;
  detail::require_aligned_words(call.keys, key_bytes);
  detail::require_aligned_words(call.out, key_bytes);
  if (detail::moves_by_positions(call.value_bytes)) return call;
  auto const value_bytes = static_cast<std::size_t>(call.value_bytes);
  detail::require_aligned_words(call.values, value_bytes);
  detail::require_aligned_words(call.values_out, value_bytes);
  return call;
}

/// `checked_items` of a sort. Throws `invalid_argument` for one without outputs, too, or between
/// offsets that are missing.
sort_call checked_sort(sort_call const& call, std::size_t key_bytes);

/// Whether kernels sort such a call only after it is prepared: its segments are not described by
/// offsets of index_t, its values have neither 4 nor 8 bytes, or it writes over its input within
/// segments.
bool needs_preparation(sort_call const& call);

/// Prepares a call with keys of `key_bytes`, passes it to sort(queue, call), and moves what is
/// sorted. `needs` is the workspace of all that.
void enqueue_prepared_sort(device_queue const& queue, sort_call const& call, std::size_t key_bytes,
                           std::size_t needs,
                           function_ref<void(device_queue const&, sort_call const&)> sort);

/// Its workspace; bytes(call) is that of `sort`.
std::size_t prepared_sort_bytes(engine const& on, sort_call const& call, std::size_t key_bytes,
                                function_ref<std::size_t(sort_call const&)> bytes);

/// Checks the call and puts it in the queue. Throws `invalid_argument` for an engine that runs no
/// kernels.
void enqueue_split(device_queue const& queue, split_call const& call);

/// Bytes of workspace that it needs at most; n and the sizes of keys and values matter.
std::size_t enqueued_split_bytes(engine const& on, split_call const& call);

/// The sort of keys of type Key on a `cuda_device` or an `executor_run`; compiled for every item
/// type and the halves.
///
/// `enqueue` is asynchronous, on device memory. In the others, all pointers are to host memory, and
/// checked; n > 0. `out` may be `keys`, `values_out` may be `values`. They return when the output
/// is complete. All leave the thread's current device unchanged. Throws `device_error`, or
/// `engine_unavailable` if the device cannot be used.
template <class Machine, class Key>
struct device_sort {
  static void keys(Machine on, Key const* keys, Key* out, index_t n, sort_order<Key> const& order);
  static void pairs(Machine on, Key const* keys, Key* out, std::uint32_t const* values,
                    std::uint32_t* values_out, index_t n, sort_order<Key> const& order);
  static void pairs(Machine on, Key const* keys, Key* out, std::uint64_t const* values,
                    std::uint64_t* values_out, index_t n, sort_order<Key> const& order);
  static void positions(Machine on, Key const* keys, index_t* positions, index_t n,
                        sort_order<Key> const& order);
  static void positions(Machine on, Key const* keys, std::uint32_t* positions, index_t n,
                        sort_order<Key> const& order);

  static void enqueue(Machine on, queue_place const& place, sort_call const& call,
                      sort_order<Key> const& order);

  /// Bytes of workspace that any sort of n keys with values or positions of so many bytes, 0, 4 or
  /// 8, needs.
  static std::size_t workspace_bytes(index_t n, int value_bytes);
};

/// `number_order` of keys given by their bits, so that one compiled sort serves all types of a
/// size.
template <class Word>
struct number_bits {
  bool is_signed = false;  // an integer
  Word infinity = 0;       // for a floating-point type; 0 for integers

  /// The order of keys of type Key.
  template <class Key>
  static constexpr number_bits of() {
    static_assert(sizeof(Key) == sizeof(Word));
    if constexpr (fraction_bits<Key> != 0) {
      return {false, static_cast<Word>(magnitude - ((Word{1} << fraction_bits<Key>)-1))};
    } else {
      return {std::is_signed_v<Key>, 0};
    }
  }

  LIBSCAN_HOST_DEVICE Word operator()(Word bits) const {
    if (infinity == 0) return static_cast<Word>(is_signed ? bits ^ sign : bits);
    if ((bits & magnitude) > infinity) return static_cast<Word>(~Word{0});
    if (bits == sign) bits = 0;
    return static_cast<Word>((bits & sign) != 0 ? ~bits : bits | sign);
  }

  /// The bits of a word's key; those of one key, if equal keys are not identical.
  LIBSCAN_HOST_DEVICE Word key(Word word) const {
    if (infinity == 0) return (*this)(word);
    return static_cast<Word>((word & sign) != 0 ? word ^ sign : ~word);
  }

 private:
  static constexpr auto sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  static constexpr auto magnitude = static_cast<Word>(sign - 1);
};

/// Sorts n > 0 keys, as words, within segments on a `cuda_device` or an `executor_run`;
/// instantiated for unsigned words of all sizes.
///
/// `enqueue` is asynchronous, on device memory. Otherwise, all pointers are to host memory, and
/// checked. `out` may be `keys`, and null if the keys are not
/// wanted; `values_out` may be `values`. Values may be of any type of their size. Each function
/// returns when its outputs are complete, and leaves the thread's current device unchanged. Throws
/// `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class Word>
struct device_segmented_sort {
  Machine on;
  Word const* keys;
  Word* out;
  index_t n;
  std::span<index_t const> offsets;
  sort_order<Word, number_bits<Word>> order;

  void sort_words_only() const;
  void with(std::uint32_t const* values, std::uint32_t* values_out) const;
  void with(std::uint64_t const* values, std::uint64_t* values_out) const;

  static void enqueue(Machine on, queue_place const& place, sort_call const& call,
                      sort_order<Word, number_bits<Word>> const& order);

  /// Bytes of workspace that it needs.
  static std::size_t workspace_bytes(sort_call const& call);
};

/// The sort within listed segments on a `cuda_device` or an `executor_run`, of floating-point keys
/// and of unsigned ones, of 4 and 8 bytes.
template <class Machine, class Key>
struct device_listed_sort {
  static void enqueue(Machine on, queue_place const& place, listed_sort_call const& call,
                      sort_order<Key> const& order);
  /// Whether it is fast for many segments.
  static bool is_fast(Machine on);
};

/// n > 0 keys of host memory, each a bucket's number: in_bucket[i] < buckets <= 256. `offsets`
/// receives where the buckets begin, buckets + 1 numbers; the grouped keys follow from it.
template <class Word>
struct split_keys {
  Word const* in_bucket;
  index_t n;
  int buckets;
  index_t* offsets;
};

/// The split by key on a `cuda_device` or an `executor_run`; compiled for unsigned words of all
/// sizes as keys.
///
/// `enqueue` is asynchronous, on device memory. In the others, all pointers are to host memory, and
/// checked. Values may be of any type of their size; null: positions, or nothing if `out` is null.
/// They return when the outputs are complete. All leave the thread's current device as it was.
/// Throws `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class Word>
struct device_split {
  static void values(Machine on, split_keys<Word> const& keys, std::uint32_t const* values,
                     std::uint32_t* out);
  static void values(Machine on, split_keys<Word> const& keys, std::uint64_t const* values,
                     std::uint64_t* out);

  static void enqueue(Machine on, queue_place const& place, split_call const& call);
  /// Bytes of workspace that it needs.
  static std::size_t workspace_bytes(split_call const& call);
};

}  // namespace libscan::inline v1::detail
