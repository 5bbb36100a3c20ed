// SPDX-License-Identifier: Apache-2.0
// The arguments of scan-sort.
#include <apps/radix_sort/program/run_sort.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <CLI/CLI.hpp>

#include <apps/common/byte_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {
namespace {

void check_together(sort_arguments const& arguments) {
  if (arguments.unique && arguments.bits) {
    throw usage_error("--unique goes by whole keys, --bits by some of their bits: one of them");
  }
  if (!arguments.values) return;
  if (arguments.input == "-" && *arguments.values == "-") {
    throw usage_error("only one of the input and the values can be standard input");
  }
  if (same_output(arguments.output, arguments.values_output)) {
    throw usage_error("--values-output and --output are the same, expected two outputs");
  }
}

/// "8:32" as the bits of the options.
void parse_bits(std::string const& text, sort_options& options) {
  std::string_view const words(text);
  std::size_t const colon = words.find(':');
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool const good = colon != std::string_view::npos &&
                    parse_digits(words.substr(0, colon), first) &&
                    parse_digits(words.substr(colon + 1), end) && first <= end &&
                    end <= static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  if (!good)
    throw usage_error("--bits: " + for_people(text) + ", expected LO:HI with 0 <= LO <= HI");
  options.first_bit = static_cast<int>(first);
  options.end_bit = static_cast<int>(end);
}

}  // namespace

void add_order_arguments(CLI::App& app, sort_arguments& arguments) {
  app.add_flag_function(
      "--descending",
      [to = &arguments](std::int64_t on) {
        if (on > 0) to->options.direction = libscan::sort_direction::descending;
      },
      "from the largest to the smallest");
  app.add_flag("--argsort", arguments.positions, "write the positions (from 0) of the sorted keys");
  app.add_option("--bits", arguments.bits, "bits to compare, see below")->type_name("LO:HI");
}

void add_values_arguments(CLI::App& app, sort_arguments& arguments) {
  auto* const values = app.add_option("--values", arguments.values, "items that move with the keys")
                           ->type_name("FILE");
  auto* const values_output =
      app.add_option("--values-output", arguments.values_output, "output of these items")
          ->type_name("OUTPUT")
          ->needs(values);
  values->needs(values_output);
  app.add_option_function<std::string>(
         "--values-dtype",
         [to = &arguments](std::string const& name) {
           try {
             to->values_type = stored_type_from_name(name);
           } catch (usage_error const& e) {
             throw usage_error(std::string("--values-dtype: ") + e.what());
           }
         },
         "type of these items (raw needs it)")
      ->type_name("TYPE")
      ->needs(values);
  values->excludes("--argsort");
}

void check_value_count(sort_arguments const& arguments, index_t values, index_t keys) {
  if (values == keys) return;
  throw file_error(input_name(*arguments.values), std::to_string(values) + " values, expected " +
                                                      std::to_string(keys) + ", one for each key");
}

sort_options checked_options(sort_arguments const& arguments) {
  check_together(arguments);
  sort_options options = arguments.options;
  if (arguments.bits) parse_bits(*arguments.bits, options);
  auto const& columns = arguments.common.columns;
  if (columns.size() == 1 && columns[0].descending) {
    options.direction =
        *columns[0].descending ? sort_direction::descending : sort_direction::ascending;
  }
  return options;
}

}  // namespace libscan::apps
