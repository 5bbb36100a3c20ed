// SPDX-License-Identifier: Apache-2.0
// The toolkit's Thrust, for the commonest types: its algorithms call CUB, with a layer in between.
// Its temporary memory is kept from call to call.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/partition.h>
#include <thrust/scan.h>

#include <cuda_runtime_api.h>

#include <memory>

#include <bench/cuda/calls.hpp>
#include <libscan/core/error.hpp>

namespace libscan::bench::by_thrust {

namespace {

/// An allocator that returns the same memory again: calls on one stream follow each other.
class kept_memory {
 public:
  using value_type = char;

  char* allocate(std::ptrdiff_t bytes) {
    if (bytes > bytes_) {
      void* memory = nullptr;
      cudaError_t const result = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
      if (result != cudaSuccess) {
        throw device_error(result, "cannot allocate temporary memory for Thrust");
      }
      memory_.reset(memory, [](void* p) { (void)cudaFree(p); });
      bytes_ = bytes;
    }
    return static_cast<char*>(memory_.get());
  }
  void deallocate(char*, std::size_t) {}

 private:
  std::shared_ptr<void> memory_;
  std::ptrdiff_t bytes_ = 0;
};

/// body(policy), with kept temporary memory. Thrust returns counts to the host.
template <class Body>
implementations calling(Body body) {
  auto const memory = std::make_shared<kept_memory>();
  return {{"thrust", [=] { body(thrust::cuda::par_nosync(*memory)); }, false}};
}

template <class T>
implementations scan(scan_problem const& problem) {
  auto const* const in = static_cast<T const*>(problem.in);
  auto* const out = static_cast<T*>(problem.out);
  if (problem.kind == scan_kind::inclusive) return {};
  return calling(
      [=, n = problem.n](auto policy) { thrust::exclusive_scan(policy, in, in + n, out); });
}

}  // namespace

implementations offers(scan_problem const& problem) {
  if (problem.op != "sum") return {};
  if (problem.type == "i32") return scan<std::int32_t>(problem);
  if (problem.type == "f32") return scan<float>(problem);
  return {};
}

implementations offers(segmented_problem const& problem) {
  bool const has = problem.type == "u32" && problem.kind == scan_kind::inclusive;
  if (!has || problem.heads != "keys") return {};
  auto const* const in = static_cast<std::uint32_t const*>(problem.in);
  auto* const out = static_cast<std::uint32_t*>(problem.out);
  return calling([=, keys = problem.keys, n = problem.n](auto policy) {
    thrust::inclusive_scan_by_key(policy, keys, keys + n, in, out);
  });
}

implementations offers(filter_problem const& problem) {
  if (problem.in == problem.out) return {};
  return calling([=](auto policy) {
    thrust::copy_if(policy, problem.in, problem.in + problem.n, problem.out, below{problem.limit});
  });
}

implementations offers(split_problem const& problem) {
  if (problem.outputs != "two" || problem.flags != nullptr) return {};
  return calling([=](auto policy) {
    thrust::stable_partition_copy(policy, problem.in, problem.in + problem.n, problem.out,
                                  problem.rejected, below{problem.limit});
  });
}

}  // namespace libscan::bench::by_thrust
