// SPDX-License-Identifier: Apache-2.0
// The kernels of the filters and of the sort for the types they are tuned for, for spills.py.
#include <cstdint>

#include <libscan/filter.cuh>
#include <libscan/radix_sort.cuh>

using namespace libscan;

namespace {

struct is_odd {
  __device__ bool operator()(std::uint32_t x) const { return x % 2 != 0; }
};

}  // namespace

void compile_filters(workspace& ws, std::uint32_t const* in, std::uint32_t* out) {
  filter(ws, in, out, 0, is_odd{}, nullptr);
  filter_indices(ws, in, static_cast<index_t*>(nullptr), 0, is_odd{}, nullptr);
  filter(ws, in, out, 0, byte_mask{nullptr}, nullptr);
  filter(ws, in, out, 0, bit_mask{nullptr}, nullptr);
}

template <class Key>
void compile_sorts(workspace& ws) {
  Key const* const in = nullptr;
  Key* const out = nullptr;
  std::uint32_t const* const values_in = nullptr;
  std::uint32_t* const values_out = nullptr;
  sort_keys(ws, in, out, 0);
  sort_pairs(ws, in, out, values_in, values_out, 0);
}

void compile_sorts(workspace& ws) {
  compile_sorts<std::uint32_t>(ws);
  compile_sorts<std::uint64_t>(ws);
}
