// SPDX-License-Identifier: Apache-2.0
// The request of a command line, settled before anything is measured.
#pragma once

#include <string>
#include <string_view>

#include <bench/options.hpp>

namespace libscan::bench {

/// What a command line requests besides the axes of an operation.
struct output_options {
  std::string json_path;
  bool once = false;
  bool engine_given = false;  ///< --engine was given
};

/// The names that --impl accepts, in words, in lines of 80 characters that end with `line_end`.
std::string implementation_names(std::string_view line_end = " ");

/// Turns scans by strategies into the operation that measures them. Removes the engine cuda if no
/// GPU is usable and the engine was not named; returns the reason then, else nothing.
/// Throws, before anything is measured: `invalid_argument` for unknown names and options without
/// effect, `apps::file_error` for a record that cannot be written, `engine_unavailable`.
std::string settle(options& wanted, output_options const& output);

}  // namespace libscan::bench
