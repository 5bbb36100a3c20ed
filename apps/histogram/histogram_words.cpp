// SPDX-License-Identifier: Apache-2.0
// The histogram's facade for samples that are integers of 4 and 8 bytes.
#include <apps/histogram/compiled_histogram.hpp>

namespace libscan::inline v1::detail {

template struct compiled_histogram<std::int32_t>;
template struct compiled_histogram<std::uint32_t>;
template struct compiled_histogram<std::int64_t>;
template struct compiled_histogram<std::uint64_t>;

}  // namespace libscan::inline v1::detail
