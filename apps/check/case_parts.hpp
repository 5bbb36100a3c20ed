// SPDX-License-Identifier: Apache-2.0
// What files that make the inputs of a case share.
#pragma once

#include <apps/check/check_case.hpp>
#include <apps/check/image.hpp>

namespace libscan::apps {

/// What the words of a case are for; apart from those of its properties.
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

/// Makes what says where segments begin, or what is kept.
void make_marks(check_case const& c, placed in);

}  // namespace libscan::apps
