// SPDX-License-Identifier: Apache-2.0
// A sort that leaves the last two items as they were. Linked into scan-sort in place of the real
// one, it shows that --verify notices.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include <apps/radix_sort/radix_sort.hpp>
#include <apps/radix_sort/radix_sort_cpu.hpp>

namespace libscan::inline v1::detail {

void check_sort_room(char const*, char const*, std::size_t, std::size_t) {}

template <class Key>
void compiled_sort<Key>::items(engine const&, Key const* keys, Key* out, value_bytes const& values,
                               index_t n, sort_options const&) {
  index_t const sorted = std::max<index_t>(0, n - 2);
  cpu::detail::sort_bytes(1, keys, out, values.in, values.out, values.size, sorted,
                          sort_order<Key>{}, {});
  std::copy(keys + sorted, keys + n, out + sorted);
  auto const from = static_cast<std::size_t>(sorted) * values.size;
  if (values.size == 0) return;
  std::memcpy(static_cast<std::byte*>(values.out) + from,
              static_cast<std::byte const*>(values.in) + from,
              static_cast<std::size_t>(n - sorted) * values.size);
}

template <class Key>
void compiled_sort<Key>::positions(engine const&, Key const* keys, index_t* positions, index_t n,
                                   sort_options const&) {
  index_t const sorted = std::max<index_t>(0, n - 2);
  cpu::argsort(1, keys, positions, sorted);
  for (index_t j = sorted; j < n; ++j) positions[j] = j;
}

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
