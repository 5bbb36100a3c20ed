// SPDX-License-Identifier: Apache-2.0
// What main functions of tests call.
#pragma once

#ifndef LIBSCAN_TEST_CASE_SECONDS
#define LIBSCAN_TEST_CASE_SECONDS 120  // builds with a sanitizer define more
#endif

/// Runs all tests of a program, each for `case_seconds` at most. Returns the exit code.
int run_tests(int argc, char** argv, int case_seconds = LIBSCAN_TEST_CASE_SECONDS);
