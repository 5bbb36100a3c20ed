// SPDX-License-Identifier: Apache-2.0
// What --verify of scan-sort compares: every position and every item, the last one included.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <apps/radix_sort/program/verify.hpp>
#include <tests/support/catch.hpp>

using libscan::index_t;
namespace apps = libscan::apps;

namespace {

std::vector<index_t> const expected{3, 0, 2, 1};

}  // namespace

TEST_CASE("--verify compares every position") {
  CHECK(apps::verify_positions(expected, expected) == "");
  for (std::size_t j = 0; j < expected.size(); ++j) {
    auto got = expected;
    got[j] = 7;
    CHECK(apps::verify_positions(expected, got) ==
          "position " + std::to_string(j) + " is 7, expected " + std::to_string(expected[j]));
  }
  CHECK(apps::verify_positions(expected, std::span(expected).first(3)) ==
        "3 items came out, expected 4");
  CHECK(apps::verify_positions(expected, std::vector<index_t>{3, 0, 2, 1, 0}) ==
        "5 items came out, expected 4");
}

TEST_CASE("--verify compares every item") {
  std::vector<std::int32_t> const in{20, 40, 30, 10};
  apps::array items;
  items.type = apps::dtype::i32;
  items.shape = {4};
  items.bytes = std::as_bytes(std::span(in));
  std::vector<std::int32_t> const sorted{10, 20, 30, 40};
  auto const verdict = [&](std::vector<std::int32_t> const& got) {
    return apps::verify_items(items, expected, std::as_bytes(std::span(got)), "value");
  };
  CHECK(verdict(sorted) == "");
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    auto got = sorted;
    got[j] = 7;
    CHECK(verdict(got) ==
          "value " + std::to_string(j) + " is 7, expected " + std::to_string(sorted[j]));
  }
  CHECK(verdict({10, 20, 30}) == "3 items came out, expected 4");
  CHECK(verdict({10, 20, 30, 40, 40}) == "5 items came out, expected 4");
}
