// SPDX-License-Identifier: Apache-2.0
// Where operands lie in the banks of shared memory: the view of Harris 2007, Figure 4.
#pragma once

#include <string>
#include <vector>

#include <apps/explain/stages.hpp>

namespace libscan::apps {

/// The read of an operand from shared memory by a thread that adds.
struct bank_access {
  int thread = 0;
  int item = 0;  ///< index of the cell, without padding
  int word = 0;  ///< its address in words of 4 bytes, with padding
  int bank = 0;
};

/// The reads of the earlier operands in one step of the first tile, by thread.
struct bank_step {
  std::string label;
  std::vector<bank_access> reads;
  int ways = 1;  ///< the most different words that one bank serves for threads that read together
};

/// The steps of the first launch. `banks` threads read together: a half-warp if 16.
std::vector<bank_step> bank_steps(recorded_run const& run, int banks);

/// The steps in words.
std::string bank_text(recorded_run const& run, int banks, int width);

/// The steps as a drawing: a grid of words in rows of `banks`, for each step with what it reads.
std::string bank_svg(recorded_run const& run, int banks);

}  // namespace libscan::apps
