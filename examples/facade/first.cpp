// SPDX-License-Identifier: Apache-2.0
// Example: a scan and a filter in plain C++, the first lines of README.md.
#include <apps/filter/filter.hpp>
#include <apps/filter/predicate_parser.hpp>
#include <cstdio>
#include <libscan/libscan.hpp>
#include <vector>

int main() {
  auto const engine = libscan::engine::best();  // a usable GPU, or else the CPU

  std::vector<int> lengths{3, 1, 7, 0, 4, 1, 6, 3}, offsets(8);
  int const total = libscan::exclusive_scan(engine, lengths, offsets);  // 0 3 4 11 11 15 16 22; 25

  std::vector<int> long_ones(8);
  auto const keep = libscan::parse_predicate<int>(">= 4");
  auto const kept = libscan::filter(engine, lengths, long_ones, keep);  // 7 4 6; 3
  std::printf("%s: total %d, %d long\n", engine.description().c_str(), total, int(kept));
}
