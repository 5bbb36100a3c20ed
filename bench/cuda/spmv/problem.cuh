// SPDX-License-Identifier: Apache-2.0
// Sparse matrices on device memory, and every implementation's way to multiply and to build them.
#pragma once

#include <apps/spmv/program/cusparse.cuh>
#include <bench/cuda/calls.hpp>

namespace libscan::bench {

using apps::spmv_problem;

/// The matrix by rows of a list of f32 entries in any order; entries at the same place add up.
struct build_problem {
  index_t rows;
  index_t entries;
  std::int32_t const* list_rows;
  std::int32_t const* list_columns;
  float const* list_values;
  std::int32_t* offsets;
  std::int32_t* indices;
  float* values;
};

namespace by_libscan {
implementations offers(spmv_problem const& problem);
/// The preparation before products with a plan, which takes `bytes`, and such a product.
struct plan_offer {
  implementation making;
  std::function<void()> product;
  std::size_t bytes;
};
plan_offer plan(spmv_problem const& problem);
implementations offers(build_problem const& problem);
}  // namespace by_libscan

/// cuSPARSE, if it can be loaded: both algorithms for matrices by rows.
namespace by_cusparse {
implementations offers(spmv_problem const& problem);
}  // namespace by_cusparse

/// The toolkit's CUB: sort_pairs of packed places, then reduce_by_key. It does less than the
/// problem requires: places stay packed and there are no offsets.
namespace by_cub {
implementations offers(build_problem const& problem);
}  // namespace by_cub

}  // namespace libscan::bench
