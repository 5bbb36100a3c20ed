// SPDX-License-Identifier: Apache-2.0
// Lines of --time, the object of --json, words of --verify, and writing in pieces.
#include <apps/common/steps.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <apps/common/exit_code.hpp>
#include <apps/common/number.hpp>
#include <apps/common/on_threads.hpp>
#include <apps/common/output_file.hpp>
#include <apps/common/program.hpp>
#include <apps/common/utf8.hpp>
#include <apps/common/vector_text.hpp>

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

namespace {

/// Rows of a text, and how to append them to an output in any order.
class row_appender {
  static constexpr std::size_t part_bytes = std::size_t{1} << 17;  // of rows that a thread collects
  static constexpr std::size_t buffer_bytes = 2 * part_bytes;

 public:
  row_appender(array_writer& output, text_rows const& rows, int threads, progress* meter)
      : output_(output),
        rows_(rows.rows),
        last_end_(rows.last_end),
        threads_(threads_for(threads)),
        meter_(meter),
        text_end_(reinterpret_cast<char const*>(rows.text.bytes.data()) + rows.text.bytes.size()) {
    if (rows_.empty() || !rows_.are_lines()) return;
    // Lines that end before the last bytes of the text may be copied together with bytes after
    // them.
    std::string_view const text(rows_.text(), static_cast<std::size_t>(text_end_ - rows_.text()));
    std::size_t const last =
        text.substr(0, text.size() - std::min(text.size(), line_slack)).rfind('\n');
    vector_end_ = static_cast<std::uint32_t>(std::min<std::size_t>(last + 1, ~std::uint32_t{0}));
  }

  /// Appends the lines that begin there.
  void append_lines(std::span<std::uint32_t const> begins) const {
    append(begins.size(), [&](std::size_t begin, std::size_t end, char* buffer, auto const& put) {
      collect_lines(begins.subspan(begin, end - begin), buffer, put);
    });
  }

  /// Appends the rows at these positions.
  void append_rows(std::span<index_t const> positions) const {
    append(
        positions.size(), [&](std::size_t begin, std::size_t end, char* buffer, auto const& put) {
          auto const part = positions.subspan(begin, end - begin);
          rows_.are_lines() ? collect_lines_at(part, buffer, put) : collect_rows(part, buffer, put);
        });
  }

 private:
  /// Calls collect(begin, end, buffer, put) for parts of `count` rows, on all threads, and appends
  /// what each part puts, in order.
  template <class Collect>
  void append(std::size_t count, Collect const& collect) const {
    if (count == 0) return;
    std::size_t const n = rows_.size();
    auto const all = static_cast<std::size_t>(rows_[n - 1].end() - rows_[0].begin());
    std::size_t const part =
        std::max<std::size_t>(part_bytes * n / std::max<std::size_t>(all, 1), 1);
    // No more parts than threads are in use, and they follow each other: buffers are not shared.
    std::vector<std::unique_ptr<char[]>> buffers(static_cast<std::size_t>(threads_));
    for_each_in_order((count + part - 1) / part, threads_,
                      [&](std::size_t p, auto const& put) {
                        auto& buffer = buffers[p % buffers.size()];
                        if (!buffer) buffer.reset(new char[buffer_bytes]);
                        collect(p * part, std::min((p + 1) * part, count), buffer.get(), put);
                      },
                      [&](std::string_view text) {
                        output_.append_text(text);
                        if (meter_) meter_->advance(text.size());
                      });
  }

  template <class Put>
  void collect_lines(std::span<std::uint32_t const> begins, char* buffer, Put const& put) const {
    auto const copy = best_text_code().copy;
    std::size_t size = 0;  // of `buffer`
    while (!begins.empty()) {
      auto const copied =
          copy(rows_.text(), vector_end_, begins, std::span(buffer + size, buffer_bytes - size));
      size += copied.bytes;
      begins = begins.subspan(copied.lines);
      if (begins.empty()) break;
      add(rows_.line_at(begins.front()), buffer, size, put);
      begins = begins.subspan(1);
    }
    put(std::string_view(buffer, size));
  }

  template <class Put>
  void collect_lines_at(std::span<index_t const> positions, char* buffer, Put const& put) const {
    std::vector<std::uint32_t> begins(positions.size());
    auto const from = rows_.begins();
    for (std::size_t i = 0; i < begins.size(); ++i) {
      begins[i] = from[static_cast<std::size_t>(positions[i])];
    }
    collect_lines(begins, buffer, put);
  }

  template <class Put>
  void collect_rows(std::span<index_t const> positions, char* buffer, Put const& put) const {
    // Rows may be at random places: the next ones are prefetched, and before that their addresses.
    constexpr std::size_t ahead = 32;
    auto const at = [&](std::size_t i) { return static_cast<std::size_t>(positions[i]); };
    std::size_t size = 0;  // of `buffer`
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i + 2 * ahead < positions.size()) rows_.prefetch(at(i + 2 * ahead));
      if (i + ahead < positions.size()) {
        std::string_view const later = rows_[at(i + ahead)];
        __builtin_prefetch(later.data());
        __builtin_prefetch(later.data() + later.size());  // often in the next cache line
      }
      add(rows_[at(i)], buffer, size, put);
    }
    put(std::string_view(buffer, size));
  }

  /// Adds a row and its end to `size` bytes in `buffer`; puts those, and rows that do not fit.
  template <class Put>
  void add(std::string_view row, char* buffer, std::size_t& size, Put const& put) const {
    std::string_view const end = row.data() + row.size() == text_end_ ? last_end_ : "\n";
    if (size + row.size() + end.size() > buffer_bytes) {
      put(std::string_view(buffer, size));
      size = 0;
    }
    if (row.size() + end.size() > buffer_bytes) {
      put(row);
    } else {
      row.copy(buffer + size, row.size());
      size += row.size();
    }
    end.copy(buffer + size, end.size());
    size += end.size();
  }

  array_writer& output_;
  row_list const& rows_;
  std::string_view last_end_;
  int threads_;
  progress* meter_;
  char const* text_end_;
  std::uint32_t vector_end_ = 0;
};

}  // namespace

void append_rows(array_writer& output, text_rows const& rows, std::span<index_t const> positions,
                 int threads, progress* meter) {
  row_appender(output, rows, threads, meter).append_rows(positions);
}

void write_lines(array_writer& output, std::string const& path, text_rows const& rows,
                 std::span<std::uint32_t const> begins, int threads, progress& meter) {
  meter.start(path == "-" ? "writing" : "writing " + path, rows.text.bytes.size());
  begin_rows(output, rows);
  row_appender(output, rows, threads, &meter).append_lines(begins);
  output.complete();
  meter.finish();
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
