// SPDX-License-Identifier: Apache-2.0
// The sort in one cluster, of keys that agree in some digits. Where they agree in the first,
// nothing moves, no block waits for the others, and one begins with the next digit while others
// still read its counts of this one.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/radix_sort/device/cluster_sort.cuh>
#include <apps/radix_sort/device/tiny_tuning.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using order_of_words = sort_order<std::uint32_t>;

/// Sorts the keys, and perhaps values that say where they were, in a cluster of several blocks.
template <class Value>
void require_cluster_sorted(std::vector<std::uint32_t> const& keys) {
  using device::sort_buffers;
  using word = std::uint32_t;
  constexpr bool has_values = !std::is_void_v<Value>;
  auto const n = static_cast<index_t>(keys.size());
  std::vector<word> places(keys.size()), sorted;
  std::iota(places.begin(), places.end(), word{0});
  device_buffer<word> const in(keys), values_in(places), out(keys.size()), values_out(keys.size());
  std::stable_sort(places.begin(), places.end(), [&](word a, word b) { return keys[a] < keys[b]; });
  for (word const place : places) sorted.push_back(keys[place]);
  workspace ws;
  order_of_words const order{};
  device::digit_list const digits(device::digit_places(order), {});
  sort_buffers<Value> values;
  if constexpr (has_values) values = {values_in.data(), values_out.data(), nullptr};
  sort_buffers<word> const buffers{in.data(), out.data(), nullptr};
  bool const fits = device::cluster_sort<tiny_cluster_sort<>, order_of_words, Value>(
      ws, buffers, values, n, order, digits);
  if (!fits && on_gpu) return;  // the device has no such clusters
  REQUIRE(fits);
  REQUIRE(out.copy() == sorted);
  if (has_values) REQUIRE(values_out.copy() == places);
}

}  // namespace

TEMPLATE_TEST_CASE("a cluster sorts keys that agree in some of their digits", "", void,
                   std::uint32_t) {
  each_schedule(scaled(4, 2), [](std::string const& schedule) {
    for (std::uint32_t const differing :
         {0xff00U, 0xffff0000U, 0xff00ff00U, 0xff00ffU, 0U, 0x80000300U}) {
      constexpr index_t n = 1100;
      INFO(schedule << ", keys that differ in bits " << std::hex << differing);
      random_words words(differing);
      std::uint32_t const common = static_cast<std::uint32_t>(words()) & ~differing;
      std::vector<std::uint32_t> keys;
      for (index_t i = 0; i < n; ++i) {
        keys.push_back(common | (static_cast<std::uint32_t>(words()) & differing));
      }
      // Sorted before, blocks have different counts: nothing of one can pass for another's.
      if (differing != 0xff00ff00U) std::sort(keys.begin(), keys.end());
      require_cluster_sorted<TestType>(keys);
    }
  });
}
