// SPDX-License-Identifier: Apache-2.0
// The part of sorted_runs.hpp that runs on the host: lists of pairs, words and results.
#include <apps/radix_sort/host/sorted_runs.hpp>

#include <apps/radix_sort/host/sort_device.hpp>

#include <algorithm>

#include <libscan/core/half.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/host/on_queue.hpp>

namespace libscan::inline v1::detail {

template <class Key>
void compiled_runs<Key>::sample(device_queue const& queue, Key const* keys, index_t n,
                                std::span<word> words, sort_order<Key> const& order) {
  device_array<word> const d_words(queue, static_cast<index_t>(words.size()));
  detail::on_machine_of(queue.on, n, [&]<class Machine>(Machine on) {
    device_runs<Machine, Key>::sample(on, detail::place_of(queue), keys, n, d_words.data(),
                                      d_words.size(), order);
  });
  d_words.download(words);
}

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
index_t compiled_runs<Key>::merge_cut(device_queue const& queue, sorted_run<Key> const& a,
                                      sorted_run<Key> const& b, index_t k,
                                      sort_order<Key> const& order) {
  device_array<index_t> const d_found(queue, 1);
  detail::on_machine_of(queue.on, k, [&]<class Machine>(Machine on) {
    device_runs<Machine, Key>::merge_cut(on, detail::place_of(queue), a, b, k, d_found.data(),
                                         order);
  });
  index_t found = 0;
  d_found.download({&found, 1});
  return found;
}

template <class Key>
std::vector<sorted_run<Key>> compiled_runs<Key>::merge(device_queue const& queue,
                                                       std::span<sorted_run<Key> const> runs,
                                                       merge_target const& to,
                                                       sort_order<Key> const& order) {
  index_t all = 0;
  for (auto const& run : runs) all += run.size;
  return detail::on_machine_of<std::vector<sorted_run<Key>>>(
      queue.on, all, [&]<class Machine>(Machine on) {
        using machine_runs = device_runs<Machine, Key>;
        std::vector<merged_pair<Key>> pairs;
        std::vector<sorted_run<Key>> merged;
        index_t begin = 0, tiles = 0;
        for (std::size_t r = 0; r < runs.size(); r += 2) {
          auto const b = r + 1 < runs.size() ? runs[r + 1] : sorted_run<Key>{nullptr, nullptr, 0};
          index_t const size = runs[r].size + b.size;
          if (size > 0) pairs.push_back({runs[r], b, begin, tiles});
          tiles += ceil_div(size, static_cast<index_t>(machine_runs::tile_items()));
          auto* const values = static_cast<std::byte*>(to.values);
          merged.push_back({static_cast<Key*>(to.keys) + begin,
                            values == nullptr ? nullptr : values + begin * to.value_bytes, size});
          begin += size;
        }
        if (tiles == 0) return merged;
        device_array<merged_pair<Key>> const d_pairs(queue, static_cast<index_t>(pairs.size()));
        device_array<index_t> const splits(queue, tiles);
        d_pairs.upload(pairs);
        machine_runs::merge(on, detail::place_of(queue), to, d_pairs.data(),
                            static_cast<int>(pairs.size()), tiles, splits.data(), order);
        return merged;
      });
}

template <class Key>
void compiled_runs<Key>::sort_segments(device_queue const& queue, listed_sort_call const& segments,
                                       sort_order<Key> const& order) {
  if constexpr (sizeof(Key) >= 4) {
    sort_order<segment_key> const same{order.direction, order.first_bit, order.end_bit, {}};
    detail::on_machine_of(queue.on, 0, [&]<class Machine>(Machine on) {
      device_listed_sort<Machine, segment_key>::enqueue(on, detail::place_of(queue), segments,
                                                        same);
    });
  }
}

template <class Key>
bool compiled_runs<Key>::sorts_segments_fast(device_queue const& queue) {
  if constexpr (sizeof(Key) < 4) return false;
  if constexpr (sizeof(Key) >= 4) {
    return detail::on_machine_of<bool>(queue.on, 0, []<class Machine>(Machine on) {
      return device_listed_sort<Machine, segment_key>::is_fast(on);
    });
  }
}

#define LIBSCAN_COMPILE(name, type) template struct compiled_runs<type>;
LIBSCAN_ITEM_TYPES(LIBSCAN_COMPILE)
LIBSCAN_HALVES(LIBSCAN_COMPILE)
#undef LIBSCAN_COMPILE

}  // namespace libscan::inline v1::detail
