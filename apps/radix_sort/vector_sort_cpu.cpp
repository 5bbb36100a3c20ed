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

// On a Sapphire Rapids twice as fast as counting with AVX-512, and no faster with AVX2.
bool vector_sort_pays() {
  static bool const pays = (hwy::SupportedTargets() & (HWY_AVX3 | HWY_AVX3_DL)) != 0;
  return pays;
}

void vector_sort(std::uint32_t* words, index_t n) { sort(words, n); }
void vector_sort(std::uint64_t* words, index_t n) { sort(words, n); }

}  // namespace libscan::inline v1::cpu::detail
