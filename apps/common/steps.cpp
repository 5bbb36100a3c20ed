// SPDX-License-Identifier: Apache-2.0
// Lines of --time and --verify, and writing in pieces.
#include <apps/common/steps.hpp>

#include <algorithm>
#include <cstdio>

#include <apps/common/program.hpp>

namespace libscan::apps {

void report_step(char const* step, double seconds, std::uint64_t bytes, std::string const& words) {
  char line[64];
  std::snprintf(line, sizeof line, "%-7s %11.6f s %8.2f GB/s  ", step, seconds,
                seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0.0);
  say(line + words);
}

std::string items_read(array const& items) {
  std::string const words =
      std::to_string(items.count()) + " items of " + std::string(name_of(items.type));
  if (items.header_line == 0) return words;
  return words + "; line " + std::to_string(items.header_line) + " is a header";
}

bool report_verified(std::string const& difference, char const* agreement) {
  say(difference.empty() ? std::string("verified: ") + agreement
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

}  // namespace libscan::apps
