// SPDX-License-Identifier: Apache-2.0
// cuSPARSE's products of matrix and vector, where it is installed.
#include <apps/spmv/program/cusparse.cuh>
#include <bench/cuda/spmv/problem.cuh>

#include <memory>

namespace libscan::bench::by_cusparse {

implementations offers([[maybe_unused]] spmv_problem const& problem) {
#if LIBSCAN_HAS_CUSPARSE
  if (apps::has_cusparse()) {
    auto const first = std::make_shared<apps::cusparse_product>(problem, CUSPARSE_SPMV_CSR_ALG1);
    auto const second = std::make_shared<apps::cusparse_product>(problem, CUSPARSE_SPMV_CSR_ALG2);
    return {{"cusparse alg1", [=] { first->run(); }}, {"cusparse alg2", [=] { second->run(); }}};
  }
#endif
  return {};
}

}  // namespace libscan::bench::by_cusparse
