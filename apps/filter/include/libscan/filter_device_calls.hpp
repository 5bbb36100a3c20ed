// SPDX-License-Identifier: Apache-2.0
// Filters, splits and runs of device memory, without nvcc: asynchronous on a stream, nothing is
// copied, and counts stay in device memory. Like device_calls.hpp; link libscan::filter.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <apps/filter/host/filter_device.hpp>
#include <apps/filter/host/moved_item.hpp>
#include <libscan/core/item_mask.hpp>
#include <libscan/host/device_queue.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The call for items of a type.
template <class T>
filter_call filter_of(filter_kind kind, device_span<T> in, index_t* d_count) {
  using item = std::remove_const_t<T>;
  static_assert(detail::refuse_others<item>());
  filter_call call;
  call.kind = kind;
  call.type = input_type_of<item>::value;
  call.in = in.data;
  call.n = in.size;
  call.d_n = in.d_size;
  call.d_count = d_count;
  return call;
}

/// The same for items that are only compared by ==.
template <class T>
filter_call runs_of(filter_kind kind, device_span<T> in, index_t* d_count) {
  using item = compared_item_t<T>;
  return detail::filter_of(
      kind, device_span<item>{reinterpret_cast<item*>(in.data), in.size, in.d_size}, d_count);
}

/// Sets what is kept.
template <class T>
void set_rule(filter_call& call, predicate<T> const& keep) {
  call.keep = &keep;
}
inline void set_rule(filter_call& call, item_mask const& mask) { call.mask = mask; }

/// What a filter of items of type T takes: a `predicate<T>` or an `item_mask`.
template <class Keep, class T>
concept keeps_items =
    std::is_same_v<Keep, item_mask> || std::is_same_v<Keep, predicate<std::remove_const_t<T>>>;

/// `filter_of` by a rule.
template <class T, class Keep>
filter_call filter_by(filter_kind kind, device_span<T> in, Keep const& keep, index_t* d_count) {
  using item = std::conditional_t<std::is_same_v<Keep, item_mask>, moved_item_t<T>, T>;
  filter_call call = detail::filter_of(
      kind, device_span<item>{reinterpret_cast<item*>(in.data), in.size, in.d_size}, d_count);
  static_assert(keeps_items<Keep, T>,
                "filter_device_calls.hpp is compiled for a predicate of the items' type (see "
                "parse_predicate), or an item_mask. For a predicate of your own include "
                "libscan/filter.cuh or libscan/split.cuh in CUDA code.");
  if constexpr (keeps_items<Keep, T>) detail::set_rule(call, keep);
  return call;
}

/// Refuses equalities of the caller's.
template <class Equal>
constexpr void refuse_equality() {
  static_assert(!std::is_same_v<Equal, Equal>,
                "runs in device memory are of items that are equal by ==. For an equality of your "
                "own include libscan/runs.cuh in CUDA code.");
}

}  // namespace detail

/// Copies the items of `in` that `keep` keeps to the front of `out`, in their order, and writes
/// their number to *d_count, unless that is null.
///
///   device_queue const queue{engine::cuda(), stream};
///   filter(queue, device_span{values, n}, kept, parse_predicate<float>(">= 4.5"), d_count);
///   sort_keys(queue, device_span{kept, n, d_count}, sorted);
///
/// Types: items are std::int8_t to std::uint64_t, float, double, `float16` or `bfloat16`; for a
/// mask also others that are trivially copyable and aligned to their size of 1, 2, 4 or 8 bytes.
/// `keep` is a `predicate` of the items, or an `item_mask` whose flags or words are in device
/// memory and mark `in.size`. With in.d_size the number of items is read on the device. `out` has
/// space for what is kept.
/// Aliasing: `out` may be the items of `in`. Any other overlap is refused if its begin shows it,
/// else undefined.
/// Synchronization: asynchronous on the queue's stream. Copies nothing.
/// Workspace: `device_filter_workspace_bytes`.
/// Determinism: the same in every run, on every device.
/// Throws: `invalid_argument` for an engine that runs no kernels, an overlap, a mask of another
/// size, or a workspace that is too small; `device_error`, std::bad_alloc, and exceptions of memory
/// functions.
template <class T, class Keep>
void filter(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
            Keep const& keep, index_t* d_count) {
  auto call = detail::filter_by(detail::filter_kind::items, in, keep, d_count);
  call.out = out;
  detail::enqueue_filter(queue, call);
}

/// Writes the positions (from 0) of the items that `keep` keeps to the front of `positions`,
/// ascending. `positions` must not overlap `in`. Otherwise as `filter`.
template <class T, class Keep>
void filter_indices(device_queue const& queue, device_span<T> in, index_t* positions,
                    Keep const& keep, index_t* d_count) {
  auto call = detail::filter_by(detail::filter_kind::positions, in, keep, d_count);
  call.positions = positions;
  detail::enqueue_filter(queue, call);
}

/// The same of the items that a mask in device memory marks.
inline void mask_indices(device_queue const& queue, item_mask const& mask, index_t* positions,
                         index_t* d_count) {
  detail::filter_call call;
  call.kind = detail::filter_kind::positions;
  call.n = mask.size();
  call.mask = mask;
  call.positions = positions;
  call.d_count = d_count;
  detail::enqueue_filter(queue, call);
}

/// Copies the items that `keep` keeps to the front of `out` and their positions (from 0) to the
/// front of `positions`, both ascending by position. `positions` must not overlap anything.
/// Otherwise as `filter`.
template <class T, class Keep>
void filter_with_indices(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
                         index_t* positions, Keep const& keep, index_t* d_count) {
  auto call = detail::filter_by(detail::filter_kind::with_indices, in, keep, d_count);
  call.out = out;
  call.positions = positions;
  detail::enqueue_filter(queue, call);
}

/// Writes only the number of items that `keep` keeps, to *d_count. Otherwise as `filter`.
template <class T, class Keep>
void count_if(device_queue const& queue, device_span<T> in, Keep const& keep, index_t* d_count) {
  detail::enqueue_filter(queue, detail::filter_by(detail::filter_kind::count, in, keep, d_count));
}

/// The same of a mask in device memory.
inline void count_marked(device_queue const& queue, item_mask const& mask, index_t* d_count) {
  detail::filter_call call;
  call.kind = detail::filter_kind::count;
  call.n = mask.size();
  call.mask = mask;
  call.d_count = d_count;
  detail::enqueue_filter(queue, call);
}

/// Copies the items that `keep` keeps to `out` and the others to `rejected`, both in their order.
/// *d_count receives the number of the former. The outputs must not overlap each other or `in`.
/// Otherwise as `filter`.
template <class T, class Keep>
void split(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
           std::remove_const_t<T>* rejected, Keep const& keep, index_t* d_count) {
  auto call = detail::filter_by(detail::filter_kind::split, in, keep, d_count);
  call.out = out;
  call.rejected = rejected;
  detail::enqueue_filter(queue, call);
}

/// The same into one buffer of as many items as `in`: those that `keep` keeps, then the others,
/// both in their order. `out` must not overlap `in`. Reads `in`, or only the mask, twice.
template <class T, class Keep>
void split(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
           Keep const& keep, index_t* d_count) {
  auto call = detail::filter_by(detail::filter_kind::split, in, keep, d_count);
  call.out = out;
  detail::enqueue_filter(queue, call);
}

/// The split of a radix sort: copies the keys whose bit `bit` (0: the lowest) is 0 to the front of
/// `out` and the others after them, both in their order. *d_zeros receives the number of the
/// former. Keys are one of the eight integer types. Otherwise as `split` into one buffer.
template <class T>
void split_by_bit(device_queue const& queue, device_span<T> keys, std::remove_const_t<T>* out,
                  int bit, index_t* d_zeros) {
  static_assert(std::integral<T>, "split_by_bit: keys are integers of 8 to 64 bits");
  using word = std::make_unsigned_t<std::remove_const_t<T>>;
  device_span<word const> const words{reinterpret_cast<word const*>(keys.data), keys.size,
                                      keys.d_size};
  auto call = detail::filter_of(detail::filter_kind::split_bit, words, d_zeros);
  call.out = out;
  call.bit = bit;
  detail::enqueue_filter(queue, call);
}

/// Copies the first item of each run of equal ones (==) to the front of `out`, and writes the
/// number of runs to *d_count. Items may also be bool. Otherwise as `filter`.
template <class T>
void unique(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
            index_t* d_count) {
  auto call = detail::runs_of(detail::filter_kind::unique, in, d_count);
  call.out = out;
  detail::enqueue_filter(queue, call);
}

/// Refuses an equality of your own, with a message.
template <class T, std::predicate<T const&, T const&> Equal>
void unique(device_queue const&, device_span<T>, std::remove_const_t<T>*, index_t*, Equal) {
  detail::refuse_equality<Equal>();
}

/// Copies the first item of each run of equal ones (==) to the front of `out`, the length of the
/// run to the front of `lengths`, and writes the number of runs to *d_runs. The outputs must not
/// overlap each other or `in`. Otherwise as `unique`.
template <class T>
void run_length_encode(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
                       index_t* lengths, index_t* d_runs) {
  auto call = detail::runs_of(detail::filter_kind::run_lengths, in, d_runs);
  call.out = out;
  call.positions = lengths;
  detail::enqueue_filter(queue, call);
}

/// The same of runs of at least `min_length` items: with 2, no trivial ones. Also writes the
/// position of the first item of each to the front of `offsets`. The outputs must not overlap each
/// other. Otherwise as the previous call.
/// Traffic: with a least length, reads the items twice, and writes and reads a position for each
/// run, short or long.
/// Workspace: `device_run_workspace_bytes` of the least length.
/// Throws: also `invalid_argument` if min_length < 1.
template <class T>
void run_length_encode(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
                       index_t* lengths, index_t* offsets, index_t* d_runs,
                       index_t min_length = 1) {
  auto call = detail::runs_of(detail::filter_kind::run_lengths, in, d_runs);
  call.out = out;
  call.positions = lengths;
  call.offsets = offsets;
  call.min_length = min_length;
  detail::enqueue_filter(queue, call);
}

/// Refuses an equality of your own, with a message.
template <class T, std::predicate<T const&, T const&> Equal>
void run_length_encode(device_queue const&, device_span<T>, std::remove_const_t<T>*, index_t*,
                       index_t*, Equal) {
  detail::refuse_equality<Equal>();
}
template <class T, std::predicate<T const&, T const&> Equal>
void run_length_encode(device_queue const&, device_span<T>, std::remove_const_t<T>*, index_t*,
                       index_t*, index_t*, Equal) {
  detail::refuse_equality<Equal>();
}

/// Bytes of workspace that `run_length_encode` of up to n items of T and a least length of runs
/// needs on `on`. A pure function of its arguments.
template <class T>
std::size_t device_run_workspace_bytes(engine const& on, index_t n, index_t min_length) {
  using item = detail::compared_item_t<std::remove_const_t<T>>;
  static_assert(detail::refuse_others<item>());
  return detail::enqueued_run_bytes(on, detail::input_type_of<item>::value, n, min_length);
}

/// Bytes of workspace that any other of these calls over up to n items of T needs on `on`; for
/// masks without items, of any T. A pure function of its arguments.
template <class T>
std::size_t device_filter_workspace_bytes(engine const& on, index_t n) {
  using item = detail::moved_item_t<std::remove_const_t<T>>;
  static_assert(detail::refuse_others<item>());
  return detail::enqueued_filter_bytes(on, detail::input_type_of<item>::value, n);
}

}  // namespace libscan::inline v1
