// SPDX-License-Identifier: Apache-2.0
// The textbook's sorts by one-bit splits, of a device and of one block, against std::stable_sort.
#include <algorithm>

#include <apps/radix_sort/device/block_argsort.cuh>
#include <libscan/split_sort.cuh>
#include <tests/apps/radix_sort/sort_cases.hpp>

using namespace libscan;
using namespace libscan::test;

TEST_CASE("the sort by splits takes n from the device, and leaves what comes after") {
  // An odd number of bits ends in the other buffer.
  auto const keys = make_keys<std::uint16_t>(variety::any, 100);
  std::vector<std::uint16_t> expected(keys);
  std::stable_sort(expected.begin(), expected.begin() + 40,
                   [](auto a, auto b) { return bits_of(a, 0, 11) < bits_of(b, 0, 11); });
  device_image<std::uint16_t> in(keys);
  device_image<index_t> n(std::vector<index_t>{40});
  workspace ws;
  split_sort(ws, in.data(), item_count::on_device(n.data(), 100), {.end_bit = 11});
  REQUIRE(difference(expected, in.read()) == "");
}

TEST_CASE("the sort by splits gives the same") {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sized_list<index_t>({0, 1, 33, 256, 900}, {0, 33, 256, 600})) {
      auto const keys = make_keys<std::uint16_t>(variety::any, n);
      auto const dates = make_keys<dated>(variety::few, n);
      workspace ws;
      device_image<std::uint16_t> some(keys, 1);
      split_sort(ws, some.data(), n, {.first_bit = 1, .end_bit = 12});
      auto const expected = taken(keys, sorted_positions(keys, [](auto a, auto b) {
                                    return bits_of(a, 1, 12) < bits_of(b, 1, 12);
                                  }));
      REQUIRE(difference(expected, some.read()) == "");
      REQUIRE(some.damage() == "");
      device_image<dated> others(dates);
      split_sort(ws, others.data(), n, sort_order<dated, by_date>{});
      auto const by_day = taken(dates, sorted_positions(dates, [](dated const& a, dated const& b) {
                                  return plainly_less(a, b);
                                }));
      REQUIRE(bit_difference(by_day, others.read()) == "");
    }
  });
}

TEST_CASE("the sort by splits of many keys gives the same") {
  auto const keys = make_keys<std::uint32_t>(
      variety::any, on_gpu ? index_t{1000003} : index_t{scaled(30011, 3001)});
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  device_image<std::uint32_t> all(keys);
  workspace ws;
  split_sort(ws, all.data(), static_cast<index_t>(keys.size()));
  REQUIRE(difference(expected, all.read()) == "");
  REQUIRE(all.damage() == "");
}

TEST_CASE("the argsort of one block is stable in every range of bits") {
  using kernel = device::block_argsort_kernel;
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (int const n : {1, 33, 1000, kernel::block_threads}) {
      auto const words = make_keys<std::uint64_t>(variety::any, n);
      device_image<std::uint64_t> in(words);
      for (auto const& [first, end] : {std::pair{0, 64}, {3, 12}, {30, 35}, {32, 64}, {7, 7}}) {
        INFO("bits " << first << " to " << end << " of " << n);
        device_image<index_t> out(std::vector<index_t>(static_cast<std::size_t>(n), -1));
        simt::launch<kernel>({.blocks = 1, .threads = kernel::block_threads},
                             static_cast<std::uint64_t const*>(in.data()), n, first, end,
                             out.data());
        auto const bits = [first = first, end = end](std::uint64_t word) {
          return end - first == 64 ? word
                                   : word >> first & ((std::uint64_t{1} << (end - first)) - 1);
        };
        auto const expected = sorted_positions(
            words, [&](std::uint64_t a, std::uint64_t b) { return bits(a) < bits(b); });
        auto const got = out.read();
        REQUIRE(std::equal(got.begin(), got.end(), expected.begin(), expected.end()));
        REQUIRE(out.damage() == "");
      }
    }
  });
}
