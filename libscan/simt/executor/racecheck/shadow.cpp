// SPDX-License-Identifier: Apache-2.0
#include <libscan/simt/executor/racecheck/shadow.hpp>

#include <algorithm>
#include <libscan/simt/executor/src/memory_map.hpp>
#include <utility>

namespace libscan::inline v1_executor::simt::executor::racecheck {

global_shadow::page_cells* global_shadow::page(std::uintptr_t number) {
  auto& place = pages_[number];
  if (place == nullptr) {
    if (spare_.empty()) {
      place = std::make_unique<page_cells>();
    } else {
      place = std::move(spare_.back());
      spare_.pop_back();
      place->fill(cell{});
    }
    mark_bounds(number, *place);
  }
  return place.get();
}

void global_shadow::mark_bounds(std::uintptr_t number, page_cells& cells) {
  auto* const begin = reinterpret_cast<std::byte*>(number * page_bytes);
  each_forbidden({begin, page_bytes}, [&](memory_range range) {
    auto first = static_cast<std::size_t>(range.begin - begin);
    std::size_t const last = first + range.size;
    while (first < last) {
      std::size_t const end = std::min(last, first / 8 * 8 + 8);
      cells[first / 8].forbidden |=
          static_cast<std::uint8_t>((0xffu >> (8 - (end - first / 8 * 8))) & (0xffu << first % 8));
      first = end;
    }
  });
}

void global_shadow::renew_bounds(memory_range range) {
  auto const begin = reinterpret_cast<std::uintptr_t>(range.begin);
  for (std::uintptr_t number = begin / page_bytes; number * page_bytes < begin + range.size;
       ++number) {
    auto const found = pages_.find(number);
    if (found != pages_.end()) mark_bounds(number, *found->second);
  }
}

void global_shadow::clear() {
  for (auto& [number, cells] : pages_) spare_.push_back(std::move(cells));
  pages_.clear();
  cache_.fill({});
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
