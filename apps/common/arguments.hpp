// SPDX-License-Identifier: Apache-2.0
// The flags that every program has, on CLI11.
#pragma once

#include <optional>
#include <string>

#include <apps/common/data_file.hpp>
#include <apps/common/dtype.hpp>

namespace CLI {
class App;
}

namespace libscan::apps {

/// Values of the common flags.
struct common_arguments {
  std::string engine = "auto";                  ///< --engine: "auto", "cpu" or "cuda"
  int threads = 0;                              ///< --threads of the CPU engine; 0: all cores
  std::optional<dtype> type;                    ///< --dtype of the input
  bool halves = false;                          ///< whether floats of 16 bits are read, too
  std::optional<half_dtype> half;               ///< --dtype of them, instead of `type`
  int column = 1;                               ///< --column of text, from 1
  file_format format = file_format::automatic;  ///< --format of the input
  header_rule header = header_rule::automatic;  ///< --header of text
  bool progress = false;                        ///< --progress: also when not on a terminal
  bool verify = false;                          ///< --verify against an independent computation
  bool time = false;                            ///< --time: say how long each step took

  /// How `read_array` shall read, with the bytes read reported to `meter` (may be null).
  read_options reading(class progress* meter = nullptr) const;
};

/// Adds the common flags (with --help and --version) to `app`; parsed values go to `values`, which
/// must outlive the parsing.
void add_common_arguments(CLI::App& app, common_arguments& values);

/// Parses the command line. Returns false when --help or --version was asked for and printed to
/// standard output: the program is then done. Throws `usage_error`.
[[nodiscard]] bool parse_arguments(CLI::App& app, int argc, char const* const* argv);

}  // namespace libscan::apps
