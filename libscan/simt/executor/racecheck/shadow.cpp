// SPDX-License-Identifier: Apache-2.0
#include <libscan/simt/executor/racecheck/shadow.hpp>

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
  }
  return place.get();
}

void global_shadow::clear() {
  for (auto& [number, cells] : pages_) spare_.push_back(std::move(cells));
  pages_.clear();
  cache_.fill({});
}

}  // namespace libscan::inline v1_executor::simt::executor::racecheck
