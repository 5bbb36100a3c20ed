// SPDX-License-Identifier: Apache-2.0
// How CUB is called here: temporary memory allocated beforehand, the number of items as an int and
// as 64 bits. The files of this folder are compiled for each available CUB. They do not include
// libscan's device code, since two versions of the toolkit's headers must not meet in one file.
#pragma once

#include <cuda_runtime_api.h>
#include <cub/util_namespace.cuh>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <bench/cuda/calls.hpp>
#include <libscan/core/error.hpp>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

/// CUB's namespace, which may be wrapped.
namespace api = CUB_NS_QUALIFIER;

/// Throws `device_error` if a call of CUB failed.
inline void check(cudaError_t result) {
  if (result != cudaSuccess) {
    throw device_error(result, std::string("CUB: ") + cudaGetErrorString(result));
  }
}

/// call(memory, bytes), with its temporary memory.
template <class Call>
std::function<void()> prepared(Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes + 1));  // for CUB, null is a query
  std::shared_ptr<void> const owner(memory, [](void* p) { (void)cudaFree(p); });
  return [=] {
    std::size_t available = bytes;
    check(call(owner.get(), available));
  };
}

/// Adds call(memory, bytes, n) for either type of n that holds it.
template <class Call>
void add_calls(implementations& to, index_t n, Call call) {
  std::string const name = LIBSCAN_BENCH_CUB_NAME;
  to.push_back({name, prepared([=](void* memory, std::size_t& bytes) {
                  return call(memory, bytes, static_cast<std::int64_t>(n));
                })});
  if (n > std::numeric_limits<int>::max()) return;
  to.push_back({name + " int", prepared([=](void* memory, std::size_t& bytes) {
                  return call(memory, bytes, static_cast<int>(n));
                })});
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
