// SPDX-License-Identifier: Apache-2.0
// What sorts over ranks do with values and positions, whatever the type of the keys.
#include <apps/radix_sort/host/key_buckets.hpp>

#include <cstdint>

#include <libscan/cpu/radix_sort.hpp>

namespace libscan::inline v1::detail {

void gather_values(int threads, void const* in, void* out, std::size_t bytes, void const* positions,
                   std::size_t position_bytes, index_t n) {
  if (position_bytes == sizeof(std::uint32_t)) {
    auto const* const narrow = static_cast<std::uint32_t const*>(positions);
    return cpu::detail::gather(threads, in, out, bytes, narrow, n);
  }
  auto const* const wide = static_cast<std::uint64_t const*>(positions);
  cpu::detail::gather(threads, in, out, bytes, wide, n);
}

}  // namespace libscan::inline v1::detail
