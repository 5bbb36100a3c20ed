// SPDX-License-Identifier: Apache-2.0
// The vector code of vector_predicate.hpp, through Highway: one comparison of a vector with either
// end of an interval, and a byte for each lane of the result.
#include <apps/filter/cpu/vector_predicate.hpp>

#include <algorithm>
#include <type_traits>

#include <libscan/cpu/vector_targets.hpp>
#include <libscan/host/input_types.hpp>

#define HWY_TARGET_INCLUDE "apps/filter/cpu/vector_predicate.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <libscan/cpu/vector_compare-inl.hpp>
#include <libscan/cpu/vector_dispatch.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// All lanes, or none.
template <class D>
HWY_INLINE hn::Mask<D> mask_of(D d, bool all) {
  return hn::Eq(hn::Set(d, hn::TFromD<D>(all ? 1 : 0)), hn::Set(d, hn::TFromD<D>(1)));
}

/// The lanes of x that pass the test.
template <class D, class T>
HWY_INLINE hn::Mask<D> passing(D d, in_interval<T> const& test, hn::Vec<D> x) {
  auto const lo = hn::Set(d, test.lo), hi = hn::Set(d, test.hi);
  if constexpr (std::is_integral_v<T>) {
    auto const y = hn::And(x, hn::Set(d, test.mask));
    auto const beside = hn::Or(hn::Lt(y, lo), hn::Gt(y, hi));
    return hn::Xor(beside, mask_of(d, !test.outside));
  } else {
    auto const from_lo = less_or_equal(d, lo, x), to_hi = less_or_equal(d, x, hi);
    auto const number = hn::Or(from_lo, to_hi);
    auto const kept = hn::Xor(hn::And(from_lo, to_hi), mask_of(d, test.outside));
    return hn::Or(hn::And(number, kept), hn::AndNot(number, mask_of(d, test.keeps_nan)));
  }
}

/// 1 or 0 for each lane, as bytes.
template <class D>
HWY_INLINE void store(hn::Mask<D> m, std::uint8_t* flags) {
  hn::RebindToUnsigned<D> const bits;
  hn::Rebind<std::uint8_t, D> const bytes;
  using word = hn::TFromD<decltype(bits)>;
  auto const ones = hn::IfThenElseZero(hn::RebindMask(bits, m), hn::Set(bits, word{1}));
  if constexpr (sizeof(word) == 1) {
    hn::StoreU(ones, bytes, flags);
  } else {
    hn::StoreU(hn::TruncateTo(bytes, ones), bytes, flags);
  }
}

template <class T>
void mark(in_interval<T> const& test, T const* items, index_t n, std::uint8_t* flags) {
  using lanes = hn::ScalableTag<T>;
  lanes const d;
  auto const width = static_cast<index_t>(hn::Lanes(d));
  auto const fixed = test;  // flags, which are bytes, might overwrite the caller's
  index_t i = 0;
  for (; i + width <= n; i += width) {
    store<lanes>(passing(d, fixed, hn::LoadU(d, items + i)), flags + i);
  }
  if (i == n) return;
  // By the same comparisons: compilers make vectors of quiet ones that set flags for NaN.
  T rest[HWY_MAX_BYTES / sizeof(T)] = {};
  std::uint8_t of_rest[HWY_MAX_BYTES / sizeof(T)];
  std::copy_n(items + i, n - i, rest);
  store<lanes>(passing(d, fixed, hn::LoadU(d, rest)), of_rest);
  std::copy_n(of_rest, n - i, flags + i);
}

void choose_all(interval_markers& all) {
  all = {mark<std::int8_t>,  mark<std::uint8_t>,  mark<std::int16_t>, mark<std::uint16_t>,
         mark<std::int32_t>, mark<std::uint32_t>, mark<std::int64_t>, mark<std::uint64_t>,
         mark<float>,        mark<double>};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu {
namespace detail {

HWY_EXPORT(choose_all);

interval_markers current_interval_markers() {
  interval_markers current;
  LIBSCAN_BEST_VERSION(choose_all)(current);
  return current;
}

namespace {

/// For types without vector code.
template <class T>
void mark_each(in_interval<T> const& test, T const* items, index_t n, std::uint8_t* flags) {
  auto const fixed = test;  // flags, which are bytes, might overwrite the caller's
  for (index_t k = 0; k < n; ++k) flags[k] = fixed(items[k]) ? 1 : 0;
}

template <class T>
interval_marker<T> best_interval_marker() {
  if constexpr (half_float<T>) {
    return mark_each<T>;
  } else {
    static auto const best = current_interval_markers();
    return std::get<interval_marker<T>>(best);
  }
}

}  // namespace
}  // namespace detail

template <class T>
bool keep_predicate<T>::mark(index_t begin, index_t items, std::uint8_t* flags) const {
  using operation = typename predicate_program<T>::operation;
  auto const mark_interval = detail::best_interval_marker<T>();
  if (keep->is_interval()) {
    mark_interval(keep->interval(), in + begin, items, flags);
    return true;
  }
  // Like predicate_program, but with the bools of a block of items instead of one.
  constexpr int max_depth = predicate_program<T>::max_steps / 2 + 1;
  std::uint8_t stack[max_depth][mark_items];
  int size = 0;
  auto const& program = keep->program();
  for (int s = 0; s < program.size(); ++s) {
    std::uint8_t* const top = size > 0 ? stack[size - 1] : nullptr;
    std::uint8_t* const below = size > 1 ? stack[size - 2] : nullptr;
    switch (program[s].what) {
      case operation::test:
        mark_interval(program[s].interval, in + begin, items, stack[size++]);
        break;
      case operation::conjunction:
        for (index_t k = 0; k < items; ++k) below[k] &= top[k];
        --size;
        break;
      case operation::disjunction:
        for (index_t k = 0; k < items; ++k) below[k] |= top[k];
        --size;
        break;
      case operation::negation:
        for (index_t k = 0; k < items; ++k) top[k] ^= 1;
        break;
    }
  }
  std::copy_n(stack[0], items, flags);
  return true;
}

#define LIBSCAN_INSTANTIATE(name, T) template struct keep_predicate<T>;
LIBSCAN_INPUT_TYPES(LIBSCAN_INSTANTIATE)
#undef LIBSCAN_INSTANTIATE

}  // namespace libscan::inline v1::cpu
#endif
