// SPDX-License-Identifier: Apache-2.0
#include <apps/radix_sort/vector_sort_cpu.hpp>

#include <cstddef>

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>

namespace libscan::inline v1::cpu::detail {

namespace {

template <class Word>
void sort(Word* words, index_t n) {
  hwy::Sorter{}(words, static_cast<std::size_t>(n), hwy::SortAscending{});
}

}  // namespace

// On a Sapphire Rapids twice as fast as counting with AVX-512, and no faster with AVX2. On a Zen 4
// eight times slower than counting: AMD's cores take a hundred cycles to store some lanes of a
// register side by side, which is what it does with each that it partitions.
bool vector_sort_pays() {
#if defined(__x86_64__)
  static bool const pays = (hwy::SupportedTargets() & (HWY_AVX3 | HWY_AVX3_DL)) != 0 &&
                           __builtin_cpu_is("intel") != 0;
  return pays;
#else
  return false;
#endif
}

void vector_sort(std::uint32_t* words, index_t n) { sort(words, n); }
void vector_sort(std::uint64_t* words, index_t n) { sort(words, n); }

}  // namespace libscan::inline v1::cpu::detail
