// SPDX-License-Identifier: Apache-2.0
// A user's program with a scan of its own types by the native headers, which calls no engine.
#include <vector>

#include <libscan/cpu/scan.hpp>

int main() {
  std::vector<int> const items{1, 2, 3};
  std::vector<int> out(3);
  auto const plus = [](int a, int b) { return a + b; };
  int const total =
      libscan::cpu::inclusive_scan(2, items.begin(), out.begin(), libscan::index_t{3}, plus, 0);
  return total == 6 && out.back() == 6 ? 0 : 1;
}
