// SPDX-License-Identifier: Apache-2.0
// The common flags on CLI11.
#include <apps/common/arguments.hpp>

#include <string_view>

#include <CLI/CLI.hpp>

#include <apps/common/array_writer.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/halves.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/program.hpp>

namespace libscan::apps {
namespace {

/// For the CPU engine. More would only take memory.
constexpr int max_threads = 1024;

constexpr char const* no_value = "'', expected a value";

/// Turns a `usage_error` of `convert` into CLI11's own, which names the option.
template <class Convert>
CLI::callback_t taking(Convert convert) {
  return [convert](CLI::results_t const& words) {
    try {
      convert(words.at(0));
    } catch (usage_error const& e) {
      throw CLI::ValidationError(e.what());
    }
    return true;
  };
}

/// Every option, and every subcommand's, refuses an empty value before it looks at it.
void refuse_empty_values(CLI::App& app) {
  CLI::Validator const some(
      [](std::string& value) { return value.empty() ? std::string(no_value) : std::string(); }, "");
  for (CLI::Option* const option : app.get_options()) {
    if (option->get_items_expected_max() > 0) option->transform(some);  // ahead of other checks
  }
  for (CLI::App* const command : app.get_subcommands({})) refuse_empty_values(*command);
}

/// --name= has an empty value, where CLI11 would take the next word.
void refuse_missing_values(int argc, char const* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    std::string_view const word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      throw CLI::ValidationError(std::string(word.substr(0, word.size() - 1)), no_value);
    }
  }
}

}  // namespace

read_options common_arguments::reading(class progress* meter) const {
  return {format, type, column, meter, header, half, comments};
}

void add_common_arguments(CLI::App& app, common_arguments& values) {
  common_arguments* const to = &values;
  app.add_option(
         "--engine", to->engine,
         "cpu, cuda, executor (the GPU's kernels, simulated on the CPU: for small files), or "
         "auto: a usable GPU, else the CPU")
      ->check(CLI::IsMember({"cpu", "cuda", "executor", "auto"}))
      ->capture_default_str();
  add_whole_number(app, "--threads", to->threads, 0, max_threads,
                   "threads of the CPU engine; 0: all cores");
  app.add_option("--memory", taking([](std::string const& text) {
                   try {
                     set_memory_bound(parse_size(text));
                   } catch (usage_error const& e) {
                     throw usage_error(std::string("--memory: ") + e.what());
                   }
                 }),
                 "memory limit, as in 4G; 0 or not given: 60 % of the available memory")
      ->type_name("BYTES");
  app.add_option("--dtype", taking([to](std::string const& name) {
                   to->half = half_from_name(name);
                   if (!to->half) to->type = dtype_from_name(name, " float16 bfloat16");
                 }),
                 "type of the input's items: int8, uint8, ... float64, float16, bfloat16 (raw "
                 "needs it)")
      ->type_name("TYPE");
  add_whole_number(app, "--column", to->column, 1, 1000000,
                   "column of text or CSV, from 1; not given: the first, or all of a single row");
  app.add_option("--format",
                 taking([to](std::string const& name) { to->format = format_from_name(name); }),
                 "format of the input: npy, raw, text, or auto: by name, else by content")
      ->type_name("FORMAT");
  app.add_option(
         "--header",
         taking([to](std::string const& name) { to->header = header_rule_from_name(name); }),
         "whether the first line of text is a header: yes, no, or auto: if it looks like one")
      ->type_name("WHETHER");
  app.add_option("--comments", taking([to](std::string const& name) {
                   to->comments = comment_rule_from_name(name);
                 }),
                 "which lines of text that begin with # are comments: leading (before the first "
                 "row), or all")
      ->type_name("WHICH");
  app.add_flag("--progress", to->progress, "show progress even when not on a terminal");
  app.add_flag("--verify", to->verify, "check the result against an independent computation");
  app.add_flag("--time", to->time, "say how long each step took");
  add_version_flag(app);
}

void add_version_flag(CLI::App& app) {
  app.set_version_flag("--version", app.get_name() + " (libscan " LIBSCAN_VERSION ")");
}

CLI::Option* add_whole_number(CLI::App& app, std::string const& name, std::uint64_t least,
                              std::uint64_t most, std::string const& words,
                              std::function<void(std::uint64_t)> take,
                              std::string const& otherwise) {
  auto const parse = [name, least, most, take](std::string const& text) {
    std::uint64_t value = 0;
    if (!parse_digits(text, value) || value < least || value > most) {
      throw usage_error(name + ": '" + text + "', expected a whole number from " +
                        std::to_string(least) + " to " + std::to_string(most));
    }
    take(value);
  };
  auto* const option = app.add_option(name, taking(parse), words)->type_name("N");
  if (!otherwise.empty()) option->default_str(otherwise);
  return option;
}

bool parse_arguments(CLI::App& app, int argc, char const* const* argv) {
  try {
    refuse_empty_values(app);
    refuse_missing_values(argc, argv);
    app.parse(argc, argv);
    return true;
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) throw usage_error(e.what());
    std::string text;
    if (dynamic_cast<CLI::CallForVersion const*>(&e)) {
      text = e.what() + std::string("\n");
    } else {
      text = app.help();
    }
    output_file out("-");
    out.write(std::as_bytes(std::span<char const>(text)));
    out.commit();
    return false;
  }
}

}  // namespace libscan::apps
