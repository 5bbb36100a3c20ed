// SPDX-License-Identifier: Apache-2.0
// Sorts on CPU threads of keys that are sorted already, or nearly.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <apps/radix_sort/radix_sort_cpu.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;

TEST_CASE("sorted keys are passed on, past the caches and partly in place, too") {
  constexpr index_t n = (index_t{1} << 23) + 5;  // 32 MiB and more; too many to print
  std::vector<std::uint32_t> keys(n), values(n), out(n);
  for (index_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i / 3);
  for (index_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(i);
  cpu::sort_keys(2, keys.data(), out.data(), n);
  CHECK((out == keys));
  auto places = keys;
  cpu::sort_pairs(2, places.data(), places.data(), values.data(), out.data(), n);
  CHECK((places == keys));
  CHECK((out == values));
  // Sorted but for the last, which is seen when most has been written.
  keys.back() = 0;
  auto expected = keys;
  std::rotate(expected.begin() + 3, expected.end() - 1, expected.end());
  cpu::sort_keys(2, keys.data(), out.data(), n);
  CHECK((out == expected));
}
