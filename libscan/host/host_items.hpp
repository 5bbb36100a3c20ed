// SPDX-License-Identifier: Apache-2.0
// What the host API takes as input and output: any contiguous range in host memory.
#pragma once

#include <span>
#include <utility>

namespace libscan::inline v1 {

/// Any range that std::span can view: a vector, an array, a span, a C array.
template <class Range>
concept host_items = requires(Range& range) {
  std::span{range};
};

/// Such a range for writing: not a temporary that owns its items.
template <class Range>
concept host_output = requires(Range&& range) {
  std::span{static_cast<Range&&>(range)};
};

namespace detail {

template <class Range>
using item_of = typename decltype(std::span{std::declval<Range&>()})::value_type;

/// A range for writing, as a span of any length.
template <class Range>
auto as_output(Range&& range) {
  std::span const all{static_cast<Range&&>(range)};
  return std::span<typename decltype(all)::element_type>(all);
}

}  // namespace detail

}  // namespace libscan::inline v1
