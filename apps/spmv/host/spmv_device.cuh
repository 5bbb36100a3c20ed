// SPDX-License-Identifier: Apache-2.0
// The implementation of spmv_device.hpp, for each type in a translation unit of its own: host
// memory in, the kernels of spmv.cuh and coo_to_csr.cuh, host memory out.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <apps/spmv/host/semiring_choice.hpp>
#include <apps/spmv/host/spmv_device.hpp>
#include <libscan/coo_to_csr.cuh>
#include <libscan/host/on_queue.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>
#include <libscan/spmv.cuh>

namespace libscan::inline v1::detail {

inline namespace LIBSCAN_MACHINE {

/// Reads back the device's matrix of a list.
template <class Value, class T>
index_t read_rows(coo_matrix<Value> const& list, sparse_matrix<T>& matrix, Value* values) {
  index_t const max_entries = expanded_entries(list);
  auto const n = static_cast<std::size_t>(list.entries);
  device::transfer_buffer<std::int32_t> const rows(
      std::span<std::int32_t const>(list.row_indices, n));
  device::transfer_buffer<std::int32_t> const columns(
      std::span<std::int32_t const>(list.indices, n));
  constexpr bool has_values = !std::is_same_v<Value, no_values>;
  device::transfer_buffer<Value> const entries(
      std::span<Value const>(list.values, has_values ? n : 0));
  device::transfer_buffer<std::int64_t> const offsets(list.rows + 1);
  device::transfer_buffer<std::int32_t> const indices(max_entries);
  device::transfer_buffer<Value> const sums(has_values ? max_entries : 0);
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

}  // namespace LIBSCAN_MACHINE

template <class Machine, class T>
index_t device_spmv<Machine, T>::to_rows(Machine on, coo_matrix<T> const& list,
                                         sparse_matrix<T>& matrix) {
  device::on_machine const here(on);
  if (list.values != nullptr) return read_rows(list, matrix, matrix.values.data());
  return read_rows(places_of(list), matrix, static_cast<no_values*>(nullptr));
}

inline namespace LIBSCAN_MACHINE {

/// A matrix in device memory with a plan, and with space for the vectors of a product and its
/// workspace.
template <class T>
struct device_matrix {
  csr_matrix<T> host;
  device::transfer_buffer<std::int64_t> offsets;
  device::transfer_buffer<std::int32_t> indices;
  device::transfer_buffer<T> values;
  device::transfer_buffer<T> x;
  device::transfer_buffer<T> y;
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

  /// Its values are null if the matrix has none: memory for none need not be.
  csr_matrix<T> view() const {
    return {host.rows,      host.columns,   host.nonzeros,
            offsets.data(), indices.data(), host.values == nullptr ? nullptr : values.data()};
  }

 private:
  template <class U>
  static std::span<U const> span_of(U const* items, index_t n) {
    return {items, static_cast<std::size_t>(n)};
  }
};

}  // namespace LIBSCAN_MACHINE

template <class Machine, class T>
class machine_matrix final : public kept_matrix<T> {
 public:
  machine_matrix(Machine on, csr_matrix<T> const& matrix) : on_(on) {
    device::on_machine const here(on_);
    memory_.emplace(matrix);
  }
  ~machine_matrix() override {
    try {
      device::on_machine const here(on_);
      memory_.reset();
    } catch (error const&) {
      // The device is lost or the program is ending: there is nothing left to free.
    }
  }

  double multiply(std::span<T const> x, std::span<T> y, product_options<T> const& how) override {
    using clock = std::chrono::steady_clock;
    device::on_machine const here(on_);
    device_matrix<T>& there = *memory_;
    using copies = transfer<device::this_machine>;
    copies::to_device(there.x.data(), x.data(), x.size_bytes());
    if (how.beta) copies::to_device(there.y.data(), y.data(), y.size_bytes());
    auto const begun = clock::now();
    with_product(there.view(), how, [&](auto const& matrix, auto s, T alpha, T beta) {
      spmv(there.ws, there.plan, matrix, static_cast<T const*>(there.x.data()), there.y.data(), s,
           alpha, beta);
    });
    simt::synchronize();
    std::chrono::duration<double> const seconds = clock::now() - begun;
    there.y.read_sync(y.data(), static_cast<index_t>(y.size()));
    return seconds.count();
  }

 private:
  Machine on_;
  std::optional<device_matrix<T>> memory_;
};

template <class Machine, class T>
std::unique_ptr<kept_matrix<T>> device_spmv<Machine, T>::keep(Machine on,
                                                              csr_matrix<T> const& matrix) {
  return std::make_unique<machine_matrix<Machine, T>>(on, matrix);
}

template <class Machine, class T>
void device_spmv<Machine, T>::enqueue(Machine on, queue_place const& place,
                                      csr_matrix<T> const& matrix, T const* x, T* y,
                                      product_options<T> const& how) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  with_product(matrix, how, [&](auto const& product, auto s, T alpha, T beta) {
    spmv(ws, product, x, y, s, alpha, beta);
  });
}

/// A plan on a machine; its memory is freed there.
template <class Machine, class T>
class machine_plan final : public device_plan<T> {
 public:
  machine_plan(Machine on, queue_place const& place, csr_matrix<T> const& matrix) : on_(on) {
    device::on_machine const here(on_);
    plan_.emplace(matrix, device::workspace_of(place));
  }
  ~machine_plan() override {
    try {
      device::on_machine const here(on_);
      plan_.reset();
    } catch (error const&) {
      // The device is lost or the program is ending: there is nothing left to free.
    }
  }

  void multiply(device_queue const& queue, csr_matrix<T> const& matrix, T const* x, T* y,
                product_options<T> const& how) const override {
    device::on_machine const here(on_);
    workspace ws = device::workspace_of(detail::place_of(queue));
    with_product(matrix, how, [&](auto const& product, auto s, T alpha, T beta) {
      spmv(ws, *plan_, product, x, y, s, alpha, beta);
    });
  }

 private:
  Machine on_;
  std::optional<spmv_plan<T>> plan_;
};

template <class Machine, class T>
std::unique_ptr<device_plan<T>> device_spmv<Machine, T>::plan(Machine on, queue_place const& place,
                                                              csr_matrix<T> const& matrix) {
  return std::make_unique<machine_plan<Machine, T>>(on, place, matrix);
}

template <class Machine, class T>
void device_spmv<Machine, T>::enqueue_to_rows(Machine on, queue_place const& place,
                                              coo_matrix<T> const& list, std::int64_t* offsets,
                                              std::int32_t* indices, T* values) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  if (list.values != nullptr) return coo_to_csr(ws, list, offsets, indices, values);
  coo_to_csr(ws, places_of(list), offsets, indices, static_cast<no_values*>(nullptr));
}

template <class Machine, class T>
std::size_t device_spmv<Machine, T>::workspace_bytes(index_t rows, index_t nonzeros) {
  return spmv_workspace_bytes<T>(rows, nonzeros);
}

template <class Machine, class T>
std::size_t device_spmv<Machine, T>::plan_bytes(index_t rows, index_t nonzeros) {
  return spmv_plan_bytes<T>(rows, nonzeros);
}

template <class Machine, class T>
std::size_t device_spmv<Machine, T>::to_rows_bytes(coo_matrix<T> const& list) {
  if (list.values == nullptr) {
    return coo_to_csr_workspace_bytes<no_values, std::int64_t>(list.rows, list.entries, list.kind);
  }
  return coo_to_csr_workspace_bytes<T, std::int64_t>(list.rows, list.entries, list.kind);
}

}  // namespace libscan::inline v1::detail
