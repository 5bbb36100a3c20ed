// SPDX-License-Identifier: Apache-2.0
// Libraries measured beside libscan if a build has found them: ParlayLib, whose include folder
// LIBSCAN_PARLAYLIB names, and Thrust on oneTBB.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/spmv.hpp>

namespace libscan::bench::cpu {

/// A key and a value side by side.
struct key_and_value {
  std::uint32_t key, value;
  bool operator==(key_and_value const&) const = default;
};

/// A split of items below a limit, or of flagged items, from the others.
struct split_call {
  std::uint32_t const* in;
  std::uint8_t const* flags;  ///< null: by `limit`
  std::uint32_t limit;
  std::uint32_t* out;       ///< of n items
  std::uint32_t* rejected;  ///< null: the others follow, in `out`
  index_t n;
};

/// An entry of a list in one piece. Eigen requires these names of its parts.
struct list_entry {
  std::int32_t row_index, column_index;
  float number;
  std::int32_t row() const { return row_index; }
  std::int32_t col() const { return column_index; }
  float value() const { return number; }
};

/// Another library's functions for what is measured; null if it has none.
struct library {
  template <class T, class In = T>
  using scan = void (*)(scan_kind kind, In const* in, T* out, index_t n);
  template <class T>
  using reduction = T (*)(T const* in, index_t n);
  using word = std::uint32_t;

  std::string name;
  scan<std::int32_t> scan_i32 = nullptr;  ///< sums
  scan<std::int64_t> scan_i64 = nullptr;
  scan<float> scan_f32 = nullptr;
  scan<double> scan_f64 = nullptr;
  scan<std::int32_t, std::int8_t> scan_i8_to_i32 = nullptr;
  /// Inclusive sums within runs of equal keys.
  void (*scan_by_key)(word const* keys, word const* in, word* out, index_t n) = nullptr;
  reduction<std::int32_t> reduce_i32 = nullptr;  ///< sums
  reduction<double> reduce_f64 = nullptr;
  /// The key and the sum of each run of equal keys.
  void (*reduce_by_key)(word const* keys, word const* in, word* unique, word* totals,
                        index_t n) = nullptr;
  /// Items below a limit; returns how many.
  index_t (*filter)(word const* in, index_t n, word* out, word limit) = nullptr;
  /// Returns the number of items that are split from the others.
  index_t (*split)(split_call const& call) = nullptr;
  /// The first item of each run of equal items; and the length of the run. Returns the number of
  /// runs.
  index_t (*unique)(word const* in, index_t n, word* out) = nullptr;
  index_t (*run_length_encode)(word const* in, index_t n, word* out, index_t* lengths) = nullptr;
  /// In place if `out` is `in`.
  template <class T>
  using sorting = void (*)(T const* in, T* out, index_t n);
  sorting<word> sort_u32 = nullptr;
  sorting<std::uint64_t> sort_u64 = nullptr;
  sorting<key_and_value> sort_pairs = nullptr;  ///< stable
  /// Stable, for keys below `buckets`; offsets[b] = the number of keys below b, for b up to
  /// `buckets`.
  void (*split_by_key)(key_and_value const* in, key_and_value* out, index_t n, int buckets,
                       index_t* offsets) = nullptr;
  /// The matrix by rows of a list of entries; entries at the same place add up.
  void (*to_rows)(list_entry const* list, index_t n, sparse_matrix<float>& matrix) = nullptr;
  /// The number of samples equal to 0, 1, ..., bins - 1; there are no others. The counts stay valid
  /// until the next call.
  template <class T>
  using counting = word const* (*)(T const* in, index_t n, index_t bins);
  counting<std::uint8_t> histogram_u8 = nullptr;
  counting<word> histogram_u32 = nullptr;

  /// The scan of In into T; null if there is none.
  template <class In, class T>
  scan<T, In> scan_of() const {
    if constexpr (std::is_same_v<In, T>) {
      if constexpr (std::is_same_v<T, std::int32_t>) return scan_i32;
      if constexpr (std::is_same_v<T, std::int64_t>) return scan_i64;
      if constexpr (std::is_same_v<T, float>) return scan_f32;
      if constexpr (std::is_same_v<T, double>) return scan_f64;
    }
    if constexpr (std::is_same_v<In, std::int8_t> && std::is_same_v<T, std::int32_t>) {
      return scan_i8_to_i32;
    }
    return nullptr;
  }

  /// The sum of In in T; null if there is none.
  template <class In, class T>
  T (*reduction_of() const)
  (In const* in, index_t n) {
    if constexpr (std::is_same_v<In, T>) {
      if constexpr (std::is_same_v<T, std::int32_t>) return reduce_i32;
      if constexpr (std::is_same_v<T, double>) return reduce_f64;
    }
    return nullptr;
  }
};

/// The libraries of this build. ParlayLib uses PARLAY_NUM_THREADS threads, or one per core.
std::vector<library> const& other_libraries();

/// The two possible ones.
library parlaylib();
library thrust_on_tbb();

}  // namespace libscan::bench::cpu
