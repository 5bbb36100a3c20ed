// SPDX-License-Identifier: Apache-2.0
// The kernels of sparse matrices, products and their making, for spills.py.
#include <cstdint>

#include <libscan/coo_to_csr.cuh>
#include <libscan/spmv.cuh>

using namespace libscan;

template <class Value, class Offset>
void compile_matrix(workspace& ws) {
  Value const* const x = nullptr;
  Value* const y = nullptr;
  csr_matrix<Value, Offset> const matrix{};
  spmv(ws, matrix, x, y);
  spmv(ws, spmv_plan<accumulator_t<Value>>(matrix), matrix, x, y);
  coo_to_csr(ws, coo_matrix<Value>{}, static_cast<Offset*>(nullptr),
             static_cast<std::int32_t*>(nullptr), y);
}

void compile_matrices(workspace& ws) {
  compile_matrix<float, std::int32_t>(ws);
  compile_matrix<float, std::int64_t>(ws);
  compile_matrix<double, std::int32_t>(ws);
  compile_matrix<double, std::int64_t>(ws);
  compile_matrix<float16, std::int32_t>(ws);
  compile_matrix<float16, std::int64_t>(ws);
}
