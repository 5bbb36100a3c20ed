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

/// The verifiers beside the loop: those that --verify names; with "all", those that are offered and
/// can run here. Throws `engine_unavailable` if one is named that needs a GPU, and
/// there is none.
inline verifier_set verifiers_for(common_arguments const& common) {
  verifier_set chosen;
  auto const choose = [&](verifier each, bool named) {
    if (!needs_gpu(each)) return chosen.add(each);
    try {
      engine::cuda();
      chosen.add(each);
    } catch (engine_unavailable const& reason) {
      if (!named) return;
      throw engine_unavailable("--verify=" + std::string(verifier_names.name(each)) +
                               " needs a GPU: " + reason.what());
    }
  };
  for_each(common.verify_by, [&](verifier each) { choose(each, true); });
  if (common.verify_by_all) {
    for_each(common.offered_verifiers, [&](verifier each) { choose(each, false); });
  }
  chosen.remove(verifier::loop);
  return chosen;
}

/// The engine that --engine names. With an --algorithm that consists of kernels it runs kernels: a
/// GPU, and the executor where "auto" finds none. Throws `usage_error` for such an algorithm on the
/// cpu engine; otherwise as `engine::named`.
inline engine engine_for(common_arguments const& common, bool algorithm_of_kernels = false) {
  if (!algorithm_of_kernels) return engine::named(common.engine, common.threads);
  if (common.engine == "cpu") {
    throw usage_error(
        "--engine cpu does not run the kernels that --algorithm names; expected --engine cuda, "
        "executor or auto");
  }
  engine const found = engine::named(common.engine, common.threads);
  return found.runs_kernels() ? found : engine::executor();
}

/// Whether an engine needs all items at once: the executor refuses too many of them.
inline bool takes_all_items(engine const& on) { return on.runs_kernels() && !on.is_cuda(); }

}  // namespace libscan::apps
