// SPDX-License-Identifier: Apache-2.0
// The compiled half of spmv_device_calls.hpp: checks a call and puts it in its queue.
#include <memory>

#include <libscan/spmv_device_calls.hpp>

#include <apps/spmv/core/entry_keys.hpp>
#include <apps/spmv/host/spmv_device.hpp>
#include <libscan/host/on_queue.hpp>

namespace libscan::inline v1::detail {

namespace {

/// Returns body(machine), a Result, for a matrix of this many rows and entries.
template <class Result = void, class Body>
Result on_matrix_machine(engine const& on, index_t rows, index_t entries, Body const& body) {
  return detail::on_machine_of<Result>(on, rows + entries, body);
}

}  // namespace

template <class T>
void enqueued_spmv<T>::multiply(device_queue const& queue, csr_matrix<T> const& matrix, T const* x,
                                T* y, product_options<T> const& how) {
  detail::check_shape("spmv", matrix.rows, matrix.columns, matrix.nonzeros);
  queue_place const place = detail::place_of(queue);
  on_matrix_machine(queue.on, matrix.rows, matrix.nonzeros, [&]<class Machine>(Machine on) {
    device_spmv<Machine, T>::enqueue(on, place, matrix, x, y, how);
  });
}

template <class T>
device_plan<T>* enqueued_spmv<T>::plan(device_queue const& queue, csr_matrix<T> const& matrix) {
  detail::check_shape("device_prepared_matrix", matrix.rows, matrix.columns, matrix.nonzeros);
  queue_place const place = detail::place_of(queue);
  using made = std::unique_ptr<device_plan<T>>;
  return on_matrix_machine<made>(queue.on, matrix.rows, matrix.nonzeros,
                                 [&]<class Machine>(Machine on) {
                                   return device_spmv<Machine, T>::plan(on, place, matrix);
                                 })
      .release();
}

template <class T>
void enqueued_spmv<T>::to_rows(device_queue const& queue, coo_matrix<T> const& list,
                               std::int64_t* offsets, std::int32_t* indices, T* values) {
  detail::check_list<std::int64_t>("coo_to_csr", list);
  queue_place const place = detail::place_of(queue);
  on_matrix_machine(queue.on, list.rows, list.entries, [&]<class Machine>(Machine on) {
    device_spmv<Machine, T>::enqueue_to_rows(on, place, list, offsets, indices, values);
  });
}

template <class T>
std::size_t enqueued_spmv<T>::bytes(engine const& on, index_t rows, index_t nonzeros) {
  return on_matrix_machine<std::size_t>(on, rows, nonzeros, [&]<class Machine>(Machine) {
    return device_spmv<Machine, T>::workspace_bytes(rows, nonzeros);
  });
}

template <class T>
std::size_t enqueued_spmv<T>::plan_bytes(engine const& on, index_t rows, index_t nonzeros) {
  return on_matrix_machine<std::size_t>(on, rows, nonzeros, [&]<class Machine>(Machine) {
    return device_spmv<Machine, T>::plan_bytes(rows, nonzeros);
  });
}

template <class T>
std::size_t enqueued_spmv<T>::to_rows_bytes(engine const& on, coo_matrix<T> const& list) {
  return on_matrix_machine<std::size_t>(on, list.rows, list.entries, [&]<class Machine>(Machine) {
    return device_spmv<Machine, T>::to_rows_bytes(list);
  });
}

template struct enqueued_spmv<float>;
template struct enqueued_spmv<double>;
template struct enqueued_spmv<std::int64_t>;

}  // namespace libscan::inline v1::detail
