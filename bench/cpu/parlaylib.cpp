// SPDX-License-Identifier: Apache-2.0
// ParlayLib (Blelloch, Anderson & Dhulipala, "ParlayLib: A Toolkit for Parallel Algorithms on
// Shared-Memory Multicore Machines", SPAA 2020). Its calls return sequences of their own, whose
// memory it keeps from call to call.
#include <parlay/primitives.h>

#include <algorithm>

#include <bench/cpu/libraries.hpp>

namespace libscan::bench::cpu {

namespace {

template <class T>
auto items(T* first, index_t n) {
  return parlay::make_slice(first, first + n);
}

template <class T>
void scan(scan_kind kind, T const* in, T* out, index_t n) {
  // The call that its own scans make, into memory that is there.
  parlay::internal::scan_(
      items(in, n), items(out, n), parlay::plus<T>(),
      kind == scan_kind::inclusive ? parlay::internal::fl_scan_inclusive : parlay::no_flag);
}

template <class T>
T reduce(T const* in, index_t n) {
  return parlay::reduce(items(in, n), parlay::plus<T>());
}

index_t filter(std::uint32_t const* in, index_t n, std::uint32_t* out, std::uint32_t limit) {
  return static_cast<index_t>(parlay::filter_into_uninitialized(
      items(in, n), items(out, n), [=](std::uint32_t x) { return x < limit; }));
}

template <class Key>
void sort(Key* keys, index_t n) {
  parlay::integer_sort_inplace(items(keys, n));
}

void sort_pairs(key_and_value* pairs, index_t n) {
  parlay::stable_integer_sort_inplace(items(pairs, n),
                                      [](key_and_value const& pair) { return pair.key; });
}

template <class T>
void histogram(T const* in, index_t n, std::uint32_t* counts, index_t bins) {
  // Its helpers want a range they could write to; they do not.
  auto const found = parlay::histogram_by_index<std::uint32_t>(items(const_cast<T*>(in), n),
                                                               static_cast<std::uint32_t>(bins));
  std::copy(found.begin(), found.end(), counts);
}

}  // namespace

library parlaylib() {
  library all;
  all.name = "parlaylib";
  all.scan_i32 = scan<std::int32_t>;
  all.scan_i64 = scan<std::int64_t>;
  all.scan_f32 = scan<float>;
  all.scan_f64 = scan<double>;
  all.reduce_i32 = reduce<std::int32_t>;
  all.reduce_f64 = reduce<double>;
  all.filter = filter;
  all.sort_u32 = sort<std::uint32_t>;
  all.sort_u64 = sort<std::uint64_t>;
  all.sort_pairs = sort_pairs;
  all.histogram_u8 = histogram<std::uint8_t>;
  all.histogram_u32 = histogram<std::uint32_t>;
  return all;
}

}  // namespace libscan::bench::cpu
