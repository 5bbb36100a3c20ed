// SPDX-License-Identifier: Apache-2.0
// The flags that every program has, on CLI11.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/common/data_file.hpp>
#include <apps/common/dtype.hpp>
#include <apps/common/verifiers.hpp>

namespace CLI {
class App;
class Option;
}

namespace libscan::apps {

/// Which ranks of a program open its files: all, or rank 0 only, which sends and receives parts.
enum class rank_access : std::uint8_t { all_ranks, rank_0 };

/// Values of the common flags.
struct common_arguments {
  std::string engine = "auto";                    ///< --engine: "auto", "cpu" or "cuda"
  std::optional<std::string> gpus;                ///< --gpus, where the program has it
  int threads = 0;                                ///< --threads of the CPU engine; 0: all cores
  std::optional<dtype> type;                      ///< --dtype of the input
  std::optional<half_dtype> half;                 ///< --dtype for 16-bit floats, instead of `type`
  std::vector<column_key> columns;                ///< --column of text; several only for sorts
  file_format format = file_format::automatic;    ///< --format of the input
  header_rule header = header_rule::automatic;    ///< --header of text
  comment_rule comments = comment_rule::leading;  ///< --comments of text
  char delimiter = '\0';                          ///< --delimiter of text; 0: guessed
  missing_rule missing;                           ///< --missing of text
  bool decimal_comma = false;                     ///< --decimal-comma of text
  bool progress = false;                          ///< --progress: even when not on a terminal
  bool time = false;                              ///< --time on several ranks
  rank_access access = rank_access::all_ranks;    ///< --gather of programs for several ranks
  bool verify = false;                            ///< --verify against an independent computation
  /// Those that the program has; set before the flags are added.
  verifier_set offered_verifiers{verifier::loop, verifier::standard};
  /// Those of --verify=NAME.
  verifier_set verify_by;
  bool verify_by_all = false;  ///< --verify=all: all that are offered and can run here

  /// The options for `read_array`. Reports the bytes read to `meter`, which may be null.
  read_options reading(class progress* meter = nullptr) const;
};

/// Adds an option that takes a whole number from `min_value` to `max_value`, in decimal digits: 010
/// is ten. Calls `take` with it. `otherwise`: the default in --help; may be empty.
CLI::Option* add_whole_number(CLI::App& app, std::string const& name, std::uint64_t min_value,
                              std::uint64_t max_value, std::string const& words,
                              std::function<void(std::uint64_t)> take,
                              std::string const& otherwise = {});

/// The same for a variable. Its value is the default; an optional one has none.
template <class T>
CLI::Option* add_whole_number(CLI::App& app, std::string const& name, T& to,
                              std::uint64_t min_value, std::uint64_t max_value,
                              std::string const& words) {
  std::string otherwise;
  if constexpr (std::is_arithmetic_v<T>) otherwise = std::to_string(to);
  return add_whole_number(
      app, name, min_value, max_value, words,
      [&to](std::uint64_t value) {
        if constexpr (std::is_arithmetic_v<T>) {
          to = static_cast<T>(value);
        } else {
          to = static_cast<typename T::value_type>(value);
        }
      },
      otherwise);
}

/// Adds --algorithm, which calls `take` with its name; algorithm.hpp adds it for a table of names.
CLI::Option* add_algorithm(CLI::App& app, std::string const& words,
                           std::function<void(std::string const&)> take);

/// Adds --version, for a program without the other common flags.
void add_version_flag(CLI::App& app);

/// The places of the descriptions of text and of outputs, for the end of --help.
inline constexpr char const* about_text =
    "Text and CSV: docs/text.md describes how numbers, headers and comments are read.\n"
    "Outputs: docs/outputs.md says when they appear and what a replaced file keeps.";

/// What --column takes: one column, or the keys of a sort.
enum class column_use : std::uint8_t { one, keys };

/// Adds the common flags (with --help and --version) to `app`. Parsed values go to `values`, which
/// must outlive the parsing.
void add_common_arguments(CLI::App& app, common_arguments& values,
                          column_use use = column_use::one);

/// Adds those of them that programs for several ranks have: --threads, --memory, --dtype, --format,
/// --time, --help and --version.
void add_rank_arguments(CLI::App& app, common_arguments& values);

/// Parses the command line; refuses an empty value of any option. Returns false after printing
/// --help or --version to standard output: the program is then done. Throws `usage_error`.
[[nodiscard]] bool parse_arguments(CLI::App& app, int argc, char const* const* argv);

}  // namespace libscan::apps
