// SPDX-License-Identifier: Apache-2.0
// The host API on device memory, without nvcc: asynchronous on a stream, nothing is copied. Link
// libscan::segments. Items and operators are those of libscan.hpp; of sums also complex numbers.
// Filters, sorts, histograms and sparse matrices have headers of the same kind. Other types and
// operators: in CUDA code, by the device headers.
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

/// The type of an `init`, in device memory or not.
template <class Init>
struct init_value {
  using type = Init;
};
template <class T>
struct init_value<device_init<T>> {
  using type = T;
};

/// The types of a call on items of T: those of host memory.
template <class T, class Op, class Init>
using span_types =
    host_types<std::span<std::remove_const_t<T> const>, Op, typename init_value<Init>::type>;

/// The type in which a call on items of T accumulates.
template <class T, class Op, class Init>
using span_value = typename span_types<T, Op, Init>::value_type;

/// The default operator on items of T, and the type in which it accumulates.
template <class T>
using span_sum = default_sum<std::span<std::remove_const_t<T> const>>;
template <class T>
using span_sum_value = typename span_sum<T>::value_type;

/// A call on items of T that is compiled, with the operator that its compiled code has.
template <class T, class Op, class Init>
struct span_call {
  using types = span_types<T, Op, Init>;
  using value_type = typename types::value_type;
  using twin = typename types::twin;
  using number = value_type;  // values consist of these
  static constexpr bool of_complex = false;
  static constexpr bool included = types::compiled;
  static constexpr operator_kind kind = types::kind;

  /// Whether results may be of type Result.
  template <class Result>
  static constexpr bool writes = result_of<Result, value_type>;
};
template <compiled_complex T, class Init>
struct span_call<T, plus<T>, Init> {
  using value_type = T;
  using twin = plus<T>;
  using number = typename T::value_type;
  static constexpr bool of_complex = true;
  static constexpr bool included = true;
  static constexpr operator_kind kind = operator_kind::plus;

  template <class Result>
  static constexpr bool writes = std::is_same_v<Result, T>;
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

/// The value before the first item: `init`, or the operator's identity. One in device memory is
/// read there.
template <class Call, class Init>
auto first_value(Init const& init) {
  using T = typename Call::value_type;
  if constexpr (std::is_same_v<Init, unstated>) {
    return detail::compiled_init<T>(static_cast<T>(Call::twin::identity()));
  } else if constexpr (requires { init.at; }) {
    static_assert(std::is_same_v<Init, device_init<T>>,
                  "device_calls.hpp: an init in device memory is of the type in which the "
                  "operator accumulates");
    return detail::compiled_init<T>(T{});
  } else {
    static_assert(std::is_convertible_v<Init, T>,
                  "libscan: init does not convert to the type that the operator accumulates in");
    return detail::compiled_init<T>(static_cast<T>(init));
  }
}

/// Calls enqueue(queue, call) with the types of a call as values. `call` has what the others lack.
template <class Result, class T, class Op, class Init>
void enqueue_typed(device_queue const& queue,
                   void (*enqueue)(device_queue const&, device_call const&), device_span<T> in, Op,
                   Init const& init, device_call call) {
  using item = std::remove_const_t<T>;
  using compiled = span_call<item, Op, Init>;
  constexpr bool included = compiled::included;
  static_assert(included,
                "device_calls.hpp is compiled for items that are integers of 8 to 64 bits, bool, "
                "float, double, float16 or bfloat16; for these operators over such an integer, "
                "float or double:" LIBSCAN_OPERATOR_NAMES
                "; for complex numbers of floats or doubles, and plus. For anything else "
                "include libscan/scan.cuh in CUDA code.");
  if constexpr (included) {
    constexpr bool writes = compiled::template writes<Result>;
    static_assert(writes,
                  "device_calls.hpp writes results of the type in which the operator accumulates; "
                  "of float also 16-bit floats. For others include libscan/scan.cuh in CUDA code.");
    using number = typename compiled::number;
    if constexpr (!compiled::of_complex && writes) {
      call.converts = !same_item<item, number> || !same_item<Result, number>;
      call.in_type = input_type_of<item>::value;
      call.out_type = input_type_of<Result>::value;
    }
    auto const first = detail::first_value<compiled>(init);
    call.type = item_type_of<number>::value;
    call.of_complex = compiled::of_complex;
    call.op = compiled::kind;
    call.in = in.data;
    call.n = in.size;
    call.d_n = in.d_size;
    call.init = &first;
    if constexpr (requires { init.at; }) call.d_init = init.at;
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
/// Types: items, operators, results and the default operator are those of the host API
/// (libscan.hpp); `out` has space for as many results as items. With in.d_size the number is read
/// on the device. Items that are not of the type in which `op` accumulates are first converted, in
/// `out` or in the workspace: that writes and reads them once more. Complex numbers, such as
/// std::complex of float or double, are only summed. Their parts are copied to the workspace,
/// scanned one after the other, and copied back.
/// Aliasing: `out` may be the items of `in`, if both hold one type. Any other overlap is refused if
/// the host knows the number of items, else undefined.
/// Synchronization: asynchronous on the queue's stream. Copies nothing.
/// Workspace: `device_workspace_bytes`.
/// Determinism: that of device calls: bitwise the same in every run on one kind of GPU.
/// Throws: `invalid_argument` for an engine that runs no kernels, an overlap, or a workspace that
/// is too small; `device_error`, std::bad_alloc, and exceptions of memory functions.
template <class T, class Op = detail::span_sum<T>, class Result, class Init = unstated>
void exclusive_scan(device_queue const& queue, device_span<T> in, Result* out, Op op = {},
                    detail::span_value<T, Op, Init>* d_total = nullptr,
                    Init init = unstated::init()) {
  detail::enqueue_typed<Result>(queue, detail::enqueue_scan, in, op, init,
                                {.kind = scan_kind::exclusive, .out = out, .d_total = d_total});
}

/// out[i] = init op in[0] op ... op in[i]. Otherwise as `exclusive_scan`.
template <class T, class Op = detail::span_sum<T>, class Result, class Init = unstated>
void inclusive_scan(device_queue const& queue, device_span<T> in, Result* out, Op op = {},
                    detail::span_value<T, Op, Init>* d_total = nullptr,
                    Init init = unstated::init()) {
  detail::enqueue_typed<Result>(queue, detail::enqueue_scan, in, op, init,
                                {.kind = scan_kind::inclusive, .out = out, .d_total = d_total});
}

/// out[i] = in[i + 1] op ... op in[n - 1] op init, and *d_total = all items op init: a scan from
/// the last item to the first. Operators other than `plus` are chosen in the kernel. Otherwise as
/// `exclusive_scan`.
template <class T, class Op = detail::span_sum<T>, class Result, class Init = unstated>
void reverse_exclusive_scan(device_queue const& queue, device_span<T> in, Result* out, Op op = {},
                            detail::span_value<T, Op, Init>* d_total = nullptr,
                            Init init = unstated::init()) {
  detail::enqueue_typed<Result>(
      queue, detail::enqueue_scan, in, op, init,
      {.kind = scan_kind::exclusive, .out = out, .d_total = d_total, .reverse = true});
}

/// out[i] = in[i] op ... op in[n - 1] op init. Otherwise as `reverse_exclusive_scan`.
template <class T, class Op = detail::span_sum<T>, class Result, class Init = unstated>
void reverse_inclusive_scan(device_queue const& queue, device_span<T> in, Result* out, Op op = {},
                            detail::span_value<T, Op, Init>* d_total = nullptr,
                            Init init = unstated::init()) {
  detail::enqueue_typed<Result>(
      queue, detail::enqueue_scan, in, op, init,
      {.kind = scan_kind::inclusive, .out = out, .d_total = d_total, .reverse = true});
}

/// *d_result = init op all items of `in`. Otherwise as `exclusive_scan`.
template <class T, class Op = detail::span_sum<T>, class Init = unstated>
void reduce(device_queue const& queue, device_span<T> in, detail::span_value<T, Op, Init>* d_result,
            Op op = {}, Init init = unstated::init()) {
  detail::enqueue_typed<detail::span_value<T, Op, Init>>(queue, detail::enqueue_reduce, in, op,
                                                         init, {.out = d_result});
}

/// out[0] = in[0], and out[i] = op(in[i - 1], in[i]): by default in[i] - in[i - 1], or by an
/// operator of the list, which is chosen at run time in the kernel. Integers wrap. Items are
/// integers, float or double. Differences also take complex numbers, and 16-bit floats, whose
/// results are rounded. Otherwise as `exclusive_scan`.
template <class T, class Op = later_minus_earlier>
void adjacent_difference(device_queue const& queue, device_span<T> in, std::remove_const_t<T>* out,
                         [[maybe_unused]] Op op = {}) {
  using item = std::remove_const_t<T>;
  using compiled = detail::compiled_neighbors<Op, item>;
  constexpr bool by_parts = std::is_same_v<Op, later_minus_earlier> &&
                            (half_float<item> || detail::compiled_complex<item>);
  static_assert(compiled::included || by_parts,
                "adjacent_difference of device memory is compiled for integers of 8 to 64 bits, "
                "float and double; for later - earlier, also of 16-bit floats and complex numbers, "
                "and for these operators in the type of the items:" LIBSCAN_OPERATOR_NAMES
                ". For anything else include "
                "libscan/adjacent_difference.cuh in CUDA code.");
  if constexpr (compiled::included || by_parts) {
    using value = accumulator_t<item>;
    detail::enqueue_typed<item>(queue, detail::enqueue_difference, in, plus<value>{}, value{},
                                {.out = out, .combine = compiled::how});
  }
}

/// Scan within segments: out[i] = init op in[h] op ... op in[i], where h is the first item of i's
/// segment. Otherwise as `exclusive_scan`.
///
/// Segments: any `segmentation` of device memory, except keys of your own. Offsets are not checked;
/// they ascend within 0 to n. Those of 32 bits are first copied as index_t to the workspace. Flags,
/// keys and a length are packed into head bits in the workspace first, which reads them once and
/// writes and reads n / 8 bytes. Operators other than `plus` are chosen in the kernel. Items in no
/// segment leave out[i] as it is; if that is a NaN of 16 bits, only a NaN. Aliasing: also `out` may
/// overlap flags or keys.
template <class T, class Op = detail::span_sum<T>, class Result, class Init = unstated>
void inclusive_segmented_scan(device_queue const& queue, device_span<T> in, Result* out,
                              segmentation const& segments, Op op = {},
                              Init init = unstated::init()) {
  detail::enqueue_typed<Result>(queue, detail::enqueue_scan, in, op, init,
                                {.kind = scan_kind::inclusive, .out = out, .segments = segments});
}

/// The same without item i: `init` for the first item of a segment.
template <class T, class Op = detail::span_sum<T>, class Result, class Init = unstated>
void exclusive_segmented_scan(device_queue const& queue, device_span<T> in, Result* out,
                              segmentation const& segments, Op op = {},
                              Init init = unstated::init()) {
  detail::enqueue_typed<Result>(queue, detail::enqueue_scan, in, op, init,
                                {.kind = scan_kind::exclusive, .out = out, .segments = segments});
}

/// totals[s] = init op the items of segment s. `totals` must not overlap anything. *d_segments
/// receives the number of segments, if that is not null, and they are neither offsets nor ranges.
/// Otherwise as `inclusive_segmented_scan`.
template <class T, class Op = detail::span_sum<T>, class Init = unstated>
void segmented_reduce(device_queue const& queue, device_span<T> in,
                      detail::span_value<T, Op, Init>* totals, segmentation const& segments,
                      Op op = {}, index_t* d_segments = nullptr, Init init = unstated::init()) {
  detail::enqueue_typed<detail::span_value<T, Op, Init>>(
      queue, detail::enqueue_reduce, in, op, init,
      {.out = totals, .segments = segments, .d_total = d_segments});
}

/// Sums of runs of equal neighboring keys (==): unique[s] = the first key of run s, totals[s] =
/// init op the items of run s. *d_runs = the number of runs, unless it is null. Otherwise as
/// `segmented_reduce`.
///
/// Types: `keys` are one for each item, of a type that libscan.hpp reads. The outputs have space
/// for a result of each run; as many as items always suffice.
/// Aliasing: the outputs must not overlap each other, keys or items. Traffic: keys are read twice.
template <class Key, class T, class Op = detail::span_sum<T>, class Init = unstated>
requires(!std::predicate<Init const&, Key const&, Key const&>) void reduce_by_key(
    device_queue const& queue, Key const* keys, device_span<T> in, Key* unique,
    detail::span_value<T, Op, Init>* totals, Op op = {}, index_t* d_runs = nullptr,
    Init init = unstated::init()) {
  static_assert(detail::listed_input<Key>,
                "reduce_by_key of device memory is compiled for keys that are integers of 8 to 64 "
                "bits, bool, float, double, float16 or bfloat16, and compares them by ==. For "
                "anything else include libscan/segmented_reduce.cuh in CUDA code.");
  std::span const all(keys, static_cast<std::size_t>(in.size < 0 ? 0 : in.size));
  detail::enqueue_typed<detail::span_value<T, Op, Init>>(
      queue, detail::enqueue_reduce, in, op, init,
      {.out = totals, .segments = segmentation::of_keys(all), .d_total = d_runs, .unique = unique});
}

/// Refuses an equality of your own, with a message.
template <class Key, class T, class Op, std::predicate<Key const&, Key const&> Equal>
void reduce_by_key(device_queue const&, Key const*, device_span<T>, Key*,
                   detail::span_value<T, Op, unstated>*, Op, index_t*, Equal) {
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
/// within such segments if there are any. Items accumulate in Value, and results of scans are of
/// type Result. For a reduction by key pass segmentation::of_keys. A pure function of its
/// arguments.
template <class T, class Value = detail::span_sum_value<T>, class Result = Value>
std::size_t device_workspace_bytes(engine const& on, index_t n, segmentation const& segments = {}) {
  constexpr bool of_complex = detail::compiled_complex<T>;
  constexpr bool compiled = of_complex || (detail::listed_input<T> && detail::listed_item<Value> &&
                                           detail::result_of<Result, Value>);
  static_assert(compiled,
                "device_calls.hpp is compiled for integers of 8 to 64 bits, bool, float, double, "
                "16-bit floats, and complex numbers. For other items include libscan/scan.cuh in "
                "CUDA code: scan_workspace_bytes.");
  if constexpr (of_complex) {
    using part = typename T::value_type;
    return detail::enqueued_bytes(on, {.type = detail::item_type_of<part>::value,
                                       .n = n,
                                       .segments = segments,
                                       .of_complex = true});
  } else if constexpr (compiled) {
    return detail::enqueued_bytes(
        on, {.type = detail::item_type_of<Value>::value,
             .n = n,
             .segments = segments,
             .converts = !detail::same_item<T, Value> || !detail::same_item<Result, Value>,
             .in_type = detail::input_type_of<T>::value,
             .out_type = detail::input_type_of<Result>::value});
  }
  return 0;
}

/// The same for a binary scan of up to n items.
inline std::size_t device_binary_scan_workspace_bytes(engine const& on, index_t n) {
  return detail::enqueued_rank_bytes(on, n);
}

}  // namespace libscan::inline v1
