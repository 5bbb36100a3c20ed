// SPDX-License-Identifier: Apache-2.0
// The compiled half of the segmented sort's host API for one type of key: checks a call and passes
// it to its engine. Included by the files that compile it for some types each. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <apps/radix_sort/host/compiled_sort_cpu.hpp>
#include <apps/radix_sort/host/moved_ranges.hpp>
#include <apps/radix_sort/host/sort_device.hpp>
#include <libscan/buffer.hpp>
#include <libscan/core/error.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/host/on_engine.hpp>
#include <libscan/segmented_sort.hpp>

namespace libscan::inline v1::detail {

/// The number of segments of `offsets`, for n items. Throws `invalid_argument` if they are invalid.
inline index_t segments_of(char const* call, int threads, std::span<index_t const> offsets,
                           index_t n) {
  cpu::detail::require_aligned(offsets.data());
  if (offsets.empty() || offsets.front() < 0 || offsets.front() > n) {
    throw invalid_argument(std::string(call) + ": offsets begin with " +
                           (offsets.empty() ? "nothing" : std::to_string(offsets.front())) +
                           "; expected 0 to " + std::to_string(n) +
                           ", and one more for each segment");
  }
  auto const segments = static_cast<index_t>(offsets.size()) - 1;
  cpu::detail::item_segments(threads, offsets.data(), segments, n);
  return segments;
}

/// Offsets relative to the first of them.
inline std::vector<index_t> from_the_first(std::span<index_t const> offsets) {
  std::vector<index_t> moved(offsets.begin(), offsets.end());
  for (index_t& offset : moved) offset -= offsets.front();
  return moved;
}

/// Refuses an output that overlaps the offsets.
inline void check_no_overlap_with_offsets(char const* call, char const* words,
                                          std::span<index_t const> offsets,
                                          std::span<std::byte const> output) {
  check_no_sort_overlap(call, words, std::as_bytes(offsets), output, false);
}

/// Sorts on a device, with `Position`s of the keys as values; `take` gets the sorted ones.
template <class Position, class Machine, class Word, class Take>
void with_positions_on(device_segmented_sort<Machine, Word> const& call, int threads, Take take) {
  cpu::detail::sort_memory<Position> const positions(call.n);
  detail::fill_positions(threads, positions.data(), call.n);
  call.with(positions.data(), positions.data());
  take(positions.data());
}

/// The call that sorts keys of type Key by their bits.
template <class Machine, class Key>
auto sort_on(Machine device, Key const* keys, Key* out, index_t n, std::span<index_t const> offsets,
             sort_order<Key> const& order) {
  using word = typename number_order<Key>::word_type;
  return device_segmented_sort<Machine, word>{
      device,  reinterpret_cast<word const*>(keys), reinterpret_cast<word*>(out), n,
      offsets, detail::order_of_bits(order)};
}

/// Sorts on `device` what is in segments: the n items from the first offset on, with
/// offsets from 0 to n.
template <class Machine, class Key>
void sort_segments_on(Machine device, Key const* keys, Key* out, value_bytes const& values,
                      index_t n, std::span<index_t const> offsets, sort_order<Key> const& order) {
  auto const sort = detail::sort_on(device, keys, out, n, offsets, order);
  switch (values.size) {
    case 0:
      return sort.sort_words_only();
    case sizeof(std::uint32_t):
      return sort.with(static_cast<std::uint32_t const*>(values.in),
                       static_cast<std::uint32_t*>(values.out));
    case sizeof(std::uint64_t):
      return sort.with(static_cast<std::uint64_t const*>(values.in),
                       static_cast<std::uint64_t*>(values.out));
    default:
      int const threads = cpu::default_threads();
      cpu::detail::with_position_type(n, [&]<class Position>(Position) {
        detail::with_positions_on<Position>(sort, threads, [&](Position const* positions) {
          cpu::detail::gather(threads, values.in, values.out, values.size, positions, n);
        });
      });
  }
}

template <class Key>
void compiled_segmented_sort<Key>::items(char const* call, engine const& on, Key const* keys,
                                         Key* out, value_bytes const& values, index_t n,
                                         std::span<index_t const> offsets,
                                         sort_options const& options) {
  auto const order = detail::order_of<Key>(options);
  detail::check_items(call, keys, out, values, n, true);
  detail::check_no_overlap_with_offsets(call, "out overlaps offsets", offsets,
                                        detail::memory_of(out, n, sizeof(Key)));
  check_no_overlap_with_offsets(call, "values_out overlaps offsets", offsets,
                                memory_of(values.out, n, values.size));
  index_t const segments = segments_of(call, cpu::default_threads(), offsets, n);
  if (n == 0) return;
  detail::on_engine(
      on, n,
      [&](auto device) {
        // The device gets, and gives back, what is in segments.
        index_t const first = offsets.front();
        auto const skipped = first * static_cast<index_t>(values.size);
        value_bytes const moved{static_cast<std::byte const*>(values.in) + skipped,
                                static_cast<std::byte*>(values.out) + skipped, values.size};
        index_t const count = offsets.back() - first;
        if (count == 0) return;
        detail::sort_segments_on(device, keys + first, out + first, moved, count,
                                 from_the_first(offsets), order);
      },
      [&](int threads) {
        cpu::detail::sort_bytes_in_segments(threads, keys, out, values.in, values.out, values.size,
                                            n, offsets.data(), segments, order, {});
      });
}

template <class Key>
void compiled_segmented_sort<Key>::items(char const* call, engine const& on, Key const* keys,
                                         Key* out, value_bytes const& values, index_t n,
                                         segmentation const& ranges, sort_options const& options) {
  detail::order_of<Key>(options);
  detail::check_items(call, keys, out, values, n, true);
  moved_ranges const moved(call, ranges, n);
  moved.require_no_overlap_with(detail::memory_of(out, n, sizeof(Key)));
  moved.require_no_overlap_with(memory_of(values.out, n, values.size));
  buffer<Key> sorted(moved.count());
  buffer<std::byte> values_sorted(moved.count() * static_cast<index_t>(values.size));
  moved.gather(keys, sorted.data(), sizeof(Key));
  moved.gather(values.in, values_sorted.data(), values.size);
  compiled_segmented_sort<Key>::items(call, on, sorted.data(), sorted.data(),
                                      {values_sorted.data(), values_sorted.data(), values.size},
                                      moved.count(), moved.offsets(), options);
  moved.scatter(sorted.data(), out, sizeof(Key));
  moved.scatter(values_sorted.data(), values.out, values.size);
}

template <class Key, class Place>
void sort_segments_to_positions(engine const& on, Key const* keys, Place* positions, index_t n,
                                std::span<index_t const> offsets, sort_options const& options) {
  char const* const call = "segmented_argsort";
  auto const order = detail::order_of<Key>(options);
  auto const to = memory_of(positions, n, sizeof(Place));
  detail::check_no_sort_overlap(call, "positions overlap keys",
                                detail::memory_of(keys, n, sizeof(Key)), to, false);
  check_no_overlap_with_offsets(call, "positions overlap offsets", offsets, to);
  index_t const segments = segments_of(call, cpu::default_threads(), offsets, n);
  if (n == 0) return;
  detail::on_engine(
      on, n,
      [&](auto device) {
        index_t const first = offsets.front();
        index_t const count = offsets.back() - first;
        if (count == 0) return;
        auto const moved = from_the_first(offsets);
        cpu::detail::with_position_type(count, [&]<class Position>(Position) {
          detail::with_positions_on<Position>(
              detail::sort_on<decltype(device), Key>(device, keys + first, nullptr, count, moved,
                                                     order),
              cpu::default_threads(), [&](Position const* sorted) {
                for (index_t i = 0; i < count; ++i) {
                  positions[first + i] =
                      static_cast<Place>(first + static_cast<index_t>(sorted[i]));
                }
              });
        });
      },
      [&](int threads) {
        cpu::argsort_in_segments(threads, keys, positions, n, offsets.data(), segments, order);
      });
}

/// The same within ranges.
template <class Key, class Place>
void sort_segments_to_positions(engine const& on, Key const* keys, Place* positions, index_t n,
                                segmentation const& ranges, sort_options const& options) {
  char const* const call = "segmented_argsort";
  detail::order_of<Key>(options);
  auto const to = memory_of(positions, n, sizeof(Place));
  detail::check_no_sort_overlap(call, "positions overlap keys",
                                detail::memory_of(keys, n, sizeof(Key)), to, false);
  moved_ranges const moved(call, ranges, n);
  moved.require_no_overlap_with(to);
  buffer<Key> together(moved.count());
  buffer<Place> places(moved.count());
  moved.gather(keys, together.data(), sizeof(Key));
  detail::sort_segments_to_positions(on, static_cast<Key const*>(together.data()), places.data(),
                                     moved.count(), moved.offsets(), options);
  moved.for_each([&](index_t offset, index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      auto const place = static_cast<index_t>(places[static_cast<std::size_t>(offset + i - begin)]);
      positions[i] = static_cast<Place>(place - offset + begin);
    }
  });
}

template <class Key>
void compiled_segmented_sort<Key>::positions(engine const& on, Key const* keys, index_t* positions,
                                             index_t n, std::span<index_t const> offsets,
                                             sort_options const& options) {
  detail::sort_segments_to_positions(on, keys, positions, n, offsets, options);
}

template <class Key>
void compiled_segmented_sort<Key>::positions(engine const& on, Key const* keys,
                                             std::uint32_t* positions, index_t n,
                                             std::span<index_t const> offsets,
                                             sort_options const& options) {
  detail::sort_segments_to_positions(on, keys, positions, n, offsets, options);
}

template <class Key>
void compiled_segmented_sort<Key>::positions(engine const& on, Key const* keys, index_t* positions,
                                             index_t n, segmentation const& ranges,
                                             sort_options const& options) {
  detail::sort_segments_to_positions(on, keys, positions, n, ranges, options);
}

template <class Key>
void compiled_segmented_sort<Key>::positions(engine const& on, Key const* keys,
                                             std::uint32_t* positions, index_t n,
                                             segmentation const& ranges,
                                             sort_options const& options) {
  detail::sort_segments_to_positions(on, keys, positions, n, ranges, options);
}

}  // namespace libscan::inline v1::detail
