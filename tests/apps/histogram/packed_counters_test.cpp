// SPDX-License-Identifier: Apache-2.0
// The counters of 16 bits by themselves, at their bound: between two barriers a block adds as much
// to one as it may, and the counter beside it in the word must not notice.
#include <cstdint>
#include <string>
#include <vector>

#include <apps/histogram/device/packed_histogram.cuh>
#include <libscan/bins.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int bins = 5;
constexpr int max_words = 64;
using counters_type = device::packed_counters<std::uint32_t>;
constexpr unsigned spill = counters_type::spill;

/// What a thread adds between two barriers.
struct addition {
  int place;
  unsigned times;
};

struct add_kernel {
  struct shared_storage {
    unsigned word[max_words];
  };
  __device__ void operator()(shared_storage& shared, addition const* additions, int rounds,
                             std::uint32_t* counts, sample_totals* totals) const {
    int const thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int i = thread; i < max_words; i += threads) shared.word[i] = 0;
    simt::sync_block();
    counters_type counters(shared.word, bins, counts, totals);
    for (int round = 0; round < rounds; ++round) {
      addition const mine = additions[round * threads + thread];
      int const places[] = {mine.place, mine.place, mine.place};
      unsigned const times[] = {mine.times / 2, 0, mine.times - mine.times / 2};
      counters.add_all(places, times);
      simt::sync_block();
    }
    for (int place = thread; place < bins + outside_places; place += threads) {
      if (unsigned const own = counters[place]; own != 0) counters.add_to_grid(place, own);
    }
    counters.commit();
  }
};

/// Each round's additions to one place, of all threads, are `sum` in all.
std::vector<addition> additions_of(int rounds, int threads, unsigned sum, bool neighbors,
                                   std::uint64_t stream) {
  random_words words(stream);
  std::vector<addition> all;
  for (int round = 0; round < rounds; ++round) {
    unsigned left = sum;
    int const place = static_cast<int>(words.below(bins + outside_places));
    for (int t = 0; t < threads; ++t) {
      // The place beside it in the word gets nothing, or a little.
      bool const beside = neighbors && t % 2 == 1 && t + 1 < threads;
      auto const some =
          static_cast<unsigned>(words.below(2 * sum / static_cast<unsigned>(threads) + 1));
      unsigned const times = t + 1 == threads ? left : some < left ? some : left;
      int const next = place ^ 1;
      if (beside && next < bins + outside_places) {
        all.push_back({next, 3});
      } else {
        all.push_back({place, times});
        left -= times;
      }
    }
  }
  return all;
}

void require_exact(std::vector<addition> const& additions, int threads) {
  std::vector<std::uint32_t> expected(bins, 0);
  sample_totals totals{};
  for (addition const& each : additions) {
    if (each.place < bins) {
      expected[static_cast<std::size_t>(each.place)] += each.times;
      totals.inside += each.times;
    } else {
      int const outside = each.place - bins;
      (outside == place_below   ? totals.below
       : outside == place_above ? totals.above
                                : totals.nan) += each.times;
    }
  }
  device_buffer<addition> const list(additions);
  device_buffer<std::uint32_t> const counts(std::vector<std::uint32_t>(bins, 0));
  device_buffer<sample_totals> const found(std::vector<sample_totals>{sample_totals{}});
  simt::launch<add_kernel>({.blocks = 1, .threads = static_cast<unsigned>(threads)},
                           static_cast<addition const*>(list.data()),
                           static_cast<int>(additions.size()) / threads, counts.data(),
                           found.data());
  REQUIRE(counts.copy() == expected);
  REQUIRE(found.copy()[0] == totals);
}

}  // namespace

TEST_CASE("counters of 16 bits take what a block may add between two barriers") {
  REQUIRE(counters_type::words(bins) <= max_words);
  each_schedule(6, [](std::string const& schedule) {
    INFO(schedule);
    for (int const threads : {1, 32, 96}) {
      for (unsigned const sum : {spill - 1, spill - 2, spill / 2, 1U}) {
        for (bool const neighbors : {false, true}) {
          auto const stream = static_cast<std::uint64_t>(sum + (neighbors ? 1 : 0));
          require_exact(additions_of(40, threads, sum, neighbors, stream), threads);
        }
      }
    }
  });
}

TEST_CASE("a counter just below its bound is passed on, not run over") {
  // 0x7fff, then as much again by one thread or all: 0xfffe; 0x8000 of these are passed on.
  for (int place = 0; place < bins + outside_places; ++place) {
    for (unsigned const more : {1U, 2U, spill - 1}) {
      int const beside = (place ^ 1) < bins + outside_places ? place ^ 1 : place;
      require_exact({{place, spill - 1}, {beside, 1}, {place, more}, {place, 0}}, 1);
      require_exact({{place, spill - 1}, {place, more}, {place, spill - 1}, {place, 1}}, 1);
    }
  }
}

#ifndef __CUDACC__
namespace {

struct one_warp {
  static constexpr int block_threads = 32;
  static constexpr int batch = 2;
};

}  // namespace

TEST_CASE("a block meets before a counter can overflow, and ends its runs there") {
  // Lanes read 16 samples at a time. Those of lane 5 are one long run beside a hot place.
  using kernel = device::packed_histogram_kernel<std::uint8_t, integer_bins<std::uint8_t>,
                                                 std::uint32_t, one_warp>;
  constexpr index_t run = 66000, n = 32 * run;
  std::vector<std::uint8_t> samples(static_cast<std::size_t>(n), 0);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i / 16 % 32 == 5 ? 1 : 0;
  integer_bins<std::uint8_t> const rule(0, 5);
  device_buffer<std::uint8_t> const in(samples);
  device_buffer<std::uint32_t> const counts(std::vector<std::uint32_t>(bins, 0));
  device_buffer<sample_totals> const found(std::vector<sample_totals>{sample_totals{}});
  simt::executor::counts events;
  {
    simt::executor::settings how = simt::executor::current_settings();
    how.count = &events;
    simt::executor::scoped_settings const scope(how);
    simt::launch<kernel>({.blocks = 1,
                          .threads = kernel::block_threads,
                          .dynamic_shared_bytes = kernel::bytes(rule.bins())},
                         static_cast<std::uint8_t const*>(in.data()), item_count(n), rule,
                         counts.data(), found.data());
  }
  REQUIRE(counts.copy() == std::vector<std::uint32_t>{31 * run, run, 0, 0, 0});
  REQUIRE(found.copy()[0].inside == n);
  std::int64_t barriers = 0;
  for (auto const& [line, count] : events.by_line) {
    if (line.file.ends_with("/packed_histogram.cuh")) barriers += count.barriers;
  }
  index_t const tiles = ceil_div(n, index_t{kernel::tile_items});
  CHECK(barriers >= tiles / kernel::tiles_between_barriers);
}
#endif
