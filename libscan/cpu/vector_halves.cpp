// SPDX-License-Identifier: Apache-2.0
// The code of vector_halves.hpp, through Highway: the steps of libscan/core/half.hpp, lane by lane.
// Conversion instructions would treat NaNs differently, and not all instruction sets have them.
#include <libscan/cpu/vector_halves.hpp>

#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "libscan/cpu/vector_halves.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <libscan/cpu/vector_dispatch.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using floats = hn::CappedTag<float, 16>;
using words = hn::Rebind<std::int32_t, floats>;
using halves = hn::Rebind<std::uint16_t, floats>;
using float_vector = hn::Vec<floats>;
using word_vector = hn::Vec<words>;

HWY_INLINE word_vector all(std::int32_t word) { return hn::Set(words(), word); }

/// The floats of halves whose bits these are.
HWY_INLINE float_vector widened(float16, word_vector half) {
  constexpr std::int32_t bias = 112 << 23;
  auto const magnitude = hn::And(half, all(0x7fff));
  auto const sign = hn::ShiftLeft<16>(hn::And(half, all(0x8000)));
  auto const normal =
      hn::Add(hn::ShiftLeft<13>(magnitude),
              hn::IfThenElse(hn::Lt(magnitude, all(0x7c00)), all(bias), all(2 * bias)));
  auto const small = hn::BitCast(
      words(), hn::Mul(hn::ConvertTo(floats(), magnitude), hn::Set(floats(), 0x1p-24F)));
  auto const finite = hn::IfThenElse(hn::Lt(magnitude, all(0x400)), small, normal);
  return hn::BitCast(floats(), hn::Or(sign, finite));
}
HWY_INLINE float_vector widened(bfloat16, word_vector half) {
  return hn::BitCast(floats(), hn::ShiftLeft<16>(half));
}

/// The bits of the halves nearest to floats.
HWY_INLINE word_vector narrowed(float16, float_vector number) {
  auto const bits = hn::BitCast(words(), number);
  auto const magnitude = hn::And(bits, all(0x7fffffff));
  auto const odd = hn::And(hn::ShiftRight<13>(magnitude), all(1));
  auto const normal = hn::ShiftRight<13>(hn::Add(magnitude, hn::Sub(odd, all(0x37fff001))));
  auto const sum = hn::Add(hn::BitCast(floats(), magnitude), hn::Set(floats(), 0.5F));
  auto const small = hn::Sub(hn::BitCast(words(), sum), all(0x3f000000));
  auto const finite = hn::IfThenElse(hn::Lt(magnitude, all(0x38800000)), small, normal);
  auto const large = hn::IfThenElse(hn::Gt(magnitude, all(0x7f800000)), all(0x7e00), all(0x7c00));
  auto const rounded = hn::IfThenElse(hn::Lt(magnitude, all(0x477ff000)), finite, large);
  return hn::Or(hn::And(hn::ShiftRight<16>(bits), all(0x8000)), rounded);
}
HWY_INLINE word_vector narrowed(bfloat16, float_vector number) {
  auto const bits = hn::BitCast(words(), number);
  auto const upper = hn::ShiftRight<16>(bits);
  // Only NaNs would carry into the sign; they are handled separately.
  auto const sum = hn::Add(bits, hn::Add(all(0x7fff), hn::And(upper, all(1))));
  auto const nan = hn::Gt(hn::And(bits, all(0x7fffffff)), all(0x7f800000));
  return hn::IfThenElse(nan, hn::Or(upper, all(0x40)), hn::ShiftRight<16>(sum));
}

template <class Half>
void widen(Half const* items, index_t n, float* to) {
  constexpr auto width = static_cast<index_t>(hn::MaxLanes(floats()));
  auto const* const from = reinterpret_cast<std::uint16_t const*>(items);
  index_t i = 0;
  for (; i + width <= n; i += width) {
    auto const words_here = hn::PromoteTo(words(), hn::LoadU(halves(), from + i));
    hn::StoreU(widened(Half{}, words_here), floats(), to + i);
  }
  for (; i < n; ++i) to[i] = static_cast<float>(items[i]);
}

template <class Half>
void narrow(float const* items, index_t n, Half* to) {
  constexpr auto width = static_cast<index_t>(hn::MaxLanes(floats()));
  auto* const bits = reinterpret_cast<std::uint16_t*>(to);
  hn::Rebind<std::uint32_t, floats> const whole;
  index_t i = 0;
  for (; i + width <= n; i += width) {
    auto const half = hn::BitCast(whole, narrowed(Half{}, hn::LoadU(floats(), items + i)));
    hn::StoreU(hn::TruncateTo(halves(), half), halves(), bits + i);
  }
  for (; i < n; ++i) to[i] = items[i];
}

void choose_halves(vector_halves& all) {
  all = {{widen<float16>, narrow<float16>}, {widen<bfloat16>, narrow<bfloat16>}};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

LIBSCAN_VECTOR_TABLE(vector_halves, choose_halves)

}  // namespace libscan::inline v1::cpu::detail
#endif
