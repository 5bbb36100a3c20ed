// SPDX-License-Identifier: Apache-2.0
// Asks the three libscans of this process, in turns, and requires each to be itself. Exit code 77:
// nothing to run on.
#include <cstdio>
#include <cstring>
#include <exception>

#include <tests/neighbors/report.hpp>

namespace {

using neighbors::report;

bool is_as_expected(char const* who, void (*ask)(report*), char const* message, bool own_tiles) {
  report got{};
  ask(&got);
  bool const right = got.wrong_items == 0 && std::strcmp(got.message, message) == 0 &&
                     (got.tile_items == 3) != own_tiles;
  if (!right) {
    std::printf("%s: %d wrong items, %d items per thread, message \"%s\"; expected \"%s\"\n", who,
                got.wrong_items, got.tile_items, got.message, message);
  }
  return right;
}

bool run() {
  bool right = true;
  for (int round = 0; round < 3; ++round) {
    right &= is_as_expected("own", own_report, "number of items is -1; expected >= 0", true);
    right &= is_as_expected("other build", other_build_report,
                            "v1 of another kind has items: -1; expected >= 0", false);
    right &= is_as_expected("other version", other_version_report,
                            "v2 of another kind has items: -1; expected >= 0", false);
  }
  return right;
}

}  // namespace

int main() {
#ifdef __CUDACC__
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: no usable GPU");
    return 77;
  }
#endif
  try {
    return run() ? 0 : 1;
  } catch (std::exception const& failure) {
    std::printf("%s\n", failure.what());
    return 1;
  }
}
