// SPDX-License-Identifier: Apache-2.0
// The main function of tests that need no GPU.
#include <tests/support/run_tests.hpp>

int main(int argc, char** argv) { return run_tests(argc, argv); }
