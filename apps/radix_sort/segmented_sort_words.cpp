// SPDX-License-Identifier: Apache-2.0
// The segmented sort's facade for keys that are integers of 4 and 8 bytes.
#include <apps/radix_sort/compiled_segmented_sort_cpu.hpp>

namespace libscan::inline v1::detail {

template struct compiled_segmented_sort<std::int32_t>;
template struct compiled_segmented_sort<std::uint32_t>;
template struct compiled_segmented_sort<std::int64_t>;
template struct compiled_segmented_sort<std::uint64_t>;

}  // namespace libscan::inline v1::detail
