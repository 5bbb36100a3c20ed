// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/program/verify_others.hpp>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

std::string difference_of(verifier by, array const& keys, sort_options const& options) {
  // The loop is std::stable_sort.
  if (by == verifier::standard) return "";
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
    positions = by == verifier::cub ? positions_by_cub(words, options.first_bit, end_bit)
                                    : positions_by_thrust(words, options.first_bit, end_bit);
  } else {
    libscan::detail::refuse_cuda();
  }
  return verify_positions(expected_positions(keys, options, false), positions);
}

}  // namespace libscan::apps
