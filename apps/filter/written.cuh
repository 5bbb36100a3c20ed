// SPDX-License-Identifier: Apache-2.0
// What a filter writes for the items it keeps.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What a filter writes for a kept item: the item.
struct the_item {
  template <class T>
  LIBSCAN_HOST_DEVICE T operator()(index_t, T item) const {
    return item;
  }
};

/// What a filter writes for a kept item: its position.
struct its_position {
  template <class T>
  LIBSCAN_HOST_DEVICE index_t operator()(index_t i, T) const {
    return i;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
