// SPDX-License-Identifier: Apache-2.0
// The definitions of `device_runs`: launches of the kernels of merge_runs.cuh. Internal.
#pragma once

#include <cstdint>

#include <apps/radix_sort/device/merge_runs.cuh>
#include <apps/radix_sort/host/sorted_runs.hpp>
#include <libscan/host/this_machine.cuh>

namespace libscan::inline v1::detail {

template <class Machine, class Key>
int device_runs<Machine, Key>::tile_items() {
  return device::merge_shape<Key>::tile_items;
}

template <class Machine, class Key>
void device_runs<Machine, Key>::sample(Machine on, queue_place const& place, Key const* keys,
                                       index_t n, word* words, index_t count,
                                       sort_order<Key> const& order) {
  using kernel = device::sample_kernel<Key>;
  device::on_machine const here(on);
  auto const blocks = static_cast<unsigned>(ceil_div(count, index_t{kernel::block_threads}));
  simt::launch<kernel>({.blocks = blocks,
                        .threads = kernel::block_threads,
                        .on = device::workspace_of(place).stream()},
                       keys, n, words, count, device::key_words<Key>{order});
}

template <class Machine, class Key>
void device_runs<Machine, Key>::search(Machine on, queue_place const& place, Key const* keys,
                                       index_t n, word const* words, index_t count, index_t* found,
                                       sort_order<Key> const& order) {
  using kernel = device::search_kernel<Key>;
  device::on_machine const here(on);
  auto const blocks = static_cast<unsigned>(ceil_div(2 * count, index_t{kernel::block_threads}));
  simt::launch<kernel>({.blocks = blocks,
                        .threads = kernel::block_threads,
                        .on = device::workspace_of(place).stream()},
                       keys, n, words, count, found, device::key_words<Key>{order});
}

template <class Machine, class Key>
void device_runs<Machine, Key>::merge_cut(Machine on, queue_place const& place,
                                          sorted_run<Key> const& a, sorted_run<Key> const& b,
                                          index_t k, index_t* found, sort_order<Key> const& order) {
  device::on_machine const here(on);
  simt::launch<device::merge_cut_kernel<Key>>(
      {.blocks = 1, .threads = 1, .on = device::workspace_of(place).stream()}, a.keys, a.size,
      b.keys, b.size, k, found, device::key_words<Key>{order});
}

template <class Machine, class Key>
void device_runs<Machine, Key>::merge(Machine on, queue_place const& place, merge_target const& to,
                                      merged_pair<Key> const* pairs, int count, index_t tiles,
                                      index_t* splits, sort_order<Key> const& order) {
  using kernel = device::merge_splits_kernel<Key>;
  device::on_machine const here(on);
  auto const stream = device::workspace_of(place).stream();
  device::key_words<Key> const word_of{order};
  auto const blocks = static_cast<unsigned>(ceil_div(tiles, index_t{kernel::block_threads}));
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = stream}, pairs,
                       count, tiles, splits, word_of);
  auto const with = [&]<class Value>(Value* values) {
    using merge = device::merge_kernel<Key, Value>;
    simt::launch<merge>(
        {.blocks = static_cast<unsigned>(tiles), .threads = merge::block_threads, .on = stream},
        static_cast<Key*>(to.keys), values, pairs, count, static_cast<index_t const*>(splits),
        word_of);
  };
  if (to.values == nullptr) {
    with(static_cast<keys_only*>(nullptr));
  } else if (to.value_bytes == 4) {
    with(static_cast<std::uint32_t*>(to.values));
  } else {
    with(static_cast<std::uint64_t*>(to.values));
  }
}

}  // namespace libscan::inline v1::detail
