// SPDX-License-Identifier: Apache-2.0
// Fewer types to test with, where each takes long to compile.
#pragma once

#include <tuple>
#include <utility>

namespace libscan::test {

/// Types to test with, as a tuple: `More` are left out of builds for the sanitizers, which take
/// several times as long to compile; so may be what tests do with some of them, if `few_types`.
#ifdef LIBSCAN_TEST_FEW_TYPES
inline constexpr bool few_types = true;
template <class Few, class More>
using types_to_test = Few;
#else
inline constexpr bool few_types = false;
template <class Few, class More>
using types_to_test = decltype(std::tuple_cat(std::declval<Few>(), std::declval<More>()));
#endif

}  // namespace libscan::test
