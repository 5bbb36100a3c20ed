// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the host API, for each type in a translation unit of its own: host memory in,
// the kernels of spmv.cuh and coo_to_csr.cuh, host memory out.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <apps/spmv/host/semiring_choice.hpp>
#include <apps/spmv/host/spmv_cuda.hpp>
#include <libscan/buffer.cuh>
#include <libscan/coo_to_csr.cuh>
#include <libscan/simt/cuda/selected_device.cuh>
#include <libscan/spmv.cuh>

namespace libscan::inline v1::detail {

/// Reads back the device's matrix of a list.
template <class Value, class T>
index_t read_rows(coo_matrix<Value> const& list, sparse_matrix<T>& matrix, Value* values) {
  index_t const most = expanded_entries(list);
  auto const n = static_cast<std::size_t>(list.entries);
  device::buffer<std::int32_t> const rows(std::span<std::int32_t const>(list.row_indices, n));
  device::buffer<std::int32_t> const columns(std::span<std::int32_t const>(list.indices, n));
  constexpr bool has_values = !std::is_same_v<Value, no_values>;
  device::buffer<Value> const entries(std::span<Value const>(list.values, has_values ? n : 0));
  device::buffer<std::int64_t> const offsets(list.rows + 1);
  device::buffer<std::int32_t> const indices(most);
  device::buffer<Value> const sums(has_values ? most : 0);
  workspace ws;
  coo_matrix<Value> on_device = list;
  on_device.row_indices = rows.data();
  on_device.indices = columns.data();
  on_device.values = entries.data();
  coo_to_csr(ws, on_device, offsets.data(), indices.data(), sums.data());
  offsets.read_sync(matrix.offsets.data(), list.rows + 1);
  index_t const count = matrix.offsets.back();
  indices.read_sync(matrix.indices.data(), count);
  if (has_values) sums.read_sync(values, count);
  return count;
}

template <class T>
index_t cuda_spmv<T>::to_rows(int device, coo_matrix<T> const& list, sparse_matrix<T>& matrix) {
  simt::selected_device const here(device);
  if (list.values != nullptr) return read_rows(list, matrix, matrix.values.data());
  return read_rows(places_of(list), matrix, static_cast<no_values*>(nullptr));
}

/// A matrix in device memory with a plan, and with space for the vectors of a product and its
/// workspace.
template <class T>
struct device_matrix {
  csr_matrix<T> host;
  device::buffer<std::int64_t> offsets;
  device::buffer<std::int32_t> indices;
  device::buffer<T> values;
  device::buffer<T> x;
  device::buffer<T> y;
  spmv_plan<T> plan;
  workspace ws;

  explicit device_matrix(csr_matrix<T> const& matrix)
      : host(matrix),
        offsets(span_of(matrix.offsets, matrix.rows + 1)),
        indices(span_of(matrix.indices, matrix.nonzeros)),
        values(span_of(matrix.values, matrix.values == nullptr ? 0 : matrix.nonzeros)),
        x(matrix.columns),
        y(matrix.rows),
        plan(view()) {
    ws.reserve(spmv_workspace_bytes<T>(matrix.rows, matrix.nonzeros));
    simt::synchronize();
  }

  csr_matrix<T> view() const {
    return {host.rows, host.columns, host.nonzeros, offsets.data(), indices.data(), values.data()};
  }

 private:
  template <class U>
  static std::span<U const> span_of(U const* items, index_t n) {
    return {items, static_cast<std::size_t>(n)};
  }
};

template <class T>
class cuda_matrix final : public kept_matrix<T> {
 public:
  cuda_matrix(int device, csr_matrix<T> const& matrix) : device_(device) {
    simt::selected_device const here(device_);
    memory_.emplace(matrix);
  }
  ~cuda_matrix() override {
    try {
      simt::selected_device const here(device_);
      memory_.reset();
    } catch (error const&) {
      // The device is lost or the program is ending: there is nothing left to free.
    }
  }

  double multiply(std::span<T const> x, std::span<T> y, product_options<T> const& how) override {
    using clock = std::chrono::steady_clock;
    simt::selected_device const here(device_);
    device_matrix<T>& on = *memory_;
    simt::copy_async(on.x.data(), x.data(), x.size_bytes());
    if (how.beta) simt::copy_async(on.y.data(), y.data(), y.size_bytes());
    simt::synchronize();
    auto const begun = clock::now();
    with_product(on.view(), how, [&](auto const& matrix, auto s, T alpha, T beta) {
      spmv(on.ws, on.plan, matrix, static_cast<T const*>(on.x.data()), on.y.data(), s, alpha, beta);
    });
    simt::synchronize();
    std::chrono::duration<double> const seconds = clock::now() - begun;
    on.y.read_sync(y.data(), static_cast<index_t>(y.size()));
    return seconds.count();
  }

 private:
  int device_;
  std::optional<device_matrix<T>> memory_;
};

template <class T>
std::unique_ptr<kept_matrix<T>> cuda_spmv<T>::keep(int device, csr_matrix<T> const& matrix) {
  return std::make_unique<cuda_matrix<T>>(device, matrix);
}

}  // namespace libscan::inline v1::detail
