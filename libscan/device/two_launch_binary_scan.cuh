// SPDX-License-Identifier: Apache-2.0
// Device-wide scan of one bit per item in two launches for each chunk of the items: one counts the
// true items of each tile, one writes the ranks. Ranks take 32 or 64 times the memory of bits, so
// reading bits twice costs little, and a chunk's bits stay in the cache between the launches: DRAM
// writes at full speed only while it reads nothing. After reduce-then-scan (Merrill & Grimshaw
// 2009, see strategies/reduce_then_scan.cuh); both launches scan the tiles' counts.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/tuning.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/mask_words.cuh>
#include <libscan/warp/scan.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// The number of items of a mask that are true: counted by a warp, at the speed of memory.

/// How a warp counts the items of a mask that are true, up to eight rows of 16 bytes a lane at
/// once. Each lane returns its share of the count.
template <class Mask, int TileItems>
struct mask_rows;

/// Bits are words already.
template <int TileItems>
struct mask_rows<bit_mask, TileItems> {
  static constexpr int width = 4;
  static constexpr int row_items = width * word_row_items;
  static constexpr int rows = TileItems < 8 * row_items ? TileItems / row_items : 8;
  static constexpr int items = rows * row_items;
  static_assert(TileItems % items == 0);

  /// Whether `count_whole` may be called.
  static __device__ bool are_whole(bit_mask mask) { return warp::whole_rows<width>(mask.words); }

  /// Counts the `items` from `base` on; bytes are also written to `words`, as bits.
  static __device__ unsigned count_whole(bit_mask mask, index_t base, std::uint32_t*) {
    std::uint32_t row[rows][width];
    index_t const first = base / word_items + simt::lane_id() * width;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto const four =
          simt::load_vector_to_keep<width>(mask.words + first + r * simt::warp_size * width);
#pragma unroll
      for (int j = 0; j < width; ++j) row[r][j] = four.item[j];
    }
    unsigned sum = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 0; j < width; ++j) sum += static_cast<unsigned>(simt::popc(row[r][j]));
    }
    return sum;
  }

  /// The same for those before `end`; the bits after it are 0.
  static __device__ unsigned count_part(bit_mask mask, index_t base, index_t end, std::uint32_t*) {
    unsigned sum = 0;
    index_t const to = end < base + items ? end : base + items;
    for (index_t i = base + simt::lane_id() * word_items; i < to; i += word_row_items) {
      int const count = static_cast<int>(to - i < word_items ? to - i : word_items);
      sum += static_cast<unsigned>(simt::popc(device::bits<word_items>(mask, i, count)));
    }
    return sum;
  }
};

/// Bytes are converted to bits.
template <int TileItems>
struct mask_rows<byte_mask, TileItems> {
  static constexpr int width = 16;
  static constexpr int row_items = simt::warp_size * width;
  static constexpr int rows = 8;
  static constexpr int items = rows * row_items;
  static_assert(TileItems % items == 0);

  static __device__ bool are_whole(byte_mask mask) { return device::whole_rows<width>(mask); }

  static __device__ unsigned count_whole(byte_mask mask, index_t base, std::uint32_t* words) {
    unsigned half[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      half[r] = device::whole_bits<width>(mask, base + r * row_items + simt::lane_id() * width);
    }
    return store(half, base, words);
  }

  static __device__ unsigned count_part(byte_mask mask, index_t base, index_t end,
                                        std::uint32_t* words) {
    unsigned half[rows] = {};
    for (int r = 0; r < rows; ++r) {
      index_t const i = base + r * row_items + simt::lane_id() * width;
      index_t const rest = end - i;
      half[r] = device::bits<width>(mask, i,
                                    static_cast<int>(rest < 0       ? 0
                                                     : rest < width ? rest
                                                                    : width));
    }
    return store(half, base, words);
  }

 private:
  /// Lanes exchange halves, so that each has a word of every second row.
  static __device__ unsigned store(unsigned const (&half)[rows], index_t base,
                                   std::uint32_t* words) {
    bool const odd = simt::lane_id() % 2 == 1;
    index_t const mine =
        base / word_items + (odd ? row_items / word_items : 0) + simt::lane_id() / 2;
    unsigned sum = 0;
#pragma unroll
    for (int r = 0; r < rows; r += 2) {
      unsigned const got = simt::shfl_xor(simt::full_warp, odd ? half[r] : half[r + 1], 1);
      unsigned const word = odd ? got | half[r + 1] << width : half[r] | got << width;
      words[mine + r * (row_items / word_items)] = word;
      sum += static_cast<unsigned>(simt::popc(word));
    }
    return sum;
  }
};

/// The binary scan of two launches: a block ranks one tile, and counts one tile a warp at a time.
struct two_launch_binary_scan_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::two_launches;
  static constexpr int block_threads = 256;
  static constexpr int resident_blocks = 4;  // that rank, of a multiprocessor
  static constexpr int words_per_lane = 2;
  static constexpr int max_groups = 1024;
  static constexpr index_t chunk_items = index_t{1} << 26;  // 8 MiB of bits
  // From this number on it is faster than tiles that look back.
  template <class Mask>
  static constexpr index_t min_items = index_t{1} << (std::is_same_v<Mask, bit_mask> ? 21 : 24);
};

/// Whether `Tuning` is that of a binary scan of two launches.
template <class Tuning>
concept tunes_two_launch_scan = tuned_for<Tuning, scan_algorithm::two_launches>;

/// The mask of the items after the first n, a multiple of 32.
LIBSCAN_HOST_DEVICE constexpr bit_mask past(bit_mask mask, index_t n) {
  return {mask.words + n / word_items};
}
LIBSCAN_HOST_DEVICE constexpr byte_mask past(byte_mask mask, index_t n) { return {mask.bytes + n}; }

/// What the first launch passes to the second. Tiles of a chunk are counted in groups of
/// consecutive ones, a block each.
template <class Tuning>
struct two_launch_tiles {
  static constexpr int warps = Tuning::block_threads / simt::warp_size;
  static constexpr int warp_items = Tuning::words_per_lane * word_row_items;
  static constexpr int tile_items = warps * warp_items;
  static constexpr index_t chunk_items = Tuning::chunk_items;
  static_assert(chunk_items % tile_items == 0);

  index_t* chunks;       // true items before an even chunk, and before an odd one
  index_t* groups;       // true items of each
  index_t* tiles;        // true items before each, in its group
  std::uint32_t* words;  // bytes as bits
  index_t chunk;
  unsigned group_count;

  /// For chunk `number` of n items, in `memory` of at least `bytes(n)`.
  two_launch_tiles(std::byte* memory, index_t n, index_t number)
      : chunks(reinterpret_cast<index_t*>(memory)),
        groups(chunks + 2),
        tiles(groups + Tuning::max_groups),
        words(reinterpret_cast<std::uint32_t*>(tiles + max_tiles(n))),
        chunk(number) {
    index_t const wanted = ceil_div(max_tiles(n), index_t{warps});
    index_t const max_groups = Tuning::max_groups;
    group_count = static_cast<unsigned>(wanted < 1 ? 1 : wanted < max_groups ? wanted : max_groups);
  }

  /// The most tiles of a chunk.
  static constexpr index_t max_tiles(index_t n) {
    return ceil_div(n < chunk_items ? n : chunk_items, index_t{tile_items});
  }

  static constexpr std::size_t bytes(index_t n) {
    auto const tiles = static_cast<std::size_t>(max_tiles(n));
    return (2 + Tuning::max_groups + tiles) * sizeof(index_t) + tiles * (tile_items / 8);
  }

  /// The chunk's bits, once it has been counted.
  bit_mask bits_of(bit_mask mask) const { return device::past(mask, first()); }
  bit_mask bits_of(byte_mask) const { return {words}; }

  /// The chunk's first item.
  LIBSCAN_HOST_DEVICE index_t first() const { return chunk * chunk_items; }

  /// How many of n items the chunk has; 0 if it begins after them.
  __device__ index_t size(index_t n) const {
    index_t const rest = n - first();
    return rest < 0 ? 0 : rest < chunk_items ? rest : chunk_items;
  }

  /// How many tiles each warp of a group counts, in a chunk of `items`.
  __device__ index_t rounds(index_t items) const {
    return ceil_div(ceil_div(items, index_t{tile_items}), index_t{group_count} * warps);
  }
};

/// Counts the tiles of a group.
template <class Mask, class Tuning>
struct count_tiles_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = 1024 / block_threads;  // of a multiprocessor
  static constexpr bool programmatic_launch = true;
  using two_launch = two_launch_tiles<Tuning>;
  static constexpr int warps = two_launch::warps;

  struct shared_storage {
    unsigned count[warps];
  };

  __device__ void operator()(shared_storage& shared, Mask mask, item_count count,
                             two_launch_tiles<Tuning> counts) const {
    index_t const items = counts.size(count.get());
    index_t const rounds = counts.rounds(items);
    mask = device::past(mask, counts.first());
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    index_t before = 0;
    for (index_t round = 0; round < rounds; ++round) {
      index_t const tile = (blockIdx.x * rounds + round) * warps + warp;
      unsigned const mine = count_tile(mask, tile * two_launch::tile_items, items, counts.words);
      if (simt::lane_id() == 0) shared.count[warp] = mine;
      simt::sync_block();
      index_t before_mine = before;
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        if (w < warp) before_mine += shared.count[w];
        before += shared.count[w];
      }
      if (simt::lane_id() == 0 && tile * two_launch::tile_items < items) {
        counts.tiles[tile] = before_mine;
      }
      simt::sync_block();
    }
    if (threadIdx.x == 0) counts.groups[blockIdx.x] = before;
  }

 private:
  /// By one warp.
  static __device__ unsigned count_tile(Mask mask, index_t base, index_t n, std::uint32_t* words) {
    index_t const end = n - base < two_launch::tile_items ? n : base + two_launch::tile_items;
    using rows = mask_rows<Mask, two_launch::tile_items>;
    constexpr int step = rows::items;
    unsigned sum = 0;
    for (index_t i = base; i < end; i += step) {
      if (end - i >= step && rows::are_whole(mask)) {
        sum += rows::count_whole(mask, i, words);
      } else {
        sum += rows::count_part(mask, i, end, words);
      }
    }
    return simt::reduce_add(simt::full_warp, sum);
  }
};

/// Writes the ranks of a tile.
template <scan_kind Kind, class Rank, class Tuning>
struct rank_tile_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;  // of a multiprocessor
  static constexpr bool programmatic_launch = true;
  static constexpr int words_per_lane = Tuning::words_per_lane;
  using two_launch = two_launch_tiles<Tuning>;
  static constexpr int warps = two_launch::warps;

  struct shared_storage {
    ranked_word<Rank> words[two_launch::tile_items / word_items];
    index_t groups_before[warps];  // each warp's share
    unsigned count[warps];
  };

  __device__ void operator()(shared_storage& shared, bit_mask mask, Rank* ranks, item_count count,
                             two_launch_tiles<Tuning> counts, index_t* total) const {
    index_t const n = count.get();
    index_t const items = counts.size(n);
    index_t const tile = blockIdx.x;
    index_t const first = tile * two_launch::tile_items;
    if (first >= items) {
      if (n == 0 && counts.chunk == 0 && tile == 0 && threadIdx.x == 0 && total != nullptr) {
        *total = 0;
      }
      return;
    }
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    index_t const base = first + warp * two_launch::warp_items;
    unsigned word[words_per_lane];
    device::load_words(mask, base, items - base, word);
    index_t const group = tile / (counts.rounds(items) * warps);
    index_t in_groups = 0;
    for (index_t g = threadIdx.x; g < group; g += block_threads) in_groups += counts.groups[g];

    unsigned before[words_per_lane], in_warp = 0;
#pragma unroll
    for (int w = 0; w < words_per_lane; ++w) {
      auto const ones = static_cast<unsigned>(simt::popc(word[w]));
      auto const scanned = warp::exclusive_scan(ones, plus<unsigned>{});
      before[w] = in_warp + scanned.prefix;
      in_warp += scanned.total;
    }
    index_t const share = warp::exclusive_scan(in_groups, plus<index_t>{}).total;
    if (simt::lane_id() == 0) {
      shared.groups_before[warp] = share;
      shared.count[warp] = in_warp;
    }
    simt::sync_block();
    index_t entering = counts.tiles[tile];
    if (counts.chunk > 0) entering += counts.chunks[counts.chunk % 2];
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      entering += shared.groups_before[w];
      if (w < warp) entering += shared.count[w];
    }
#pragma unroll
    for (int w = 0; w < words_per_lane; ++w) {
      int const at = (warp * words_per_lane + w) * simt::warp_size + simt::lane_id();
      shared.words[at] = {static_cast<Rank>(entering + before[w]), word[w]};
    }
    simt::sync_block();
    device::rank_words<warps, Kind>(shared.words, warp, ranks + counts.first() + first,
                                    device::valid_items<two_launch::tile_items>(items, first));
    if (first + two_launch::tile_items >= items && threadIdx.x == block_threads - 1) {
      counts.chunks[(counts.chunk + 1) % 2] = entering + in_warp;
      if (counts.first() + items == n && total != nullptr) *total = entering + in_warp;
    }
  }
};

/// Launches both for each chunk of n items. `memory`: at least
/// `two_launch_tiles<Tuning>::bytes(n)`.
template <scan_kind Kind, class Tuning, class Mask, class Rank>
void two_launch_binary_scan(workspace& ws, std::byte* memory, Mask mask, Rank* ranks, item_count n,
                            index_t* d_total) {
  using two_launch = two_launch_tiles<Tuning>;
  index_t const chunks = libscan::ceil_div(n.at_most(), two_launch::chunk_items);
  for (index_t chunk = 0; chunk == 0 || chunk < chunks; ++chunk) {
    two_launch const counts(memory, n.at_most(), chunk);
    index_t const tiles = two_launch::max_tiles(n.at_most() - chunk * two_launch::chunk_items);
    simt::launch<count_tiles_kernel<Mask, Tuning>>(
        {.blocks = counts.group_count, .threads = Tuning::block_threads, .on = ws.stream()}, mask,
        n, counts);
    simt::launch<rank_tile_kernel<Kind, Rank, Tuning>>(
        {.blocks = static_cast<unsigned>(tiles > 0 ? tiles : 1),
         .threads = Tuning::block_threads,
         .on = ws.stream()},
        counts.bits_of(mask), ranks, n, counts, d_total);
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
