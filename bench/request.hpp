// SPDX-License-Identifier: Apache-2.0
// What a command line asks for, settled before anything is measured.
#pragma once

#include <string>
#include <string_view>

#include <bench/options.hpp>

namespace libscan::bench {

/// What a command line asks for besides the axes of an operation.
struct output_options {
  std::string json_path;
  bool once = false;
  bool engine_asked = false;  ///< --engine was given
};

/// Whom --impl may name, in words; lines of 80 characters end so.
std::string implementation_names(std::string_view line_end = " ");

/// Turns scans by strategies into the operation that measures them, and takes the engine cuda out
/// where no GPU is usable and none was asked for by name; returns why then, else nothing.
/// Throws, before anything is measured, what else would be thrown afterwards: `invalid_argument`
/// for names that are unknown and options that nothing would heed, `apps::file_error` for a record
/// that cannot be written, `engine_unavailable`.
std::string settle(options& wanted, output_options const& output);

}  // namespace libscan::bench
