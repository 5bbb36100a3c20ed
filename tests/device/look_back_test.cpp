// SPDX-License-Identifier: Apache-2.0
// Decoupled look-back by itself: one warp looks back over tiles in several windows of 32.
// Any tile may have published its prefix; another warp may publish others meanwhile.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <libscan/device/tile_chain.cuh>
#include <tests/device/tile_values.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// What a tile tells the others.
template <class T>
struct publication {
  index_t tile;
  device::tile_status status;
  T value;
};

/// The second warp publishes the news one after the other, the first `early` of them before the
/// first warp looks back from `tile`. Every lane of that writes what it found.
struct look_back_kernel {
  template <class T, class Op>
  __device__ void operator()(publication<T> const* news, int count, int early, index_t tile,
                             device::tile_state<T> state, T* found, Op op) const {
    bool const publishes = threadIdx.x == simt::warp_size;
    auto const publish = [&](int first, int end) {
      for (int i = first; i < end; ++i) state.publish(news[i].tile, news[i].status, news[i].value);
    };
    if (publishes) publish(0, early);
    simt::sync_block();
    if (publishes) publish(early, count);
    if (threadIdx.x < simt::warp_size) found[threadIdx.x] = device::look_back(state, tile, op);
  }
};

template <class T>
void put_in_order(std::vector<publication<T>>& news, int how) {
  if (how == 1) std::reverse(news.begin(), news.end());
  random_words words(news.size());
  for (std::size_t i = news.size(); how == 2 && i > 1; --i) {
    std::swap(news[i - 1], news[words.below(i)]);
  }
}

/// Looks back from the tile after all of `totals`, where tiles in `prefixes` (ascending) publish
/// their prefix. `whole`: all tiles have published their totals, and prefixes come during the
/// look-back. Else prefixes are there and totals come; and no one publishes anything in windows
/// before the one with the last prefix, for which no one may wait. `how`: in ascending, descending,
/// random order.
template <class Op>
void require_look_back(std::vector<typename Op::value_type> const& totals,
                       std::vector<index_t> const& prefixes, bool whole, int how) {
  using T = typename Op::value_type;
  auto const plain = oracle_of(Op{});
  auto const tile = static_cast<index_t>(totals.size());
  index_t const windows = (tile - 1 - prefixes.back()) / 32 + 1;
  index_t const needed = whole ? 0 : std::max<index_t>(0, tile - 32 * windows);
  std::vector<publication<T>> news, news_of_prefixes;
  T prefix = totals[0];
  for (index_t t = 0; t < tile; ++t) {
    T const total = totals[static_cast<std::size_t>(t)];
    if (t > 0) prefix = plain(prefix, total);
    if (t < needed) continue;
    bool const tells = t == 0 || std::binary_search(prefixes.begin(), prefixes.end(), t);
    if (tells) news_of_prefixes.push_back({t, device::tile_status::prefix, prefix});
    if (t > 0 && (whole || !tells)) news.push_back({t, device::tile_status::total, total});
  }
  put_in_order(news, how);
  put_in_order(news_of_prefixes, how);
  if (!whole) std::swap(news, news_of_prefixes);
  auto const early = static_cast<int>(news.size());
  news.insert(news.end(), news_of_prefixes.begin(), news_of_prefixes.end());
  std::size_t const bytes = device::tile_state<T>::bytes(tile);
  device_buffer<std::byte> const memory{std::vector<std::byte>(bytes)};
  device_buffer<publication<T>> const list(news);
  device_buffer<T> const found(simt::warp_size);
  simt::launch<look_back_kernel>({.blocks = 1, .threads = 2 * simt::warp_size},
                                 static_cast<publication<T> const*>(list.data()),
                                 static_cast<int>(news.size()), early, tile,
                                 device::tile_state<T>(memory.data(), tile), found.data(), Op{});
  for (T const& of_lane : found.copy()) REQUIRE(bytes_of(of_lane) == bytes_of(prefix));
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("a look-back takes every tile once, over several windows, in order", "",
                        chained_operators) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    // The longest walks first: mistakes in them give wrong values there, not endless loops.
    for (index_t const tile : {200, 97, 65, 64, 33, 32, 31, 2, 1}) {
      auto const totals = tile_values<TestType>(tile, static_cast<std::uint64_t>(tile));
      for (index_t const last : {100, 0, 1, 30, 31, 32, 33, 63, 64, 65, 167, 168, 199}) {
        if (last >= tile) continue;
        INFO(schedule << ", tile " << tile << ", last prefix of tile " << last);
        auto const how = static_cast<int>((tile + last) % 3);
        require_look_back<TestType>(totals, {last}, false, how);
        require_look_back<TestType>(totals, {last}, true, how);
        // And others before it, in the same window or not.
        if (last > 1) require_look_back<TestType>(totals, {last / 2, last - 1, last}, false, how);
      }
    }
  });
}
