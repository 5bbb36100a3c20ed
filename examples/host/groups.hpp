// SPDX-License-Identifier: Apache-2.0
// Example: grouping by a small key and sorting within groups, as docs/tour.md shows them.
#pragma once

#include <vector>

#include <libscan/segmented_sort.hpp>
#include <libscan/split_by_key.hpp>

namespace examples {

/// Scores by expert, each expert's from the best down, and where each expert's begin.
struct ranked_scores {
  std::vector<float> scores;
  std::vector<libscan::index_t> begins;
};

/// Groups `scores` by `expert_of` them, one of so many, and sorts each group.
inline ranked_scores rank_scores(libscan::engine const& engine,
                                 std::vector<unsigned char> const& expert_of,
                                 std::vector<float> const& scores, int experts) {
  std::vector<unsigned char> grouped(expert_of.size());
  std::vector<float> by_expert(scores.size());
  std::vector<libscan::index_t> begins(static_cast<std::size_t>(experts) + 1);

  libscan::split_by_key(engine, expert_of, grouped, scores, by_expert, begins);  // stable
  libscan::segmented_sort_keys(engine, by_expert, by_expert, begins,
                               {.direction = libscan::sort_direction::descending});

  return {by_expert, begins};
}

}  // namespace examples
