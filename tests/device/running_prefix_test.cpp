// SPDX-License-Identifier: Apache-2.0
// The running prefix by itself: one warp advances over more tiles than it reads at once (192), by
// steps of any length, while another warp publishes their totals.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <libscan/device/pipeline.cuh>
#include <tests/device/tile_values.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// found[s] = the prefix that enters tile step[s], by the first warp; the second publishes the
/// totals of tiles order[0], order[1], ...
struct advance_kernel {
  template <class T, class Op>
  __device__ void operator()(T const* values, index_t const* order, int tiles, index_t const* step,
                             int steps, device::tile_totals<T> totals, T init, T* found,
                             Op op) const {
    totals.clear(threadIdx.x, blockDim.x);
    simt::sync_block();
    if (threadIdx.x < simt::warp_size) {
      device::running_prefix<T, Op> prefix(totals, init, op);
      for (int s = 0; s < steps; ++s) {
        T const before = prefix.advance_to(step[s]);
        if (threadIdx.x == 0) found[s] = before;
      }
    } else if (threadIdx.x == simt::warp_size) {
      for (int i = 0; i < tiles; ++i) totals.publish(order[i], values[order[i]]);
    }
  }
};

/// The prefix that enters `tile`: `init`, then the total of each 32 tiles by a tree. The tiles that
/// are left over come last, in a tree as well.
template <class Op, class T = typename Op::value_type>
T prefix_oracle(std::vector<T> const& values, index_t tile, T init, T identity) {
  auto const plain = oracle_of(Op{});
  T prefix = init;
  for (index_t first = 0; first <= tile / 32 * 32; first += 32) {
    std::vector<T> level(32, identity);
    for (index_t t = first; t < std::min(first + 32, tile); ++t) {
      level[static_cast<std::size_t>(t - first)] = values[static_cast<std::size_t>(t)];
    }
    for (std::size_t width = 1; width < 32; width *= 2) {
      for (std::size_t i = 0; i < 32; i += 2 * width) level[i] = plain(level[i], level[i + width]);
    }
    prefix = plain(prefix, level[0]);
  }
  return prefix;
}

std::vector<index_t> order_of_tiles(index_t n, int how) {
  std::vector<index_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), index_t{0});
  if (how == 1) std::reverse(order.begin(), order.end());
  random_words words(static_cast<std::uint64_t>(n));
  for (std::size_t i = order.size(); how == 2 && i > 1; --i) {
    std::swap(order[i - 1], order[words.below(i)]);
  }
  return order;
}

template <class Op, class T = typename Op::value_type>
void require_prefixes(std::vector<index_t> const& steps, T init, T identity, int how) {
  index_t const tiles = steps.back() + (how == 0 ? 0 : 70);
  auto const values = tile_values<Op>(tiles, steps.size());
  std::size_t const bytes = device::tile_totals<T>::bytes(tiles);
  device_buffer<unsigned long long> memory(bytes / 8 + 1);
  memory.fill(0xff);  // as if a kernel before had left totals in it
  device_buffer<T> const in(values), found(steps.size());
  device_buffer<index_t> const order(order_of_tiles(tiles, how)), step(steps);
  simt::launch<advance_kernel>(
      {.blocks = 1, .threads = 2 * simt::warp_size}, static_cast<T const*>(in.data()),
      static_cast<index_t const*>(order.data()), static_cast<int>(tiles),
      static_cast<index_t const*>(step.data()), static_cast<int>(steps.size()),
      device::tile_totals<T>(reinterpret_cast<std::byte*>(memory.data()), tiles), init,
      found.data(), Op{});
  auto const got = found.copy();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    INFO("step " << s << ", tile " << steps[s]);
    REQUIRE(bytes_of(got[s]) == bytes_of(prefix_oracle<Op>(values, steps[s], init, identity)));
  }
}

/// What no tile adds to, and what comes before all of them.
template <class Op>
typename Op::value_type identity_value() {
  using T = typename Op::value_type;
  if constexpr (std::is_same_v<Op, join_affine>) {
    return {0, {1, 0}};
  } else {
    return T(Op::identity());
  }
}
template <class Op>
typename Op::value_type first_of() {
  if constexpr (std::is_same_v<Op, tripwire>) return interval::over(-3, 0);
  return tile_values<Op>(1, 99)[0];
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("a prefix advances over any number of tiles", "", chained_operators) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    std::vector<std::vector<index_t>> const walks{{0},
                                                  {1},
                                                  {31, 32, 33},
                                                  {63, 64, 65},
                                                  {191},
                                                  {192},
                                                  {193},
                                                  {5, 5, 197, 390},
                                                  {600},
                                                  {0, 600},
                                                  {64, 256},
                                                  {192, 384},
                                                  {191, 192, 383},
                                                  {1, 193, 386, 577},
                                                  {32, 224, 416, 608},
                                                  {385, 577},
                                                  {7, 199, 200},
                                                  {160, 352, 353, 545}};
    int how = 0;
    for (auto const& steps : walks) {
      INFO(schedule << ", walk of " << steps.size() << " steps to " << steps.back());
      require_prefixes<TestType>(steps, first_of<TestType>(), identity_value<TestType>(),
                                 how++ % 3);
    }
  });
}
