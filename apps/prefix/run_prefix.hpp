// SPDX-License-Identifier: Apache-2.0
// The request for scan-prefix and scan-prefix-mpi, its checks, and their work, without their
// command lines: read, scan, verify, write, report.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/rank_files.hpp>
#include <apps/prefix/prefix_scan.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// The arguments of scan-prefix.
struct prefix_arguments {
  std::string input;         ///< file, or "-"
  std::string output = "-";  ///< file, or "-"
  operator_kind op = operator_kind::plus;
  scan_kind kind = scan_kind::inclusive;
  scan_direction direction = scan_direction::forward;
  std::optional<std::string> init;   ///< a number as written; none: the operator's identity
  std::optional<dtype> accumulator;  ///< none: as NumPy's cumsum
  segmentation::form segments = segmentation::form::none;
  std::string segment_file;  ///< file, or "-"; where `segments` is not none
  std::optional<strategy_choice> algorithm;
  common_arguments common;
};

/// Adds --op, --exclusive, --init, --reverse and --accumulator.
void add_scan_arguments(CLI::App& app, prefix_arguments& arguments);

/// Adds the four options that say where segments begin; at most one may be used.
void add_segment_arguments(CLI::App& app, prefix_arguments& arguments);

/// The accumulator for items of `type` if none is given, as in NumPy's cumsum: integers widen to 64
/// bits of the same signedness, floats keep their type.
dtype default_accumulator(dtype type);

/// Whether items of `type` may be accumulated in `accumulator`: in any type that is as wide as
/// their own or wider, or in floats.
bool may_accumulate(dtype type, dtype accumulator);

/// The requested accumulator for items of `type`, which are bools if `truth_values`. Throws
/// `usage_error` if it is none for them, or for the operator.
dtype accumulator_for(prefix_arguments const& arguments, dtype type, bool truth_values);

/// Space for a value of any accumulator.
struct any_value {
  alignas(8) std::byte bytes[8];
};

/// The value before the first item: `text` as a number, or the operator's identity.
any_value make_init(dtype accumulator, operator_kind op, std::optional<std::string> const& text);

/// Throws `file_error` for floats that have no integer part in `accumulator`, an integer type: such
/// conversions are undefined. `first`: the number of the first item in the file `path`.
void check_convertible(dtype type, std::span<std::byte const> items, index_t first,
                       dtype accumulator, std::string const& path);

/// Runs scan-prefix. Returns `done`, or `difference` if --verify found one: in that case there is
/// no output. Throws `usage_error`, `file_error`, and what engines throw.
exit_code run_prefix(prefix_arguments const& arguments);

/// Scans the file `arguments.input` into the file `arguments.output` on all ranks.
/// --algorithm is not supported. Collective.
/// Throws: as `rank_input`, `rank_output`, `segment_file` and the scans; `usage_error` for an
/// accumulator that does not fit, `file_error` for items that it cannot hold.
void prefix_on_ranks(ranks const& on, prefix_arguments const& arguments);

}  // namespace libscan::apps
