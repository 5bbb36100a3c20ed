// SPDX-License-Identifier: Apache-2.0
// The arguments of scan-histogram.
#include <apps/histogram/program/run_histogram.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>

#include <apps/common/exit_code.hpp>
#include <apps/common/foreign_format.hpp>
#include <apps/common/number.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/table.hpp>
#include <libscan/bins.hpp>

namespace libscan::apps {
namespace {

void check_inputs(histogram_arguments const& arguments) {
  int from_standard_input = arguments.input == "-" ? 1 : 0;
  for (auto const& file : {arguments.edges, arguments.weights}) {
    from_standard_input += file == "-" ? 1 : 0;
  }
  if (from_standard_input > 1) {
    throw usage_error("only one of INPUT, --edges and --weights can be standard input");
  }
}

/// A raw file does not contain its type: an option must give it.
void check_raw(std::optional<std::string> const& file, stored_type const& type,
               std::string const& option) {
  if (!file || type.is_known() || format_of_name(*file) != file_format::raw) return;
  throw usage_error(option + "-dtype is needed to read " + *file +
                    " as raw: it does not say its type");
}

/// Refuses two outputs, `what`, at one place.
void check_no_overlap(std::optional<std::string> const& a, std::optional<std::string> const& b,
                      std::string const& what) {
  if (!a || !b || !same_output(*a, *b)) return;
  throw usage_error(what + " both name " + *a + (*a == *b ? "" : ", once as " + *b));
}

void check_outputs(histogram_arguments const& arguments) {
  if (arguments.svg) refuse_foreign_ending(*arguments.svg, ".svg");
  if (arguments.png) refuse_foreign_ending(*arguments.png, ".png");
  for (auto const& picture : {arguments.svg, arguments.png}) {
    check_no_overlap(picture, arguments.output, "a picture and --output");
  }
  check_no_overlap(arguments.svg, arguments.png, "--svg and --png");
  if (arguments.table) {
    file_format const named = format_of_name(arguments.output.value_or("-"));
    if (named != file_format::automatic && named != file_format::text) {
      throw usage_error("--table is text, but the ending of " + *arguments.output +
                        " means another format");
    }
  }
  if (arguments.log && !arguments.draws()) {
    throw usage_error("--log is for drawings: expected --plot, --svg or --png with it");
  }
}

range_ends<double> parse_ends(std::string const& text) {
  std::string_view const words(text);
  std::size_t const colon = words.find(':');
  range_ends<double> ends{};
  bool const good = colon != std::string_view::npos &&
                    parse_number(words.substr(0, colon), ends.lo) == parse_outcome::number &&
                    parse_number(words.substr(colon + 1), ends.hi) == parse_outcome::number;
  if (!good) {
    throw usage_error("--range: " + for_people(text) + ", expected LO:HI, two numbers of type " +
                      expected_number<double>());
  }
  return ends;
}

/// A whole number of type int64 or uint64, exactly; nothing for anything else.
std::optional<long double> wide_integer(std::string_view text) {
  std::int64_t with_sign = 0;
  std::uint64_t without_sign = 0;
  if (parse_number(text, with_sign) == parse_outcome::number) {
    return static_cast<long double>(with_sign);
  }
  if (parse_number(text, without_sign) != parse_outcome::number) return std::nullopt;
  return static_cast<long double>(without_sign);
}

}  // namespace

void add_bin_arguments(CLI::App& app, histogram_arguments& arguments) {
  auto* const bins =
      add_whole_number(app, "--bins", arguments.bins, 1, max_bins, "bins of even width (10)");
  app.add_option("--range", arguments.range, "range of the bins")->type_name("LO:HI");
  app.add_flag("--integers", arguments.integers, "one bin per integer")->excludes(bins);
}

histogram_arguments const& checked(histogram_arguments const& arguments) {
  check_inputs(arguments);
  check_raw(arguments.edges, arguments.edges_type, "--edges");
  check_raw(arguments.weights, arguments.weights_type, "--weights");
  check_outputs(arguments);
  if (arguments.range && arguments.integers) parse_integer_range(*arguments.range);
  if (arguments.range && !arguments.integers) parse_range(*arguments.range);
  return arguments;
}

range_ends<double> parse_range(std::string const& text) {
  auto const ends = parse_ends(text);
  using libscan::detail::is_finite;
  if (!is_finite(ends.lo) || !is_finite(ends.hi) || ends.lo >= ends.hi) {
    throw usage_error("--range: " + for_people(text) + ", expected finite LO < HI");
  }
  if (!libscan::detail::has_finite_width(ends.lo, ends.hi)) {
    throw usage_error("--range: " + for_people(text) +
                      " is too wide, expected HI - LO of at most " +
                      number_text(std::numeric_limits<double>::max()) + ", the largest float64");
  }
  return ends;
}

range_ends<long double> parse_integer_range(std::string const& text) {
  std::string_view const words(text);
  std::size_t const colon = std::min(words.find(':'), words.size());
  auto const lo = wide_integer(words.substr(0, colon));
  auto const hi = wide_integer(words.substr(std::min(colon + 1, words.size())));
  if (!lo || !hi) {
    throw usage_error("--range: " + for_people(text) +
                      ", expected LO:HI, two integers from -9223372036854775808 to "
                      "18446744073709551615");
  }
  if (*lo > *hi) throw usage_error("--range: " + for_people(text) + ", expected LO <= HI");
  return {*lo, *hi};
}

}  // namespace libscan::apps
