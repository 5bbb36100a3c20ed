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

HWY_EXPORT(choose_scans);

vector_scans current_vector_scans() {
  vector_scans current;
  LIBSCAN_BEST_VERSION(choose_scans)(current);
  return current;
}

vector_scans const& best_vector_scans() {
  static vector_scans const best = current_vector_scans();
  return best;
}

}  // namespace libscan::inline v1::cpu::detail
#endif
