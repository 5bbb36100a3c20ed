// SPDX-License-Identifier: Apache-2.0
// Vector code for scans of items of the operator's own type.
#include <libscan/cpu/vector_scan.hpp>

#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "libscan/cpu/vector_scan.cpp"
#include <hwy/foreach_target.h>

#include <libscan/cpu/vector_dispatch.hpp>
#include <libscan/cpu/vector_scan-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

void choose_scans(vector_scans& all) { choose(all); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

LIBSCAN_VECTOR_TABLE(vector_scans, choose_scans)

}  // namespace libscan::inline v1::cpu::detail
#endif
