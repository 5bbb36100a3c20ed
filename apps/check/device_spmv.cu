// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of scan-check on a device.
#include <apps/check/device_case.cuh>
#include <libscan/coo_to_csr.cuh>
#include <libscan/spmv.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

template <class S>
void multiply(device_case const& one, S s) {
  using T = typename S::value_type;
  check_case const& c = one.c;
  csr_matrix<T, index_t> const matrix{
      one.in.size(slot::places) - 1,       c.columns,     c.n, one.in.at<index_t>(slot::places),
      one.in.at<std::int32_t>(slot::keys), one.items<T>()};
  T const* const x = one.in.at<T>(slot::vector);
  T* const y = one.out.at<T>(slot::items);
  T const alpha = c.has_init ? T(product_alpha) : S::one();
  T const beta = c.has_init ? T(product_beta) : S::zero();
  if (c.what == task::segmented_product) {
    return spmv<spmv_algorithm::segmented>(one.ws, matrix, x, y, s, alpha, beta);
  }
  spmv(one.ws, matrix, x, y, s, alpha, beta);
}

void compress(device_case const& one) {
  check_case const& c = one.c;
  coo_matrix<float> const list{c.columns,
                               c.columns,
                               c.n,
                               one.in.at<std::int32_t>(slot::rows),
                               one.in.at<std::int32_t>(slot::keys),
                               one.items<float>()};
  coo_to_csr(one.ws, list, one.out.at<index_t>(slot::places), one.out.at<std::int32_t>(slot::keys),
             one.out.at<float>(slot::items));
}

}  // namespace

void spmv_on_device(device_case const& one) {
  if (one.c.what == task::rows_of_list) return compress(one);
  if (one.c.type == dtype::i64) return multiply(one, min_plus<std::int64_t>{});
  multiply(one, plus_times<float>{});
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
