// SPDX-License-Identifier: Apache-2.0
// The algorithms of the sparse product on a device, and their names.
#pragma once

#include <cstdint>

#include <libscan/core/name_table.hpp>

namespace libscan::inline v1 {

/// The algorithms. `balanced`: production; entries and rows are shared out evenly among warps, for
/// any lengths of rows. `segmented`: the textbook's, one segmented reduction of the products.
/// `scalar`, `vector`: one thread or one warp per row; baselines.
enum class spmv_algorithm : std::uint8_t { balanced, segmented, scalar, vector };

/// Their names. The others are of Merrill & Garland 2016 (merge-based), Blelloch, Heroux & Zagha
/// 1993 (segmented-scan), and Bell & Garland 2009.
inline constexpr name_table<spmv_algorithm, 4, 4> spmv_algorithm_names{
    "algorithm of a sparse product",
    {"balanced", "segmented", "scalar", "vector"},
    {{{"merge-based", "balanced"},
      {"segmented-scan", "segmented"},
      {"csr-scalar", "scalar"},
      {"csr-vector", "vector"}}}};

}  // namespace libscan::inline v1
