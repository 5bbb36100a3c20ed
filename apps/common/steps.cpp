// SPDX-License-Identifier: Apache-2.0
// Lines of --time, the object of --json, words of --verify, and writing in pieces.
#include <apps/common/steps.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/on_threads.hpp>
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

std::string items_read(std::size_t count, dtype type, std::uint64_t header_line) {
  std::string const words = std::to_string(count) + " items of " + std::string(name_of(type));
  if (header_line == 0) return words;
  return words + "; line " + std::to_string(header_line) + " is a header";
}
std::string items_read(array const& items) {
  return items_read(items.count(), items.type, items.header_line);
}

bool report_verified(std::string const& difference, verifier_set others,
                     std::string const& agreement) {
  say(difference.empty() ? "verified: " + agreement + also_agree(others)
                         : "error: --verify: " + difference);
  return difference.empty();
}

void write_whole(array_writer& output, std::string const& path, dtype type,
                 std::span<std::byte const> items, file_format otherwise, progress& meter) {
  write_completely(output, path, type, items, otherwise, meter);
  output.commit();
}

void write_completely(array_writer& output, std::string const& path, dtype type,
                      std::span<std::byte const> items, file_format otherwise, progress& meter) {
  constexpr std::size_t piece = std::size_t{1} << 24;  // a multiple of every type's size
  meter.start(path == "-" ? "writing" : "writing " + path, items.size());
  output.begin(type, static_cast<index_t>(items.size() / size_of(type)), otherwise);
  for (std::size_t done = 0; done < items.size(); done += piece) {
    auto const part = items.subspan(done, std::min(piece, items.size() - done));
    output.append(type, part);
    meter.advance(part.size());
  }
  output.complete();
  meter.finish();
}

void begin_rows(array_writer& output, text_rows const& rows) {
  output.begin_text();
  output.append_text(rows.mark);
  if (!rows.header) return;
  output.append_text(*rows.header);
  output.append_text(rows.rows.empty() ? rows.last_end : "\n");
}

void append_rows(array_writer& output, text_rows const& rows, std::span<index_t const> positions,
                 int threads, progress* meter) {
  constexpr std::size_t part_bytes = std::size_t{1} << 17;
  if (positions.empty()) return;
  std::size_t const n = rows.rows.size();
  auto const all = static_cast<std::size_t>(rows.rows[n - 1].end() - rows.rows[0].begin());
  std::size_t const part = std::max<std::size_t>(part_bytes * n / std::max<std::size_t>(all, 1), 1);
  char const* const text_end =
      reinterpret_cast<char const*>(rows.text.bytes.data()) + rows.text.bytes.size();
  auto const at = [&](std::size_t i) { return static_cast<std::size_t>(positions[i]); };
  auto const collect = [&](std::size_t p, auto const& put) {
    // Rows may be at random places: the next ones are prefetched, and before that their addresses.
    constexpr std::size_t ahead = 32;
    std::unique_ptr<char[]> const lines(new char[2 * part_bytes]);
    std::size_t size = 0;  // of `lines`
    for (std::size_t i = p * part; i < std::min((p + 1) * part, positions.size()); ++i) {
      if (i + 2 * ahead < positions.size()) rows.rows.prefetch(at(i + 2 * ahead));
      if (i + ahead < positions.size()) {
        std::string_view const later = rows.rows[at(i + ahead)];
        __builtin_prefetch(later.data());
        __builtin_prefetch(later.data() + later.size());  // often in the next cache line
      }
      std::string_view const text = rows.rows[at(i)];
      std::string_view const end = text.data() + text.size() == text_end ? rows.last_end : "\n";
      if (size + text.size() + end.size() > 2 * part_bytes) {
        put(std::string_view(lines.get(), size));
        size = 0;
      }
      if (text.size() + end.size() > 2 * part_bytes) {
        put(text);
      } else {
        text.copy(lines.get() + size, text.size());
        size += text.size();
      }
      end.copy(lines.get() + size, end.size());
      size += end.size();
    }
    put(std::string_view(lines.get(), size));
  };
  for_each_in_order((positions.size() + part - 1) / part, threads_for(threads), collect,
                    [&](std::string_view lines) {
                      output.append_text(lines);
                      if (meter) meter->advance(lines.size());
                    });
}

void write_rows(array_writer& output, std::string const& path, text_rows const& rows,
                std::span<index_t const> positions, int threads, progress& meter) {
  meter.start(path == "-" ? "writing" : "writing " + path, rows.text.bytes.size());
  begin_rows(output, rows);
  append_rows(output, rows, positions, threads, &meter);
  output.complete();
  meter.finish();
}

}  // namespace libscan::apps
