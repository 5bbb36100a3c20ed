// SPDX-License-Identifier: Apache-2.0
// The part of sorted_runs.hpp that runs on the host: lists of pairs, words and results.
#include <apps/radix_sort/host/sorted_runs.hpp>

#include <algorithm>

#include <libscan/core/half.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/host/on_queue.hpp>

namespace libscan::inline v1::detail {

template <class Key>
std::vector<index_t> compiled_runs<Key>::search(device_queue const& queue, Key const* keys,
                                                index_t n, std::span<word const> words,
                                                sort_order<Key> const& order) {
  std::vector<index_t> found(2 * words.size());
  if (words.empty()) return found;
  device_array<word> const d_words(queue, static_cast<index_t>(words.size()));
  device_array<index_t> const d_found(queue, static_cast<index_t>(found.size()));
  d_words.upload(words);
  detail::on_machine_of(queue.on, n, [&]<class Machine>(Machine on) {
    device_runs<Machine, Key>::search(on, detail::place_of(queue), keys, n, d_words.data(),
                                      d_words.size(), d_found.data(), order);
  });
  d_found.download(found);
  return found;
}

template <class Key>
std::vector<index_t> compiled_runs<Key>::merge(device_queue const& queue, merge_call const& call,
                                               std::span<index_t const> ends,
                                               sort_order<Key> const& order) {
  return detail::on_machine_of<std::vector<index_t>>(
      queue.on, ends.empty() ? 0 : ends.back(), [&]<class Machine>(Machine on) {
        using runs = device_runs<Machine, Key>;
        std::vector<merged_pair> pairs;
        std::vector<index_t> merged;
        index_t begin = 0, tiles = 0;
        for (std::size_t r = 0; r < ends.size(); r += 2) {
          index_t const end = ends[std::min(r + 1, ends.size() - 1)];
          if (end > begin) pairs.push_back({begin, ends[r], end, tiles});
          tiles += ceil_div(end - begin, static_cast<index_t>(runs::tile_items()));
          merged.push_back(begin = end);
        }
        if (tiles == 0) return merged;
        device_array<merged_pair> const d_pairs(queue, static_cast<index_t>(pairs.size()));
        device_array<index_t> const splits(queue, tiles);
        d_pairs.upload(pairs);
        runs::merge(on, detail::place_of(queue), call, d_pairs.data(),
                    static_cast<int>(pairs.size()), tiles, splits.data(), order);
        return merged;
      });
}

#define LIBSCAN_COMPILE(name, type) template struct compiled_runs<type>;
LIBSCAN_ITEM_TYPES(LIBSCAN_COMPILE)
LIBSCAN_HALVES(LIBSCAN_COMPILE)
#undef LIBSCAN_COMPILE

}  // namespace libscan::inline v1::detail
