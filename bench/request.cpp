// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <apps/common/exit_code.hpp>
#include <apps/common/foreign_format.hpp>
#include <apps/common/output_file.hpp>
#include <bench/changes.hpp>
#include <bench/request.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/textbook/names.hpp>

namespace libscan::bench {

namespace {

bool is_implementation(std::string const& name) {
  auto const& strategies = scan_strategy_names.names;
  auto const among = [&](auto const& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return name == "libscan" || name == "spans" || name == "split-sort" || among(names_of_others) ||
         among(strategies) || among(block_algorithm_names.names);
}

/// Whether an axis is left empty, or requests only what is measured.
template <class T, class Measured>
bool only(std::vector<T> const& requested, Measured const& measured) {
  return std::all_of(requested.begin(), requested.end(),
                     [&](T const& each) { return each == measured; });
}

void choose_strategies(options& wanted, output_options const& output) {
  if (!only(wanted.types, "i32") || !only(wanted.operators, "sum") ||
      !only(wanted.kinds, scan_kind::exclusive) || !only(wanted.items, "random")) {
    throw invalid_argument(
        "--algorithm: strategies are measured by exclusive sums of random i32; expected no other "
        "--type, --op, --inclusive or --items beside it");
  }
  bool const all = only(wanted.algorithms, "all");
  for (std::string const& name : wanted.algorithms) {
    if (!all) strategy_from_name(name);
  }
  wanted.operation = "algorithms";
  if (all) {
    wanted.algorithms.clear();
    return;
  }
  if (output.engine_given && only(wanted.engines, "cpu")) {
    throw invalid_argument(
        "--algorithm: the cpu engine has one scan; expected \"all\" or the "
        "engine cuda");
  }
  wanted.engines = {"cuda"};
}

}  // namespace

std::string implementation_names(std::string_view line_end) {
  std::string names = "libscan, spans, split-sort", line = names;
  for (std::string_view const other : names_of_others) {
    bool const full = line.size() + other.size() > 76;
    if (full) line.clear();
    names.append(",").append(full ? line_end : " ").append(other);
    line.append(", ").append(other);
  }
  return names + ", or a strategy";
}

std::string settle(options& wanted, output_options const& output) {
  for (std::string const& name : wanted.implementations) {
    if (is_implementation(name)) continue;
    throw invalid_argument("--impl: \"" + name + "\" is unknown; expected some of " +
                           implementation_names());
  }
  if (!wanted.algorithms.empty()) choose_strategies(wanted, output);
  if (!output.json_path.empty()) {
    apps::refuse_foreign_ending(output.json_path, ".json");
    if (apps::same_output(output.json_path, "-")) {
      throw invalid_argument(
          "--json: standard output holds the lines for people; expected the name of a file");
    }
    apps::output_file const may_be_written(output.json_path);
  }
  if (wanted.beside > 0) {
    if (output.engine_given && !only(wanted.engines, "cpu")) {
      throw invalid_argument("--beside: busy processes are started for the cpu engine only");
    }
    wanted.engines = {"cpu"};
  }
  auto const cuda = std::find(wanted.engines.begin(), wanted.engines.end(), "cuda");
  if (cuda == wanted.engines.end()) return "";
  try {
    engine::cuda();
  } catch (engine_unavailable const& reason) {
    if (output.engine_given) throw;
    wanted.engines.erase(cuda);
    return reason.what();
  }
  return "";
}

}  // namespace libscan::bench
