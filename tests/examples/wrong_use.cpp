// SPDX-License-Identifier: Apache-2.0
// An example with a mistake, which --check must find: an inclusive scan where an exclusive one is
// right, so a share begins where it ends.
#include <examples/uses/program.hpp>

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv, [](auto&, words) {},
      [](auto& on, index_t n, random_numbers& random) {
        auto const sizes = random.vector<int>(n, 30);
        std::vector<int> begins;
        int at = 0;
        for (int const size : sizes) begins.push_back(at), at += size;
        return on.inclusive_scan(on.array(sizes), plus<int>{}).copy() == begins;
      });
}
