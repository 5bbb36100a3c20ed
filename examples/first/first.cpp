// SPDX-License-Identifier: Apache-2.0
// The first program of README.md: a scan on a GPU or the CPU, and a filter by a lambda.
#include <cstdio>
#include <libscan/cpu/filter.hpp>
#include <libscan/libscan.hpp>
#include <vector>

int main() {
  std::vector<int> const lengths{3, 1, 7, 0, 4, 1, 6, 3};
  std::vector<int> offsets(8), large(8);

  auto const engine = libscan::engine::best();  // a GPU that works, or else the CPU
  int const total = libscan::exclusive_scan(engine, lengths, offsets);

  int const threads = 4;
  auto const kept = libscan::cpu::filter(threads, lengths.data(), large.data(), 8,
                                         [](int length) { return length >= 4; });

  std::printf("offsets");
  for (int offset : offsets) std::printf(" %d", offset);
  std::printf(", total %d\nlarge", total);
  for (int i = 0; i < kept; ++i) std::printf(" %d", large[i]);
  std::printf("\n");
}
