// SPDX-License-Identifier: Apache-2.0
// The plain C++ facade of sparse matrices: from lists of entries to matrices by rows, and products
// with vectors, on whichever engine there is. Needs no nvcc; link libscan::spmv.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <apps/spmv/matrix.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

namespace detail {

/// What the facade is compiled for.
template <class T>
inline constexpr bool compiled_entry =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;

/// Refuses other entries in words.
template <class T>
constexpr bool refuse_other_entries() {
  static_assert(
      compiled_entry<T>,
      "spmv.hpp is compiled for float, double and std::int64_t. For other entries include "
      "apps/spmv/coo_to_csr_cpu.hpp and apps/spmv/spmv_cpu.hpp, or in CUDA code "
      "apps/spmv/coo_to_csr.cuh and apps/spmv/spmv.cuh.");
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

/// What "multiply" and "add" mean; see semiring.hpp.
enum class semiring_kind : std::uint8_t { plus_times, min_plus, max_times, or_and };

/// What people call them, in that order.
inline constexpr std::string_view semiring_names[] = {"plus-times", "min-plus", "max-times",
                                                      "or-and"};

/// How to multiply: y = alpha A x + beta y in the semiring. Where `beta` is absent or the
/// semiring's zero y is not read; an absent alpha is one.
template <class T>
struct product_options {
  semiring_kind semiring = semiring_kind::plus_times;
  std::optional<T> alpha = {};
  std::optional<T> beta = {};
};

/// The matrix that a list of entries is: entries of one place add up, a symmetric or skew list
/// stands for both triangles, and each row ascends by column. A list whose `values` are null gives
/// a matrix without values.
///
/// T is float, double or std::int64_t. Integers are the same on every engine. Floats of one place
/// add up in the list's order on cpu, and on cuda in an order that depends on the list alone: the
/// same in every run and for any number of threads. Throws `invalid_argument` for indices out
/// of range and sizes that no matrix has; `device_error`, `engine_unavailable` or std::bad_alloc if
/// a device or its memory fails.
template <class T>
sparse_matrix<T> to_rows(engine const& on, coo_matrix<T> const& list);

namespace detail {

/// A matrix where its engine multiplies.
template <class T>
class kept_matrix {
 public:
  virtual ~kept_matrix() = default;
  /// See `prepared_matrix`. Checks nothing.
  virtual double multiply(std::span<T const> x, std::span<T> y, product_options<T> const& how) = 0;
};

}  // namespace detail

/// A matrix made ready on an engine, for many products: its offsets and indices are checked once,
/// and a cuda engine has it copied to its device once, and a plan made of it. It refers to the
/// matrix it is made of, which must stay as it is for as long. Move-only, and of no use once moved
/// from; one call at a time. T is float, double or std::int64_t.
///
/// Making one returns when everything is done, so a clock around it shows the cost: a pass over
/// offsets and indices on the host's threads, and on cuda the transfer and the plan. The plan reads
/// the offsets on the device (docs/benchmarks/nvidia-h200.md: 7 to 159 us). Products on cpu read
/// the caller's arrays; a table of where threads begin would save them less than 5 %. On cuda,
/// device memory holds the matrix, the plan (2 bytes a row and some), one x, one y and a workspace.
template <class T>
class prepared_matrix {
  static_assert(detail::refuse_other_entries<T>());

 public:
  /// Throws `invalid_argument` for sizes that no matrix has, offsets that do not ascend from 0 to
  /// the number of entries, another number of values, and indices out of range; `device_error`,
  /// `engine_unavailable` or std::bad_alloc if a device or its memory fails.
  prepared_matrix(engine const& on, sparse_matrix<T> const& matrix);
  /// Nothing would be left to refer to.
  prepared_matrix(engine const& on, sparse_matrix<T> const&& matrix) = delete;

  /// y = alpha A x + beta y. Returns the seconds it took, without transfers.
  ///
  /// `x` has as many components as A has columns, `y` as A has rows; y overlaps nothing else.
  /// Row r is within (n + 2) eps (|alpha| sum |a| |x| + |beta y|) of the exact result, n the
  /// entries of the row; bitwise the same in every run and for any number of threads, and between
  /// engines where sums are exact. Reads the matrix once. Throws `invalid_argument` for lengths
  /// that do not fit and a y that overlaps; `device_error` or std::bad_alloc.
  double multiply(std::span<T const> x, std::span<T> y, product_options<T> const& how = {});

 private:
  csr_matrix<T> matrix_;
  std::unique_ptr<detail::kept_matrix<T>> kept_;
};

/// y = alpha A x + beta y, once: as a `prepared_matrix` of its own does it, and throws.
template <class T>
double spmv(engine const& on, sparse_matrix<T> const& matrix,
            std::type_identity_t<std::span<T const>> x, std::type_identity_t<std::span<T>> y,
            product_options<T> const& how = {}) {
  return prepared_matrix<T>(on, matrix).multiply(x, y, how);
}

}  // namespace libscan::inline v1
