// SPDX-License-Identifier: Apache-2.0
// What sorts on the host do whatever the type of the keys: checks, and moves by positions.
#include <libscan/radix_sort.hpp>

#include <cstdint>
#include <string>

#include <apps/radix_sort/host/compiled_sort_cpu.hpp>
#include <apps/radix_sort/host/key_buckets.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/cpu/radix_sort.hpp>

namespace libscan::inline v1::detail {

void check_sort_capacity(char const* call, char const* what, std::size_t capacity, std::size_t n) {
  if (capacity >= n) return;
  throw invalid_argument(std::string(call) + ": " + std::to_string(n) + " keys, but " + what +
                         " holds only " + std::to_string(capacity));
}

void check_positions_suffice(char const* call, std::uint64_t max_position, std::size_t n) {
  if (n == 0 || n - 1 <= max_position) return;
  throw invalid_argument(std::string(call) + ": " + std::to_string(n) +
                         " keys, but positions hold only numbers up to " +
                         std::to_string(max_position) + "; expected positions of 64 bits");
}

void check_no_sort_overlap(char const* call, char const* words, std::span<std::byte const> a,
                           std::span<std::byte const> b, bool same_start) {
  if (same_start && a.data() == b.data()) return;
  if (!memory_span(a).overlaps(b)) return;
  throw invalid_argument(std::string(call) + ": " + words + "; expected memory separate from it" +
                         (same_start ? ", or exactly the same" : ""));
}

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
