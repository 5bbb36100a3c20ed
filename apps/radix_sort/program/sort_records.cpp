// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/program/sort_records.hpp>

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/program/external_sort.hpp>

namespace libscan::apps {

void sort_records(dtype key, std::size_t value_bytes, external_request const& request,
                  external_plan const& plan, record_list const& from) {
  visit_item_type(key, [&]<class Key>(std::type_identity<Key>) {
    auto const run = [&]<class Value>(Value) {
      external_sort<Key, Value>(request, plan).run(from);
    };
    switch (value_bytes) {
      case 0:
        return run(no_value{});
      case 1:
        return run(std::uint8_t{});
      case 2:
        return run(std::uint16_t{});
      case 4:
        return run(std::uint32_t{});
      default:
        return run(std::uint64_t{});
    }
  });
}

}  // namespace libscan::apps
