// SPDX-License-Identifier: Apache-2.0
// CUB's steps towards a matrix by rows: a sort of packed places with their values, and a reduction
// by key.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <memory>

#include <apps/spmv/core/entry_keys.hpp>
#include <bench/cuda/spmv/problem.cuh>
#include <libscan/buffer.cuh>

namespace libscan::bench::by_cub {

namespace {

/// Packs places. Timed as a part of the call, as it is in libscan's.
struct pack_kernel {
  static constexpr int block_threads = 256;
  __device__ void operator()(build_problem problem, entry_keys keys_of, std::uint64_t* keys) const {
    index_t const k = index_t{blockIdx.x} * block_threads + threadIdx.x;
    if (k >= problem.entries) return;
    keys[k] = keys_of.key(static_cast<std::uint32_t>(problem.list_rows[k]),
                          static_cast<std::uint32_t>(problem.list_columns[k]));
  }
};

/// Device memory that the calls share.
struct memory {
  device::buffer<std::uint64_t> keys, sorted, unique;
  device::buffer<float> values, sums;
  device::buffer<index_t> runs;
  std::size_t bytes = 0;
  std::unique_ptr<device::buffer<std::byte>> temporary;

  explicit memory(index_t n) : keys(n), sorted(n), unique(n), values(n), sums(n), runs(1) {}
};

}  // namespace

implementations offers(build_problem const& problem) {
  index_t const n = problem.entries;
  auto const m = std::make_shared<memory>(n);
  entry_keys const keys_of(problem.rows, problem.rows, false);
  auto const sort = [=](void* temporary, std::size_t& bytes) {
    LIBSCAN_CHECK(cub::DeviceRadixSort::SortPairs(temporary, bytes, m->keys.data(),
                                                  m->sorted.data(), problem.list_values,
                                                  m->values.data(), n, 0, keys_of.bits()));
  };
  auto const reduce = [=](void* temporary, std::size_t& bytes) {
    LIBSCAN_CHECK(cub::DeviceReduce::ReduceByKey(temporary, bytes, m->sorted.data(),
                                                 m->unique.data(), m->values.data(), m->sums.data(),
                                                 m->runs.data(), plus<float>{}, n));
  };
  std::size_t of_sort = 0, of_reduce = 0;
  sort(nullptr, of_sort);
  reduce(nullptr, of_reduce);
  m->bytes = std::max(of_sort, of_reduce);
  m->temporary = std::make_unique<device::buffer<std::byte>>(
      static_cast<index_t>(std::max<std::size_t>(m->bytes, 1)));
  auto const blocks = static_cast<unsigned>(ceil_div(n, index_t{pack_kernel::block_threads}));
  return {{"cub", [=] {
             simt::launch<pack_kernel>({.blocks = blocks, .threads = pack_kernel::block_threads},
                                       problem, keys_of, m->keys.data());
             sort(m->temporary->data(), m->bytes);
             reduce(m->temporary->data(), m->bytes);
           }}};
}

}  // namespace libscan::bench::by_cub
