// SPDX-License-Identifier: Apache-2.0
// The definitions of segment_moves.hpp, for the machine that this file is compiled for.
#include <apps/radix_sort/host/segment_moves.hpp>

#include <cstddef>
#include <cstdint>

#include <libscan/host/convert_items.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/segmented_sort.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

namespace {

/// Scatters the places of head bits to their ranks.
struct head_offsets_kernel {
  static constexpr int block_threads = 256;
  __device__ void operator()(libscan::detail::ranked_heads heads, index_t* offsets) const {
    // The begin of item 0 counts, whether its bit is set or not.
    index_t const unmarked = heads.n > 0 && (heads.words[0] & 1U) == 0 ? 1 : 0;
    index_t const segments = *heads.d_total + unmarked;
    each_item(heads.n + 1, [=](index_t i) {
      if (i < heads.n && (heads.words[i / 32] >> (i % 32) & 1U) != 0) {
        offsets[static_cast<index_t>(heads.ranks[i]) + unmarked] = i;
      }
      if (i >= segments) offsets[i] = heads.n;
      if (i == 0 && unmarked != 0) offsets[0] = 0;
    });
  }
};

struct range_lengths_kernel {
  static constexpr int block_threads = 256;
  __device__ void operator()(segment_ranges<index_t> ranges, index_t n, index_t* lengths) const {
    range_lengths<index_t> const of{ranges, n};
    each_item(ranges.segments, [=](index_t s) { lengths[s] = of[s]; });
  }
};

struct number_kernel {
  static constexpr int block_threads = 256;
  template <class Position>
  __device__ void operator()(Position* positions, index_t n) const {
    each_item(n, [=](index_t i) { positions[i] = static_cast<Position>(i); });
  }
};

/// A launch of enough blocks in a stream.
simt::launch_config spread_in(libscan::detail::queue_place const& place, index_t n) {
  simt::launch_config how = spread(n);
  how.on = stream_of(place);
  return how;
}

template <class Word>
void copy_words(libscan::detail::range_copy const& all, simt::stream stream) {
  auto const* const from = static_cast<Word const*>(all.from);
  auto* const to = static_cast<Word*>(all.to);
  if (all.back) {
    copy_ranges<true>(stream, from, to, all.ranges, all.n, all.offsets);
  } else {
    copy_ranges<false>(stream, from, to, all.ranges, all.n, all.offsets);
  }
}

}  // namespace

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan::inline v1::detail {

template <class Machine>
void segment_moves<Machine>::offsets_of(Machine on, queue_place const& place,
                                        ranked_heads const& heads, index_t* offsets) {
  device::on_machine const here(on);
  simt::launch<device::head_offsets_kernel>(device::spread_in(place, heads.n + 1), heads, offsets);
}

template <class Machine>
void segment_moves<Machine>::lengths_of(Machine on, queue_place const& place,
                                        segment_ranges<index_t> ranges, index_t n,
                                        index_t* lengths) {
  device::on_machine const here(on);
  simt::launch<device::range_lengths_kernel>(device::spread_in(place, ranges.segments), ranges, n,
                                             lengths);
}

template <class Machine>
void segment_moves<Machine>::copy_ranges(Machine on, queue_place const& place,
                                         range_copy const& all) {
  device::on_machine const here(on);
  simt::stream const stream = device::stream_of(place);
  switch (all.item_bytes) {
    case 1:
      return device::copy_words<std::uint8_t>(all, stream);
    case 2:
      return device::copy_words<std::uint16_t>(all, stream);
    case 4:
      return device::copy_words<std::uint32_t>(all, stream);
    default:
      return device::copy_words<std::uint64_t>(all, stream);
  }
}

template <class Machine>
void segment_moves<Machine>::number_items(Machine on, queue_place const& place, void* positions,
                                          int bytes, index_t n) {
  device::on_machine const here(on);
  simt::launch_config const how = device::spread_in(place, n);
  if (bytes == sizeof(std::uint32_t)) {
    simt::launch<device::number_kernel>(how, static_cast<std::uint32_t*>(positions), n);
  } else {
    simt::launch<device::number_kernel>(how, static_cast<std::uint64_t*>(positions), n);
  }
}

template <class Machine>
void segment_moves<Machine>::clear_positions(Machine on, queue_place const& place, void* positions,
                                             int bytes, index_t n) {
  device::on_machine const here(on);
  simt::fill_async(positions, 0xff, static_cast<std::size_t>(n) * static_cast<std::size_t>(bytes),
                   device::stream_of(place));
}

template struct segment_moves<device::this_machine>;

}  // namespace libscan::inline v1::detail
