// SPDX-License-Identifier: Apache-2.0
// From a request to the recording of the library's own kernels at work on it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apps/explain/record.hpp>
#include <libscan/textbook/names.hpp>

namespace libscan::apps {

/// What to record.
struct scan_request {
  std::vector<std::int32_t> items;
  std::string algorithm;
  int block = 0;  ///< threads of a block, up to `max_threads`; 0: as many as one block needs, or 4
  bool exclusive = false;
  unsigned seed = 0;                            ///< 0: one block after the other
  int banks = 32;                               ///< of shared memory, for the counts
  std::optional<block_algorithm> block_scan{};  ///< of a strategy's blocks; none: Kogge-Stone
};

/// Most items of a request.
inline constexpr int max_items = 2048;

/// Most threads of a block.
inline constexpr int max_threads = 1024;

/// The valid names of a request, one per line, with a word on each.
std::string algorithm_list();

/// Runs the scan in the executor. A block scan that needs more than one block runs in a
/// scan-then-fan. Throws `invalid_argument` with the reason for an invalid request.
recorded_run record_scan(scan_request const& request);

/// For a block scan by one block, of `request.block` threads.
recorded_run record_one_block(scan_request const& request, block_algorithm which);

/// For a strategy whose blocks run `block_scan`; in a scan-then-fan, blocks of more than one item.
recorded_run record_strategy(scan_request const& request, scan_strategy which,
                             block_algorithm block_scan);

/// For the walkthrough's scan as it is printed: sums of blocks are scanned inclusively. Exclusive:
/// each thread loads the item before its own, as the lecture's exclusive kernel does.
recorded_run record_walkthrough(scan_request const& request);

/// For the lecture's incorrect kernel, by one block, inclusive.
recorded_run record_incorrect(scan_request const& request);

}  // namespace libscan::apps
