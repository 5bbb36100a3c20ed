// SPDX-License-Identifier: Apache-2.0
// A scan or a sort of a few numbers on several ranks, recorded: what each rank holds before and
// after, and every message between them. Texts and drawings come only from the record.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace libscan::apps {

/// The most ranks that are shown.
inline constexpr int max_shown_ranks = 16;

/// The request for `record_ranks`.
struct ranks_request {
  std::vector<std::int32_t> items;
  int ranks = 0;
  bool sorts = false;      ///< a sort; else a scan
  bool exclusive = false;  ///< of a scan
  unsigned seed = 0;       ///< of the schedule
};

/// Items that one rank sends to another.
struct rank_message {
  int from, to;
  std::vector<std::int32_t> items;
};

/// One or more calls of the transport with the same name.
struct rank_step {
  std::string name;                    ///< as in messages about failures
  std::string words;                   ///< what the ranks do
  int rounds = 1;                      ///< how often they do it
  std::vector<std::int32_t> numbers;   ///< totals of the ranks' items, which later ranks need
  std::vector<rank_message> messages;  ///< by sender, then receiver
};

/// The whole run.
struct recorded_ranks {
  std::string what;                              ///< "sort", "inclusive scan", "exclusive scan"
  std::vector<std::vector<std::int32_t>> items;  ///< of each rank
  std::vector<rank_step> steps;
  std::vector<std::vector<std::int32_t>> results;
};

/// Runs it on simulated ranks. Throws: `invalid_argument` for other than 1 to `max_shown_ranks`
/// ranks; `kernel_error` without memory for their stacks; `engine_unavailable` in a build without
/// simulated ranks.
recorded_ranks record_ranks(ranks_request const& request);

/// The run in words.
std::string ranks_text(recorded_ranks const& run);

/// The run as a drawing, a complete SVG file: a column for each rank, time downwards.
std::string ranks_svg(recorded_ranks const& run);

}  // namespace libscan::apps
