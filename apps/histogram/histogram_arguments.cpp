// SPDX-License-Identifier: Apache-2.0
// The arguments of scan-histogram.
#include <apps/histogram/histogram_arguments.hpp>

#include <cmath>
#include <initializer_list>
#include <string_view>

#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/histogram/bins.hpp>

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

void check_outputs(histogram_arguments const& arguments) {
  for (auto const& picture : {arguments.svg, arguments.png}) {
    if (picture && picture == arguments.output) {
      throw usage_error("a picture and --output both name " + *picture);
    }
  }
  if (arguments.svg && arguments.svg == arguments.png) {
    throw usage_error("--svg and --png both name " + *arguments.svg);
  }
  if (arguments.log && !arguments.draws()) {
    throw usage_error("--log is about drawings: expected --plot, --svg or --png, too");
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
    throw usage_error("--range: '" + text + "', expected LO:HI, two numbers of type " +
                      expected_number<T>());
  }
  return ends;
}

}  // namespace

histogram_arguments const& checked(histogram_arguments const& arguments) {
  check_inputs(arguments);
  check_outputs(arguments);
  if (arguments.bins && (*arguments.bins < 1 || *arguments.bins > most_bins)) {
    throw usage_error("--bins: " + std::to_string(*arguments.bins) + ", expected 1 to " +
                      std::to_string(most_bins));
  }
  // Of integers the type is not known yet.
  if (arguments.range && !arguments.integers) parse_range(*arguments.range);
  return arguments;
}

range_ends<double> parse_range(std::string const& text) {
  auto const ends = parse_ends<double>(text);
  if (!(ends.lo < ends.hi) || !std::isfinite(ends.hi - ends.lo)) {
    throw usage_error("--range: '" + text + "', expected finite LO < HI");
  }
  return ends;
}

template <class T>
range_ends<T> parse_integer_range(std::string const& text) {
  auto const ends = parse_ends<T>(text);
  if (ends.lo > ends.hi) throw usage_error("--range: '" + text + "', expected LO <= HI");
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
