// SPDX-License-Identifier: Apache-2.0
// Filters, splits and runs with their types converted into values, on device memory and on host
// memory, and the machines with kernels that run them. filter_device.cuh, selection_device.cuh and
// untyped_filters.cu implement those. Internal: users include the public headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <libscan/core/item_mask.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>
#include <libscan/host/input_types.hpp>

namespace libscan::inline v1::detail {

/// What a filter writes besides the count.
enum class filter_kind : std::uint8_t {
  items,         ///< the kept ones to `out`
  positions,     ///< of the kept ones, to `positions`
  with_indices,  ///< both
  count,         ///< nothing
  split,         ///< the kept ones to `out`, the others to `rejected`; after them, if that is null
  split_bit,     ///< the same of unsigned integers; kept are those whose bit `bit` is 0
  unique,        ///< the first of each run to `out`
  run_lengths  ///< the same, and the lengths of the runs to `positions`, their begins to `offsets`
};

/// A filter of n items of `type`, or of *d_n at most n if that is not null, by the
/// `predicate<T>` *keep or, if that is null, by the mask. Pointers are to device memory, except
/// `keep`. If a mask has no items, `in` is null and `type` does not matter.
struct filter_call {
  filter_kind kind = filter_kind::items;
  input_type type = input_type::u8;
  void const* in = nullptr;
  index_t n = 0;
  index_t const* d_n = nullptr;
  void const* keep = nullptr;
  std::optional<item_mask> mask = {};
  int bit = 0;
  void* out = nullptr;
  void* rejected = nullptr;
  index_t* positions = nullptr;
  index_t* offsets = nullptr;  ///< or null: not written
  index_t min_length = 1;      ///< of runs that are kept
  index_t* d_count = nullptr;
};

/// The same with pointers to host memory, and how many items each output holds. `d_n` and `d_count`
/// are null. A split into one buffer has no `rejected`; `out` then holds n.
struct host_filter {
  filter_call call;
  index_t out_capacity = 0;
  index_t positions_capacity = 0;
  index_t rejected_capacity = 0;
  bool into_one = false;
};

/// Checks the call and puts it in the queue. Throws `invalid_argument` for an engine that runs no
/// kernels.
void enqueue_filter(device_queue const& queue, filter_call const& call);

/// Bytes of workspace that any such call on n items of `type` needs at most, except for a least
/// length of runs.
std::size_t enqueued_filter_bytes(engine const& on, input_type type, index_t n);

/// The same of runs of at least `min_length` items.
std::size_t enqueued_run_bytes(engine const& on, input_type type, index_t n, index_t min_length);

/// Filters of items of type T by a predicate, on a `cuda_device` or an `executor_run`; compiled for
/// every input type. The kinds are items, positions, with_indices and count.
///
/// `enqueue` is asynchronous. `run` takes checked host memory (`out` does not overlap `in`, or
/// begins where it does) and returns how many items are kept, when the outputs are complete. If an
/// output is too short, it writes nothing after it and still returns how many are kept: the caller
/// makes the error of it. Both leave the thread's current device as it was. They throw
/// `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class T>
struct device_filter {
  static void enqueue(Machine on, queue_place const& place, filter_call const& call);
  static index_t run(Machine on, host_filter const& filter);
};

/// The same of filters by masks, of splits and of runs.
template <class Machine, class T>
struct device_selection {
  static void enqueue(Machine on, queue_place const& place, filter_call const& call);
  static index_t run(Machine on, host_filter const& filter);

  /// Bytes of workspace that any filter of n items needs, by a predicate or a mask.
  static std::size_t workspace_bytes(index_t n);
};

/// Where runs of items begin: *d_count of them, in order. Device memory.
struct run_begins {
  index_t const* at;
  index_t const* d_count;
};

/// The same of masks without items: positions and counts; and of runs, once it is known where they
/// begin.
template <class Machine>
struct untyped_filters {
  static void enqueue(Machine on, queue_place const& place, filter_call const& call);
  static index_t run(Machine on, host_filter const& filter);

  /// Writes the results of the runs of at least `call.min_length` items.
  static void keep_long_runs(Machine on, queue_place const& place, filter_call const& call,
                             run_begins const& begins);
  /// Bytes of workspace that each of these needs.
  static std::size_t workspace_bytes(index_t n);
};

}  // namespace libscan::inline v1::detail
