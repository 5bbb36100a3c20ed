// SPDX-License-Identifier: Apache-2.0
// The arguments of scan-histogram.
#include <apps/histogram/program/run_histogram.hpp>

#include <cmath>
#include <initializer_list>
#include <limits>
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
void check_raw(std::optional<std::string> const& file, std::optional<dtype> type,
               std::string const& option) {
  if (!file || type || format_of_name(*file) != file_format::raw) return;
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

template <class T>
range_ends<T> parse_ends(std::string const& text) {
  std::string_view const words(text);
  std::size_t const colon = words.find(':');
  range_ends<T> ends{};
  bool const good = colon != std::string_view::npos &&
                    parse_number(words.substr(0, colon), ends.lo) == parse_outcome::number &&
                    parse_number(words.substr(colon + 1), ends.hi) == parse_outcome::number;
  if (!good) {
    throw usage_error("--range: " + for_people(text) + ", expected LO:HI, two numbers of type " +
                      expected_number<T>());
  }
  return ends;
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
  // The type of integers is not known yet.
  if (arguments.range && !arguments.integers) parse_range(*arguments.range);
  return arguments;
}

range_ends<double> parse_range(std::string const& text) {
  auto const ends = parse_ends<double>(text);
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

template <class T>
range_ends<T> parse_integer_range(std::string const& text) {
  auto const ends = parse_ends<T>(text);
  if (ends.lo > ends.hi) throw usage_error("--range: " + for_people(text) + ", expected LO <= HI");
  return ends;
}

template range_ends<std::int8_t> parse_integer_range(std::string const&);
template range_ends<std::uint8_t> parse_integer_range(std::string const&);
template range_ends<std::int16_t> parse_integer_range(std::string const&);
template range_ends<std::uint16_t> parse_integer_range(std::string const&);
template range_ends<std::int32_t> parse_integer_range(std::string const&);
template range_ends<std::uint32_t> parse_integer_range(std::string const&);
template range_ends<std::int64_t> parse_integer_range(std::string const&);
template range_ends<std::uint64_t> parse_integer_range(std::string const&);

}  // namespace libscan::apps
