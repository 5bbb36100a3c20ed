// SPDX-License-Identifier: Apache-2.0
// A user's program in plain C++: a scan and a filter of vectors. It has what our own warning flags
// would refuse, so that it builds only if no user inherits them.
#include <cstdio>
#include <vector>

#include <libscan/filter.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate_parser.hpp>

int main(int argc, char** argv) {
  int unused_on_purpose = 0;
  std::vector<int> const lengths{3, 1, 4, 1, 5, 9, 2, 6};
  std::vector<int> offsets(lengths.size());
  auto const engine = libscan::engine::cpu();
  int const total = libscan::exclusive_scan(engine, lengths, offsets);
  if (total != 31 || offsets != std::vector<int>{0, 3, 4, 8, 9, 14, 23, 25}) {
    std::puts("wrong scan");
    return 1;
  }
  std::vector<int> kept(lengths.size());
  auto const count =
      libscan::filter(engine, lengths, kept, libscan::parse_predicate<int>(">= 2 and < 6"));
  kept.resize(static_cast<std::size_t>(count));
  if (kept != std::vector<int>{3, 4, 5, 2}) {
    std::puts("wrong filter");
    return 1;
  }
  try {
    libscan::exclusive_scan(engine, lengths, kept);
    std::puts("no error for a short output");
    return 1;
  } catch (libscan::invalid_argument const& short_output) {
    std::puts(short_output.what());
  }
  return 0;
}
