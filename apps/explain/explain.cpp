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

#include <apps/common/foreign_format.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/table.hpp>
#include <apps/explain/banks.hpp>
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
  if (arguments.banks != 0) request.banks = arguments.banks;
  recorded_run const run = record_scan(request);
  std::optional<output_file> drawing;
  if (!arguments.svg.empty()) {
    write(drawing.emplace(arguments.svg),
          arguments.banks != 0 ? bank_svg(run, arguments.banks) : svg_of(run));
  }
  if (arguments.svg != "-") {
    output_file out("-");
    text_style const style = style_for(arguments.width);
    write(out, arguments.banks != 0 ? bank_text(run, arguments.banks, style.width)
                                    : text_of(run, style));
  }
  if (drawing) drawing->commit();
  return exit_code::done;
}

}  // namespace libscan::apps
