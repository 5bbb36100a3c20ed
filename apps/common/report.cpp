// SPDX-License-Identifier: Apache-2.0
// Lines of --time, and the object of --json.
#include <apps/common/report.hpp>

#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>

#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/program.hpp>
#include <apps/common/utf8.hpp>

namespace libscan::apps {
namespace {

/// A program has one report.
struct run_report {
  bool on_standard_error = false;
  std::optional<output_file> json;
  std::string steps, numbers;  // members so far, each after a comma
};

run_report report;

}  // namespace

void report_on_standard_error() { report.on_standard_error = true; }

void report_as_json(std::string const& path) { report.json.emplace(path); }

void report_step(char const* step, double seconds, std::uint64_t bytes, std::string const& words) {
  if (report.on_standard_error) {
    char line[64];
    std::snprintf(line, sizeof line, "%-7s %11.6f s %8.2f GB/s  ", step, seconds,
                  seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0.0);
    say(line + words);
  }
  if (!report.steps.empty()) report.steps += ", ";
  report.steps += "{\"step\": " + json_string(step) + ", \"seconds\": " + number_text(seconds) +
                  ", \"bytes\": " + std::to_string(bytes) + ", \"words\": " + json_string(words) +
                  "}";
}

void report_number(char const* name, std::uint64_t value) {
  report.numbers += ", " + json_string(name) + ": " + std::to_string(value);
}

void finish_report(std::string_view program) {
  if (!report.json) return;
  std::string const text = "{\"program\": " + json_string(program) + report.numbers +
                           ", \"steps\": [" + report.steps + "]}\n";
  try {
    report.json->write(std::as_bytes(std::span<char const>(text)));
    report.json->commit();
  } catch (file_error const& e) {
    throw file_error(std::string(e.what()) + "; the results are written");
  }
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const length = printable_length(text, at);
    if (length == 0 || text[at] == '\t') {
      result += length == 0 ? "\xef\xbf\xbd" : "\\t";
      ++at;
      continue;
    }
    if (text[at] == '"' || text[at] == '\\') result += '\\';
    result += text.substr(at, length);
    at += length;
  }
  return result + '"';
}

}  // namespace libscan::apps
