// SPDX-License-Identifier: Apache-2.0
// The common flags on CLI11.
#include <apps/common/arguments.hpp>

#include <cstdio>

#include <CLI/CLI.hpp>

#include <apps/common/array_writer.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/halves.hpp>
#include <apps/common/program.hpp>

namespace libscan::apps {
namespace {

/// Of the CPU engine. More would only take memory.
constexpr int most_threads = 1024;

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

}  // namespace

read_options common_arguments::reading(class progress* meter) const {
  return {format, type, column, meter, header, halves, half};
}

void add_common_arguments(CLI::App& app, common_arguments& values) {
  common_arguments* const to = &values;
  app.add_option("--engine", to->engine, "cpu, cuda, or auto: a usable GPU, else the CPU")
      ->check(CLI::IsMember({"cpu", "cuda", "auto"}))
      ->capture_default_str();
  app.add_option("--threads", to->threads, "threads of the CPU engine; 0: all cores")
      ->check(CLI::Range(0, most_threads))
      ->capture_default_str();
  app.add_option("--dtype", taking([to](std::string const& name) {
                   to->half = to->halves ? half_from_name(name) : std::nullopt;
                   std::string_view const further = to->halves ? " float16 bfloat16" : "";
                   if (!to->half) to->type = dtype_from_name(name, further);
                 }),
                 "type of the input's items: int8, uint8, ... float64" +
                     std::string(values.halves ? ", float16, bfloat16" : "") + " (raw needs it)")
      ->type_name("TYPE");
  app.add_option("--column", to->column, "column of text or CSV, from 1")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--format",
                 taking([to](std::string const& name) { to->format = format_from_name(name); }),
                 "format of the input: npy, raw, text, or auto: by name, else by content")
      ->type_name("FORMAT");
  app.add_option(
         "--header",
         taking([to](std::string const& name) { to->header = header_rule_from_name(name); }),
         "whether the first line of text is a header: yes, no, or auto: if it looks like one")
      ->type_name("WHETHER");
  app.add_flag("--progress", to->progress, "show progress even when not on a terminal");
  app.add_flag("--verify", to->verify, "check the result against an independent computation");
  app.add_flag("--time", to->time, "say how long each step took");
  app.set_version_flag("--version", app.get_name() + " (libscan " LIBSCAN_VERSION ")");
}

bool parse_arguments(CLI::App& app, int argc, char const* const* argv) {
  try {
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
