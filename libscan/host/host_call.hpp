// SPDX-License-Identifier: Apache-2.0
// Calls of the host API with their types converted into values, so that segmented.hpp reaches every
// engine through a few compiled functions. Internal: users include segmented.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <libscan/core/engine.hpp>
#include <libscan/core/item_mask.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>
#include <libscan/host/input_types.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1::detail {

/// A point across which the compiler moves no access to memory. <atomic> has one, but takes longer
/// to compile than the rest of a call.
struct compiler_fence {
  compiler_fence() { stop(); }
  ~compiler_fence() { stop(); }
  static void stop() { asm volatile("" ::: "memory"); }
};

/// Returns what a call of compiled code returns, which may treat e.g. `long long` items as `long`.
/// The fences keep a whole-program optimizer, for which these two never alias, from moving accesses
/// across the call.
template <class Call>
auto across_types(Call call) {
  compiler_fence const around;
  return call();
}

/// out[i] = scan of the n items `in`, converted to `accumulator`, within segments, with *init
/// before the first item of each. Forward or in reverse. All pointers are to host memory; `out`
/// holds `capacity` results of `out_type`.
struct host_scan {
  input_type type;
  void const* in;
  index_t n;
  operator_kind op;
  scan_kind kind;
  scan_direction direction;
  segmentation segments;
  item_type accumulator;
  void const* init;
  input_type out_type;
  void* out;
  index_t capacity;
  void* total;  ///< without segments: receives *init and all items, summed; or null
  /// Null; or the n > 0 items are a piece of a longer input, on a CPU or without segments. What
  /// comes before the first item in the order of the scan, in place of *init; receives the value
  /// after the last one.
  void* carry = nullptr;
};

/// totals[s] = *init and the items of segment s, summed. Otherwise as `host_scan`; `totals` holds
/// `capacity` accumulators.
struct host_reduction {
  input_type type;
  void const* in;
  index_t n;
  operator_kind op;
  segmentation segments;
  item_type accumulator;
  void const* init;
  void* totals;
  index_t capacity;
};

/// The ranks of the true items of a mask, integers of `rank_bytes`.
struct host_binary_scan {
  item_mask mask;
  scan_kind kind;
  void* ranks;
  std::size_t rank_bytes;
  index_t capacity;
};

/// Checks the call and runs it on engine `on`. Throws `invalid_argument` for a `segments` that does
/// not describe the items, and for an output that is too short or overlaps what is read.
void run_host_scan(engine const& on, host_scan const& call);
/// The same; returns the number of segments.
index_t run_host_reduction(engine const& on, host_reduction const& call);
/// The same for segments of keys, whose first keys it writes to `unique`, which holds
/// `unique_capacity` keys.
index_t run_keyed_reduction(engine const& on, host_reduction const& call, void* unique,
                            index_t unique_capacity);
/// The same; returns the number of true items.
index_t run_binary_scan(engine const& on, host_binary_scan const& call);

/// The calls with accumulators of T on up to `threads` threads of the cpu engine; compiled for
/// every item type. Checked.
template <class T>
struct cpu_items {
  static void scan(int threads, host_scan const& call);
  static index_t reduce(int threads, host_reduction const& call);
};

/// n items in device memory, or *d_n at most n if that is not null, and a place for them in another
/// type.
struct item_conversion {
  input_type from_type;
  void const* from;
  input_type to_type;
  void* to;
  index_t n;
  index_t const* d_n = nullptr;
};

/// Throws `invalid_argument` unless a description in device memory is one that kernels read, of n
/// items if the host sees that.
void check_device_segments(segmentation const& segments, index_t n);

/// Converts items in device memory to `accumulator`, or these to results: asynchronous on the
/// queue's stream.
void enqueue_conversion(device_queue const& queue, item_type accumulator,
                        item_conversion const& all);

/// The same on a machine that runs kernels, a `cuda_device` or an `executor_run`.
template <class Machine, class T>
struct device_segments {
  static void scan(Machine on, host_scan const& call);
  static index_t reduce(Machine on, host_reduction const& call);

  /// Calls on device memory, within segments or, of scans, in reverse.
  static void enqueue_scan(Machine on, queue_place const& place, device_call const& call);
  static void enqueue_reduce(Machine on, queue_place const& place, device_call const& call);
  /// Bytes of workspace that either needs.
  static std::size_t workspace_bytes(index_t n, segmentation const& segments);

  /// Converts items of any type to T; or floats, if T is float, to 16-bit ones.
  static void convert(Machine on, queue_place const& place, item_conversion const& all);
};

/// Head bits of n items in device memory.
inline segmentation segments_of_bits(std::uint32_t const* words, index_t n) {
  return segmentation::of_bits({words, static_cast<std::size_t>(ceil_div(n, index_t{32}))}, n);
}
/// The same where only the form matters.
inline segmentation some_bits() { return segments_of_bits(nullptr, 0); }

/// Scans of a kind, within segments or in reverse, of items of type T in device memory. `segments`
/// are offsets, ranges or head bits, also there; a scan in reverse ignores them.
template <class Machine, scan_kind Kind, class T>
struct segmented_scan_kernels {
  static void enqueue(Machine on, queue_place const& place, device_call const& call,
                      segmentation const& segments);
};

/// Reductions of such items; call.d_total receives the number of segments. If call.unique is set,
/// call.segments holds the keys, and `segments` is head bits.
template <class Machine, class T>
struct segmented_reduce_kernels {
  static void enqueue(Machine on, queue_place const& place, device_call const& call,
                      segmentation const& segments);
  /// Bytes of workspace for a reduction, and for either scan.
  static std::size_t workspace_bytes(index_t n, segmentation const& segments);
};

/// The binary scan on such a machine.
template <class Machine>
struct device_ranks {
  static index_t scan(Machine on, host_binary_scan const& call);
  static void enqueue(Machine on, queue_place const& place, device_binary_scan const& call);
  /// Bytes of workspace that it needs.
  static std::size_t workspace_bytes(index_t n);
};

/// Head bits of segments by flags, keys or one length, on such a machine: bit i % 32 of
/// words[i / 32] is set if a segment begins at item i. All in device memory.
template <class Machine>
struct device_head_bits {
  static void pack(Machine on, queue_place const& place, device_call const& call,
                   std::uint32_t* words);
  /// Bytes of memory for the words.
  static std::size_t bytes(index_t n);
};

}  // namespace libscan::inline v1::detail
