// SPDX-License-Identifier: Apache-2.0
// Device-wide scan of one bit per item, on the pipeline.
#pragma once

#include <libscan/core/operators.hpp>
#include <libscan/device/masks.cuh>
#include <libscan/device/pipeline.cuh>
#include <libscan/device/position.cuh>
#include <libscan/device/rank_words.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The pipelined binary scan: tiles whose ranks take longer to write than a prefix to find.
template <class Mask>
struct binary_pipeline_tuning {
  static constexpr bool of_bits = std::is_same_v<Mask, bit_mask>;
  static constexpr int groups = 3;
  static constexpr int group_threads = 128;
  static constexpr int words_per_lane = 3;
  static constexpr int stages = 12;
  static constexpr int tile_items = group_threads * words_per_lane * 32;
  // From here on it is the faster way.
  static constexpr index_t least_items = index_t{1} << (of_bits ? 21 : 25);
};

/// A mask's part of a tile in shared memory, read as words of 32 items.
template <class Mask, int Items>
struct staged_mask;

/// Bits are words already.
template <int Items>
struct staged_mask<bit_mask, Items> {
  __device__ void fetch(bit_mask mask, index_t base, int valid, simt::mbarrier& full) {
    words.fetch(mask.words + base / 32, ceil_div(valid, 32), full);
  }
  __device__ void complete(bit_mask mask, index_t base, int valid, int begin, int end) {
    words.complete(mask.words + base / 32, ceil_div(valid, 32), begin / 32, ceil_div(end, 32));
  }
  /// Items i ... i + 31 of the tile, of which `count` are; i is a multiple of 32.
  __device__ unsigned word(bit_mask mask, index_t base, int i, int count) {
    return bit_mask{words.items(mask.words + base / 32)}.bits<32>(i, count);
  }
  /// The same, for those who come after the first.
  __device__ unsigned word_again(bit_mask mask, index_t base, int i, int count) {
    return word(mask, base, i, count);
  }

  staged_tile<std::uint32_t, Items / 32> words;
};

/// Bytes are made bits by whoever reads them first.
template <int Items>
struct staged_mask<byte_mask, Items> {
  __device__ void fetch(byte_mask mask, index_t base, int valid, simt::mbarrier& full) {
    bytes.fetch(mask.bytes + base, valid, full);
  }
  __device__ void complete(byte_mask mask, index_t base, int valid, int begin, int end) {
    bytes.complete(mask.bytes + base, valid, begin, end);
  }
  __device__ unsigned word(byte_mask mask, index_t base, int i, int count) {
    byte_mask const staged{bytes.items(mask.bytes + base)};
    unsigned word = 0;
    if (simt::all(simt::full_warp, count == 32) && staged.whole_rows<16>()) {
      word = staged.whole_bits<16>(i) | staged.whole_bits<16>(i + 16) << 16;
    } else {
      word = staged.bits<32>(i, count);
    }
    words[i / 32] = word;
    return word;
  }
  __device__ unsigned word_again(byte_mask, index_t, int i, int) { return words[i / 32]; }

  staged_tile<std::uint8_t, Items> bytes;
  unsigned words[Items / 32];
};

/// The work of a pipeline that ranks the items of a mask.
template <scan_kind Kind, class Mask, class Rank, class Tuning>
struct rank_work {
  using summary = position;
  using op_type = plus_position;
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int warp_items = simt::warp_size * 32;
  static constexpr int part_items = Tuning::words_per_lane * warp_items;
  static constexpr int tile_items = parts * part_items;
  static constexpr int copies = 1;
  using stage_type = staged_mask<Mask, tile_items>;

  Mask mask;
  Rank* ranks;

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full) const {
    stage.fetch(mask, base, valid, full);
  }

  __device__ void complete(stage_type& stage, index_t base, int valid, int begin, int end) const {
    stage.complete(mask, base, valid, begin, end);
  }

  __device__ summary sum(stage_type& stage, index_t base, int valid, int begin) const {
    unsigned count = 0;
#pragma unroll
    for (int w = 0; w < Tuning::words_per_lane; ++w) {
      int const i = begin + w * warp_items + simt::lane_id() * 32;
      unsigned const word = stage.word(mask, base, i, items_of_word(valid, i));
      count += static_cast<unsigned>(simt::popc(word));
    }
    return {index_t{simt::reduce_add(simt::full_warp, count)}};
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int valid, int begin, summary before,
                       Done done) const {
    unsigned word[Tuning::words_per_lane];
#pragma unroll
    for (int w = 0; w < Tuning::words_per_lane; ++w) {
      int const i = begin + w * warp_items + simt::lane_id() * 32;
      word[w] = stage.word_again(mask, base, i, items_of_word(valid, i));
    }
    done();
#pragma unroll
    for (int w = 0; w < Tuning::words_per_lane; ++w) {
      int const first = begin + w * warp_items;
      auto const counts = warp::exclusive_scan(simt::popc(word[w]), plus<int>{});
      rank_words<Kind>(ranks + base + first, valid - first, word[w], before.value + counts.prefix);
      before.value += counts.total;
    }
  }

 private:
  static __device__ int items_of_word(int valid, int i) {
    int const rest = valid - i;
    return rest < 0 ? 0 : rest < 32 ? rest : 32;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
