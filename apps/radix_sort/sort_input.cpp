// SPDX-License-Identifier: Apache-2.0
// Reading keys and rows within a bound on memory.
#include <apps/radix_sort/sort_input.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <apps/common/exit_code.hpp>
#include <apps/common/gzip.hpp>
#include <apps/common/npy.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/table.hpp>
#include <apps/common/text.hpp>

namespace libscan::apps {
namespace {

std::string in_units(std::uint64_t bytes) {
  constexpr char const* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

/// What a reader still holds, as long as it is not too much.
class bounded_source final : public byte_source {
 public:
  bounded_source(byte_reader in, memory_bound const& memory)
      : in_(std::move(in)), memory_(memory) {}

  std::span<std::byte const> next() override {
    in_.skip(std::exchange(pending_, 0));
    auto const piece = in_.peek(1);
    pending_ = piece.size();
    check(pending_);
    return piece;
  }

  std::optional<kept_bytes> rest() override {
    in_.skip(std::exchange(pending_, 0));
    auto all = in_.rest();
    if (all) check(all->bytes.size());
    return all;
  }

 private:
  void check(std::size_t more) {
    total_ += more;
    memory_.require(total_, "reading " + in_.name());
  }

  byte_reader in_;
  memory_bound const& memory_;
  std::size_t pending_ = 0;
  std::uint64_t total_ = 0;
};

/// The content of a file, decompressed if it is gzip. Any bytes may begin a raw file.
byte_reader open_content(std::string const& path, file_format format, progress* meter) {
  byte_reader in(open_file(path, meter), input_name(path));
  bool const compressed = starts_gzip(in);
  if (named_gzip(path) && !compressed) {
    throw file_error::at_byte(in.name(), 0, "no gzip data: expected it to begin with \\x1f\\x8b");
  }
  if (!compressed || (format == file_format::raw && path != "-" && !named_gzip(path))) return in;
  std::string const name = in.name();
  return byte_reader(decompressed(std::move(in)), name);
}

/// Finds the line of each row of `in.text`: those from which `read_text` took keys, and the header.
void find_rows(sort_input& in, std::string const& name, int column) {
  byte_reader reader(from_memory(in.text), name);
  table_reader table(reader, column);
  std::string_view left(reinterpret_cast<char const*>(in.text.bytes.data()), in.text.bytes.size());
  std::size_t const first_end = left.find('\n');
  bool const carriage_returns =
      first_end != 0 && first_end < left.size() && left[first_end - 1] == '\r';
  if (carriage_returns && !left.ends_with('\n') && !left.ends_with('\r')) in.last_end = "\r\n";
  if (left.starts_with("\xef\xbb\xbf")) in.mark = left.substr(0, 3);
  left.remove_prefix(in.mark.size());
  in.rows.reserve(in.keys.count() + 1);
  for (std::uint64_t line = 0; table.next_row();) {
    std::string_view row;
    for (; line < table.line(); ++line) {
      row = left.substr(0, left.find('\n'));
      left.remove_prefix(std::min(left.size(), row.size() + 1));
    }
    in.rows.push_back(row);
  }
  if (in.rows.size() == in.keys.count()) return;
  in.header = in.rows.front();
  in.rows.erase(in.rows.begin());
}

sort_input read_rows(byte_reader in, read_options const& options, memory_bound const& memory) {
  sort_input result;
  std::string const name = in.name();
  byte_reader bounded(std::make_unique<bounded_source>(std::move(in), memory), name);
  auto all = bounded.rest();
  result.text =
      all ? std::move(*all) : read_up_to(bounded, std::numeric_limits<std::uint64_t>::max());
  if (options.meter != nullptr) options.meter->finish();
  byte_reader numbers(from_memory(result.text), name);
  result.keys = read_text(numbers, options.type, options.column, options.header);
  find_rows(result, name, options.column);
  return result;
}

}  // namespace

memory_bound::memory_bound(std::uint64_t bytes) : bytes_(bytes), given_(bytes != 0) {
  if (given_) return;
  bytes_ = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void memory_bound::require(std::uint64_t bytes, std::string const& what) const {
  require(bytes, what, " takes at least ");
}

void memory_bound::require(memory_needs const& needs, std::string const& what) const {
  require(needs.least, what);
  if (given_) require(needs.most, what, " may take as much as ");
}

void memory_bound::require(std::uint64_t bytes, std::string const& what, char const* how) const {
  if (bytes <= bytes_) return;
  throw error(what + how + in_units(bytes) + " of memory, more than the " + in_units(bytes_) +
              (given_ ? " of --memory" : " of this machine (see --memory)") +
              "; scan-sort sorts what fits in memory");
}

std::uint64_t sort_input::bytes() const {
  return keys.bytes.size() + text.bytes.size() + rows.size() * sizeof(rows[0]);
}

sort_input read_sort_input(std::string const& path, read_options const& options, bool with_rows,
                           memory_bound const& memory) {
  read_options how = options;
  if (how.format == file_format::automatic) how.format = format_of_name(path);
  byte_reader in = open_content(path, how.format, options.meter);
  if (how.format == file_format::automatic) {
    how.format = starts_npy(in) ? file_format::npy : file_format::text;
  }
  if (how.format == file_format::text && with_rows) return read_rows(std::move(in), how, memory);
  std::string const name = in.name();
  sort_input result;
  // The content is no gzip any more, whatever the file's name says.
  result.keys = read_array(std::make_unique<bounded_source>(std::move(in), memory),
                           named_gzip(name) ? name + " (decompressed)" : name, how);
  return result;
}

}  // namespace libscan::apps
