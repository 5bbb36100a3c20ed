// SPDX-License-Identifier: Apache-2.0
// Segments in every form in which the CPU's calls take them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include <libscan/cpu/segment_readers.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/segments.hpp>

namespace libscan::test {

/// A key that knows which item it is of.
struct numbered_key {
  index_t item;
  int key;
  bool operator==(numbered_key const&) const = default;
};

/// Whether keys are the same; no, if they are not neighbors in their order.
struct same_key {
  bool operator()(numbered_key earlier, numbered_key later) const {
    return later.item == earlier.item + 1 && earlier.key == later.key;
  }
};

/// Calls `use(heads, name)` with the same offsets as integers of type `Offset`, if those can hold
/// them.
template <class Offset, class Use>
void use_offsets(std::vector<index_t> const& offsets, char const* name, Use use) {
  if (offsets.back() > static_cast<index_t>(std::numeric_limits<Offset>::max() / 2)) return;
  std::vector<Offset> const converted(offsets.begin(), offsets.end());
  use(segment_offsets{converted.data(), static_cast<index_t>(offsets.size()) - 1}, name);
}

/// Calls `use(heads, name)` with the segments between offsets in every form that may hold empty
/// ones.
template <class Use>
void for_each_offsets(std::vector<index_t> const& offsets, Use use) {
  use_offsets<index_t>(offsets, "offsets", use);
  use_offsets<std::uint32_t>(offsets, "unsigned 32-bit offsets", use);
  use_offsets<std::uint8_t>(offsets, "8-bit offsets", use);
  if constexpr (!quick_types) {
    use_offsets<std::uint64_t>(offsets, "unsigned offsets", use);
    use_offsets<std::int32_t>(offsets, "32-bit offsets", use);
    use_offsets<std::int16_t>(offsets, "16-bit offsets", use);
  }
}

/// Calls `use(heads, name)` with those of the segments that are not empty, in every other form.
/// What flags and bits say of item 0 and after the last is wrong, and must not matter.
template <class Use>
void for_each_heads(std::vector<index_t> const& offsets, Use use) {
  auto flags = flags_of(offsets);
  auto const keys = keys_of<float>(flags);
  std::deque<float> const far_keys(keys.begin(), keys.end());
  std::vector<numbered_key> numbered;
  for (float const key : keys) {
    numbered.push_back({static_cast<index_t>(numbered.size()), static_cast<int>(key)});
  }
  if (!flags.empty()) flags[0] = 0;
  auto const bits = bits_of(flags);
  use(head_flags{flags.data()}, "flags");
  use(head_bits{bits.data()}, "bits");
  use(segment_keys{keys.data()}, "keys");
  use(segment_keys{far_keys.begin()}, "keys by an iterator");
  use(segment_keys{numbered.data(), same_key{}}, "keys of a relation");
}

/// Offsets of n items in segments of one length, and with one exception: an empty segment or one of
/// twice the length, at either end or in the middle.
inline std::vector<std::vector<index_t>> nearly_equal_offsets(index_t n, index_t length) {
  std::vector<index_t> equal{0};
  while (equal.back() < n) equal.push_back(std::min(equal.back() + length, n));
  std::vector<std::vector<index_t>> all{equal};
  auto const segments = static_cast<std::ptrdiff_t>(equal.size()) - 1;
  for (std::ptrdiff_t const at :
       {std::ptrdiff_t{0}, std::ptrdiff_t{1}, segments / 2, segments - 2, segments}) {
    all.push_back(equal);
    all.back().insert(all.back().begin() + at, equal[static_cast<std::size_t>(at)]);
    if (at == 0 || at == segments) continue;
    all.push_back(equal);
    all.back().erase(all.back().begin() + at);
  }
  return all;
}

/// Calls `use(heads, offsets)` with n items in segments of one length, many lengths.
template <class Use>
void for_each_length(index_t n, Use use) {
  for (index_t const length :
       {index_t{1}, index_t{2}, index_t{3}, index_t{31}, index_t{63}, index_t{64}, index_t{65},
        index_t{100}, index_t{5000}, index_t{1} << 40, std::numeric_limits<index_t>::max()}) {
    std::vector<index_t> offsets{0};
    while (offsets.back() < n) {
      offsets.push_back(offsets.back() + std::min(length, n - offsets.back()));
    }
    use(equal_segments{length}, offsets);
  }
}

}  // namespace libscan::test
