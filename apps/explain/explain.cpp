// SPDX-License-Identifier: Apache-2.0
// The steps of scan-explain.
#include <apps/explain/explain.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <apps/common/foreign_format.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/table.hpp>
#include <apps/explain/banks.hpp>
#include <apps/explain/ranks.hpp>
#include <apps/explain/svg.hpp>
#include <apps/explain/text.hpp>

namespace libscan::apps {
namespace {

text_style style_for(int width) {
  constexpr int otherwise = 80, narrowest = 40;
  text_style style;
  bool const on_terminal = ::isatty(STDOUT_FILENO) != 0;
  char const* const term = std::getenv("TERM");
  style.colors = on_terminal && std::getenv("NO_COLOR") == nullptr && term != nullptr &&
                 std::string_view(term) != "dumb";
  if (width == 0) {
    winsize size{};
    bool const requested = on_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    width = requested && size.ws_col > 0 ? size.ws_col : otherwise;
  }
  style.width = width < narrowest ? narrowest : width;
  return style;
}

void write(output_file& to, std::string const& text) {
  to.write(std::as_bytes(std::span<char const>(text)));
  to.complete();
}

/// Writes a text and a drawing, or either. `text(style)` makes the text.
template <class Text>
void show(explain_arguments const& arguments, std::string const& svg, Text const& text) {
  std::optional<output_file> drawing;
  if (!arguments.svg.empty()) write(drawing.emplace(arguments.svg), svg);
  if (arguments.svg != "-") {
    output_file out("-");
    write(out, text(style_for(arguments.width)));
  }
  if (drawing) drawing->commit();
}

void explain_ranks(explain_arguments const& arguments, std::vector<std::int32_t> items) {
  recorded_ranks const run = record_ranks({std::move(items), arguments.ranks, arguments.sorts,
                                           arguments.scan.exclusive, arguments.scan.seed});
  show(arguments, arguments.svg.empty() ? "" : ranks_svg(run),
       [&](text_style const&) { return ranks_text(run); });
}

}  // namespace

std::vector<std::int32_t> numbers_in(std::string const& text) {
  std::vector<std::int32_t> numbers;
  std::string_view rest = text;
  constexpr std::string_view between = " \t\n\r,";
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(between), rest.size()));
    if (rest.empty()) return numbers;
    std::string_view const word = rest.substr(0, rest.find_first_of(between));
    std::int32_t number = 0;
    char const* const end = word.data() + word.size();
    auto const [stop, problem] = std::from_chars(word.data(), end, number);
    if (problem != std::errc{} || stop != end) {
      throw invalid_argument("number " + std::to_string(numbers.size() + 1) + ", " +
                             for_people(word) +
                             ", is none; expected an integer from -2147483648 to 2147483647");
    }
    numbers.push_back(number);
    rest.remove_prefix(word.size());
  }
}

exit_code run_explain(explain_arguments const& arguments) {
  scan_request request = arguments.scan;
  request.items = numbers_in(arguments.numbers);
  if (!arguments.svg.empty()) refuse_foreign_ending(arguments.svg, ".svg");
  if (!arguments.svg.empty()) check_drawable(static_cast<int>(request.items.size()));
  if (arguments.ranks != 0) {
    explain_ranks(arguments, std::move(request.items));
    return exit_code::done;
  }
  if (arguments.banks != 0) request.banks = arguments.banks;
  recorded_run const run = record_scan(request);
  bool const banks = arguments.banks != 0;
  show(arguments,
       arguments.svg.empty() ? ""
       : banks               ? bank_svg(run, arguments.banks)
                             : svg_of(run),
       [&](text_style const& style) {
         return banks ? bank_text(run, arguments.banks, style.width) : text_of(run, style);
       });
  return exit_code::done;
}

}  // namespace libscan::apps
