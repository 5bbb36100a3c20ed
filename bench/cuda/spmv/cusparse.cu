// SPDX-License-Identifier: Apache-2.0
// cuSPARSE's products of matrix and vector. It is loaded at run time, so that scan-bench needs it
// only to measure it.
#include <bench/cuda/spmv/problem.hpp>

#include <dlfcn.h>

#include <memory>

#include <libscan/buffer.cuh>
#include <libscan/core/error.hpp>

#if __has_include(<cusparse.h>)
#include <cusparse.h>

namespace libscan::bench::by_cusparse {

namespace {

void check(cusparseStatus_t status, char const* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw error(std::string(call) + " failed with status " + std::to_string(status));
}

/// The functions in use.
struct library {
  void* file = nullptr;

  library() {
    for (char const* name : {"libcusparse.so.12", "libcusparse.so"}) {
      if (file == nullptr) file = ::dlopen(name, RTLD_NOW);
    }
  }

  template <class Function>
  Function* find(Function*, char const* name) const {
    return reinterpret_cast<Function*>(::dlsym(file, name));
  }
};

#define LIBSCAN_BENCH_CUSPARSE(function, ...) \
  check(loaded().find(&function, #function)(__VA_ARGS__), #function)

library const& loaded() {
  static library const it;
  return it;
}

/// cuSPARSE's descriptors of a matrix and two vectors, and a buffer.
class product {
 public:
  product(spmv_problem const& problem, cusparseSpMVAlg_t algorithm)
      : type_(problem.type == "f32" ? CUDA_R_32F : CUDA_R_64F), algorithm_(algorithm) {
    LIBSCAN_BENCH_CUSPARSE(cusparseCreate, &handle_);
    LIBSCAN_BENCH_CUSPARSE(cusparseCreateCsr, &matrix_, problem.rows, problem.columns,
                           problem.nonzeros, const_cast<std::int32_t*>(problem.offsets),
                           const_cast<std::int32_t*>(problem.indices),
                           const_cast<void*>(problem.values), CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_);
    LIBSCAN_BENCH_CUSPARSE(cusparseCreateDnVec, &x_, problem.columns, const_cast<void*>(problem.x),
                           type_);
    LIBSCAN_BENCH_CUSPARSE(cusparseCreateDnVec, &y_, problem.rows, problem.y, type_);
    std::size_t bytes = 0;
    LIBSCAN_BENCH_CUSPARSE(cusparseSpMV_bufferSize, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE,
                           one(), matrix_, x_, zero(), y_, type_, algorithm_, &bytes);
    buffer_ = std::make_unique<device::buffer<std::byte>>(static_cast<index_t>(bytes + 1));
  }
  product(product const&) = delete;

  ~product() {
    (void)loaded().find(&cusparseDestroyDnVec, "cusparseDestroyDnVec")(y_);
    (void)loaded().find(&cusparseDestroyDnVec, "cusparseDestroyDnVec")(x_);
    (void)loaded().find(&cusparseDestroySpMat, "cusparseDestroySpMat")(matrix_);
    (void)loaded().find(&cusparseDestroy, "cusparseDestroy")(handle_);
  }

  void run() const {
    LIBSCAN_BENCH_CUSPARSE(cusparseSpMV, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, one(), matrix_,
                           x_, zero(), y_, type_, algorithm_, buffer_->data());
  }

 private:
  void const* one() const {
    static float const narrow = 1;
    static double const wide = 1;
    return type_ == CUDA_R_32F ? static_cast<void const*>(&narrow) : &wide;
  }
  void const* zero() const {
    static double const bits = 0;
    return &bits;
  }

  cudaDataType type_;
  cusparseSpMVAlg_t algorithm_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  std::unique_ptr<device::buffer<std::byte>> buffer_;
};

}  // namespace

implementations offers(spmv_problem const& problem) {
  if (loaded().file == nullptr) return {};
  auto const first = std::make_shared<product>(problem, CUSPARSE_SPMV_CSR_ALG1);
  auto const second = std::make_shared<product>(problem, CUSPARSE_SPMV_CSR_ALG2);
  return {{"cusparse alg1", [=] { first->run(); }}, {"cusparse alg2", [=] { second->run(); }}};
}

}  // namespace libscan::bench::by_cusparse

#else

namespace libscan::bench::by_cusparse {

implementations offers(spmv_problem const&) { return {}; }

}  // namespace libscan::bench::by_cusparse

#endif
