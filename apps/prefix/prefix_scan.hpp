// SPDX-License-Identifier: Apache-2.0
// One scan of scan-prefix with its types as values, and how it runs on any engine, in plain C++.
// prefix_device.cuh implements its strategies.
#pragma once

#include <optional>

#include <apps/common/dtype.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/segmentation.hpp>
#include <libscan/textbook/names.hpp>

namespace libscan::apps {

/// out[i] = scan of the n items `in`, converted to `accumulator`. All memory is the host's; `out`
/// and `in` must not overlap. Forward or in reverse, with *init before the first item of each
/// segment.
struct prefix_call {
  dtype type;
  void const* in;
  index_t n;
  operator_kind op;
  scan_kind kind;
  scan_direction direction;
  segmentation segments;
  dtype accumulator;
  void const* init;
  void* out;
  /// Null, or an accumulator value: the n > 0 items are a piece of a longer input, on a CPU or
  /// without segments. It comes before the first item in the order of the scan, instead of *init,
  /// and receives the value after the last one.
  void* carry = nullptr;
};

/// A device strategy that runs a call instead of the engine's own scan.
struct strategy_choice {
  scan_strategy strategy;
  int block = 0;                                ///< threads of a block; 0: the strategy's default
  std::optional<block_algorithm> block_scan{};  ///< of its blocks; none: the default
};

/// `call` as the host API takes it.
inline libscan::detail::host_scan host_scan_of(prefix_call const& call) {
  using libscan::detail::as_input;
  return {as_input(call.type),
          call.in,
          call.n,
          call.op,
          call.kind,
          call.direction,
          call.segments,
          call.accumulator,
          call.init,
          as_input(call.accumulator),
          call.out,
          call.n,
          nullptr,
          call.carry};
}

/// Runs `call` on engine `on` and returns when its output is complete. Throws `invalid_argument`,
/// `device_error`, `engine_unavailable` or std::bad_alloc.
void prefix_scan(engine const& on, prefix_call const& call);

/// Runs `call`, which has no segments, by a strategy: on the GPU of a cuda engine, otherwise in the
/// executor. There it throws `invalid_argument` for more than `executor_limit` items, and
/// `engine_unavailable` if libscan was built without it.
void prefix_scan_by(engine const& on, strategy_choice const& choice, prefix_call const& call);

/// The strategies on a `cuda_device` or an `executor_run`; compiled for each accumulator T.
template <class Machine, class T>
struct device_strategies {
  /// Runs `call`, which has no segments. Returns when the output is complete; leaves the thread's
  /// current device as it was. Throws `device_error`, and `invalid_argument` for more items than
  /// the strategy supports.
  static void run(Machine on, prefix_call const& call, strategy_choice const& choice);
};

/// The most additions, one after the other, that an item passes through in `prefix_scan` over n
/// items, on any engine: those within a chunk or tile, and one for each chunk or tile.
constexpr index_t deepest_sum(index_t n) {
  constexpr index_t longest_tile = index_t{1} << 15;
  constexpr index_t shortest_tile = index_t{1} << 9;
  return longest_tile + n / shortest_tile + 2;
}

}  // namespace libscan::apps
