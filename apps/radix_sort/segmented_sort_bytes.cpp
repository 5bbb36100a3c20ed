// SPDX-License-Identifier: Apache-2.0
// The segmented sort's facade for keys that are integers of 1 and 2 bytes.
#include <apps/radix_sort/compiled_segmented_sort_cpu.hpp>

namespace libscan::inline v1::detail {

template struct compiled_segmented_sort<std::int8_t>;
template struct compiled_segmented_sort<std::uint8_t>;
template struct compiled_segmented_sort<std::int16_t>;
template struct compiled_segmented_sort<std::uint16_t>;

}  // namespace libscan::inline v1::detail
