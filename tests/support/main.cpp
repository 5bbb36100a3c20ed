// SPDX-License-Identifier: Apache-2.0
// The main function of tests that need no GPU.
int run_tests(int argc, char** argv);  // run_tests.cpp

int main(int argc, char** argv) { return run_tests(argc, argv); }
