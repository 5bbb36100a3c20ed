// SPDX-License-Identifier: Apache-2.0
// From --gpus to ranks that are threads.
#include <apps/common/rank_program.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <libscan/distributed/threads.hpp>

namespace libscan::apps {
namespace {

constexpr std::uint64_t max_gpus = 64;

/// The numbers of a list.
std::vector<std::uint64_t> numbers_of(std::string_view list, std::string const& text) {
  std::vector<std::uint64_t> numbers;
  while (true) {
    std::size_t const comma = list.find(',');
    std::uint64_t number = 0;
    if (!parse_digits(list.substr(0, comma), number) || number > max_gpus) {
      throw usage_error("--gpus: '" + text +
                        "', expected all, a number of GPUs from 1 to 64, or their numbers, as in "
                        "0,2");
    }
    numbers.push_back(number);
    if (comma == std::string_view::npos) return numbers;
    list.remove_prefix(comma + 1);
  }
}

std::vector<engine> engines_of(common_arguments const& values) {
  std::string const& text = *values.gpus;
  bool const simulated = values.engine == "executor";
  if (values.engine == "cpu") throw usage_error("--gpus does not go with --engine cpu");
  if (text == "all") {
    if (simulated) throw usage_error("--gpus all: the executor needs a number");
    auto const found = all_gpus();
    return found.empty() ? std::vector<engine>{engine::cuda()} : found;
  }
  auto numbers = numbers_of(text, text);
  if (text.find(',') == std::string::npos) {
    if (numbers[0] == 0) throw usage_error("--gpus: '0', expected at least one GPU");
    numbers.resize(numbers[0]);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  }
  std::vector<engine> engines;
  for (std::uint64_t const number : numbers) {
    engines.push_back(simulated ? engine::executor(number)
                                : engine::cuda(static_cast<int>(number)));
  }
  return engines;
}

}  // namespace

void add_gpus(CLI::App& app, common_arguments& values) {
  app.add_option("--gpus", values.gpus,
                 "use several GPUs, each for a part of an .npy or raw file: all, how many, or a "
                 "list of their numbers, as in 0,2")
      ->type_name("all|N|LIST")
      ->group("Running");
}

bool run_on_gpus(CLI::App const& app, common_arguments& values,
                 std::initializer_list<std::string_view> known,
                 std::function<void(ranks const&)> const& work) {
  if (!values.gpus) return false;
  constexpr std::string_view always[] = {"INPUT",    "--output", "--gpus",   "--engine",
                                         "--memory", "--dtype",  "--format", "--time"};
  for (CLI::Option const* const option : app.get_options()) {
    std::string const name = option->get_single_name();
    std::string const with_dashes = option->get_positional() ? name : "--" + name;
    bool const goes =
        std::ranges::count(always, with_dashes) + std::ranges::count(known, with_dashes) > 0;
    if (option->count() > 0 && !goes) {
      throw usage_error(with_dashes + " does not go with --gpus");
    }
  }
  values.time = app.get_option("--time")->count() > 0;
  thread_ranks gpus(engines_of(values));
  if (!memory_bound_given()) {
    set_memory_bound(memory_bound() / static_cast<std::uint64_t>(gpus.size()));
  }
  gpus.run(work);
  return true;
}

}  // namespace libscan::apps
