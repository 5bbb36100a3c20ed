// SPDX-License-Identifier: Apache-2.0
// Words of --time and --verify, and writing in pieces.
#include <apps/common/steps.hpp>

#include <algorithm>
#include <utility>

#include <apps/common/program.hpp>

namespace libscan::apps {

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
                 progress* meter) {
  char const* const text_end =
      reinterpret_cast<char const*>(rows.text.bytes.data()) + rows.text.bytes.size();
  // Lines may be at random places: the next ones are prefetched, and before that their addresses.
  constexpr std::size_t ahead = 32;
  constexpr std::size_t reported = std::size_t{1} << 16;  // bytes
  auto const row = [&](std::size_t i) -> std::string_view const& {
    return rows.rows[static_cast<std::size_t>(positions[i])];
  };
  std::size_t written = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i + 2 * ahead < positions.size()) __builtin_prefetch(&row(i + 2 * ahead));
    if (i + ahead < positions.size()) __builtin_prefetch(row(i + ahead).data());
    std::string_view const text = row(i);
    bool const last = text.data() + text.size() == text_end;
    if (last && rows.last_end.size() > 1) {
      output.append_text(text);
      output.append_text(rows.last_end);
    } else {
      output.append_line(text);
    }
    written += text.size() + 1;
    if (written >= reported && meter) meter->advance(std::exchange(written, 0));
  }
  if (meter) meter->advance(written);
}

void write_rows(array_writer& output, std::string const& path, text_rows const& rows,
                std::span<index_t const> positions, progress& meter) {
  meter.start(path == "-" ? "writing" : "writing " + path, rows.text.bytes.size());
  begin_rows(output, rows);
  append_rows(output, rows, positions, &meter);
  output.complete();
  meter.finish();
}

}  // namespace libscan::apps
