// SPDX-License-Identifier: Apache-2.0
// A sort that leaves the last two items as they were, and a split that leaves all. Linked into
// scan-sort in place of the real ones, they show that --verify notices.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/split_by_key.hpp>

namespace libscan::inline v1::detail {
namespace {

/// Where each item of the output comes from.
template <class Key>
std::vector<index_t> wrong_positions(Key const* keys, index_t n) {
  std::vector<index_t> positions(static_cast<std::size_t>(n));
  std::iota(positions.begin(), positions.end(), index_t{0});
  auto const end = positions.begin() + std::max<index_t>(0, n - 2);
  std::stable_sort(positions.begin(), end,
                   [&](index_t a, index_t b) { return sort_order<Key>{}(keys[a], keys[b]); });
  return positions;
}

/// Moves items of some bytes to the places of their positions; `to` may be `from`.
void move_items(std::vector<index_t> const& positions, void const* from, void* to,
                std::size_t bytes) {
  auto const* const begin = static_cast<std::byte const*>(from);
  std::vector<std::byte> const items(begin, begin + positions.size() * bytes);
  for (std::size_t j = 0; j < positions.size(); ++j) {
    auto const at = static_cast<std::size_t>(positions[j]);
    std::memcpy(static_cast<std::byte*>(to) + j * bytes, items.data() + at * bytes, bytes);
  }
}

}  // namespace

template <class Key>
void compiled_sort<Key>::items(engine const&, Key const* keys, Key* out, value_bytes const& values,
                               index_t n, sort_options const&) {
  auto const positions = wrong_positions(keys, n);
  move_items(positions, keys, out, sizeof(Key));
  if (values.size != 0) move_items(positions, values.in, values.out, values.size);
}

template <class Key>
void compiled_sort<Key>::positions(engine const&, Key const* keys, index_t* positions, index_t n,
                                   sort_options const&) {
  std::ranges::copy(wrong_positions(keys, n), positions);
}

template <class Key>
void compiled_split<Key>::items(engine const&, Key const* keys, Key* out, value_bytes const& values,
                                index_t n, std::span<index_t>) {
  std::copy_n(keys, n, out);
  std::memcpy(values.out, values.in, static_cast<std::size_t>(n) * values.size);
}

template struct compiled_split<std::uint8_t>;
template struct compiled_sort<std::int8_t>;
template struct compiled_sort<std::uint8_t>;
template struct compiled_sort<std::int16_t>;
template struct compiled_sort<std::uint16_t>;
template struct compiled_sort<std::int32_t>;
template struct compiled_sort<std::uint32_t>;
template struct compiled_sort<std::int64_t>;
template struct compiled_sort<std::uint64_t>;
template struct compiled_sort<float>;
template struct compiled_sort<double>;

}  // namespace libscan::inline v1::detail
