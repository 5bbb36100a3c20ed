// SPDX-License-Identifier: Apache-2.0
// Comparisons of vectors that set no floating-point flags: false where either lane is NaN. AVX and
// later sets of x86 have such instructions, and Highway takes them; those of SSE and of Arm set
// flags, so NaNs are taken out first. Included once for each instruction set, as Highway's -inl
// headers are.

#if defined(LIBSCAN_CPU_VECTOR_COMPARE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIBSCAN_CPU_VECTOR_COMPARE_INL
#undef LIBSCAN_CPU_VECTOR_COMPARE_INL
#else
#define LIBSCAN_CPU_VECTOR_COMPARE_INL
#endif

#include <type_traits>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#undef LIBSCAN_QUIET_COMPARISONS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // a lower number is a later instruction set
#define LIBSCAN_QUIET_COMPARISONS true
#else
#define LIBSCAN_QUIET_COMPARISONS false
#endif

/// compare(a, b) where both are numbers.
template <class D, class Compare>
HWY_INLINE hn::Mask<D> compare_numbers(D, hn::Vec<D> a, hn::Vec<D> b, Compare compare) {
  if constexpr (LIBSCAN_QUIET_COMPARISONS || std::is_integral_v<hn::TFromD<D>>) {
    return compare(a, b);
  } else {
    auto const numbers = hn::And(hn::Eq(a, a), hn::Eq(b, b));
    return hn::And(numbers,
                   compare(hn::IfThenElseZero(numbers, a), hn::IfThenElseZero(numbers, b)));
  }
}

/// a < b.
template <class D>
HWY_INLINE hn::Mask<D> less(D d, hn::Vec<D> a, hn::Vec<D> b) {
  return compare_numbers(d, a, b, [](auto x, auto y) HWY_ATTR { return hn::Lt(x, y); });
}

/// a <= b.
template <class D>
HWY_INLINE hn::Mask<D> less_or_equal(D d, hn::Vec<D> a, hn::Vec<D> b) {
  return compare_numbers(d, a, b, [](auto x, auto y) HWY_ATTR { return hn::Le(x, y); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();
#endif
