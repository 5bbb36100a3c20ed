// SPDX-License-Identifier: Apache-2.0
// The vector code of vector_places.hpp, through Highway: the rules' find(), for each lane.
#include <apps/histogram/cpu/vector_places.hpp>

#include <limits>

// Vectors of 64 bytes would be slower (see `lanes`).
#define LIBSCAN_VECTORS_UP_TO_AVX2
#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "apps/histogram/cpu/vector_places.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <libscan/cpu/vector_compare-inl.hpp>
#include <libscan/cpu/vector_dispatch.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of at most 32 bytes: places are read again one by one, which wider stores delay.
template <class Lane>
using lanes = hn::CappedTag<Lane, 32 / sizeof(Lane)>;

/// The type in which samples are compared: few instruction sets compare anything narrower than
/// words.
template <class Sample>
using word_of =
    std::conditional_t<sizeof(Sample) != 2, Sample,
                       std::conditional_t<std::is_signed_v<Sample>, std::int32_t, std::uint32_t>>;

template <class D, class Sample>
HWY_INLINE hn::Vec<D> load(D d, Sample const* samples) {
  auto const v = hn::LoadU(hn::Rebind<Sample, D>(), samples);
  if constexpr (std::is_same_v<hn::TFromD<D>, Sample>) {
    return v;
  } else if constexpr (std::is_same_v<Sample, std::uint32_t>) {
    // Few instruction sets convert unsigned words: half the range is subtracted and added again.
    hn::Rebind<std::int32_t, D> const words;
    auto const lower =
        hn::Xor(hn::BitCast(words, v), hn::Set(words, std::numeric_limits<int>::min()));
    return hn::Add(hn::PromoteTo(d, lower), hn::Set(d, 0x1p31));
  } else {
    return hn::PromoteTo(d, v);
  }
}

/// All are inside if no distance from the first bin exceeds that of the last.
template <class Sample>
bool all_inside(integer_bins<Sample> const& rule, Sample const* samples) {
  lanes<Sample> const d;
  hn::RebindToUnsigned<decltype(d)> const distances;
  auto const first = hn::Set(d, rule.first());
  auto farthest = hn::Zero(distances);
  for (index_t i = 0; i < histogram_block; i += static_cast<index_t>(hn::Lanes(d))) {
    auto const x = hn::LoadU(d, samples + i);
    farthest = hn::Max(farthest, hn::BitCast(distances, hn::Sub(x, first)));
  }
  auto const max_distance = hn::BitCast(distances, hn::Sub(hn::Set(d, rule.last()), first));
  return hn::AllTrue(distances, hn::Eq(hn::Max(farthest, max_distance), max_distance));
}

/// Places of integer bins: a sample is below or above all, or its place is its distance from the
/// first.
template <class Sample>
void find_places(integer_bins<Sample> const& rule, Sample const* samples, int* places) {
  using word = word_of<Sample>;
  lanes<word> const d;
  hn::Rebind<std::int32_t, decltype(d)> const ints;
  auto const first = hn::Set(d, rule.first()), last = hn::Set(d, rule.last());
  if constexpr (sizeof(word) == 4) {
    // Usually a whole block is inside the bins, and distances are places.
    hn::RebindToUnsigned<decltype(d)> const distances;
    auto farthest = hn::Zero(distances);
    for (index_t i = 0; i < histogram_block; i += static_cast<index_t>(hn::Lanes(d))) {
      auto const distance = hn::BitCast(distances, hn::Sub(load(d, samples + i), first));
      farthest = hn::Max(farthest, distance);
      hn::StoreU(hn::BitCast(ints, distance), ints, places + i);
    }
    auto const max_distance = hn::BitCast(distances, hn::Sub(last, first));
    if (hn::AllTrue(distances, hn::Eq(hn::Max(farthest, max_distance), max_distance))) return;
  }
  auto const below = hn::Set(d, static_cast<word>(rule.bins() + place_below));
  auto const above = hn::Set(d, static_cast<word>(rule.bins() + place_above));
  for (index_t i = 0; i < histogram_block; i += static_cast<index_t>(hn::Lanes(d))) {
    auto const x = load(d, samples + i);
    auto const up_to_last = hn::IfThenElse(hn::Gt(x, last), above, hn::Sub(x, first));
    auto const place = hn::IfThenElse(hn::Lt(x, first), below, up_to_last);
    if constexpr (sizeof(word) == 4) {
      hn::StoreU(hn::BitCast(ints, place), ints, places + i);
    } else {
      hn::RebindToUnsigned<decltype(d)> const wide;
      hn::Rebind<std::uint32_t, decltype(d)> const narrow;
      auto const low = hn::TruncateTo(narrow, hn::BitCast(wide, place));
      hn::StoreU(hn::BitCast(ints, low), ints, places + i);
    }
  }
}

/// Places of even bins by the estimate, all in doubles, which represent the samples exactly.
template <class Sample>
void find_places(even_bins<Sample> const& rule, Sample const* samples, int* places) {
  lanes<double> const d;
  hn::Rebind<std::int32_t, decltype(d)> const ints;
  auto const form = rule.proven_form();
  auto const set = [d](auto x) HWY_ATTR { return hn::Set(d, static_cast<double>(x)); };
  auto const base = set(form.line.base), scale = set(form.line.scale), top = set(form.line.last);
  auto const first = set(form.first), last = set(form.last), begin = set(form.begin);
  auto const below = set(rule.bins() + place_below),
             other_outside = set(rule.bins() + form.other_outside),
             nan = set(rule.bins() + place_nan);
  for (index_t i = 0; i < histogram_block; i += static_cast<index_t>(hn::Lanes(d))) {
    auto const x = load(d, samples + i);
    auto const inside = hn::And(less_or_equal(d, first, x), less_or_equal(d, x, last));
    // With other samples arithmetic could set floating-point flags.
    auto const sample = hn::IfThenElseZero(inside, x);
    auto const bin = hn::Min(hn::Mul(hn::Sub(sample, base), scale), top);
    auto const number = hn::IfThenElse(less(d, x, begin), below, other_outside);
    auto const outside = hn::IfThenElse(hn::IsNaN(x), nan, number);
    hn::StoreU(hn::DemoteTo(ints, hn::IfThenElse(inside, bin, outside)), ints, places + i);
  }
}

void choose_finders(place_finders& all) {
  all = {find_places<std::int16_t>,  find_places<std::uint16_t>, find_places<std::int32_t>,
         find_places<std::uint32_t>, find_places<std::int64_t>,  find_places<std::uint64_t>,
         find_places<std::int32_t>,  find_places<std::uint32_t>, find_places<float>,
         find_places<double>};
}

void choose_checks(inside_checks& all) {
  all = {all_inside<std::int16_t>,  all_inside<std::uint16_t>, all_inside<std::int32_t>,
         all_inside<std::uint32_t>, all_inside<std::int64_t>,  all_inside<std::uint64_t>};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

HWY_EXPORT(choose_finders);
HWY_EXPORT(choose_checks);

place_finders current_place_finders() {
  place_finders current;
  LIBSCAN_BEST_VERSION(choose_finders)(current);
  return current;
}

inside_checks current_inside_checks() {
  inside_checks current;
  LIBSCAN_BEST_VERSION(choose_checks)(current);
  return current;
}

place_finders const& best_place_finders() {
  static place_finders const best = current_place_finders();
  return best;
}

inside_checks const& best_inside_checks() {
  static inside_checks const best = current_inside_checks();
  return best;
}

}  // namespace libscan::inline v1::cpu::detail
#endif
