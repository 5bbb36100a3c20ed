// SPDX-License-Identifier: Apache-2.0
// From a request to the recording of the library's own kernels at work on it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <apps/explain/record.hpp>
#include <libscan/device/strategies/names.hpp>

namespace libscan::apps {

/// What is to be recorded.
struct scan_request {
  std::vector<std::int32_t> items;
  std::string algorithm;
  int block = 0;  ///< threads of a block, up to `most_threads`; 0: as many as one needs, or 4
  bool exclusive = false;
  unsigned seed = 0;  ///< 0: one block after the other
};

/// Most items of a request.
inline constexpr int most_items = 2048;

/// Most threads of a block.
inline constexpr int most_threads = 1024;

/// The names that a request may give, one a line, with a word on each.
std::string algorithm_list();

/// Runs the scan in the executor. A block scan that needs more than one block runs in a
/// scan-then-fan. Throws `invalid_argument` for a request that cannot be met; it says why.
recorded_run record_scan(scan_request const& request);

/// Its part for a block scan by one block, of `request.block` threads.
recorded_run record_one_block(scan_request const& request, block_algorithm which);

/// Its part for a block scan by several blocks, each of more than one item.
recorded_run record_scan_then_fan(scan_request const& request, block_algorithm which);

/// Its part for the other strategies.
recorded_run record_strategy(scan_request const& request, scan_strategy which);

/// How many items a thread of a block scan has.
int items_per_thread(block_algorithm which);

}  // namespace libscan::apps
