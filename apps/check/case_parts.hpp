// SPDX-License-Identifier: Apache-2.0
// Shared by the files that make the inputs of a case.
#pragma once

#include <apps/check/check_case.hpp>
#include <apps/check/image.hpp>

namespace libscan::apps {

/// The purposes of the words of a case, separate from those of its properties.
enum stream : std::uint64_t {
  for_items = 100,
  for_flags,
  for_lengths,
  for_values,
  for_constant,
  for_threshold,
  for_surplus,
  for_weights,
  for_edges,
  for_range,
  for_columns,
  for_rows,
  for_vector,
  for_sum
};

/// Makes the description of segments, or of what is kept.
void make_marks(check_case const& c, placed in);

}  // namespace libscan::apps
