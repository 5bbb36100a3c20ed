// SPDX-License-Identifier: Apache-2.0
// The request for scan-sort and scan-sort-mpi, and their work, without their command lines: read,
// sort, verify, write, report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/dtype.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/rank_files.hpp>
#include <apps/radix_sort/program/sort_by.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::apps {

/// The request for scan-sort.
struct sort_arguments {
  std::string input;                        ///< file, or "-"
  std::string output = "-";                 ///< file, or "-"
  std::optional<std::string> values;        ///< file whose items move with the keys
  stored_type values_type;                  ///< of its items
  std::string values_output;                ///< their output
  bool positions = false;                   ///< positions instead of keys
  bool unique = false;                      ///< the first of equal keys only
  std::optional<std::string> bits;          ///< "LO:HI"
  std::optional<sort_algorithm> algorithm;  ///< none: the engine's own
  sort_options options;                     ///< direction; the bits come from `bits`
  common_arguments common;
};

/// Adds --descending, --argsort and --bits.
void add_order_arguments(CLI::App& app, sort_arguments& arguments);

/// Adds --values, --values-output and --values-dtype. After `add_order_arguments`.
void add_values_arguments(CLI::App& app, sort_arguments& arguments);

/// Throws `file_error` unless there is a value for each key.
void check_value_count(sort_arguments const& arguments, index_t values, index_t keys);

/// The options of the sort, including the bits. Throws `usage_error` for invalid bits and for
/// contradictory arguments.
sort_options checked_options(sort_arguments const& arguments);

/// Runs scan-sort. Returns `done`, or `difference` if --verify found one: then there is no output.
/// Throws as its callees, and `usage_error` for contradictory arguments.
exit_code run_sort(sort_arguments const& arguments);

/// Sorts the file `arguments.input` into the file `arguments.output` on all ranks: keys, with
/// `values` also the values that move with them, or with `positions` where they were. --unique is
/// not supported. Collective.
/// Throws: as `rank_input`, `rank_output`, `sort_keys`, `sort_pairs` and `argsort`; `file_error`
/// for another number of values than keys.
void sort_on_ranks(ranks const& on, sort_arguments const& arguments);

}  // namespace libscan::apps
