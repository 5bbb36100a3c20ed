// SPDX-License-Identifier: Apache-2.0
// How a program ends: its exit codes, the exceptions of programs that lead to them, and the words
// of their messages. The library's own exceptions are in libscan/core/error.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <libscan/core/error.hpp>

namespace libscan::apps {

/// Exit status of every program of the project.
enum class exit_code : int {
  done = 0,        ///< all went well
  difference = 1,  ///< --verify found a difference
  usage = 2,       ///< wrong arguments
  bad_file = 3,    ///< an input that cannot be used, or an output that cannot be written
  failure = 4      ///< the device or memory failed
};

/// The command line is wrong. The message says which argument and what was expected.
class usage_error : public error {
 public:
  using error::error;
};

/// An input file cannot be used or an output cannot be written. The message begins with the file's
/// name, and the line or byte if there is one: "temps.csv:7: empty cell, expected an int64".
class file_error : public error {
 public:
  /// A whole message.
  explicit file_error(std::string const& message) : error(message) {}

  /// About the file as a whole.
  file_error(std::string const& path, std::string const& reason);

  /// About line `line` (from 1) of a text file.
  static file_error at_line(std::string const& path, std::uint64_t line, std::string const& reason);

  /// About byte `offset` (from 0) of a binary file.
  static file_error at_byte(std::string const& path, std::uint64_t offset,
                            std::string const& reason);

  /// A system call failed: "path: doing: the system's message for `error_number`".
  static file_error from_errno(std::string const& path, std::string const& doing, int error_number);
};

/// The reader of standard output (or a FIFO) has gone. Not an error worth a message: `run_program`
/// ends quietly.
class output_closed : public error {
 public:
  using error::error;
};

/// The one of `words` that `word` becomes by the fewest edits: one character inserted, removed,
/// replaced, changed in case or exchanged with the next. Empty if that takes more than a third of
/// the word's characters (at least one edit), or if there are no words. The first of several.
std::string closest_word(std::string_view word, std::vector<std::string> const& words);

}  // namespace libscan::apps
