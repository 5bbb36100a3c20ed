// SPDX-License-Identifier: Apache-2.0
// --algorithm, which lets a program run another of the library's algorithms: its names, and the
// engine that runs it.
#pragma once

#include <optional>
#include <string>

#include <apps/common/arguments.hpp>
#include <apps/common/exit_code.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/name_table.hpp>

namespace libscan::apps {

/// Adds --algorithm for a variable and the names of its values.
template <class Enum, std::size_t Names, std::size_t Others>
CLI::Option* add_algorithm(CLI::App& app, std::optional<Enum>& to,
                           name_table<Enum, Names, Others> const& table, std::string const& words) {
  return add_algorithm(app, words,
                       [&to, &table](std::string const& name) { to = table.named(name); });
}

/// Refuses --verify=cub without a usable GPU, before anything is read. Throws `engine_unavailable`.
inline void check_verifier(common_arguments const& common) {
  if (!common.verify_by_cub) return;
  try {
    engine::cuda();
  } catch (engine_unavailable const& reason) {
    throw engine_unavailable(std::string("--verify=cub needs a GPU: ") + reason.what());
  }
}

/// The engine that --engine names. With an --algorithm that consists of kernels it runs kernels: a
/// GPU, and the executor where "auto" finds none. Throws `usage_error` for such an algorithm on the
/// cpu engine; otherwise as `engine::named` and `check_verifier`.
inline engine engine_for(common_arguments const& common, bool algorithm_of_kernels = false) {
  check_verifier(common);
  if (!algorithm_of_kernels) return engine::named(common.engine, common.threads);
  if (common.engine == "cpu") {
    throw usage_error(
        "--engine cpu does not run the kernels that --algorithm names; expected --engine cuda, "
        "executor or auto");
  }
  engine const found = engine::named(common.engine, common.threads);
  return found.runs_kernels() ? found : engine::executor();
}

}  // namespace libscan::apps
