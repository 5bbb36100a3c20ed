// SPDX-License-Identifier: Apache-2.0
// What README.md shows of calls on device memory, against results worked out by hand.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <examples/device/own_operator.cuh>
#include <examples/device/scan_and_filter.cuh>
#include <examples/device/selections.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>

namespace {
using libscan::index_t;
using libscan::test::device_buffer;
using ints = std::vector<int>;
using places = std::vector<index_t>;

/// The first n items.
template <class T>
std::vector<T> front(device_buffer<T> const& items, std::size_t n) {
  std::vector<T> all = items.copy();
  all.resize(n);
  return all;
}

TEST_CASE("README's scan and filter on the device") {
  device_buffer<int> const lengths(ints{3, 1, 7, 0, 4, 1, 6, 3}), offsets(8), kept(8), total(1);
  device_buffer<index_t> const count(1);
  examples::scan_and_filter({}, lengths.data(), 8, offsets.data(), total.data(), kept.data(),
                            count.data());
  CHECK(offsets.copy() == ints{0, 3, 4, 11, 11, 15, 16, 22});
  CHECK(total.copy() == ints{25});
  CHECK(front(kept, 4) == ints{3, 11, 11, 15});
  CHECK(count.copy() == places{4});
}

TEST_CASE("README's masks, split and runs on the device") {
  device_buffer<int> const items(ints{1, 1, 2, 3, 3, 3, 4, 6});
  device_buffer<std::uint32_t> const words(std::vector<std::uint32_t>{0b10010110});
  device_buffer<int> const kept(8), edges(8), others(8), values(8);
  device_buffer<index_t> const at(8), lengths(8), count(1), runs(1);
  libscan::workspace ws;
  examples::select_all_ways(ws, items.data(), words.data(), 8, examples::is_odd{},
                            {kept.data(), edges.data(), others.data(), values.data(), at.data(),
                             lengths.data(), count.data(), runs.data()});
  CHECK(front(kept, 4) == ints{1, 2, 3, 6});
  CHECK(front(at, 4) == places{1, 2, 4, 7});
  CHECK(front(edges, 5) == ints{1, 1, 3, 3, 3});
  CHECK(front(others, 3) == ints{2, 4, 6});
  CHECK(count.copy() == places{5});
  CHECK(front(values, 5) == ints{1, 2, 3, 4, 6});
  CHECK(front(lengths, 5) == places{2, 1, 3, 1, 1});
  CHECK(runs.copy() == places{5});
}

TEST_CASE("an operator of the user's gives the same on both engines") {
  std::vector<examples::month> months;
  for (int i = 0; i < 100; ++i) months.push_back({i % 3 == 0 ? 1.5 : 0.5, static_cast<double>(i)});
  auto const together = examples::all_so_far(months);
  device_buffer<examples::month> const in(months), out(months.size());
  libscan::workspace ws;
  examples::all_so_far(ws, in.data(), out.data(), static_cast<index_t>(months.size()));
  auto const on_device = out.copy();
  double balance = 7;
  for (std::size_t i = 0; i < months.size(); ++i) {
    balance = months[i].factor * balance + months[i].deposit;
    for (examples::month const& so_far : {together[i], on_device[i]}) {
      CHECK(std::abs(so_far.factor * 7 + so_far.deposit - balance) < 1e-9 * std::abs(balance));
    }
  }
}

}  // namespace
