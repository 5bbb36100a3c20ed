// SPDX-License-Identifier: Apache-2.0
// The work of scan-histogram and scan-histogram-mpi, and its arguments.
#pragma once

#include <optional>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/histogram/program/histogram_by.hpp>
#include <libscan/core/types.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// The request for scan-histogram.
struct histogram_arguments {
  std::string input;                   ///< file, or "-"
  std::optional<std::string> output;   ///< file, or "-"; default: "-" unless there is a drawing
  std::optional<index_t> bins;         ///< of even width; default: 10
  std::optional<std::string> range;    ///< "LO:HI"
  std::optional<std::string> edges;    ///< file, or "-"
  bool integers = false;               ///< one bin per integer
  stored_type edges_type;              ///< of the edges' items; needed for raw
  std::optional<std::string> weights;  ///< file, or "-"
  stored_type weights_type;            ///< of the weights' items; needed for raw
  std::optional<histogram_algorithm> algorithm;  ///< none: the engine's own
  bool table = false;                            ///< counts with the edges of their bins
  bool plot = false;                             ///< draw in the terminal
  std::optional<std::string> svg, png;           ///< files for pictures
  bool log = false;                              ///< logarithmic heights
  common_arguments common;

  /// Whether anything is drawn.
  bool draws() const { return plot || svg || png; }
};

/// Adds --bins, --range and --integers.
void add_bin_arguments(CLI::App& app, histogram_arguments& arguments);

/// Throws `usage_error` for contradictory arguments. Returns its argument.
histogram_arguments const& checked(histogram_arguments const& arguments);

/// The two ends of "LO:HI". Throws `usage_error` if the text is not of that form.
template <class T>
struct range_ends {
  T lo, hi;
};

/// As real numbers, LO < HI.
range_ends<double> parse_range(std::string const& text);

/// As integers of type int64 or uint64, exact, LO <= HI.
range_ends<long double> parse_integer_range(std::string const& text);

/// Runs scan-histogram. Returns `done`, or `difference` if --verify found one: then there is no
/// output. Throws `usage_error` for arguments that contradict each other or do not fit the samples,
/// and as its callees: `file_error`, `engine_unavailable`, ...
exit_code run_histogram(histogram_arguments const& arguments);

/// Counts the items of the file `arguments.input` on all ranks, and writes the counts to the file
/// `arguments.output`. Edges, weights and drawings are not supported. Collective.
/// Throws: as `rank_input`, `rank_output` and `histogram`; `usage_error` for bins that do not fit.
void histogram_on_ranks(ranks const& on, histogram_arguments const& arguments);

}  // namespace libscan::apps
