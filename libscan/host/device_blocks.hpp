// SPDX-License-Identifier: Apache-2.0
// Sums and scans of device memory block by block, for distributed calls: each block of 2^15 items
// by itself. The host gets the sums of the tree's nodes (block_tree.hpp), and says what enters
// each. So results depend on the items of a block, not on where they are. Plain C++;
// device_blocks.cuh implements it. Internal.
#pragma once

#include <libscan/core/block_tree.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>

namespace libscan::inline v1::detail {

/// A call on blocks; all pointers are to device memory, and aligned for the items. The last block
/// may be elsewhere.
struct block_call {
  item_type type;
  operator_kind op;
  scan_kind kind;       ///< of scans
  bool reversed;        ///< items go down from `in` - 1 and `last_in` - 1, results likewise
  void const* in;       ///< the first item
  void* out;            ///< of scans: the place of its result; may be `in`
  void const* last_in;  ///< the first item of the last block
  void* last_out;
  index_t items;        ///< in all blocks
  bool last_apart;      ///< whether the last block is at `last_in`, not after the others
  void* values;         ///< one for each block: sums write them, scans read and overwrite them
  index_t first_block;  ///< its number in the whole tree
  void* nodes;          ///< of sums: receives those of local nodes; of scans: what enters each
};

/// Puts a call in the queue. Throws `invalid_argument` for an engine that runs no kernels;
/// `device_error`.
void enqueue_block_sums(device_queue const& queue, block_call const& call);
void enqueue_block_scans(device_queue const& queue, block_call const& call);

/// These calls on items of type T, on a `cuda_device` or an `executor_run`.
template <class Machine, class T>
struct device_blocks_of {
  static void sums(Machine on, queue_place const& place, block_call const& call);
  static void scans(Machine on, queue_place const& place, block_call const& call);
};

}  // namespace libscan::inline v1::detail
