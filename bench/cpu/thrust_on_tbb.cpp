// SPDX-License-Identifier: Apache-2.0
// Thrust as it runs on the CPU, on oneTBB.
#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/system/tbb/execution_policy.h>

#include <bench/cpu/libraries.hpp>

namespace libscan::bench::cpu {

namespace {

auto const policy = thrust::tbb::par;

template <class T, class In = T>
void scan(scan_kind kind, In const* in, T* out, index_t n) {
  if (kind == scan_kind::inclusive) {
    thrust::inclusive_scan(policy, in, in + n, out, T{0}, thrust::plus<T>{});
  } else {
    thrust::exclusive_scan(policy, in, in + n, out, T{0});
  }
}

void scan_by_key(std::uint32_t const* keys, std::uint32_t const* in, std::uint32_t* out,
                 index_t n) {
  thrust::inclusive_scan_by_key(policy, keys, keys + n, in, out);
}

template <class T>
T reduce(T const* in, index_t n) {
  return thrust::reduce(policy, in, in + n, T{0});
}

void reduce_by_key(std::uint32_t const* keys, std::uint32_t const* in, std::uint32_t* unique,
                   std::uint32_t* totals, index_t n) {
  thrust::reduce_by_key(policy, keys, keys + n, in, unique, totals);
}

index_t filter(std::uint32_t const* in, index_t n, std::uint32_t* out, std::uint32_t limit) {
  auto const* const end =
      thrust::copy_if(policy, in, in + n, out, [=](std::uint32_t x) { return x < limit; });
  return end - out;
}

}  // namespace

library thrust_on_tbb() {
  library all;
  all.name = "thrust tbb";
  all.scan_i32 = scan<std::int32_t>;
  all.scan_i64 = scan<std::int64_t>;
  all.scan_f32 = scan<float>;
  all.scan_f64 = scan<double>;
  all.scan_i8_to_i32 = scan<std::int32_t, std::int8_t>;
  all.scan_by_key = scan_by_key;
  all.reduce_i32 = reduce<std::int32_t>;
  all.reduce_f64 = reduce<double>;
  all.reduce_by_key = reduce_by_key;
  all.filter = filter;
  return all;
}

}  // namespace libscan::bench::cpu
