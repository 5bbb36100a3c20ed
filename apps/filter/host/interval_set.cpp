// SPDX-License-Identifier: Apache-2.0
// The algebra of interval sets.
#include <apps/filter/host/interval_set.hpp>

#include <algorithm>

namespace libscan::inline v1::detail {

interval_set interval_set::complement() const {
  interval_set result(last_, !nan_);
  ordinal_t next = 0;  // first place not yet decided
  for (auto const& taken : intervals_) {
    if (taken.first > next) result.intervals_.push_back({next, taken.first - 1});
    if (taken.last == last_) return result;
    next = taken.last + 1;
  }
  result.intervals_.push_back({next, last_});
  return result;
}

interval_set interval_set::intersection(interval_set const& other) const {
  interval_set result(last_, nan_ && other.nan_);
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    ordinal_t const first = std::max(a->first, b->first);
    ordinal_t const last = std::min(a->last, b->last);
    if (first <= last) result.intervals_.push_back({first, last});
    if (a->last < b->last) {
      ++a;
    } else {
      ++b;
    }
  }
  return result;
}

interval_set interval_set::union_with(interval_set const& other) const {
  return complement().intersection(other.complement()).complement();
}

}  // namespace libscan::inline v1::detail
