// SPDX-License-Identifier: Apache-2.0
// One scan of scan-prefix with its types as values, as run_prefix passes it to an engine.
#pragma once

#include <optional>

#include <apps/common/dtype.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/types.hpp>
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
  /// Null, or an accumulator value: the n > 0 items are a piece of a longer input, on a CPU. It
  /// comes before the first item in the order of the scan, instead of *init, and receives the value
  /// after the last one.
  void* carry = nullptr;
};

/// A device strategy that runs a call instead of the engine's own scan.
struct strategy_choice {
  scan_strategy strategy;
  int block = 0;                                ///< threads of a block; 0: the strategy's default
  std::optional<block_algorithm> block_scan{};  ///< of its blocks; none: the default
};

}  // namespace libscan::apps
