// SPDX-License-Identifier: Apache-2.0
// The common flags on CLI11.
#include <apps/common/arguments.hpp>

#include <algorithm>
#include <string_view>

#include <CLI/CLI.hpp>

#include <apps/common/array_writer.hpp>
#include <apps/common/dtype.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/foreign_format.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/program.hpp>
#include <apps/common/steps.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {
namespace {

/// Headings of --help, next to "Options".
constexpr char const* text_group = "Text and CSV";
constexpr char const* running_group = "Running";

/// For the CPU engine. More would only take memory.
constexpr int max_threads = 1024;

constexpr char const* no_value = "'', expected a value";

/// Turns a `usage_error` of `convert` into CLI11's own, which names the option.
template <class Convert>
CLI::callback_t taking(Convert convert) {
  return [convert](CLI::results_t const& words) {
    try {
      for (std::string const& word : words) convert(word);
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

/// Adds the options that say how text is read.
void add_text_arguments(CLI::App& app, common_arguments* to, column_use use) {
  bool const keys = use == column_use::keys;
  auto* const column = app.add_option(
      "--column", taking([to, keys](std::string const& text) {
        to->columns.push_back(keys ? key_from_text(text) : column_key{column_from_text(text)});
      }),
      keys ? "column of text or CSV whose cells are the keys: a number from 1, or its word in the "
             "header; may be repeated, see below"
           : "column of text or CSV: a number from 1, or its word in the header; not given: the "
             "first, or all of a single row");
  column->type_name("COLUMN")->group(text_group);
  if (keys) column->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
  app.add_option("--delimiter", taking([to](std::string const& text) {
                   to->delimiter = delimiter_from_text(text);
                 }),
                 "what is between the cells of text: one character, tab, or blanks; not given: by "
                 "the first row")
      ->type_name("CHARACTER")
      ->group(text_group);
  app.add_option(
         "--header",
         taking([to](std::string const& name) { to->header = header_rule_from_name(name); }),
         "whether the first line of text is a header: yes, no, or auto: if it looks like one")
      ->type_name("yes|no|auto")
      ->group(text_group);
  app.add_option("--comments", taking([to](std::string const& name) {
                   to->comments = comment_rule_from_name(name);
                 }),
                 "which lines of text that begin with # are comments: leading (before the first "
                 "row), all, or none")
      ->type_name("leading|all|none")
      ->group(text_group);
  app.add_option("--missing", taking([to, keys](std::string const& text) {
                   to->missing = missing_rule_from_text(text);
                   bool const sorts = to->missing.what == missing_rule::choice::first ||
                                      to->missing.what == missing_rule::choice::last;
                   if (sorts && !keys) {
                     throw usage_error("--missing " + text +
                                       " is for sorts, expected fail, skip or a number");
                   }
                 }),
                 keys ? "what becomes of rows without a value in text: fail, skip, first, last, or "
                        "a number to sort them by"
                      : "what becomes of a missing value in text: fail, skip, or a number to "
                        "read in its place")
      ->type_name("WHAT")
      ->group(text_group);
  app.add_flag("--decimal-comma", to->decimal_comma,
               "numbers in text have a decimal comma, as in 3,14")
      ->group(text_group);
}

/// Throws for the first option of the command line that does not exist, if there is one.
void refuse_unknown_option(CLI::App const& app) {
  for (std::string const& word : app.remaining(true)) {
    if (!word.starts_with("-") || word == "-" || word == "--") continue;
    std::string const unknown = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (CLI::Option const* const option : app.get_options()) {
      for (std::string const& name : option->get_lnames()) names.push_back("--" + name);
    }
    std::string const near = closest_word(unknown, names);
    throw usage_error(unknown + " is no option" +
                      (near.empty() ? "" : ": did you mean " + near + "?"));
  }
}

/// Throws for an option that is given more often than it may be, if there is one.
void refuse_repeated_option(CLI::App const& app) {
  for (CLI::Option const* const option : app.get_options()) {
    auto const max = static_cast<std::size_t>(option->get_items_expected_max());
    if (max == 1 && option->count() > max) {
      throw usage_error(option->get_name() + " is given " + std::to_string(option->count()) +
                        " times, expected once");
    }
  }
}

/// Throws if the report and a result would be one file. A program without --output has no result
/// but its report.
void check_report(CLI::App const& app) {
  if (app.get_option_no_throw("--output") == nullptr) return;
  auto const value_of = [&](char const* name, char const* otherwise) -> std::string {
    CLI::Option const* const option = app.get_option_no_throw(name);
    if (option == nullptr || option->empty()) return otherwise;
    return option->results().at(0);
  };
  std::string const report = value_of("--json", "");
  if (report.empty()) return;
  if (same_output(report, value_of("--output", "-"))) {
    throw usage_error("--json: " + report + " is also the output of the result");
  }
  for (char const* const name : {"--split", "--values-output", "--svg", "--png", "--spy"}) {
    std::string const other = value_of(name, "");
    if (other.empty() || !same_output(report, other)) continue;
    throw usage_error("--json: " + report + " is also the output of " + name);
  }
  refuse_foreign_ending(report, ".json");
}

/// Takes a value of --verify: names of verifiers, with commas between them, or "all".
void take_verifiers(std::string const& value, common_arguments& to) {
  verifier_set const offered = to.offered_verifiers;
  to.verify = true;
  if (value == "true") return;  // what CLI11 passes for a flag without a value
  for (std::size_t at = 0; at <= value.size();) {
    std::size_t const end = std::min(value.find(',', at), value.size());
    std::string const name = value.substr(at, end - at);
    at = end + 1;
    bool known = name == "all";
    to.verify_by_all = to.verify_by_all || known;
    for_each(offered, [&](verifier each) {
      if (verifier_names.name(each) != name) return;
      known = true;
      to.verify_by.add(each);
    });
    if (known) continue;
    throw CLI::ValidationError(for_people(name) + ", expected no value, or some of " +
                               names_in(offered) + ", all");
  }
}

/// --verify, with or without names.
CLI::Option* add_verify(CLI::App& app, common_arguments* to) {
  std::string const words =
      "check the result against an independent computation; --verify=NAME: and by some of\n" +
      names_in(to->offered_verifiers) + ", or all that can run here";
  static std::string unused;
  return app.add_flag("--verify", unused, words)->each([to](std::string const& value) {
    take_verifiers(value, *to);
  });
}

CLI::Option* add_threads(CLI::App& app, common_arguments& values, char const* words) {
  point_to_threads_option();
  return add_whole_number(app, "--threads", values.threads, 0, max_threads, words);
}

CLI::Option* add_memory(CLI::App& app, char const* words) {
  return app
      .add_option("--memory", taking([](std::string const& text) {
                    try {
                      set_memory_bound(parse_size(text));
                    } catch (usage_error const& e) {
                      throw usage_error(std::string("--memory: ") + e.what());
                    }
                  }),
                  words)
      ->type_name("BYTES");
}

void add_dtype(CLI::App& app, common_arguments* to) {
  app.add_option("--dtype", taking([to](std::string const& name) {
                   auto const [type, half] = stored_type_from_name(name);
                   to->type = type;
                   to->half = half;
                 }),
                 "type of the input's items: int8, uint8, ... float64, float16, bfloat16 (raw "
                 "needs it)")
      ->type_name("TYPE");
}

void add_format(CLI::App& app, common_arguments* to, char const* formats, char const* words) {
  app.add_option("--format",
                 taking([to](std::string const& name) { to->format = format_from_name(name); }),
                 words)
      ->type_name(formats);
}

constexpr char const* about_time = "say how long each step took";

}  // namespace

read_options common_arguments::reading(class progress* meter) const {
  read_options options{format, type, {}, meter, header, half, comments};
  if (!columns.empty()) options.column = columns[0].column;
  options.delimiter = delimiter;
  options.missing = missing;
  options.decimal_comma = decimal_comma;
  options.threads = threads;
  return options;
}

void add_common_arguments(CLI::App& app, common_arguments& values, column_use use) {
  common_arguments* const to = &values;
  app.add_option(
         "--engine", to->engine,
         "cpu, cuda, executor (the GPU's kernels, simulated on the CPU: for small files), or "
         "auto: a usable GPU, else the CPU. A GPU gains nothing where the disk is the limit")
      ->check(CLI::IsMember({"cpu", "cuda", "executor", "auto"}))
      ->capture_default_str()
      ->group(running_group);
  add_threads(app, values, "threads of the CPU engine; 0: all cores")->group(running_group);
  add_memory(app, "memory limit, as in 4G; 0 or not given: 60 % of the available memory")
      ->group(running_group);
  add_dtype(app, to);
  add_text_arguments(app, to, use);
  add_format(app, to, "auto|npy|raw|text",
             "format of the input: npy, raw, text, or auto: by name, else by content");
  app.add_flag("--progress", to->progress, "show progress even when not on a terminal")
      ->group(running_group);
  add_verify(app, to)->group(running_group);
  app.add_flag_callback("--time", report_on_standard_error, about_time)->group(running_group);
  app.add_option("--json", taking(report_as_json),
                 "write what --time says, and numbers of items, as JSON to a file")
      ->type_name("FILE")
      ->group(running_group);
  add_version_flag(app);
}

void add_rank_arguments(CLI::App& app, common_arguments& values) {
  add_threads(app, values, "threads of each rank; 0: the machine's cores shared by its ranks");
  add_memory(app,
             "memory limit of each rank, as in 4G; 0 or not given: its share of 60 % of the "
             "machine's memory");
  add_dtype(app, &values);
  add_format(app, &values, "auto|npy|raw",
             "format of the input: npy, raw, or auto: by name, else by content");
  app.add_flag("--time", values.time, about_time);
  app.add_flag_function(
      "--gather",
      [to = &values](std::int64_t on) {
        if (on > 0) to->access = rank_access::rank_0;
      },
      "rank 0 reads and writes all files: for machines that share none");
  add_version_flag(app);
}

void add_version_flag(CLI::App& app) {
  app.set_version_flag("-V,--version", app.get_name() + " (libscan " LIBSCAN_VERSION ")");
}

CLI::Option* add_whole_number(CLI::App& app, std::string const& name, std::uint64_t min_value,
                              std::uint64_t max_value, std::string const& words,
                              std::function<void(std::uint64_t)> take,
                              std::string const& otherwise) {
  auto const parse = [name, min_value, max_value, take](std::string const& text) {
    std::uint64_t value = 0;
    if (!parse_digits(text, value) || value < min_value || value > max_value) {
      throw usage_error(name + ": " + for_people(text) + ", expected a whole number from " +
                        std::to_string(min_value) + " to " + std::to_string(max_value));
    }
    take(value);
  };
  auto* const option = app.add_option(name, taking(parse), words)->type_name("N");
  if (!otherwise.empty()) option->default_str(otherwise);
  return option;
}

CLI::Option* add_algorithm(CLI::App& app, std::string const& words,
                           std::function<void(std::string const&)> take) {
  return app.add_option_function<std::string>("--algorithm", take, words)->type_name("NAME");
}

bool parse_arguments(CLI::App& app, int argc, char const* const* argv) {
  app.set_help_flag("-h", "show the options");
  app.set_help_all_flag("--help", "show the options, what they mean, and examples");
  try {
    refuse_empty_values(app);
    refuse_missing_values(argc, argv);
    app.parse(argc, argv);
    check_report(app);
    return true;
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
      refuse_unknown_option(app);
      refuse_repeated_option(app);
      throw usage_error(e.what());
    }
    std::string text;
    if (dynamic_cast<CLI::CallForVersion const*>(&e)) {
      text = e.what() + std::string("\n");
    } else {
      if (dynamic_cast<CLI::CallForHelp const*>(&e)) app.footer("--help says more.");
      text = app.help();
    }
    output_file out("-");
    out.write(std::as_bytes(std::span<char const>(text)));
    out.commit();
    return false;
  }
}

}  // namespace libscan::apps
