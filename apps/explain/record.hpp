// SPDX-License-Identifier: Apache-2.0
// The record of a run in the executor: every value, the place of each value between any two
// barriers, and the counts. The texts and drawings of scan-explain are made only from this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <apps/explain/traced.hpp>
#include <libscan/simt/executor/settings.hpp>

namespace libscan::apps {

using simt::executor::line_counts;

/// The origin of a value.
enum class origin : std::uint8_t { identity, input, sum };

/// A value of some thread.
struct value {
  std::int32_t number = 0;
  origin from = origin::identity;
  traced earlier{};  ///< operands of a sum
  traced later{};
  int thread = -1;  ///< the thread that made it; -1: the host
  int item = -1;    ///< number of an input
};

/// An array in shared memory, or a single variable. A kernel with several has them one after the
/// other.
struct region {
  std::string name;
  bool single = false;
  int spread = 1;                 ///< items that a cell stands for; it is the last of them
  std::vector<std::size_t> word;  ///< the place of cell i, in words of 4 bytes
};

/// Cells of an array, in order.
using cells = std::vector<traced>;

/// The content of memory that was never written (the executor's filling): the name of no value.
inline constexpr traced unwritten{0xcbcbcbcb};

/// An array in global memory. Level 0 holds items, level 1 their blocks' sums, and so on.
struct global_array {
  std::string name;
  int level = 0;
  traced const* begin = nullptr;
  std::size_t count = 0;
};

/// Words of global memory that say what tiles have published: value k is shown as letter k.
struct tile_flags {
  unsigned const* begin = nullptr;
  std::size_t count = 0;
  std::string letters;
};

/// The work of a block between two barriers, and the content of memory at the second.
struct interval {
  std::vector<traced> sums;   ///< made here, in order
  std::vector<cells> shared;  ///< by region
  std::vector<cells> global;  ///< by array
  std::string flags;          ///< of tiles, as letters of `tile_flags`; empty if there are none
  line_counts accesses;
};

/// A block of threads.
struct recorded_block {
  int index = 0;
  std::vector<interval> intervals;
};

/// A launch of a kernel.
struct recorded_launch {
  std::string title;
  int level = 0;  ///< level of the arrays whose elements are its items
  int blocks = 0;
  int threads = 0;
  int tile_items = 0;  ///< items that a block takes at once
  int shift = 0;       ///< places by which its threads load earlier items than their own
  std::vector<region> regions;
  std::vector<recorded_block> ran;
  std::vector<cells> before;  ///< by array
  std::vector<cells> after;
  line_counts counts;
};

/// A whole scan.
struct recorded_run {
  std::string algorithm;
  bool exclusive = false;
  bool accesses_heard = false;  ///< whether the build can count accesses of memory
  int count = 0;                ///< items
  std::string race;             ///< what the checker says of an incorrect kernel
  unsigned seed = 0;            ///< of the schedule; 0: in order
  std::vector<value> values;
  std::vector<global_array> arrays;
  tile_flags flags;
  std::vector<recorded_launch> launches;

  /// Whether it names a value.
  bool known(traced name) const {
    return name != traced{} && static_cast<std::size_t>(name) < values.size();
  }
  value const& of(traced name) const { return values[static_cast<std::size_t>(name)]; }
};

}  // namespace libscan::apps
