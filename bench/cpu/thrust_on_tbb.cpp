// SPDX-License-Identifier: Apache-2.0
// Thrust on the CPU, with oneTBB.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/system/tbb/execution_policy.h>
#include <thrust/unique.h>

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

/// f(marks, marked) with what decides a split: flags, or items below a limit.
template <class F>
index_t with_marks(split_call const& call, F f) {
  if (call.flags != nullptr) return f(call.flags, [](std::uint8_t flag) { return flag != 0; });
  return f(call.in, [limit = call.limit](std::uint32_t x) { return x < limit; });
}

index_t split(split_call const& call) {
  return with_marks(call, [&](auto marks, auto marked) {
    std::uint32_t* rejected = call.rejected;
    if (rejected == nullptr) {
      rejected = call.out + thrust::count_if(policy, marks, marks + call.n, marked);
    }
    auto const ends = thrust::stable_partition_copy(policy, call.in, call.in + call.n, marks,
                                                    call.out, rejected, marked);
    return static_cast<index_t>(ends.first - call.out);
  });
}

index_t unique(std::uint32_t const* in, index_t n, std::uint32_t* out) {
  return thrust::unique_copy(policy, in, in + n, out) - out;
}

index_t run_length_encode(std::uint32_t const* in, index_t n, std::uint32_t* out,
                          index_t* lengths) {
#pragma GCC diagnostic push  // older versions lack what CCCL 3.5 offers instead
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  thrust::constant_iterator<index_t> const ones(1);
#pragma GCC diagnostic pop
  return thrust::reduce_by_key(policy, in, in + n, ones, out, lengths).first - out;
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
  all.split = split;
  all.unique = unique;
  all.run_length_encode = run_length_encode;
  return all;
}

}  // namespace libscan::bench::cpu
