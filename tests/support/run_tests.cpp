// SPDX-License-Identifier: Apache-2.0
// Runs the Catch2 tests of a program, for its main function. Exit code 0 or 1; when something
// failed the seed of the random inputs goes to stderr.
#define CATCH_CONFIG_RUNNER
#include <cstdio>

#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

int run_tests(int argc, char** argv);

int run_tests(int argc, char** argv) {
  // Catch returns the number of failures, which could be mistaken for 77, "skipped".
  if (Catch::Session().run(argc, argv) == 0) return 0;
  std::fprintf(stderr, "to repeat with the same inputs: LIBSCAN_TEST_SEED=%llu\n",
               static_cast<unsigned long long>(libscan::test::seed()));
  return 1;
}
