// SPDX-License-Identifier: Apache-2.0
#include <apps/spmv/program/verify.hpp>

#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include <cub/device/device_segmented_reduce.cuh>

#include <string>

#include <apps/spmv/program/cusparse.cuh>
#include <libscan/buffer.cuh>
#include <libscan/core/error.hpp>
#include <libscan/simt/cuda/check.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps {
namespace {

template <class T>
std::vector<T> on_host(device::buffer<T> const& items, index_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  items.read_sync(result.data(), count);
  return result;
}

}  // namespace

template <class T>
std::vector<T> row_sums_by_cub(std::span<T const> products, std::span<std::int64_t const> offsets,
                               semiring_sum<T> sum, T zero) {
  index_t const rows = static_cast<index_t>(offsets.size()) - 1;
  if (rows == 0) return {};
  device::buffer<T> const in(products);
  device::buffer<std::int64_t> const ends(offsets);
  device::buffer<T> const sums(rows);
  workspace ws;
  auto const reduce = [&](void* memory, std::size_t& bytes) {
    std::int64_t const* const first = ends.data();
    return cub::DeviceSegmentedReduce::Reduce(memory, bytes, in.data(), sums.data(),
                                              static_cast<int>(rows), first, first + 1, sum, zero);
  };
  std::size_t bytes = 0;  // the first call of CUB says how much memory the second needs
  LIBSCAN_CHECK(reduce(nullptr, bytes));
  LIBSCAN_CHECK(reduce(ws.reserve(bytes + 1), bytes));
  return on_host(sums, rows);
}

template <class T>
std::vector<T> row_sums_by_thrust(std::span<T const> products,
                                  std::span<std::int64_t const> offsets, semiring_sum<T> sum,
                                  T zero) {
  std::vector<std::int32_t> row_of;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    row_of.resize(static_cast<std::size_t>(offsets[r + 1]), static_cast<std::int32_t>(r));
  }
  device::buffer<T> const in(products);
  device::buffer<std::int32_t> const keys{std::span<std::int32_t const>(row_of)};
  device::buffer<std::int32_t> const found(in.size());
  device::buffer<T> const sums(in.size());
  auto const ends =
      thrust::reduce_by_key(thrust::device, keys.data(), keys.data() + in.size(), in.data(),
                            found.data(), sums.data(), thrust::equal_to<std::int32_t>{}, sum);
  index_t const count = ends.first - found.data();
  auto const rows = on_host(found, count);
  auto const values = on_host(sums, count);
  std::vector<T> all(offsets.size() - 1, zero);  // also of rows without entries
  for (std::size_t k = 0; k < rows.size(); ++k) {
    all[static_cast<std::size_t>(rows[k])] = sum(zero, values[k]);
  }
  return all;
}

bool can_load_cusparse() { return has_cusparse(); }

template <class T>
std::vector<T> product_by_cusparse([[maybe_unused]] sparse_matrix<T> const& matrix,
                                   [[maybe_unused]] std::span<T const> x) {
#if LIBSCAN_HAS_CUSPARSE
  if (!suits_cusparse(matrix.rows, matrix.columns, matrix.nonzeros())) {
    return std::vector<T>(static_cast<std::size_t>(matrix.rows));  // an empty matrix
  }
  std::vector<std::int32_t> const narrow(matrix.offsets.begin(), matrix.offsets.end());
  std::vector<T> const ones(matrix.values.empty() ? matrix.indices.size() : 0, T(1));
  device::buffer<std::int32_t> const offsets{std::span<std::int32_t const>(narrow)};
  device::buffer<std::int32_t> const indices{std::span<std::int32_t const>(matrix.indices)};
  device::buffer<T> const values{std::span<T const>(ones.empty() ? matrix.values : ones)};
  device::buffer<T> const components(x);
  device::buffer<T> const y(matrix.rows);
  cusparse_product const product(
      {std::is_same_v<T, double>, matrix.rows, matrix.columns, matrix.nonzeros(), offsets.data(),
       indices.data(), values.data(), components.data(), y.data()},
      CUSPARSE_SPMV_ALG_DEFAULT);
  product.run();
  return on_host(y, matrix.rows);
#else
  throw error("libscan was built without cuSPARSE");
#endif
}

#define LIBSCAN_ROW_SUMS(T)                                                                     \
  template std::vector<T> row_sums_by_cub(std::span<T const>, std::span<std::int64_t const>,    \
                                          semiring_sum<T>, T);                                  \
  template std::vector<T> row_sums_by_thrust(std::span<T const>, std::span<std::int64_t const>, \
                                             semiring_sum<T>, T);
LIBSCAN_ROW_SUMS(float)
LIBSCAN_ROW_SUMS(double)
LIBSCAN_ROW_SUMS(std::int64_t)
#undef LIBSCAN_ROW_SUMS
template std::vector<float> product_by_cusparse(sparse_matrix<float> const&,
                                                std::span<float const>);
template std::vector<double> product_by_cusparse(sparse_matrix<double> const&,
                                                 std::span<double const>);

}  // namespace libscan::apps
