// SPDX-License-Identifier: Apache-2.0
// Scan, compaction and radix sort of many blocks by predicates, with the chapter's binary
// primitives or with those of 32-bit words (Harris & Garland, 3.3): reduce-then-scan, with kernels
// that count the true items of each block and rank them within it.
#pragma once

#include <bench/chapter_scans.cuh>
#include <libscan/buffer.cuh>
#include <libscan/scan.cuh>

namespace libscan::bench::chapter {

/// The size of a block in device-wide operations.
inline constexpr int device_wide_threads = 256;

/// The number of threads of the block whose word is not 0, by the counting barrier.
struct barrier_sum {
  using storage = no_storage;
  static __device__ unsigned sum(storage&, unsigned x) {
    return static_cast<unsigned>(block::count(x != 0));
  }
};

/// The difference between device-wide operations. Sum has `storage` and sum(storage, x): the sum of
/// the block's words, each 0 or 1, in every thread. Scan is one of the block's predicates, as in
/// Figure 3.2.
template <class Sum, class Scan>
struct primitives {
  using block_sum = Sum;
  using block_scan = Scan;
};

/// The pairs of Figures 3.1 and 3.2: the chapter's, and shuffles in place of shared memory.
using chapter_binary = primitives<barrier_sum, chapter_scan<device_wide_threads, step_a_binary>>;
using chapter_words = primitives<shared_tree_sum<device_wide_threads>,
                                 chapter_scan<device_wide_threads, step_a_generic>>;
using shuffle_binary = primitives<barrier_sum, binary_shuffle_scan<device_wide_threads>>;
using shuffle_words = primitives<sum_of_warps<device_wide_threads, sum_by_shuffles>,
                                 generic_shuffle_scan<device_wide_threads>>;

/// The rows of a block: its tile of the items; every thread has one item of each row.
template <int Rows>
struct tile_rows {
  static constexpr int items = Rows * device_wide_threads;
  unsigned word[Rows];
  bool marked[Rows];

  /// The place of the caller's item of the first row.
  static __device__ index_t first() { return index_t{blockIdx.x} * items + threadIdx.x; }

  /// Items from n on are not marked.
  __device__ void load(unsigned const* in, index_t n, bit_is_clear marks) {
#pragma unroll
    for (int row = 0; row < Rows; ++row) {
      index_t const i = first() + row * device_wide_threads;
      word[row] = i < n ? in[i] : 0;
      marked[row] = i < n && marks(word[row]);
    }
  }
};

/// counts[b] = the number of marked items of tile b. One block primitive per row.
template <class Primitives, int Rows>
struct count_tiles_kernel {
  static constexpr int block_threads = device_wide_threads;
  using shared_storage = typename Primitives::block_sum::storage;

  __device__ void operator()(shared_storage& shared, unsigned const* in, index_t n,
                             bit_is_clear marks, unsigned* counts) const {
    tile_rows<Rows> tile;
    tile.load(in, n, marks);
    unsigned count = 0;
#pragma unroll
    for (int row = 0; row < Rows; ++row) {
      count += Primitives::block_sum::sum(shared, tile.marked[row] ? 1 : 0);
    }
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
  }
};

/// Calls write(i, x, marked, rank, all) for every item x = in[i]. `rank` is the number of marked
/// items before it, before[b] the number before tile b, and *all the total.
template <class Primitives, int Rows, class Write>
struct rank_items_kernel {
  static constexpr int block_threads = device_wide_threads;
  using shared_storage = typename Primitives::block_scan::storage;

  __device__ void operator()(shared_storage& shared, unsigned const* in, index_t n,
                             bit_is_clear marks, unsigned const* before, unsigned const* all,
                             Write write) const {
    tile_rows<Rows> tile;
    tile.load(in, n, marks);
    unsigned rank = before[blockIdx.x];
    unsigned const of_all = *all;
#pragma unroll
    for (int row = 0; row < Rows; ++row) {
      auto const scanned = Primitives::block_scan::scan(shared, tile.marked[row]);
      index_t const i = tile.first() + row * device_wide_threads;
      if (i < n) write(i, tile.word[row], tile.marked[row], rank + scanned.prefix, of_all);
      rank += scanned.total;
    }
  }
};

/// Scan: every item's rank.
struct write_rank {
  unsigned* out;
  __device__ void operator()(index_t i, unsigned, bool, unsigned rank, unsigned) const {
    out[i] = rank;
  }
};

/// Compaction: the marked items, in their order.
struct write_kept {
  unsigned* out;
  __device__ void operator()(index_t, unsigned x, bool marked, unsigned rank, unsigned) const {
    if (marked) out[rank] = x;
  }
};

/// Split: the marked items, then the others, both in their order.
struct write_split {
  unsigned* out;
  __device__ void operator()(index_t i, unsigned x, bool marked, unsigned rank,
                             unsigned all) const {
    out[marked ? rank : all + (i - rank)] = x;
  }
};

/// Scan, compaction and sort of up to `most` items, fewer than 2^32; Rows items per thread.
/// Asynchronous on the default stream.
template <class Primitives, int Rows>
class device_wide_operations {
 public:
  explicit device_wide_operations(index_t most)
      : counts_(ceil_div(most, index_t{tile_rows<Rows>::items})), all_(1) {}

  /// out[i] = the number of items before in[i] with a clear highest bit.
  void scan(unsigned const* in, index_t n, unsigned* out) const {
    run(in, n, bit_is_clear{}, write_rank{out});
  }

  /// out = the items whose highest bit is clear.
  void compact(unsigned const* in, index_t n, unsigned* out) const {
    run(in, n, bit_is_clear{}, write_kept{out});
  }

  /// out = the items in ascending order, by one split per bit. `other`: space for n items.
  void sort(unsigned const* in, index_t n, unsigned* other, unsigned* out) const {
    for (int bit = 0; bit < 32; ++bit) {
      unsigned* const to = bit % 2 == 0 ? other : out;
      run(in, n, bit_is_clear{bit}, write_split{to});
      in = to;
    }
  }

  /// The number of items that the last scan or compaction marked; or the last split of a sort,
  /// which is also by the highest bit.
  unsigned marked_sync() const {
    unsigned all = 0;
    all_.read_sync(&all, 1);
    return all;
  }

 private:
  template <class Write>
  void run(unsigned const* in, index_t n, bit_is_clear marks, Write write) const {
    index_t const blocks = ceil_div(n, index_t{tile_rows<Rows>::items});
    simt::launch_config const grid{.blocks = static_cast<unsigned>(blocks),
                                   .threads = device_wide_threads};
    unsigned* const counts = counts_.data();
    simt::launch<count_tiles_kernel<Primitives, Rows>>(grid, in, n, marks, counts);
    exclusive_scan(ws_, static_cast<unsigned const*>(counts), counts, blocks, plus<unsigned>{},
                   all_.data());
    simt::launch<rank_items_kernel<Primitives, Rows, Write>>(
        grid, in, n, marks, static_cast<unsigned const*>(counts),
        static_cast<unsigned const*>(all_.data()), write);
  }

  device::buffer<unsigned> counts_, all_;
  mutable workspace ws_;
};

}  // namespace libscan::bench::chapter
