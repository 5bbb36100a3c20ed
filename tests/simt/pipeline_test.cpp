// SPDX-License-Identifier: Apache-2.0
// Pipelines of bulk copies and mbarriers, on both machines: rings of 2 to 4 stages, several phases,
// a warp of its own for the copies or none, waits and polls.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/simt/simt.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

namespace libscan::test {

namespace {

constexpr unsigned consumers = 96;
constexpr unsigned tile_items = 192;
constexpr unsigned tile_bytes = tile_items * sizeof(unsigned);

enum class waiting { sleeps, polls };

template <int Stages>
struct ring {
  alignas(128) unsigned stage[Stages][tile_items];
  simt::mbarrier full[Stages];
  simt::mbarrier empty[Stages];

  __device__ void init(unsigned readers) {
    for (int s = 0; s < Stages; ++s) {
      full[s].init(1);
      empty[s].init(readers);
    }
    simt::fence_mbarrier_init();
  }

  /// Fills the stage of `tile` in as many copies as requested; their bytes add up.
  __device__ void fill(unsigned const* in, unsigned tile, unsigned copies) {
    int const s = static_cast<int>(tile % Stages);
    full[s].arrive_expect(tile_bytes);
    unsigned const part = tile_items / copies;
    for (unsigned c = 0; c < copies; ++c) {
      simt::bulk_load(stage[s] + c * part, in + tile * tile_items + c * part,
                      part * static_cast<unsigned>(sizeof(unsigned)), full[s]);
    }
  }
};

template <waiting Waiting>
__device__ void wait_for(simt::mbarrier& barrier, unsigned parity) {
  if constexpr (Waiting == waiting::sleeps) {
    barrier.wait(parity);
  } else {
    while (!barrier.try_wait(parity)) {
    }
  }
}

/// The last warp copies, the others sum what comes: out[i] = sum over tiles of two of its items.
template <int Stages, waiting Waiting>
struct warp_pipeline_kernel {
  using shared_storage = ring<Stages>;
  __device__ void operator()(shared_storage& shared, unsigned const* in, unsigned* out,
                             unsigned tiles, unsigned copies) const {
    if constexpr (simt::has_bulk_copy) {
      if (threadIdx.x == 0) shared.init(consumers);
      simt::sync_block();
      unsigned const* const mine = in + blockIdx.x * tiles * tile_items;
      if (threadIdx.x >= consumers) {
        if (threadIdx.x == consumers) produce(shared, mine, tiles, copies);
      } else {
        out[blockIdx.x * consumers + threadIdx.x] = consume(shared, tiles);
      }
    }
  }

  __device__ static void produce(shared_storage& shared, unsigned const* in, unsigned tiles,
                                 unsigned copies) {
    for (unsigned tile = 0; tile < tiles; ++tile) {
      // The first round finds all stages empty: a wait for the phase before the first returns.
      wait_for<Waiting>(shared.empty[tile % Stages], (tile / Stages + 1) % 2);
      shared.fill(in, tile, copies);
    }
  }

  __device__ static unsigned consume(shared_storage& shared, unsigned tiles) {
    unsigned sum = 0;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      unsigned const s = tile % Stages;
      wait_for<Waiting>(shared.full[s], tile / Stages % 2);
      sum += shared.stage[s][threadIdx.x] + shared.stage[s][threadIdx.x + consumers];
      shared.empty[s].arrive();
    }
    return sum;
  }
};

/// All threads consume; one of them also copies, after a barrier of the block.
template <int Stages>
struct block_pipeline_kernel {
  using shared_storage = ring<Stages>;
  __device__ void operator()(shared_storage& shared, unsigned const* in, unsigned* out,
                             unsigned tiles, unsigned copies) const {
    if constexpr (simt::has_bulk_copy) {
      unsigned const* const mine = in + blockIdx.x * tiles * tile_items;
      if (threadIdx.x == 0) shared.init(1);
      simt::sync_block();
      if (threadIdx.x == 0) {
        for (unsigned tile = 0; tile < Stages && tile < tiles; ++tile) {
          shared.fill(mine, tile, copies);
        }
      }
      unsigned sum = 0;
      for (unsigned tile = 0; tile < tiles; ++tile) {
        shared.full[tile % Stages].wait(tile / Stages % 2);
        if (threadIdx.x < consumers) {
          sum += shared.stage[tile % Stages][threadIdx.x];
          sum += shared.stage[tile % Stages][threadIdx.x + consumers];
        }
        simt::sync_block();
        if (threadIdx.x == 0 && tile + Stages < tiles) shared.fill(mine, tile + Stages, copies);
      }
      if (threadIdx.x < consumers) out[blockIdx.x * consumers + threadIdx.x] = sum;
      simt::sync_block();
      if (threadIdx.x == 0) shared.full[0].invalidate();
    }
  }
};

template <class Kernel>
void require_pipeline(unsigned tiles, unsigned copies) {
  constexpr unsigned blocks = 5;
  std::vector<unsigned> items(blocks * tiles * tile_items);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<unsigned>(i * 2654435761u);
  device_buffer<unsigned> const in(items), out(blocks * consumers);
  simt::launch<Kernel>({.blocks = blocks, .threads = consumers + 32},
                       static_cast<unsigned const*>(in.data()), out.data(), tiles, copies);
  auto const sums = out.copy();
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned i = 0; i < consumers; ++i) {
      unsigned expected = 0;
      for (unsigned tile = 0; tile < tiles; ++tile) {
        std::size_t const start = (std::size_t{block} * tiles + tile) * tile_items;
        expected += items[start + i] + items[start + i + consumers];
      }
      INFO("block " << block << ", thread " << i << ", tiles " << tiles);
      REQUIRE(sums[block * consumers + i] == expected);
    }
  }
}

template <class Kernel>
void require_pipelines(int seeds) {
  each_schedule(seeds, [](std::string const& schedule) {
    INFO(schedule);
    for (unsigned const tiles : {1u, 2u, 5u, 13u}) {
      for (unsigned const copies : {1u, 3u}) require_pipeline<Kernel>(tiles, copies);
    }
  });
}

}  // namespace

TEST_CASE("a producer warp feeds consumers through a ring of stages") {
  int const seeds = scaled(8, 2);
  require_pipelines<warp_pipeline_kernel<2, waiting::sleeps>>(seeds);
  require_pipelines<warp_pipeline_kernel<3, waiting::sleeps>>(seeds);
  require_pipelines<warp_pipeline_kernel<4, waiting::sleeps>>(seeds);
  require_pipelines<warp_pipeline_kernel<3, waiting::polls>>(seeds);
}

TEST_CASE("a block feeds itself through a ring of stages") {
  int const seeds = scaled(8, 2);
  require_pipelines<block_pipeline_kernel<2>>(seeds);
  require_pipelines<block_pipeline_kernel<4>>(seeds);
}

}  // namespace libscan::test
