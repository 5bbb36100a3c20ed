// SPDX-License-Identifier: Apache-2.0
// Sorts on CPU threads of keys that are sorted already, or nearly.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <libscan/cpu/radix_sort.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;

TEST_CASE("a descent where a part or a piece of the keys begins is seen") {
  constexpr index_t n = 70001;  // pieces of 32768 keys, parts of 1024
  cpu::detail::sort_tuning tuning;
  tuning.leaf_bytes = index_t{1} << 14;  // keys are looked at in parts before they are split
  std::vector<std::uint32_t> sorted(n);
  std::iota(sorted.begin(), sorted.end(), 0U);
  for (std::size_t const at : {1, 1023, 1024, 1025, 2048, 32768, 33792, 65536, 69632, 70000}) {
    for (int const threads : {1, 2}) {
      INFO("descent at " << at << ", " << threads << " threads");
      auto keys = sorted;
      std::swap(keys[at - 1], keys[at]);  // which samples do not show
      std::vector<std::uint32_t> out(n);
      cpu::sort_keys(threads, keys.data(), out.data(), n, sort_order<std::uint32_t>{}, tuning);
      CHECK((out == sorted));
    }
  }
}

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
  // Sorted except the last, which is seen when most has been written.
  keys.back() = 0;
  auto expected = keys;
  std::rotate(expected.begin() + 3, expected.end() - 1, expected.end());
  cpu::sort_keys(2, keys.data(), out.data(), n);
  CHECK((out == expected));
}
