// SPDX-License-Identifier: Apache-2.0
// A plug-in that has a libscan of its own. See copies_test.cpp.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include <libscan/c_api.h>
#include <libscan/filter.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <tests/host/engines.hpp>

/// Whether calls of this libscan are right: of every engine, refusals and messages included.
extern "C" __attribute__((visibility("default"))) int libscan_copy_is_right(std::size_t n) try {
  using namespace libscan;
  bool right = true;
  for (engine const& on : libscan::test::engines()) {
    std::size_t const count = on.runs_kernels() ? std::min<std::size_t>(n, 64) : n;
    std::vector<std::uint32_t> items(count), out(count), expected(count);
    for (std::size_t i = 0; i < count; ++i) items[i] = static_cast<std::uint32_t>(i * 2654435761u);
    std::partial_sum(items.begin(), items.end(), expected.begin());
    right = right && inclusive_scan(on, items, out) == expected.back() && out == expected;
    std::partial_sort_copy(items.begin(), items.end(), expected.begin(), expected.end());
    sort_keys(on, items, out);
    right = right && out == expected;
    auto const kept = filter(on, items, out, parse_predicate<std::uint32_t>("< 1000000000"));
    right = right && kept == std::count_if(items.begin(), items.end(),
                                           [](std::uint32_t x) { return x < 1'000'000'000; });
    try {
      out.resize(count / 2);
      inclusive_scan(on, items, out);
      right = false;
    } catch (invalid_argument const& error) {
      right = right && std::string_view(error.what()).size() > 30;
    }
  }
  bool const failed = libscan_scan(nullptr, {}, nullptr, nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE,
                                   nullptr, nullptr) != LIBSCAN_OK;
  return right && failed && std::string_view(libscan_last_error()).size() > 30 ? 1 : 0;
} catch (...) {
  return 0;
}
