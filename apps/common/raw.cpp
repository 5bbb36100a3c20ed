// SPDX-License-Identifier: Apache-2.0
// Reader of raw binary.
#include <apps/common/raw.hpp>

#include <bit>
#include <limits>
#include <string>

#include <apps/common/exit_code.hpp>

namespace libscan::apps {

static_assert(std::endian::native == std::endian::little,
              "files are read and written without conversion");

void check_raw_size(std::string const& name, dtype type, std::uint64_t size) {
  std::size_t const item = size_of(type);
  if (size % item == 0) return;
  throw file_error::at_byte(name, size - size % item,
                            "the file ends within an item: " + std::to_string(size) +
                                " bytes are no multiple of " + std::to_string(item) +
                                ", the size of " + std::string(name_of(type)));
}

array read_raw(byte_reader& in, dtype type, read_options const& options) {
  std::optional<std::uint64_t> const known = in.bytes_left();
  if (known && options.before_items) options.before_items(type, *known / size_of(type));
  std::optional<kept_bytes> all = in.rest();
  bool const mapped = all.has_value();
  if (!all) all = read_up_to(in, std::numeric_limits<std::uint64_t>::max());
  std::size_t const size = all->bytes.size();
  std::size_t const item = size_of(type);
  check_raw_size(in.name(), type, size);
  array data{type,
             {static_cast<index_t>(size / item)},
             file_format::raw,
             all->bytes,
             std::move(all->owner)};
  data.mapped = mapped;
  return data;
}

}  // namespace libscan::apps
