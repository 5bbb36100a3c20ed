// SPDX-License-Identifier: Apache-2.0
// The CUDA side of a build without nvcc: there is none. No engine of kind cuda can be made then, so
// nobody gets here who has not gone round the facade.
#include <apps/spmv/spmv_cuda.hpp>

#include <libscan/core/error.hpp>

namespace libscan::inline v1::detail {
namespace {

[[noreturn]] void refuse() {
  throw engine_unavailable("spmv: libscan was built without the cuda engine");
}

}  // namespace

template <class T>
index_t cuda_spmv<T>::to_rows(int, coo_matrix<T> const&, sparse_matrix<T>&) {
  refuse();
}

template <class T>
std::unique_ptr<kept_matrix<T>> cuda_spmv<T>::keep(int, csr_matrix<T> const&) {
  refuse();
}

template struct cuda_spmv<float>;
template struct cuda_spmv<double>;
template struct cuda_spmv<std::int64_t>;

}  // namespace libscan::inline v1::detail
