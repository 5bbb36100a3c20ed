// SPDX-License-Identifier: Apache-2.0
// Runs of rows in a temporary file, and their merge: few and many runs, small blocks, long rows.
#include <apps/radix_sort/program/row_runs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <tests/support/catch.hpp>
#include <utility>
#include <vector>

namespace {

using libscan::apps::keyed_row;
using libscan::apps::merge_plan;
using libscan::apps::run_writer;

struct test_row {
  std::string key, row;
  bool comparable = true;
};

/// Merges rows of runs of `run` rows.
std::vector<std::string> merged(std::vector<test_row> const& rows, std::size_t run,
                                merge_plan const& plan, bool unique) {
  auto to = std::make_unique<run_writer>(".");
  for (std::size_t begin = 0; begin < rows.size(); begin += run) {
    auto const end = std::min(begin + run, rows.size());
    std::vector<test_row> part(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                               rows.begin() + static_cast<std::ptrdiff_t>(end));
    std::stable_sort(part.begin(), part.end(),
                     [](auto const& a, auto const& b) { return a.key < b.key; });
    for (test_row const& one : part) to->add({one.key, one.row, one.comparable});
    to->end_run();
  }
  to->finish();
  std::vector<std::string> result;
  merge_runs(std::move(to), plan, unique, ".",
             [&](std::string_view row) { result.emplace_back(row); });
  return result;
}

std::vector<std::string> expected(std::vector<test_row> rows, bool unique) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](auto const& a, auto const& b) { return a.key < b.key; });
  std::vector<std::string> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bool const same = i > 0 && rows[i].key == rows[i - 1].key && rows[i].comparable;
    if (!unique || !same) result.push_back(rows[i].row);
  }
  return result;
}

TEST_CASE("merged runs are a stable sort of their rows") {
  std::mt19937 random(1);
  for (std::size_t const n : {0, 1, 2, 7, 500, 3000}) {
    std::vector<test_row> rows;
    for (std::size_t i = 0; i < n; ++i) {
      std::string key(random() % 3 == 0 ? 12 : random() % 9, 'k');
      for (char& c : key) c = static_cast<char>(random() % 2 == 0 ? 0 : random());
      bool const comparable = key != std::string(1, '\xff');
      std::size_t const size = random() % 50 == 0 ? random() % 30000 : random() % 40;
      rows.push_back({key, std::to_string(i) + std::string(size, 'r'), comparable});
    }
    for (std::size_t const run : {1, 2, 5, 100, 4000}) {
      if (n / run > 600) continue;
      for (merge_plan const plan : {merge_plan{0, 2}, merge_plan{0, 3}, merge_plan{1 << 20, 64}}) {
        for (bool const unique : {false, true}) {
          INFO("n " << n << ", run " << run << ", ways " << plan.max_ways << ", unique " << unique);
          REQUIRE(merged(rows, run, plan, unique) == expected(rows, unique));
        }
      }
    }
  }
}

TEST_CASE("a row of several blocks, and sizes at the limits of their bytes") {
  std::vector<test_row> rows;
  for (std::size_t const size : {0, 1, 63, 64, 127, 128, 8191, 8192, 16383, 16384, 200000}) {
    rows.push_back({std::string(size, 'a'), std::string(size / 2, 'b')});
    rows.push_back({std::string(size, 'c'), std::string(size, 'd')});
  }
  CHECK(merged(rows, 3, {0, 2}, false) == expected(rows, false));
}

TEST_CASE("a merge takes no more memory than it is given, if that is enough for two runs") {
  for (std::uint64_t const bytes : {1u << 18, 3u << 20, 1u << 26, 1u << 30}) {
    merge_plan const plan{bytes};
    CHECK(plan.ways() >= 2);
    for (std::size_t runs = 2; runs <= plan.ways(); ++runs) {
      REQUIRE(plan.block_bytes(runs) % 4096 == 0);
      REQUIRE(runs * (plan.block_bytes(runs) + 8192) <= bytes);
    }
  }
}

}  // namespace
