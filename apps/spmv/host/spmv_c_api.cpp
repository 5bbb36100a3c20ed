// SPDX-License-Identifier: Apache-2.0
// The sparse matrices of c_api.h in terms of spmv_device.hpp.
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>

#include <apps/spmv/host/spmv_device.hpp>
#include <libscan/host/c_call.hpp>

namespace {

using libscan::invalid_argument;
using libscan::detail::c_queue;
using libscan::detail::c_status_of;
using libscan::detail::enqueued_spmv;
using libscan::detail::required;

template <class T>
using plan_of = std::unique_ptr<libscan::detail::device_plan<T>>;

/// Returns f(std::type_identity<T>{}) for the type of entries.
template <class F>
decltype(auto) with_entries(libscan_type type, F const& f) {
  switch (type) {
    case LIBSCAN_F32:
      return f(std::type_identity<float>{});
    case LIBSCAN_F64:
      return f(std::type_identity<double>{});
    case LIBSCAN_I64:
      return f(std::type_identity<std::int64_t>{});
    default:
      throw invalid_argument("entries of type " + std::to_string(type) +
                             "; expected LIBSCAN_F32, LIBSCAN_F64 or LIBSCAN_I64");
  }
}

template <class T>
libscan::csr_matrix<T> matrix_of(libscan_matrix const& matrix) {
  return {matrix.rows,    matrix.columns, matrix.nonzeros,
          matrix.offsets, matrix.indices, static_cast<T const*>(matrix.values)};
}

template <class T>
libscan::coo_matrix<T> list_of(libscan_entries const& list) {
  if (static_cast<unsigned>(list.symmetry) > LIBSCAN_SKEW) {
    throw invalid_argument("symmetry " + std::to_string(list.symmetry) + ": there is none");
  }
  return {list.rows,
          list.columns,
          list.entries,
          list.row_indices,
          list.indices,
          static_cast<T const*>(list.values),
          static_cast<libscan::symmetry>(list.symmetry)};
}

template <class T>
libscan::product_options<T> product_of(libscan_product const* how) {
  libscan::product_options<T> options;
  if (how == nullptr) return options;
  if (static_cast<unsigned>(how->semiring) > LIBSCAN_OR_AND) {
    throw invalid_argument("semiring " + std::to_string(how->semiring) + ": there is none");
  }
  options.semiring = static_cast<libscan::semiring_kind>(how->semiring);
  if (how->alpha != nullptr) options.alpha = *static_cast<T const*>(how->alpha);
  if (how->beta != nullptr) options.beta = *static_cast<T const*>(how->beta);
  return options;
}

}  // namespace

struct libscan_plan {
  std::variant<plan_of<float>, plan_of<double>, plan_of<std::int64_t>> made;
};

libscan_status libscan_plan_create(libscan_queue const* queue, libscan_matrix const* matrix,
                                   libscan_plan** plan) {
  return c_status_of([&] {
    auto const& of = required(matrix, "matrix");
    auto& result = required(plan, "plan");
    with_entries(of.type, [&]<class T>(std::type_identity<T>) {
      plan_of<T> made(enqueued_spmv<T>::plan(c_queue(queue), matrix_of<T>(of)));
      result = new libscan_plan{(std::move)(made)};
    });
  });
}

void libscan_plan_destroy(libscan_plan* plan) { delete plan; }

libscan_status libscan_spmv(libscan_queue const* queue, libscan_matrix const* matrix,
                            libscan_plan const* plan, void const* x, void* y,
                            libscan_product const* how) {
  return c_status_of([&] {
    auto const& by = required(matrix, "matrix");
    with_entries(by.type, [&]<class T>(std::type_identity<T>) {
      auto const* const from = static_cast<T const*>(x);
      auto* const to = static_cast<T*>(y);
      auto const rows = matrix_of<T>(by);
      auto const options = product_of<T>(how);
      if (plan == nullptr) {
        return enqueued_spmv<T>::multiply(c_queue(queue), rows, from, to, options);
      }
      auto const* const made = std::get_if<plan_of<T>>(&plan->made);
      if (made == nullptr) throw invalid_argument("libscan_spmv: a plan for another type");
      (*made)->multiply(c_queue(queue), rows, from, to, options);
    });
  });
}

libscan_status libscan_spmv_workspace_bytes(libscan_queue const* queue,
                                            libscan_matrix const* matrix, size_t* workspace,
                                            size_t* plan) {
  return c_status_of([&] {
    auto const on = c_queue(queue).on;
    auto const& of = required(matrix, "matrix");
    with_entries(of.type, [&]<class T>(std::type_identity<T>) {
      required(workspace, "workspace") = enqueued_spmv<T>::bytes(on, of.rows, of.nonzeros);
      if (plan != nullptr) *plan = enqueued_spmv<T>::plan_bytes(on, of.rows, of.nonzeros);
    });
  });
}

libscan_status libscan_coo_to_csr(libscan_queue const* queue, libscan_entries const* list,
                                  int64_t* offsets, int32_t* indices, void* values) {
  return c_status_of([&] {
    auto const& of = required(list, "list");
    with_entries(of.type, [&]<class T>(std::type_identity<T>) {
      enqueued_spmv<T>::to_rows(c_queue(queue), list_of<T>(of), offsets, indices,
                                static_cast<T*>(values));
    });
  });
}

libscan_status libscan_coo_to_csr_workspace_bytes(libscan_queue const* queue,
                                                  libscan_entries const* list, size_t* bytes) {
  return c_status_of([&] {
    auto const& of = required(list, "list");
    with_entries(of.type, [&]<class T>(std::type_identity<T>) {
      required(bytes, "bytes") = enqueued_spmv<T>::to_rows_bytes(c_queue(queue).on, list_of<T>(of));
    });
  });
}
