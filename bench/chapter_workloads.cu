// SPDX-License-Identifier: Apache-2.0
// The figures of Harris & Garland, "Optimizing Parallel Prefix Operations for the Fermi
// Architecture", reproduced: the chapter's primitives and today's beside their alternatives, by the
// number of blocks. Every contender of a workload computes the same chain as the host. (Device-wide
// operations have a file of their own.)
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

#include <bench/chapter_scans.cuh>
#include <bench/chapter_workloads.hpp>
#include <libscan/buffer.cuh>

namespace libscan::bench {

namespace {

using namespace chapter;

/// Random words and space for results on the device, for the largest requested grid.
class figures {
 public:
  figures(options const& wanted, std::vector<int> blocks, stopwatch const& time, report const& tell)
      : wanted_(wanted),
        blocks_(std::move(blocks)),
        time_(time),
        tell_(tell),
        words_(random_words(1024 * std::size_t(blocks_.back()))),
        in_(std::span<unsigned const>(words_)),
        out_(in_.size()) {}

  void block_counts() const;
  void block_scans() const;
  template <int... BlockThreads>
  void partial_sums() const {
    (partial_sums_of<BlockThreads>(), ...);
  }
  template <int... TileBytes>
  void occupancy() const {
    (occupancy_beside<TileBytes>(), ...);
  }
  void lane_masks() const;
  template <int... Bits>
  void warp_scans() const {
    (warp_scans_of<Bits>(), ...);
  }
  template <int... BlockThreads>
  void block_sorts() const {
    (block_sorts_of<BlockThreads>(), ...);
  }

 private:
  template <int BlockThreads>
  void partial_sums_of() const;
  template <int TileBytes>
  void occupancy_beside() const;
  template <int Bits>
  void warp_scans_of() const;
  template <int BlockThreads>
  void block_sorts_of() const;

  /// A contender of a workload: run(blocks, repetitions) launches its kernel once.
  struct entrant {
    std::string name;
    std::function<void(int blocks, int repetitions)> run;
    int shared_bytes;
    int resident_blocks;
  };

  static std::vector<unsigned> random_words(std::size_t n) {
    std::vector<unsigned> words(n);
    std::mt19937 random(20240229);
    std::generate(words.begin(), words.end(), std::ref(random));
    return words;
  }

  template <class Primitive>
  entrant entry(std::string name) const {
    using storage = typename Primitive::storage;
    return {std::move(name),
            [this](int blocks, int repetitions) {
              simt::launch<repeated_kernel<Primitive>>(
                  {.blocks = static_cast<unsigned>(blocks), .threads = Primitive::block_threads},
                  static_cast<unsigned const*>(in_.data()), out_.data(), repetitions);
            },
            std::is_empty_v<storage> ? 0 : static_cast<int>(sizeof(storage)),
            simt::resident_blocks_per_multiprocessor<repeated_kernel<Primitive>, unsigned const*,
                                                     unsigned*, int>(Primitive::block_threads)};
  }

  /// The smallest and the largest grid: one bound by latency, one by throughput.
  std::vector<int> ends() const {
    std::vector<int> both{blocks_.front()};
    if (blocks_.size() > 1) both.push_back(blocks_.back());
    return both;
  }

  /// Overwrites the results, so that the next contender must write every word itself.
  void forget_results() const {
    simt::fill_async(out_.data(), 0xff, words_.size() * sizeof(unsigned));
  }

  template <class Results>
  void race(std::string const& operation, std::string const& type, int block_threads,
            int repetitions, std::vector<int> const& grids, Results results,
            std::vector<entrant> const& entrants) const;

  options const& wanted_;
  std::vector<int> blocks_;
  stopwatch const& time_;
  report const& tell_;
  std::vector<unsigned> words_;
  device::buffer<unsigned> in_;
  device::buffer<unsigned> out_;
};

/// One workload per grid. Blocks are independent, so the results of a smaller grid are the first
/// ones of the largest.
template <class Results>
void figures::race(std::string const& operation, std::string const& type, int block_threads,
                   int repetitions, std::vector<int> const& grids, Results results,
                   std::vector<entrant> const& entrants) const {
  auto const most = static_cast<std::ptrdiff_t>(grids.back()) * block_threads;
  auto const expected = chain(std::vector<unsigned>(words_.begin(), words_.begin() + most),
                              block_threads, repetitions, results);
  for (int const blocks : grids) {
    index_t const n = index_t{blocks} * block_threads;
    auto const right = [&, n] {
      std::vector<unsigned> found(static_cast<std::size_t>(n));
      out_.read_sync(found.data(), n);
      forget_results();
      return std::equal(found.begin(), found.end(), expected.begin());
    };
    workload work{"cuda",
                  operation + ", " + std::to_string(block_threads) + " threads",
                  type,
                  n,
                  2.0 * static_cast<double>(n) * sizeof(unsigned),
                  {},
                  repetitions};
    for (entrant const& each : entrants) {
      work.contenders.push_back(
          {each.name, [&, blocks] { each.run(blocks, repetitions); }, right, each.shared_bytes});
      work.contenders.back().resident_blocks = each.resident_blocks;
    }
    forget_results();
    tell_(measure(work, wanted_.rounds, time_));
  }
}

/// Figure 3.1.
void figures::block_counts() const {
  race(
      "chapter block count", "1-bit", standard_threads, wanted_.repetitions, blocks_, counts,
      {entry<counting_barrier>("counting barrier"), entry<shared_tree>("shared tree"),
       entry<ordered_tree>("block::tree_reduce"), entry<two_level_sum<sum_by_shuffles>>("shuffles"),
       entry<two_level_sum<sum_by_reduction>>("warp reductions")});
  race("chapter no primitive", "1-bit", standard_threads, wanted_.repetitions, blocks_, own_items,
       {entry<nothing>("the loop alone")});
}

/// Figure 3.2: Listing 3.6 with either step A, and the same pair with the sums by shuffles.
void figures::block_scans() const {
  constexpr int threads = standard_threads;
  race("chapter block scan", "1-bit", threads, wanted_.repetitions, blocks_, prefixes<1>{threads},
       {entry<prefix_of<chapter_scan<threads, step_a_binary>>>("3.6 binary"),
        entry<prefix_of<chapter_scan<threads, step_a_generic>>>("3.6 32-bit"),
        entry<prefix_of<library_binary_scan<threads>>>("block::binary_scan"),
        entry<prefix_of<binary_shuffle_scan<threads>>>("shuffles binary"),
        entry<prefix_of<generic_shuffle_scan<threads>>>("shuffles 32-bit")});
}

/// 3.2.2.3: the counts of warps scanned by shuffles or bit by bit.
template <int BlockThreads>
void figures::partial_sums_of() const {
  race("chapter partial sums", "1-bit", BlockThreads, wanted_.repetitions, ends(),
       prefixes<1>{BlockThreads},
       {entry<prefix_of<library_binary_scan<BlockThreads>>>("generic"),
        entry<prefix_of<bitwise_sums_scan<BlockThreads>>>("bitwise")});
}

/// 3.2.2.3: less shared memory may raise occupancy: Listing 3.6 in either form, in kernels that
/// also keep a tile in shared memory.
template <int TileBytes>
void figures::occupancy_beside() const {
  constexpr int threads = 256;
  using binary = prefix_of<chapter_scan<threads, step_a_binary>>;
  using words = prefix_of<chapter_scan<threads, step_a_generic>>;
  race("chapter occupancy", "beside " + std::to_string(TileBytes / 1024) + " KiB", threads,
       wanted_.repetitions, {blocks_.back()}, prefixes<1>{threads},
       {entry<beside_tile<binary, TileBytes>>("3.6 binary"),
        entry<beside_tile<words, TileBytes>>("3.6 32-bit")});
}

/// Listing 3.4 against the arithmetic of 3.3, recomputed each time and hoisted out of the loop.
void figures::lane_masks() const {
  race("chapter lane mask", "1-bit", standard_threads, wanted_.repetitions, ends(), prefixes<1>{32},
       {entry<called<binary_warp_scan<warp::hardware_lane_masks>>>("called register"),
        entry<called<binary_warp_scan<printed_lane_masks>>>("called arithmetic 1-D"),
        entry<called<binary_warp_scan<warp::arithmetic_lane_masks>>>("called arithmetic 3-D"),
        entry<binary_warp_scan<warp::hardware_lane_masks>>("loop register"),
        entry<binary_warp_scan<printed_lane_masks>>("loop arithmetic 1-D"),
        entry<binary_warp_scan<warp::arithmetic_lane_masks>>("loop arithmetic 3-D")});
  race("chapter no primitive", "call", standard_threads, wanted_.repetitions, ends(), own_items,
       {entry<called<nothing>>("a call alone")});
}

/// 3.2.2.1: the number of bits up to which the bitwise scan wins.
template <int Bits>
void figures::warp_scans_of() const {
  race("chapter warp scan", std::to_string(Bits) + "-bit", standard_threads, wanted_.repetitions,
       ends(), prefixes<Bits>{32},
       {entry<bitwise_warp_scan<Bits>>("bitwise"), entry<shuffle_warp_scan<Bits>>("shuffles"),
        entry<shared_warp_scan<Bits>>("shared memory")});
}

/// 3.3: the sort of a block, with a thirty-second of the repetitions, since each is 32 scans.
template <int BlockThreads>
void figures::block_sorts_of() const {
  race("chapter block sort", "u32", BlockThreads, std::max(1, wanted_.repetitions / 32), ends(),
       sorted,
       {entry<library_sort<BlockThreads>>("block::radix_sort"),
        entry<sort_by<chapter_scan<BlockThreads, step_a_binary>>>("3.6 binary"),
        entry<sort_by<chapter_scan<BlockThreads, step_a_generic>>>("3.6 32-bit"),
        entry<sort_by<library_binary_scan<BlockThreads>>>("block::binary_scan"),
        entry<sort_by<binary_shuffle_scan<BlockThreads>>>("shuffles binary"),
        entry<sort_by<generic_shuffle_scan<BlockThreads>>>("shuffles 32-bit")});
}

void run_figures(options const& wanted, stopwatch const& time, report const& tell) {
  std::vector<int> blocks = wanted.blocks;
  if (blocks.empty()) blocks = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  std::sort(blocks.begin(), blocks.end());
  figures const all(wanted, blocks, time, tell);
  auto const requested = [&](std::string_view figure) {
    auto const& names = wanted.figures;
    return names.empty() || std::find(names.begin(), names.end(), figure) != names.end();
  };
  if (requested("block-counts")) all.block_counts();
  if (requested("block-scans")) all.block_scans();
  if (requested("partial-sums")) all.partial_sums<128, 256, 512, 1024>();
  if (requested("occupancy")) all.occupancy<1024, 26 * 1024>();
  if (requested("lane-masks")) all.lane_masks();
  if (requested("warp-scans")) all.warp_scans<1, 2, 3, 4, 5, 6, 7, 8, 12, 16>();
  if (requested("block-sorts")) all.block_sorts<128, 256, 512, 1024>();
}

}  // namespace

/// If only grids or figures are requested, nothing device-wide; if only sizes are, no figures.
void run_chapter_workloads(options const& wanted, stopwatch const& time, report const& tell) {
  bool const blocks = !wanted.blocks.empty() || !wanted.figures.empty();
  bool const sizes = !wanted.sizes.empty();
  if (blocks || !sizes) run_figures(wanted, time, tell);
  if (sizes || !blocks) run_device_wide(wanted, time, tell);
}

}  // namespace libscan::bench
