// SPDX-License-Identifier: Apache-2.0
// The frame around a program: the only place where exceptions become a line on standard error and
// an exit code.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include <apps/common/exit_code.hpp>

namespace libscan::apps {

/// Runs `body` as the program `name` (as in "scan-filter") and returns the result of `main`.
///
/// An exception becomes one line "scan-filter: error: ..." on standard error and an exit code:
/// `usage_error` and `invalid_argument` 2, `file_error` 3, all others (`engine_unavailable`,
/// `device_error`, `std::bad_alloc`, exceptions that cannot be caught, ...) 4. `output_closed` ends
/// like other programs whose reader has gone: silently by SIGPIPE (status 141 in a shell), or, if
/// SIGPIPE was ignored when the program started, with its message and 3. Ignores SIGPIPE and
/// SIGXFSZ, so that such writes fail with an error. A closed standard stream stays unusable: no
/// file opened later takes its place. Call it once, from `main`.
int run_program(std::string_view name, std::function<exit_code()> const& body);

/// What `run_program` does before `body`, for programs that end in another way.
void begin_program(std::string_view name);

/// The exit code and the words of an exception, as `run_program` gives them.
struct program_failure {
  exit_code code;
  std::string words;
};
program_failure failure_of(std::exception_ptr const& exception);

/// Lets messages about refused threads point to --threads. For programs that have that option.
void point_to_threads_option();

/// The name passed to `run_program`; "libscan" before that.
std::string program_name();

/// Writes one line "scan-filter: words" to standard error.
void say(std::string_view words);

}  // namespace libscan::apps
