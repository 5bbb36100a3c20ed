// SPDX-License-Identifier: Apache-2.0
// The histogram whose counters fit in a block's shared memory two per word. A counter that reaches
// half of its range passes that half on to the grid's counter; barriers keep it from going much
// further.
#pragma once

#include <apps/histogram/device/counters.cuh>
#include <apps/histogram/device/rule_in_shared.cuh>
#include <apps/histogram/device/sample_pieces.cuh>
#include <libscan/device/item_count.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A block's 16-bit counters, two per word of shared memory. Between two barriers of the block less
/// than `spill` may be added to a counter. A counter below `spill` at the first barrier therefore
/// stays below 2 `spill`, and the thread that takes it to `spill` or beyond passes `spill` on to
/// the grid's counter before the second. So no counter ever overflows into its neighbor.
template <class Count>
class packed_counters {
 public:
  static constexpr unsigned spill = 0x8000;
  static_assert(2 * spill <= 1u << 16, "twice `spill` - 1 must fit a counter");

  __device__ packed_counters(unsigned* words, int bins, Count* counts, sample_totals* totals)
      : words_(words),
        idle_(counter_words(bins) + simt::lane_id()),
        bins_(bins),
        counts_(counts),
        totals_(totals) {}

  /// Two counters share a word; each lane of a warp has one more, for idle additions.
  static LIBSCAN_HOST_DEVICE int words(int bins) { return counter_words(bins) + simt::warp_size; }

  __device__ __forceinline__ void add(int place, unsigned times) {
    int const places[] = {place};
    unsigned const all_times[] = {times};
    add_all(places, all_times);
  }

  /// Adds to several counters, perhaps equal ones: no addition waits for another's result.
  template <int Places>
  __device__ __forceinline__ void add_all(int const (&places)[Places],
                                          unsigned const (&times)[Places]) {
    unsigned set[Places], any = 0;
#pragma unroll
    for (int j = 0; j < Places; ++j) {
      unsigned const added = times[j] << shift_of(places[j]);
      unsigned const before = words_.take(times[j] == 0 ? idle_ : places[j] >> 1, added);
      set[j] = ~before & (before + added);
    }
#pragma unroll
    for (int j = 0; j < Places; ++j) any |= set[j];
    // Only the thread that sets a counter's highest bit clears it.
    if ((any & (spill << 16 | spill)) == 0) return;
#pragma unroll
    for (int j = 0; j < Places; ++j) {
      unsigned const bit = set[j] & (spill << 16 | spill);
      if (bit == 0) continue;
      device::add_to_counter(words_[places[j] >> 1], 0u - bit);
      add_to_grid(places[j], spill);
    }
  }

  /// Counts in the grid's memory, in few calls. Only samples inside are tallied, since registers
  /// are scarce.
  __device__ __forceinline__ void add_to_grid(int place, unsigned times) {
    if (place < bins_) {
      device::add_to_global(counts_[place], times);
      inside_ += times;
    } else {
      add_to_global(outside_total(*totals_, place - bins_), times);
    }
  }

  /// Adds the samples inside of all lanes to the totals. The whole warp calls.
  __device__ void commit() const { add_all_lanes(totals_->inside, inside_); }

  /// The count of a place here.
  __device__ unsigned operator[](int place) const {
    return words_[place >> 1] >> shift_of(place) & 0xffffu;
  }

 private:
  static LIBSCAN_HOST_DEVICE int counter_words(int bins) { return (bins + outside_places + 1) / 2; }
  static __device__ int shift_of(int place) { return (place & 1) * 16; }

  shared_counters words_;
  int idle_;
  int bins_;
  Count* counts_;
  sample_totals* totals_;
  unsigned inside_ = 0;
};

/// A run of equal places in one thread, and the warp's hot place, which lanes count separately: so
/// lanes with equal places do not contend for a counter.
template <class Count>
class run_counter {
 public:
  explicit __device__ run_counter(packed_counters<Count>& counters) : counters_(counters) {}

  /// Counts a piece's samples by runs, and those of the hot place separately.
  template <int Places>
  __device__ __forceinline__ void add(int const (&places)[Places]) {
    bool all_hot = true;
#pragma unroll
    for (int j = 0; j < Places; ++j) all_hot = all_hot && places[j] == hot_;
    if (all_hot) {
      hot_times_ += Places;
      return;
    }
    int ended[Places];
    unsigned times[Places];
#pragma unroll
    for (int j = 0; j < Places; ++j) {
      bool const hot = places[j] == hot_, goes_on = places[j] == last_;
      ended[j] = last_;
      times[j] = hot || goes_on ? 0 : times_;
      hot_times_ += hot ? 1 : 0;
      times_ = hot ? times_ : goes_on ? times_ + 1 : 1;
      last_ = hot ? last_ : places[j];
    }
    counters_.add_all(ended, times);
  }

  /// Counts the run, which may be empty.
  __device__ __forceinline__ void end_run() {
    counters_.add(last_, times_);
    times_ = 0;
  }

  /// Counts a piece's samples one by one.
  template <int Places>
  __device__ __forceinline__ void add_singly(int const (&places)[Places]) {
    unsigned ones[Places];
#pragma unroll
    for (int j = 0; j < Places; ++j) ones[j] = 1;
    counters_.add_all(places, ones);
  }

  /// Whether many lanes share a place; if it is that of `lane`, it becomes the hot one. The whole
  /// warp calls.
  __device__ __forceinline__ bool elect(int place, int lane) {
    int const candidate = simt::shfl(simt::full_warp, place, lane);
    int const votes = simt::popc(simt::ballot(simt::full_warp, place == candidate));
    int const before = simt::popc(simt::ballot(simt::full_warp, place == hot_));
    if (votes >= min_votes && votes > before) {
      end_hot();
      hot_ = candidate;
    }
    return votes >= min_votes || before >= min_votes;
  }

  /// Counts all lanes' samples of the hot place. The whole warp calls.
  __device__ void end_hot() {
    unsigned const all = simt::reduce_add(simt::full_warp, hot_times_);
    hot_times_ = 0;
    if (simt::lane_id() == 0 && all != 0) counters_.add_to_grid(hot_, all);
  }

 private:
  static constexpr int min_votes = 6;

  packed_counters<Count>& counters_;
  int hot_ = -1, last_ = 0;
  unsigned hot_times_ = 0, times_ = 0;
};

/// Counts in dynamic shared memory of `bytes`.
template <class Sample, class Rule, class Count, class Tuning>
struct packed_histogram_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  using samples = sample_pieces<Sample>;
  using piece = typename samples::piece;
  static constexpr int max_items = (packed_counters<Count>::spill - 1) / block_threads;
  static constexpr int fitting = max_items / samples::width;
  static constexpr int batch = fitting < Tuning::batch ? fitting : Tuning::batch;
  static_assert(batch >= 1);
  static constexpr int tile_items = block_threads * batch * samples::width;
  static constexpr int tiles_between_barriers = max_items / (batch * samples::width);
  static_assert(tiles_between_barriers >= 1 &&
                    index_t{tiles_between_barriers} * tile_items < packed_counters<Count>::spill,
                "a block must not add `spill` to one counter between two barriers");

  static std::size_t bytes(int bins) {
    return static_cast<std::size_t>(words(bins)) * sizeof(unsigned);
  }

  __device__ void operator()(Sample const* in, item_count length, Rule rule, Count* counts,
                             sample_totals* totals) const {
    auto* const memory = simt::dynamic_shared<unsigned>();
    int const thread = static_cast<int>(threadIdx.x), places = rule.bins() + outside_places;
    for (int i = thread; i < words(rule.bins()); i += block_threads) memory[i] = 0;
    simt::sync_block();
    packed_counters<Count> counters(memory, rule.bins(), counts, totals);
    libscan::detail::in_best_form(
        rule, [&](auto find) { count(samples(in, length.get()), find, counters); });
    for (int place = thread; place < places; place += block_threads) {
      if (unsigned const own = counters[place]; own != 0) counters.add_to_grid(place, own);
    }
    counters.commit();
  }

 private:
  static LIBSCAN_HOST_DEVICE int words(int bins) { return packed_counters<Count>::words(bins); }

  /// A thread has every `warp_size`-th piece from here on: those of one warp are adjacent, so that
  /// the places of sorted samples agree.
  static __device__ index_t first_piece(index_t tile) {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    return tile + warp * batch * simt::warp_size + simt::lane_id();
  }

  /// The number of pieces from a thread's first on, at most a warp's.
  static __device__ int pieces_left(samples const& all, index_t first) {
    return device::valid_items<batch * simt::warp_size>(all.pieces(), first);
  }

  static __device__ __forceinline__ void load(samples const& all, index_t tile,
                                              piece (&pieces)[batch]) {
    index_t const first = first_piece(tile);
    int const left = pieces_left(all, first);
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      if (k * simt::warp_size < left) pieces[k] = all.load(first + k * simt::warp_size);
    }
  }

  /// All threads call and go through the same tiles; ends with a barrier.
  template <class Find>
  static __device__ void count(samples const& all, Find find, packed_counters<Count>& counters) {
    constexpr index_t tile_pieces = index_t{block_threads} * batch;
    index_t const step = gridDim.x * tile_pieces;
    run_counter<Count> runs(counters);
    piece next[batch] = {};
    load(all, blockIdx.x * tile_pieces, next);
    int round = 0;
    for (index_t tile = blockIdx.x * tile_pieces; tile < all.pieces(); tile += step) {
      piece now[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) now[k] = next[k];
      load(all, tile + step, next);
      int const left = pieces_left(all, first_piece(tile));
      int const first = left > 0 ? find(now[0].item[0]) : -1;
      bool const crowded = runs.elect(first, round++ % simt::warp_size);
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (k * simt::warp_size >= left) break;
        int places[samples::width];
        device::find_places(find, now[k].item, places);
        if (crowded) {
          runs.add(places);
        } else {
          runs.add_singly(places);
        }
      }
      if (round % tiles_between_barriers == 0) {
        runs.end_run();
        simt::sync_block();
      }
    }
    runs.end_run();
    simt::sync_block();
    if (index_t const rank = index_t{blockIdx.x} * block_threads + threadIdx.x; rank < all.rest()) {
      int const place[] = {find(all.rest_sample(static_cast<int>(rank)))};
      runs.add(place);
      runs.end_run();
    }
    runs.end_hot();
    simt::sync_block();
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
