// SPDX-License-Identifier: Apache-2.0
// Sorts of device memory, also within segments, and splits by key, without nvcc: asynchronous on a
// stream, nothing is copied. Like device_calls.hpp; link libscan::radix_sort.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include <apps/radix_sort/host/sort_device.hpp>
#include <libscan/core/error.hpp>
#include <libscan/host/device_queue.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The compiled sort of keys of a type.
template <class Key>
using sort_of = compiled_sort<typename compiled_key<std::remove_const_t<Key>>::type>;

/// Bytes of values that device calls move; 0: none.
template <class Value>
inline constexpr int moved_bytes = static_cast<int>(sizeof(Value));
template <>
inline constexpr int moved_bytes<void> = 0;

/// Sets keys and their number. Checks that they can be sorted.
template <class Key>
sort_call sort_of_keys(device_span<Key> keys, std::remove_const_t<Key>* out) {
  sort_call call;
  call.keys = detail::compiled_keys(keys.data);
  call.out = out;
  call.n = keys.size;
  call.d_n = keys.d_size;
  return call;
}

/// Sets values that move along, or positions.
template <class Call, class Value>
void set_values(Call& call, Value const* values, Value* values_out) {
  detail::refuse_values<Value>();
  call.values = values;
  call.values_out = values_out;
  call.value_bytes = sizeof(Value);
}

/// The positions of the keys are the values.
template <class Call, class Position>
void set_positions(Call& call, Position* places) {
  detail::set_values(call, static_cast<Position const*>(nullptr), places);
}

/// Sets segments: offsets, or in any form.
template <class Key, class Segments>
void set_segments(sort_call& call, device_span<Key> keys, Segments const& segments) {
  if (keys.d_size != nullptr) {
    throw invalid_argument(
        "segmented sort: the number of keys is in device memory; expected one on the host");
  }
  if constexpr (std::is_same_v<Segments, segmentation>) {
    detail::set_described(call, segments);
  } else {
    std::span const offsets{segments};
    if (offsets.empty()) {
      throw invalid_argument("segmented sort: no offsets; expected one more than segments");
    }
    detail::set_described(call, segmentation::of_offsets(offsets));
  }
}

/// The workspace of a sort within segments. Without a description, it suffices for offsets of
/// index_t, and for one segment.
template <class Key>
std::size_t segmented_bytes(engine const& on, sort_call call, segmentation const& segments) {
  detail::set_described(call, segments);
  std::size_t const as_described = detail::sort_of<Key>::enqueued_bytes(on, call);
  call.in_segments = true;
  std::size_t const between_offsets = detail::sort_of<Key>::enqueued_bytes(on, call);
  return as_described > between_offsets ? as_described : between_offsets;
}

/// What describes the segments of a sort: offsets, or any description.
template <class Segments>
concept span_segments = host_items<Segments const> || std::same_as<Segments, segmentation>;

/// Sets keys, their number and where buckets begin.
template <class Key>
split_call split_of_keys(device_span<Key> keys, std::remove_const_t<Key>* out,
                         std::span<index_t> offsets) {
  static_assert(std::integral<Key>,
                "split_by_key: keys are integers of 8 to 64 bits. For a bucket of your own include "
                "libscan/split_by_key.cuh in CUDA code.");
  if (offsets.size() < 2 || offsets.size() > 257) {
    throw invalid_argument("split_by_key: " + std::to_string(offsets.size()) +
                           " offsets; expected 2 to 257, one more than there are buckets");
  }
  split_call call;
  call.key_bytes = static_cast<int>(sizeof(Key));
  call.keys = keys.data;
  call.out = out;
  call.n = keys.size;
  call.d_n = keys.d_size;
  call.offsets = offsets.data();
  call.buckets = static_cast<int>(offsets.size()) - 1;
  return call;
}

}  // namespace detail

/// Sorts `keys` into the front of `out`: stable, in the order of `sort_keys` of radix_sort.hpp.
///
///   device_queue const queue{engine::cuda(), stream};
///   sort_keys(queue, device_span{keys, n}, sorted, {.direction = sort_direction::descending});
///
/// Types: keys are integers of 8 to 64 bits, bool, float, double, `float16` or `bfloat16`. With
/// keys.d_size the number is read on the device.
/// Aliasing: `out` may be the keys; any other overlap throws.
/// Synchronization: asynchronous on the queue's stream. Copies nothing.
/// Workspace: `device_sort_workspace_bytes`.
/// Determinism: the same in every run, on every device.
/// Throws: `invalid_argument` for an engine that runs no kernels, an overlap, bits that keys do not
/// have, or a workspace that is too small; `device_error`, std::bad_alloc, and exceptions of memory
/// functions.
template <class Key>
void sort_keys(device_queue const& queue, device_span<Key> keys, std::remove_const_t<Key>* out,
               sort_options const& options = {}) {
  detail::sort_of<Key>::enqueue(queue, detail::sort_of_keys(keys, out), options);
}

/// Sorts keys as `sort_keys`, and moves values along, of any trivially copyable type. Each output
/// may be its input; any other overlap throws. Values of 4 or 8 bytes must lie at a multiple of
/// their size, also if their type has a smaller alignment; `invalid_argument` otherwise. Others lie
/// anywhere, and move at the end, by positions in the workspace. If `values_out` is null, only keys
/// are sorted.
template <class Key, class Value>
void sort_pairs(device_queue const& queue, device_span<Key> keys, std::remove_const_t<Key>* out,
                std::type_identity_t<Value> const* values, Value* values_out,
                sort_options const& options = {}) {
  auto call = detail::sort_of_keys(keys, out);
  detail::set_values(call, values, values_out);
  detail::sort_of<Key>::enqueue(queue, call, options);
}

/// Sets positions[j] to the position of the key that comes j-th. `positions` are integers of 32 or
/// 64 bits, and must not overlap the keys, which are only read. Otherwise as `sort_keys`.
template <class Key, class Position>
void argsort(device_queue const& queue, device_span<Key> keys, Position* positions,
             sort_options const& options = {}) {
  auto* const places =
      detail::compiled_positions("argsort", positions, static_cast<std::size_t>(keys.size));
  auto call = detail::sort_of_keys(keys, nullptr);
  detail::set_positions(call, places);
  detail::sort_of<Key>::enqueue(queue, call, options);
}

/// Sorts each segment of `keys` into the same places of `out`, as `sort_keys`. `segments` are
/// offsets in device memory, one more than segments, or a `segmentation` of device memory, except
/// keys of your own. Offsets are not checked; they ascend within 0 to n, and ranges do not overlap.
/// What is in no segment does not change. The number of keys is on the host.
///
/// Aliasing: `out` may be the keys, which are then copied first, except for ranges; any other
/// overlap throws. Sorts are compiled for offsets of index_t. Others become such in the workspace,
/// and so do flags, bits, keys and a length. The items of ranges are copied together and back.
/// Workspace: `device_segmented_sort_workspace_bytes`; in place, as that says.
template <class Key, detail::span_segments Segments = std::span<index_t const>>
void segmented_sort_keys(device_queue const& queue, device_span<Key> keys,
                         std::remove_const_t<Key>* out, Segments const& segments,
                         sort_options const& options = {}) {
  auto call = detail::sort_of_keys(keys, out);
  detail::set_segments(call, keys, segments);
  detail::sort_of<Key>::enqueue(queue, call, options);
}

/// The same with values that move with the keys, as of `sort_pairs`. They may be in place, too.
template <class Key, class Value, detail::span_segments Segments = std::span<index_t const>>
void segmented_sort_pairs(device_queue const& queue, device_span<Key> keys,
                          std::remove_const_t<Key>* out, std::type_identity_t<Value> const* values,
                          Value* values_out, Segments const& segments,
                          sort_options const& options = {}) {
  auto call = detail::sort_of_keys(keys, out);
  detail::set_values(call, values, values_out);
  detail::set_segments(call, keys, segments);
  detail::sort_of<Key>::enqueue(queue, call, options);
}

/// Sets positions[j] to the position, among all keys, of the key that `segmented_sort_keys` would
/// put in place j. What is in no segment does not change. `positions` are integers of 32 or 64
/// bits, and must not overlap keys and segments, which are only read. Workspace:
/// `device_segmented_argsort_workspace_bytes`. Otherwise as `segmented_sort_keys`.
template <class Key, class Position, detail::span_segments Segments = std::span<index_t const>>
void segmented_argsort(device_queue const& queue, device_span<Key> keys, Position* positions,
                       Segments const& segments, sort_options const& options = {}) {
  auto* const places = detail::compiled_positions("segmented_argsort", positions,
                                                  static_cast<std::size_t>(keys.size));
  auto call = detail::sort_of_keys(keys, nullptr);
  detail::set_positions(call, places);
  detail::set_segments(call, keys, segments);
  detail::sort_of<Key>::enqueue(queue, call, options);
}

/// Groups keys by bucket into the front of `out`: those that are 0 first, then those that are 1,
/// and so on, each bucket's in their order. offsets[b] is set to where bucket b begins, and the
/// last one to the number of keys. Everything is device memory.
///
///   split_by_key(queue, device_span{expert_of_token, n}, grouped, {offsets, experts + 1});
///
/// Types: keys are integers of 8 to 64 bits in [0, k), k + 1 the size of `offsets`, 2 to 257; that
/// is not checked. With keys.d_size the number is read on the device.
/// Aliasing: outputs must overlap neither inputs nor each other.
/// Synchronization: asynchronous on the queue's stream. Copies nothing.
/// Workspace: `device_split_by_key_workspace_bytes`.
/// Throws: as `sort_keys`; also `invalid_argument` for another number of offsets.
template <class Key>
void split_by_key(device_queue const& queue, device_span<Key> keys, std::remove_const_t<Key>* out,
                  std::span<index_t> offsets) {
  detail::enqueue_split(queue, detail::split_of_keys(keys, out, offsets));
}

/// The same with values that move with the keys, as of `sort_pairs`.
template <class Key, class Value>
void split_by_key(device_queue const& queue, device_span<Key> keys, std::remove_const_t<Key>* out,
                  std::type_identity_t<Value> const* values, Value* values_out,
                  std::span<index_t> offsets) {
  auto call = detail::split_of_keys(keys, out, offsets);
  detail::set_values(call, values, values_out);
  detail::enqueue_split(queue, call);
}

/// Bytes of workspace that a sort of up to n keys needs on `on`, with values or positions of type
/// Value unless that is void. A pure function of its arguments.
template <class Key, class Value = void>
std::size_t device_sort_workspace_bytes(engine const& on, index_t n) {
  detail::sort_call call;
  call.n = n;
  call.value_bytes = detail::moved_bytes<Value>;
  return detail::sort_of<Key>::enqueued_bytes(on, call);
}

/// The same for sorts within segments: between offsets of index_t, or such segments. Offsets may be
/// missing here. If `in_place`, it suffices for keys and values over themselves, too.
template <class Key, class Value = void>
std::size_t device_segmented_sort_workspace_bytes(engine const& on, index_t n,
                                                  segmentation const& segments = {},
                                                  bool in_place = false) {
  std::byte places[3];
  detail::sort_call call;
  call.n = n;
  call.keys = &places[0];
  call.out = in_place ? &places[0] : &places[1];
  if constexpr (!std::is_void_v<Value>) {
    call.value_bytes = detail::moved_bytes<Value>;
    call.values = &places[2];
    call.values_out = in_place ? &places[2] : &places[1];
  }
  return detail::segmented_bytes<Key>(on, call, segments);
}

/// The same for sorts within segments to positions of type Position.
template <class Key, class Position>
std::size_t device_segmented_argsort_workspace_bytes(engine const& on, index_t n,
                                                     segmentation const& segments = {}) {
  index_t const any_offset = 0;
  detail::sort_call call;
  call.n = n;
  call.value_bytes = detail::moved_bytes<Position>;
  call.values_out = const_cast<index_t*>(&any_offset);
  return detail::segmented_bytes<Key>(on, call, segments);
}

/// The same for splits by key.
template <std::integral Key, class Value = void>
std::size_t device_split_by_key_workspace_bytes(engine const& on, index_t n) {
  detail::split_call call;
  call.key_bytes = static_cast<int>(sizeof(Key));
  call.n = n;
  call.value_bytes = detail::moved_bytes<Value>;
  return detail::enqueued_split_bytes(on, call);
}

}  // namespace libscan::inline v1
