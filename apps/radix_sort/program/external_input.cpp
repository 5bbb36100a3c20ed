// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/program/external_input.hpp>

#include <algorithm>

namespace libscan::apps {

external_input::external_input(item_stream& keys, std::span<std::byte const> begun,
                               std::optional<item_stream>& values, std::string const& directory)
    : keys_(file_of(keys, begun, directory)) {
  if (values) values_ = file_of(*values, {}, directory);
}

external_input::item_file external_input::file_of(item_stream& items,
                                                  std::span<std::byte const> begun,
                                                  std::string const& directory) {
  item_file result;
  result.item = size_of(items.type());
  result.name = items.name();
  result.file = items.plain_file(result.start);
  if (result.file) {
    result.count = *items.count();
    return result;
  }
  temporary_file copy(directory);
  copy.write(begun);
  if (begun.empty()) items.begin(item_stream::piece_items(1, result.item), 1);
  while (auto const piece = items.next()) copy.write(*piece);
  copy.finish();
  result.file = copy.file();
  result.name = copy.name();
  result.start = 0;
  result.count = static_cast<index_t>(copy.size() / result.item);
  return result;
}

record_list external_input::records() const {
  record_list list{keys_.file, values_.file, keys_.name};
  index_t const piece = item_stream::piece_items(1, std::max(keys_.item, values_.item));
  for (index_t first = 0; first < keys_.count; first += piece) {
    auto const at = static_cast<std::uint64_t>(first);
    list.add({keys_.start + at * keys_.item, values_.start + at * values_.item,
              std::min(piece, keys_.count - first)});
  }
  return list;
}

}  // namespace libscan::apps
