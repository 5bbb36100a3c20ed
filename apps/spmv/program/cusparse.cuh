// SPDX-License-Identifier: Apache-2.0
// cuSPARSE's product of matrix and vector, for comparisons. The library is loaded at run time, so
// that programs need it only when they compare.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <libscan/buffer.cuh>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>

#if __has_include(<cusparse.h>)
#include <cusparse.h>
#define LIBSCAN_HAS_CUSPARSE 1
#else
#define LIBSCAN_HAS_CUSPARSE 0
#endif

namespace libscan::apps {

/// y = A x in device memory, all float, or all double if `is_double`.
struct spmv_problem {
  bool is_double;
  index_t rows;
  index_t columns;
  index_t nonzeros;
  std::int32_t const* offsets;
  std::int32_t const* indices;
  void const* values;
  void const* x;
  void* y;
};

/// Whether cuSPARSE multiplies such a matrix: it refuses one with more entries than places, as a
/// matrix with repeated entries may have. It is called for no empty one.
constexpr bool suits_cusparse(index_t rows, index_t columns, index_t nonzeros) {
  return rows > 0 && columns > 0 && nonzeros > 0 && (nonzeros - 1) / columns < rows;
}

#if LIBSCAN_HAS_CUSPARSE

namespace detail {

/// The library's file, or null.
inline void* cusparse_file() {
  static void* const file = [] {
    void* found = nullptr;
    for (char const* const name : {"libcusparse.so.12", "libcusparse.so"}) {
      if (found == nullptr) found = ::dlopen(name, RTLD_NOW);
    }
    return found;
  }();
  return file;
}

/// A function of the loaded library, of the type that cusparse.h declares. Takes no address of the
/// declared function: that would need it at link time.
template <class Function>
Function* cusparse_function(char const* name) {
  return reinterpret_cast<Function*>(::dlsym(cusparse_file(), name));
}

inline void check_cusparse(cusparseStatus_t status, char const* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw error(std::string(call) + " failed with status " + std::to_string(status));
}

}  // namespace detail

/// Whether this build knows cuSPARSE, and it can be loaded.
inline bool has_cusparse() { return detail::cusparse_file() != nullptr; }

#define LIBSCAN_CUSPARSE(function, ...)                                                       \
  ::libscan::apps::detail::check_cusparse(                                                    \
      ::libscan::apps::detail::cusparse_function<decltype(function)>(#function)(__VA_ARGS__), \
      #function)

/// cuSPARSE's descriptors of a matrix and two vectors, and a buffer. Needs `has_cusparse`. Throws
/// `libscan::error` where cuSPARSE fails.
class cusparse_product {
 public:
  cusparse_product(spmv_problem const& problem, cusparseSpMVAlg_t algorithm)
      : type_(problem.is_double ? CUDA_R_64F : CUDA_R_32F), algorithm_(algorithm) {
    LIBSCAN_CUSPARSE(cusparseCreate, &handle_);
    LIBSCAN_CUSPARSE(cusparseCreateCsr, &matrix_, problem.rows, problem.columns, problem.nonzeros,
                     const_cast<std::int32_t*>(problem.offsets),
                     const_cast<std::int32_t*>(problem.indices), const_cast<void*>(problem.values),
                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_);
    LIBSCAN_CUSPARSE(cusparseCreateDnVec, &x_, problem.columns, const_cast<void*>(problem.x),
                     type_);
    LIBSCAN_CUSPARSE(cusparseCreateDnVec, &y_, problem.rows, problem.y, type_);
    std::size_t bytes = 0;
    LIBSCAN_CUSPARSE(cusparseSpMV_bufferSize, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, one(),
                     matrix_, x_, zero(), y_, type_, algorithm_, &bytes);
    buffer_ = std::make_unique<device::buffer<std::byte>>(static_cast<index_t>(bytes + 1));
  }
  cusparse_product(cusparse_product const&) = delete;

  ~cusparse_product() {
    using detail::cusparse_function;
    (void)cusparse_function<decltype(cusparseDestroyDnVec)>("cusparseDestroyDnVec")(y_);
    (void)cusparse_function<decltype(cusparseDestroyDnVec)>("cusparseDestroyDnVec")(x_);
    (void)cusparse_function<decltype(cusparseDestroySpMat)>("cusparseDestroySpMat")(matrix_);
    (void)cusparse_function<decltype(cusparseDestroy)>("cusparseDestroy")(handle_);
  }

  /// Asynchronous on the default stream.
  void run() const {
    LIBSCAN_CUSPARSE(cusparseSpMV, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, one(), matrix_, x_,
                     zero(), y_, type_, algorithm_, buffer_->data());
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

#undef LIBSCAN_CUSPARSE

#else

/// Whether this build knows cuSPARSE, and it can be loaded.
inline bool has_cusparse() { return false; }

#endif

}  // namespace libscan::apps
