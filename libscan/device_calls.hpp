// SPDX-License-Identifier: Apache-2.0
// The host API on device memory, without nvcc: asynchronous on a stream, nothing is copied. Link
// libscan::segments. Items are as in libscan.hpp, accumulated in their own type. Filters, sorts and
// histograms have headers of the same kind. Other types: in CUDA code, by the device headers.
#pragma once

#include <cstddef>
#include <type_traits>

#include <libscan/host/device_call.hpp>
#include <libscan/host/device_queue.hpp>
#include <libscan/host/host_operator.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1 {

namespace detail {

/// Calls enqueue(call) with types as values.
template <class T, class Op, class Enqueue>
void enqueue_typed(scan_kind kind, device_span<T const> in, void* out, segmentation const& segments,
                   T init, void* d_total, Enqueue enqueue, T const* d_init = nullptr) {
  static_assert(
      listed_item<T> && listed_operator<Op>,
      "device_calls.hpp is compiled for integers of 8 to 64 bits, float and double, and "
      "for plus, minimum, maximum, bit_and, bit_or and bit_xor. For anything else include "
      "libscan/scan.cuh in CUDA code.");
  if constexpr (listed_item<T> && listed_operator<Op>) {
    static_assert(std::is_same_v<typename item_type_of<typename Op::value_type>::type,
                                 typename item_type_of<T>::type>,
                  "device_calls.hpp accumulates in the type of the items: plus<int> for ints. For "
                  "another accumulator include libscan/scan.cuh in CUDA code.");
    auto const first = static_cast<typename item_type_of<T>::type>(init);
    enqueue(device_call{item_type_of<T>::value, operator_kind_of<Op>::value, kind, in.data, out,
                        in.size, in.d_size, segments, &first, d_total, d_init});
  }
}

}  // namespace detail

/// An init in device memory, which is read when the call runs.
template <class T>
struct device_init {
  T const* at;
};

/// out[i] = init op in[0] op ... op in[i - 1], and *d_total = init op all items, if that is not
/// null. Everything is device memory, except `init`.
///
///   device_queue const queue{engine::cuda(), stream};
///   exclusive_scan(queue, device_span{lengths, n}, offsets, plus<int>{}, d_total);
///
/// Types: `out` points to items of the same type, as many as `in`. With in.d_size the number is
/// read on the device.
/// Aliasing: `out` may be the items of `in`. Any other overlap is refused if the host knows the
/// number of items, else undefined.
/// Synchronization: asynchronous on the queue's stream. Copies nothing.
/// Workspace: `device_workspace_bytes`.
/// Determinism: that of device calls: bitwise the same in every run on one kind of GPU.
/// Throws: `invalid_argument` for an engine that runs no kernels, an overlap, or a workspace that
/// is too small; `device_error`, std::bad_alloc, and exceptions of memory functions.
template <class T, class Op = plus<std::remove_const_t<T>>>
void exclusive_scan(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
                    Op = {}, std::remove_const_t<T>* d_total = nullptr,
                    std::type_identity_t<std::remove_const_t<T>> init = Op::identity()) {
  using item = std::remove_const_t<T>;
  detail::enqueue_typed<item, Op>(
      scan_kind::exclusive, {in.data, in.size, in.d_size}, out, {}, init, d_total,
      [&](detail::device_call const& call) { detail::enqueue_scan(queue, call); });
}

/// The same with an init in device memory, such as the total of another call. It must not overlap
/// `out` or *d_total.
template <class T, class Op>
void exclusive_scan(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out, Op,
                    std::remove_const_t<T>* d_total, device_init<std::remove_const_t<T>> init) {
  using item = std::remove_const_t<T>;
  detail::enqueue_typed<item, Op>(
      scan_kind::exclusive, {in.data, in.size, in.d_size}, out, {}, Op::identity(), d_total,
      [&](detail::device_call const& call) { detail::enqueue_scan(queue, call); }, init.at);
}

/// out[i] = init op in[0] op ... op in[i]. Otherwise as `exclusive_scan`.
template <class T, class Op = plus<std::remove_const_t<T>>>
void inclusive_scan(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
                    Op = {}, std::remove_const_t<T>* d_total = nullptr,
                    std::type_identity_t<std::remove_const_t<T>> init = Op::identity()) {
  using item = std::remove_const_t<T>;
  detail::enqueue_typed<item, Op>(
      scan_kind::inclusive, {in.data, in.size, in.d_size}, out, {}, init, d_total,
      [&](detail::device_call const& call) { detail::enqueue_scan(queue, call); });
}

/// The same with an init in device memory, as for `exclusive_scan`.
template <class T, class Op>
void inclusive_scan(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out, Op,
                    std::remove_const_t<T>* d_total, device_init<std::remove_const_t<T>> init) {
  using item = std::remove_const_t<T>;
  detail::enqueue_typed<item, Op>(
      scan_kind::inclusive, {in.data, in.size, in.d_size}, out, {}, Op::identity(), d_total,
      [&](detail::device_call const& call) { detail::enqueue_scan(queue, call); }, init.at);
}

/// *d_result = init op all items of `in`. Otherwise as `exclusive_scan`.
template <class T, class Op = plus<std::remove_const_t<T>>>
void reduce(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* d_result, Op = {},
            std::type_identity_t<std::remove_const_t<T>> init = Op::identity()) {
  using item = std::remove_const_t<T>;
  detail::enqueue_typed<item, Op>(
      scan_kind::inclusive, {in.data, in.size, in.d_size}, d_result, {}, init, nullptr,
      [&](detail::device_call const& call) { detail::enqueue_reduce(queue, call); });
}

/// Scan within segments: out[i] = init op in[h] op ... op in[i], where h is the first item of i's
/// segment. Otherwise as `exclusive_scan`.
///
/// Segments: `of_bits`, or `of_offsets` or `of_ranges` of index_t, of device memory. Offsets are
/// not checked; they ascend within 0 to n. Other forms are refused: convert them, or include
/// libscan/segmented_scan.cuh in CUDA code. The operator is chosen at run time in the
/// kernel.
template <class T, class Op = plus<std::remove_const_t<T>>>
void inclusive_segmented_scan(device_queue const& queue, device_span<T> in,
                              std::remove_const_t<T>* out, segmentation const& segments, Op = {},
                              std::type_identity_t<std::remove_const_t<T>> init = Op::identity()) {
  using item = std::remove_const_t<T>;
  detail::enqueue_typed<item, Op>(
      scan_kind::inclusive, {in.data, in.size, in.d_size}, out, segments, init, nullptr,
      [&](detail::device_call const& call) { detail::enqueue_scan(queue, call); });
}

/// The same without item i: `init` for the first item of a segment.
template <class T, class Op = plus<std::remove_const_t<T>>>
void exclusive_segmented_scan(device_queue const& queue, device_span<T> in,
                              std::remove_const_t<T>* out, segmentation const& segments, Op = {},
                              std::type_identity_t<std::remove_const_t<T>> init = Op::identity()) {
  using item = std::remove_const_t<T>;
  detail::enqueue_typed<item, Op>(
      scan_kind::exclusive, {in.data, in.size, in.d_size}, out, segments, init, nullptr,
      [&](detail::device_call const& call) { detail::enqueue_scan(queue, call); });
}

/// totals[s] = init op the items of segment s. `totals` must not overlap anything. *d_segments
/// receives the number of segments of bits, if that is not null. Otherwise as
/// `inclusive_segmented_scan`.
template <class T, class Op = plus<std::remove_const_t<T>>>
void segmented_reduce(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* totals,
                      segmentation const& segments, Op = {}, index_t* d_segments = nullptr,
                      std::type_identity_t<std::remove_const_t<T>> init = Op::identity()) {
  using item = std::remove_const_t<T>;
  detail::enqueue_typed<item, Op>(
      scan_kind::inclusive, {in.data, in.size, in.d_size}, totals, segments, init, d_segments,
      [&](detail::device_call const& call) { detail::enqueue_reduce(queue, call); });
}

/// Bytes of workspace that a call over up to n items of T needs on `on`, within such segments if
/// there are any. A pure function of its arguments.
template <class T>
std::size_t device_workspace_bytes(engine const& on, index_t n, segmentation const& segments = {}) {
  return detail::enqueued_bytes(
      on, {detail::item_type_of<T>::value, operator_kind::plus, scan_kind::inclusive, nullptr,
           nullptr, n, nullptr, segments, nullptr, nullptr});
}

}  // namespace libscan::inline v1
