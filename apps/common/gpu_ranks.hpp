// SPDX-License-Identifier: Apache-2.0
// --gpus of programs: several GPUs in one process, each with a part of the input.
#pragma once

#include <functional>
#include <initializer_list>
#include <string_view>

#include <apps/common/arguments.hpp>
#include <libscan/distributed/ranks.hpp>

namespace libscan::apps {

/// Adds --gpus.
void add_gpus(CLI::App& app, common_arguments& values);

/// If --gpus was given, runs `work` on a thread for each GPU and returns true. With --engine
/// executor its number is that of executors.
/// `known`: the program's own options that go with it, besides the input, --output and those of
/// `add_rank_arguments` except --threads. Throws `usage_error` for others, and for other engines;
/// `engine_unavailable`; and the exception of the lowest rank that failed.
bool run_on_gpus(CLI::App const& app, common_arguments& values,
                 std::initializer_list<std::string_view> known,
                 std::function<void(ranks const&)> const& work);

}  // namespace libscan::apps
