// SPDX-License-Identifier: Apache-2.0
// Vector code for scans of items that are summed in a wider type.
#include <libscan/cpu/vector_scan.hpp>

#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "libscan/cpu/vector_widening_scan.cpp"
#include <hwy/foreach_target.h>

#include <libscan/cpu/vector_dispatch.hpp>
#include <libscan/cpu/vector_scan-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

void choose_widening_scans(vector_widening_scans& all) { choose(all); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

LIBSCAN_VECTOR_TABLE(vector_widening_scans, choose_widening_scans)

}  // namespace libscan::inline v1::cpu::detail
#endif
