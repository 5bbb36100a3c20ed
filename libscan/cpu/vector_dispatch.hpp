// SPDX-License-Identifier: Apache-2.0
// Which of the versions of a vector function runs on this processor.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

/// The version for this processor of a function that HWY_EXPORT names. HWY_DYNAMIC_DISPATCH would
/// find it by an inline function that depends on the instruction sets its source is compiled for.
/// Without optimization the linker keeps one copy of that function for all sources, and calls a
/// version that another source has and this one does not.
#define LIBSCAN_BEST_VERSION(function)                                 \
  (*::libscan::cpu::detail::best_version(HWY_DISPATCH_TABLE(function), \
                                         HWY_CHOSEN_TARGET_MASK_TARGETS))

/// Defines current_<table>() and best_<table>(), which a header declares: the functions in a
/// `table` that choose(table&), compiled for each instruction set, sets for this processor; found
/// anew, and once. In the namespace of the header, within HWY_ONCE.
#define LIBSCAN_VECTOR_TABLE(table, choose)      \
  HWY_EXPORT(choose);                            \
  table current_##table() {                      \
    table current;                               \
    LIBSCAN_BEST_VERSION(choose)(current);       \
    return current;                              \
  }                                              \
  table const& best_##table() {                  \
    static table const best = current_##table(); \
    return best;                                 \
  }

namespace libscan::inline v1::cpu::detail {

/// The first of Highway's table that is compiled and that this processor can run. A table of one
/// entry has no choice.
template <class Function, std::size_t Entries>
Function best_version(Function const (&table)[Entries], std::int64_t compiled) {
  if constexpr (Entries == 1) {
    return table[0];
  } else {
    std::int64_t const runs =
        HWY_CHOSEN_TARGET_SHIFT(hwy::SupportedTargets()) | HWY_CHOSEN_TARGET_MASK_SCALAR;
    return table[std::countr_zero(static_cast<std::uint64_t>(runs & compiled))];
  }
}

}  // namespace libscan::inline v1::cpu::detail
