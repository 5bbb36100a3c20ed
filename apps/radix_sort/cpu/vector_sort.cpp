// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/cpu/leaf_sort.hpp>

#include <cstddef>

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>
#include <libscan/core/kept_by_thread.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace libscan::inline v1::cpu::detail {

namespace {

template <class Word>
void sort(Word* words, index_t n) {
  auto& sorter = libscan::detail::kept_by_thread<hwy::Sorter>();  // it allocates memory
  sorter(words, static_cast<std::size_t>(n), hwy::SortAscending{});
}

#if defined(__x86_64__)
/// Whether the CPU compresses lanes to memory at the speed of other stores: Intel's CPUs do, and
/// AMD's from family 26 (Zen 5) on. On a Zen 4 that takes a hundred cycles.
bool compresses_quickly() {
  if (__builtin_cpu_is("intel") != 0) return true;
  unsigned signature = 0, b, c, d;
  if (__builtin_cpu_is("amd") == 0 || __get_cpuid(1, &signature, &b, &c, &d) == 0) return false;
  unsigned const family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
  return family >= 26;
}
#endif

}  // namespace

// With AVX-512, on a Sapphire Rapids twice as fast as counting; on a Zen 5 2.4 times for 2^16
// 32-bit keys, twice for rows of 1024, equal for 2^24; on a Zen 4 eight times slower, since it
// compresses every register that it partitions. No faster than counting with AVX2.
bool vector_sort_pays() {
#if defined(__x86_64__)
  static bool const pays =
      (hwy::SupportedTargets() & (HWY_AVX3 | HWY_AVX3_DL)) != 0 && compresses_quickly();
  return pays;
#else
  return false;
#endif
}

void vector_sort(std::uint32_t* words, index_t n) { sort(words, n); }
void vector_sort(std::uint64_t* words, index_t n) { sort(words, n); }

}  // namespace libscan::inline v1::cpu::detail
