// SPDX-License-Identifier: Apache-2.0
// Runs of sorted keys in device memory, which are merged two by two. Internal.
#pragma once

#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// The values of a merge of keys only.
struct no_values {};

/// Sorted keys in device memory, also of another device that this one reaches, and their values.
template <class Key>
struct sorted_run {
  Key const* keys;
  void const* values;
  index_t size;
};

/// Two runs to be merged, where the result goes, and the first tile of their merge.
template <class Key>
struct merged_pair {
  sorted_run<Key> a, b;
  index_t target;
  index_t first_tile;
};

}  // namespace libscan::inline v1::detail
