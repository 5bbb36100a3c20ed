// SPDX-License-Identifier: Apache-2.0
// The host API on device memory, without nvcc: asynchronous on a stream, nothing is copied. Link
// libscan::segments. Items: integers of 8 to 64 bits, float, double, accumulated in their own type;
// of sums also complex numbers. Filters, sorts, histograms and sparse matrices have headers of the
// same kind. Other types and operators: in CUDA code, by the device headers.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <libscan/core/item_mask.hpp>
#include <libscan/host/device_call.hpp>
#include <libscan/host/device_queue.hpp>
#include <libscan/host/host_operator.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1 {

/// An init in device memory, which is read when the call runs: the total of another call, for
/// example. It must not overlap what the call writes.
template <class T>
struct device_init {
  T const* at;
};

namespace detail {

/// What comes before the first item: a value, or one in device memory.
template <class T>
struct init_or_address {
  T value;
  T const* at = nullptr;

  constexpr init_or_address(T init) : value(init) {}                        // NOLINT: converts
  constexpr init_or_address(device_init<T> init) : value(), at(init.at) {}  // NOLINT
};

/// The same, for items of a span of T.
template <class T>
using span_init = init_or_address<std::remove_const_t<T>>;

/// The identity of an operator that is compiled; any value for others, which are refused in words.
template <class T, class Op>
constexpr std::remove_const_t<T> default_init() {
  if constexpr (requires { Op::identity(); }) {
    return Op::identity();
  } else {
    return {};
  }
}

/// Complex numbers that device_calls.hpp sums.
template <class T>
concept compiled_complex = complex_number<T> && listed_item<typename T::value_type>;

/// The type of items of T as a value; of complex numbers, of their parts.
template <class T>
struct span_type : item_type_of<T> {
  static constexpr bool of_complex = false;
};
template <compiled_complex T>
struct span_type<T> : item_type_of<typename T::value_type> {
  static constexpr bool of_complex = true;
};

/// What `init` is to compiled code: a number, or the parts of a complex one.
template <class T>
auto compiled_init(T const& init) {
  if constexpr (compiled_complex<T>) {
    return std::array{init.real(), init.imag()};
  } else {
    return static_cast<typename item_type_of<T>::type>(init);
  }
}

/// Calls enqueue(queue, call) with the types of a call as values. `call` has what the others lack.
template <class T, class Op>
void enqueue_typed(device_queue const& queue,
                   void (*enqueue)(device_queue const&, device_call const&), device_span<T> in, Op,
                   span_init<T> const& init, device_call call) {
  using item = std::remove_const_t<T>;
  constexpr bool sums_complex = compiled_complex<item> && std::is_same_v<Op, plus<item>>;
  constexpr bool compiled = sums_complex || (listed_item<item> && listed_operator<Op>);
  static_assert(compiled,
                "device_calls.hpp is compiled for integers of 8 to 64 bits, float and double, and "
                "for these operators:" LIBSCAN_OPERATOR_NAMES
                "; for complex numbers of floats or doubles, and plus. For anything else "
                "include libscan/scan.cuh in CUDA code.");
  if constexpr (compiled) {
    if constexpr (!sums_complex) {
      static_assert(std::is_same_v<typename item_type_of<typename Op::value_type>::type,
                                   typename item_type_of<item>::type>,
                    "device_calls.hpp accumulates in the type of the items: plus<int> for ints. "
                    "For another accumulator include libscan/scan.cuh in CUDA code.");
    }
    auto const first = detail::compiled_init<item>(init.value);
    call.type = span_type<item>::value;
    call.of_complex = span_type<item>::of_complex;
    call.op = operator_kind_of<Op>::value;
    call.in = in.data;
    call.n = in.size;
    call.d_n = in.d_size;
    call.init = &first;
    call.d_init = init.at;
    enqueue(queue, call);
  }
}

}  // namespace detail

/// out[i] = init op in[0] op ... op in[i - 1], and *d_total = init op all items, if that is not
/// null. Everything is device memory, except `init`, which may be a value or a `device_init`.
///
///   device_queue const queue{engine::cuda(), stream};
///   exclusive_scan(queue, device_span{lengths, n}, offsets, plus<int>{}, d_total);
///
/// Types: `out` points to items of the same type, as many as `in`. With in.d_size the number is
/// read on the device. Complex numbers, such as std::complex of float or double, are only summed.
/// Their parts are copied to the workspace, scanned one after the other, and copied back.
/// Aliasing: `out` may be the items of `in`. Any other overlap is refused if the host knows the
/// number of items, else undefined.
/// Synchronization: asynchronous on the queue's stream. Copies nothing.
/// Workspace: `device_workspace_bytes`.
/// Determinism: that of device calls: bitwise the same in every run on one kind of GPU.
/// Throws: `invalid_argument` for an engine that runs no kernels, an overlap, or a workspace that
/// is too small; `device_error`, std::bad_alloc, and exceptions of memory functions.
template <class T, class Op = plus<std::remove_const_t<T>>>
void exclusive_scan(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
                    Op op = {}, std::remove_const_t<T>* d_total = nullptr,
                    detail::span_init<T> init = detail::default_init<T, Op>()) {
  detail::enqueue_typed(queue, detail::enqueue_scan, in, op, init,
                        {.kind = scan_kind::exclusive, .out = out, .d_total = d_total});
}

/// out[i] = init op in[0] op ... op in[i]. Otherwise as `exclusive_scan`.
template <class T, class Op = plus<std::remove_const_t<T>>>
void inclusive_scan(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
                    Op op = {}, std::remove_const_t<T>* d_total = nullptr,
                    detail::span_init<T> init = detail::default_init<T, Op>()) {
  detail::enqueue_typed(queue, detail::enqueue_scan, in, op, init,
                        {.kind = scan_kind::inclusive, .out = out, .d_total = d_total});
}

/// out[i] = in[i + 1] op ... op in[n - 1] op init, and *d_total = all items op init: a scan from
/// the last item to the first. The operator is chosen at run time in the kernel. Otherwise as
/// `exclusive_scan`.
template <class T, class Op = plus<std::remove_const_t<T>>>
void reverse_exclusive_scan(device_queue const& queue, device_span<T> in,
                            std::remove_const_t<T>* out, Op op = {},
                            std::remove_const_t<T>* d_total = nullptr,
                            detail::span_init<T> init = detail::default_init<T, Op>()) {
  detail::enqueue_typed(
      queue, detail::enqueue_scan, in, op, init,
      {.kind = scan_kind::exclusive, .out = out, .d_total = d_total, .reverse = true});
}

/// out[i] = in[i] op ... op in[n - 1] op init. Otherwise as `reverse_exclusive_scan`.
template <class T, class Op = plus<std::remove_const_t<T>>>
void reverse_inclusive_scan(device_queue const& queue, device_span<T> in,
                            std::remove_const_t<T>* out, Op op = {},
                            std::remove_const_t<T>* d_total = nullptr,
                            detail::span_init<T> init = detail::default_init<T, Op>()) {
  detail::enqueue_typed(
      queue, detail::enqueue_scan, in, op, init,
      {.kind = scan_kind::inclusive, .out = out, .d_total = d_total, .reverse = true});
}

/// *d_result = init op all items of `in`. Otherwise as `exclusive_scan`.
template <class T, class Op = plus<std::remove_const_t<T>>>
void reduce(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* d_result,
            Op op = {}, detail::span_init<T> init = detail::default_init<T, Op>()) {
  detail::enqueue_typed(queue, detail::enqueue_reduce, in, op, init, {.out = d_result});
}

/// out[0] = in[0], and out[i] = op(in[i - 1], in[i]): by default in[i] - in[i - 1], or by an
/// operator of the list, which is chosen at run time in the kernel. Integers wrap. Otherwise as
/// `exclusive_scan`.
template <class T, class Op = later_minus_earlier>
void adjacent_difference(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
                         [[maybe_unused]] Op op = {}) {
  using item = std::remove_const_t<T>;
  using compiled = detail::compiled_neighbors<Op, item>;
  static_assert(compiled::included,
                "adjacent_difference of device memory is compiled for integers of 8 to 64 bits, "
                "float and double; for later - earlier, and for these operators in the type of "
                "the items:" LIBSCAN_OPERATOR_NAMES
                ". For anything else include "
                "libscan/adjacent_difference.cuh in CUDA code.");
  if constexpr (compiled::included) {
    detail::enqueue_typed(queue, detail::enqueue_difference, in, plus<item>{}, item{},
                          {.out = out, .combine = compiled::how});
  }
}

/// Scan within segments: out[i] = init op in[h] op ... op in[i], where h is the first item of i's
/// segment. Otherwise as `exclusive_scan`.
///
/// Segments: any `segmentation` of device memory; offsets and ranges are of index_t. Offsets are
/// not checked; they ascend within 0 to n. Flags, keys and a length are packed into head bits in
/// the workspace first, which reads them once and writes and reads n / 8 bytes. The operator is
/// chosen at run time in the kernel.
/// Aliasing: also `out` may overlap flags or keys.
template <class T, class Op = plus<std::remove_const_t<T>>>
void inclusive_segmented_scan(device_queue const& queue, device_span<T> in,
                              std::remove_const_t<T>* out, segmentation const& segments, Op op = {},
                              detail::span_init<T> init = detail::default_init<T, Op>()) {
  detail::enqueue_typed(queue, detail::enqueue_scan, in, op, init,
                        {.kind = scan_kind::inclusive, .out = out, .segments = segments});
}

/// The same without item i: `init` for the first item of a segment.
template <class T, class Op = plus<std::remove_const_t<T>>>
void exclusive_segmented_scan(device_queue const& queue, device_span<T> in,
                              std::remove_const_t<T>* out, segmentation const& segments, Op op = {},
                              detail::span_init<T> init = detail::default_init<T, Op>()) {
  detail::enqueue_typed(queue, detail::enqueue_scan, in, op, init,
                        {.kind = scan_kind::exclusive, .out = out, .segments = segments});
}

/// totals[s] = init op the items of segment s. `totals` must not overlap anything. *d_segments
/// receives the number of segments, if that is not null, and they are neither offsets nor ranges.
/// Otherwise as `inclusive_segmented_scan`.
template <class T, class Op = plus<std::remove_const_t<T>>>
void segmented_reduce(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* totals,
                      segmentation const& segments, Op op = {}, index_t* d_segments = nullptr,
                      detail::span_init<T> init = detail::default_init<T, Op>()) {
  detail::enqueue_typed(queue, detail::enqueue_reduce, in, op, init,
                        {.out = totals, .segments = segments, .d_total = d_segments});
}

/// Sums of runs of equal neighboring keys (==): unique[s] = the first key of run s, totals[s] =
/// init op the items of run s. *d_runs = the number of runs, unless it is null. Otherwise as
/// `segmented_reduce`.
///
/// Types: `keys` are one for each item, of a type that libscan.hpp reads. The outputs have space
/// for a result of each run; as many as items always suffice.
/// Aliasing: the outputs must not overlap each other, keys or items. Traffic: keys are read twice.
template <class Key, class T, class Op = plus<std::remove_const_t<T>>>
void reduce_by_key(device_queue const& queue, Key const* keys, device_span<T> in, Key* unique,
                   std::remove_const_t<T>* totals, Op op = {}, index_t* d_runs = nullptr,
                   detail::span_init<T> init = detail::default_init<T, Op>()) {
  static_assert(detail::listed_input<Key>,
                "reduce_by_key of device memory is compiled for keys that are integers of 8 to 64 "
                "bits, bool, float, double, float16 or bfloat16, and compares them by ==. For "
                "anything else include libscan/segmented_reduce.cuh in CUDA code.");
  std::span const all(keys, static_cast<std::size_t>(in.size < 0 ? 0 : in.size));
  detail::enqueue_typed(
      queue, detail::enqueue_reduce, in, op, init,
      {.out = totals, .segments = segmentation::of_keys(all), .d_total = d_runs, .unique = unique});
}

/// Refuses an equality of your own, with a message.
template <class Key, class T, class Op, std::predicate<Key const&, Key const&> Equal>
void reduce_by_key(device_queue const&, Key const*, device_span<T>, Key*, std::remove_const_t<T>*,
                   Op, index_t*, Equal) {
  static_assert(!std::is_same_v<Equal, Equal>,
                "reduce_by_key of device memory compares keys by ==. For an equality of your own "
                "include libscan/segmented_reduce.cuh in CUDA code.");
}

/// ranks[i] = the number of true items of `mask` before item i, and *d_total = the number of all
/// true items, if that is not null. Everything that they point to is device memory.
///
/// Types: ranks are integers of 32 or 64 bits, one for each item of the mask; those that do not fit
/// wrap around.
/// Aliasing: the mask and `ranks` must not overlap.
/// Workspace: `device_binary_scan_workspace_bytes`. Otherwise as `exclusive_scan`.
template <std::integral Rank>
void exclusive_binary_scan(device_queue const& queue, item_mask const& mask, Rank* ranks,
                           index_t* d_total = nullptr) {
  static_assert(sizeof(Rank) == 4 || sizeof(Rank) == 8,
                "binary scans: ranks are integers of 32 or 64 bits");
  detail::enqueue_binary_scan(queue, {mask, scan_kind::exclusive, ranks, sizeof(Rank), d_total});
}

/// ranks[i] = the number of true items up to and including item i. Otherwise as
/// `exclusive_binary_scan`.
template <std::integral Rank>
void inclusive_binary_scan(device_queue const& queue, item_mask const& mask, Rank* ranks,
                           index_t* d_total = nullptr) {
  static_assert(sizeof(Rank) == 4 || sizeof(Rank) == 8,
                "binary scans: ranks are integers of 32 or 64 bits");
  detail::enqueue_binary_scan(queue, {mask, scan_kind::inclusive, ranks, sizeof(Rank), d_total});
}

/// Bytes of workspace that a scan, differences or a reduction of up to n items of T needs on `on`,
/// within such segments if there are any. For a reduction by key pass segmentation::of_keys. A pure
/// function of its arguments.
template <class T>
std::size_t device_workspace_bytes(engine const& on, index_t n, segmentation const& segments = {}) {
  constexpr bool compiled = detail::listed_item<T> || detail::compiled_complex<T>;
  static_assert(compiled,
                "device_calls.hpp is compiled for integers of 8 to 64 bits, float, double, and "
                "complex numbers of these two. For other items include libscan/scan.cuh in CUDA "
                "code: scan_workspace_bytes.");
  if constexpr (compiled) {
    using type = detail::span_type<T>;
    return detail::enqueued_bytes(
        on, {.type = type::value, .n = n, .segments = segments, .of_complex = type::of_complex});
  }
  return 0;
}

/// The same for a binary scan of up to n items.
inline std::size_t device_binary_scan_workspace_bytes(engine const& on, index_t n) {
  return detail::enqueued_rank_bytes(on, n);
}

}  // namespace libscan::inline v1
