// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/program/verify_cub.hpp>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

std::string verify_by_cub(array const& keys, sort_options const& options) {
  std::vector<std::uint64_t> words(keys.count());
  int end_bit = 0;
  visit_item_type(keys.type, [&]<class T>(std::type_identity<T>) {
    sort_order<T> const order{options.direction, options.first_bit, options.end_bit};
    end_bit = order.end();
    auto const items = keys.values<T>();
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = order.word(items[i]);
  });
  // CUB takes neither no keys nor no bits.
  if (words.empty() || options.first_bit >= end_bit) return "";
  std::vector<index_t> positions;
  if constexpr (libscan::detail::has_cuda) {
    positions = positions_by_cub(words, options.first_bit, end_bit);
  } else {
    libscan::detail::refuse_cuda();
  }
  std::string const found = verify_positions(expected_positions(keys, options, false), positions);
  return found.empty() ? "" : "CUB: " + found;
}

}  // namespace libscan::apps
