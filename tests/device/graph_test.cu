// SPDX-License-Identifier: Apache-2.0
// Device-wide calls captured in CUDA graphs: replayed with changing data and changing numbers of
// items, one replay right after the other, counts handed from call to call on the device.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/binary_scan.cuh>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <tests/device/calls.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>
#include <tests/support/streams.cuh>

using namespace libscan;
using namespace libscan::test;

namespace {

using item = std::int32_t;

/// Brings host items to the device; they need not stay where they are.
template <class T>
void send(device_buffer<T> const& to, std::vector<T> const& items, cudaStream_t stream) {
  simt::copy_async(to.data(), items.data(), items.size() * sizeof(T), stream);
  simt::synchronize(stream);
}

/// The first n items.
template <class T>
std::vector<T> first(std::vector<T> items, index_t n) {
  items.resize(static_cast<std::size_t>(n));
  return items;
}

/// Space for the workspace of any call below.
constexpr std::size_t plenty = std::size_t{8} << 20;

}  // namespace

// One size for the resident scan and one for the pipelined one.
TEST_CASE("captured calls replay with changed data and a changed number of items") {
  index_t const most = GENERATE(index_t{100000}, index_t{1500000});
  INFO("at most " << most << " items");
  auto const room = static_cast<std::size_t>(most);
  scoped_stream const stream;
  device_buffer<std::byte> const memory(plenty);
  device_buffer<index_t> const d_n(1), ones(1);
  device_buffer<item> const in(room), scanned(room), within(room), scan_total(1), sum(1);
  device_buffer<std::uint8_t> const flags(room);
  device_buffer<std::int64_t> const ranks(room);
  simt::synchronize();  // allocated on another stream
  workspace ws(memory.data(), memory.size(), stream);
  auto const n_there = item_count::on_device(d_n.data(), most);
  captured_graph const calls(stream, [&] {
    auto const* const items = static_cast<item const*>(in.data());
    exclusive_scan(ws, items, scanned.data(), n_there, plus<item>{}, scan_total.data(), 7);
    reduce(ws, items, sum.data(), n_there, plus<item>{});
    inclusive_segmented_scan(ws, items, within.data(), head_flags{flags.data()}, n_there,
                             plus<item>{});
    inclusive_binary_scan(ws, byte_mask{flags.data()}, ranks.data(), n_there, ones.data());
  });

  std::uint64_t round = 0;
  for (index_t const n : {most, index_t{1}, most - 1, index_t{0}, most / 2 + 1, most}) {
    INFO(n << " items");
    auto const items = make_items<item>(n, ++round);
    auto const heads = flags_of(make_offsets(segment_shape::power_law, n, round));
    for (auto const* const out : {&scanned, &within}) {
      simt::fill_async(out->data(), 0xff, room * sizeof(item), stream);
    }
    send(d_n, {n}, stream);
    send(in, items, stream);
    send(flags, heads, stream);
    // The same work three times over leaves the same results.
    for (int k = 0; k < 3; ++k) calls.replay(stream);
    simt::synchronize(stream);

    auto const expected = scan_oracle(scan_kind::exclusive, items, plus<item>{}, 7);
    REQUIRE(difference(expected, {first(scanned.copy(), n), scan_total.copy()[0]}) == "");
    REQUIRE(sum.copy()[0] == scan_oracle(scan_kind::exclusive, items, plus<item>{}, 0).total);
    REQUIRE(difference(segmented_oracle(scan_kind::inclusive, items, heads, plus<item>{}, 0),
                       first(within.copy(), n)) == "");
    std::vector<std::int64_t> held;
    for (auto const flag : heads) held.push_back(flag != 0 ? 1 : 0);
    auto const counted =
        scan_oracle(scan_kind::inclusive, held, plus<std::int64_t>{}, std::int64_t{0});
    REQUIRE(difference(counted.out, first(ranks.copy(), n)) == "");
    REQUIRE(ones.copy()[0] == counted.total);
    // After the items taken nothing was written.
    if (n < most) {
      REQUIRE(scanned.copy().back() == -1);
      REQUIRE(within.copy().back() == -1);
    }
  }
}

TEST_CASE("a count found by one captured call is the number of items of the next") {
  index_t const n = 300000;
  scoped_stream const stream;
  device_buffer<std::byte> const memory(plenty);
  device_buffer<std::uint32_t> const keys(n), runs(n);
  device_buffer<item> const in(n), totals(n), sums(n);
  device_buffer<index_t> const number(1);
  simt::synchronize();  // allocated on another stream
  workspace ws(memory.data(), memory.size(), stream);
  captured_graph const calls(stream, [&] {
    reduce_by_key(ws, static_cast<std::uint32_t const*>(keys.data()),
                  static_cast<item const*>(in.data()), runs.data(), totals.data(), n, plus<item>{},
                  number.data());
    inclusive_scan(ws, static_cast<item const*>(totals.data()), sums.data(),
                   item_count::on_device(number.data(), n), plus<item>{});
  });
  for (auto const shape : {segment_shape::power_law, segment_shape::single, segment_shape::one}) {
    INFO(to_string(shape));
    auto const ends = without_empty(make_offsets(shape, n));
    auto const items = make_items<item>(n, static_cast<std::uint64_t>(shape));
    send(keys, keys_of<std::uint32_t>(flags_of(ends)), stream);
    send(in, items, stream);
    calls.replay(stream);
    simt::synchronize(stream);
    auto const found = static_cast<index_t>(ends.size()) - 1;
    REQUIRE(number.copy()[0] == found);
    auto const expected = segment_totals_oracle(items, ends, plus<item>{}, 0);
    REQUIRE(difference(expected, first(totals.copy(), found)) == "");
    REQUIRE(difference(scan_oracle(scan_kind::inclusive, expected, plus<item>{}, 0).out,
                       first(sums.copy(), found)) == "");
  }
}

TEST_CASE("every captured call, replayed with changed data, does what it does directly") {
  scoped_stream const stream;
  for (device_call const& call : all_calls()) {
    INFO(call.name);
    call_buffers const replayed(call.n), direct(call.n);
    device_buffer<std::byte> const memory(plenty_for_calls);
    simt::synchronize();  // allocated on another stream
    workspace ws(memory.data(), memory.size(), stream);
    captured_graph const graph(stream, [&] { call.queue(ws, replayed.memory(), call.n); });
    for (index_t const salt : {0, 1000003, 2000003}) {
      replayed.refill(salt);
      direct.refill(salt);
      call.queue(ws, direct.memory(), call.n);
      // The same work three times over leaves the same results.
      for (int k = 0; k < 3; ++k) graph.replay(stream);
      simt::synchronize(stream);
      REQUIRE(replayed.difference(direct) == "");
    }
  }
}
