// SPDX-License-Identifier: Apache-2.0
// The host API of sparse matrices: from lists of entries to matrices by rows, and products
// with vectors, on any engine. Needs no nvcc; link libscan::spmv.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <libscan/core/engine.hpp>
#include <libscan/core/types.hpp>
#include <libscan/matrix.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The types that the host API is compiled for.
template <class T>
inline constexpr bool compiled_entry =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;

/// Refuses other entries with a message.
template <class T>
constexpr bool refuse_other_entries() {
  static_assert(
      compiled_entry<T>,
      "spmv.hpp is compiled for float, double and std::int64_t. For other entries include "
      "libscan/cpu/coo_to_csr.hpp and libscan/cpu/spmv.hpp, or in CUDA code "
      "libscan/coo_to_csr.cuh and libscan/spmv.cuh.");
  return compiled_entry<T>;
}

}  // namespace detail

/// A matrix by rows that owns its arrays; see `csr_matrix`. T is float, double or std::int64_t.
template <class T>
struct sparse_matrix {
  static_assert(detail::refuse_other_entries<T>());

  index_t rows = 0;
  index_t columns = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<T> values;  ///< as many as indices; or none: each entry counts as one

  index_t nonzeros() const { return static_cast<index_t>(indices.size()); }

  /// A view of it, whose `values` are null if there are none.
  csr_matrix<T> view() const {
    return {rows,           columns,        nonzeros(),
            offsets.data(), indices.data(), values.empty() ? nullptr : values.data()};
  }
};

/// The meaning of "multiply" and "add"; see semiring.hpp.
enum class semiring_kind : std::uint8_t { plus_times, min_plus, max_times, or_and };

/// Their usual names, in that order.
inline constexpr std::string_view semiring_names[] = {"plus-times", "min-plus", "max-times",
                                                      "or-and"};

/// How to multiply: y = alpha A x + beta y in the semiring. Without a `beta`, or with the
/// semiring's zero, y is not read; without an alpha it is one.
template <class T>
struct product_options {
  semiring_kind semiring = semiring_kind::plus_times;
  std::optional<T> alpha = {};
  std::optional<T> beta = {};
};

/// The matrix of a list of entries: entries at the same place add up, a symmetric or skew list
/// stands for both triangles, and each row ascends by column. A list with null `values` gives a
/// matrix without values.
///
/// Types: T is float, double or std::int64_t.
/// Determinism: integers are the same on every engine. Floats at the same place add up in the
/// list's order on cpu, and on cuda in an order that depends only on the list. Both are the same in
/// every run and for any number of threads.
/// Throws: `invalid_argument` for indices out of range and invalid sizes; `device_error`,
/// `engine_unavailable` or std::bad_alloc if a device or its memory fails.
template <class T>
sparse_matrix<T> to_rows(engine const& on, coo_matrix<T> const& list);

namespace detail {

/// A matrix in the memory of its engine.
template <class T>
class kept_matrix {
 public:
  virtual ~kept_matrix() = default;
  /// See `prepared_matrix`. Checks nothing.
  virtual double multiply(std::span<T const> x, std::span<T> y, product_options<T> const& how) = 0;
};

}  // namespace detail

/// A matrix prepared on an engine for many products. Its offsets and indices are checked once; a
/// cuda engine copies it to its device once and makes a plan. It refers to its source matrix,
/// which must stay unchanged. Move-only, and unusable after a move; one call at a time. T is float,
/// double or std::int64_t.
///
/// Synchronization: the constructor returns when everything is done, so a clock around it shows the
/// cost. That is a pass over offsets and indices on the host's threads, and on cuda the transfer
/// and the plan, which reads the offsets on the device. Memory: on cpu nothing is copied: products
/// read the caller's arrays. On cuda, device memory holds the matrix, the plan (about 2 bytes per
/// row), one x, one y and a workspace.
template <class T>
class prepared_matrix {
  static_assert(detail::refuse_other_entries<T>());

 public:
  /// Throws `invalid_argument` for invalid sizes, offsets that do not ascend from 0 to the number
  /// of entries, another number of values, and indices out of range; `device_error`,
  /// `engine_unavailable` or std::bad_alloc if a device or its memory fails.
  prepared_matrix(engine const& on, sparse_matrix<T> const& matrix);
  /// A temporary would be gone before the first product.
  prepared_matrix(engine const& on, sparse_matrix<T> const&& matrix) = delete;
  prepared_matrix(prepared_matrix&& other) noexcept
      : matrix_(other.matrix_), kept_(std::exchange(other.kept_, nullptr)) {}
  prepared_matrix& operator=(prepared_matrix&& other) noexcept {
    prepared_matrix taken((std::move)(other));
    std::swap(matrix_, taken.matrix_);
    std::swap(kept_, taken.kept_);
    return *this;
  }
  ~prepared_matrix() { delete kept_; }

  /// y = alpha A x + beta y. Returns the seconds it took, without transfers.
  ///
  /// Types: `x` has as many components as A has columns, `y` as A has rows; y must not overlap
  /// anything else.
  /// Determinism: row r is within (n + 2) eps (|alpha| sum |a| |x| + |beta y|) of the exact result,
  /// n the entries of the row; bitwise the same in every run and for any number of threads, and on
  /// all engines if sums are exact. Reads the matrix once.
  /// Throws: `invalid_argument` for wrong lengths and an overlapping y; `device_error` or
  /// std::bad_alloc.
  double multiply(std::span<T const> x, std::span<T> y, product_options<T> const& how = {});

 private:
  csr_matrix<T> matrix_;
  detail::kept_matrix<T>* kept_ = nullptr;  // its own; see buffer.hpp for why not std::unique_ptr
};

/// y = alpha A x + beta y, once: like a `prepared_matrix` of its own, including exceptions.
template <class T>
double spmv(engine const& on, sparse_matrix<T> const& matrix,
            std::type_identity_t<std::span<T const>> x, std::type_identity_t<std::span<T>> y,
            product_options<T> const& how = {}) {
  return prepared_matrix<T>(on, matrix).multiply(x, y, how);
}

}  // namespace libscan::inline v1
