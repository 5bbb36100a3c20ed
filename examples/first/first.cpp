// SPDX-License-Identifier: Apache-2.0
// The first program of README.md: a scan on a GPU or the CPU, and a filter by a lambda.
#include <cstdio>
#include <cstdio>
#include <libscan/filter_callables.hpp>
#include <libscan/libscan.hpp>
#include <vector>

int main() {
  std::vector<int> const lengths{3, 1, 7, 0, 4, 1, 6, 3};
  std::vector<int> offsets(8), large(8);

  // On a GPU that works, or else on the CPU.
  int const total = libscan::exclusive_scan(libscan::engine::best(), lengths, offsets);

  // Predicates of your own run on the CPU.
  auto const kept = libscan::filter(libscan::engine::cpu(), lengths, large,
                                    [](int length) { return length >= 4; });

  std::printf("offsets");
  for (int offset : offsets) std::printf(" %d", offset);
  std::printf(", total %d\nlarge", total);
  for (int i = 0; i < kept; ++i) std::printf(" %d", large[i]);
  std::printf("\n");
}
