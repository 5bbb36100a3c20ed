// SPDX-License-Identifier: Apache-2.0
// Items that fill no power of two of bytes, under operators that do not commute: 3 bytes and 24.
#pragma once

#include <cstdint>
#include <vector>

#include <tests/support/operators.hpp>

namespace libscan::test {

/// Where a permutation of three things takes each of them. 3 bytes.
struct permutation {
  std::uint8_t to[3];
  bool operator==(permutation const&) const = default;
};

/// One permutation after the other.
struct permute {
  using value_type = permutation;
  LIBSCAN_HOST_DEVICE static constexpr permutation identity() { return {{0, 1, 2}}; }
  LIBSCAN_HOST_DEVICE constexpr permutation operator()(permutation earlier,
                                                       permutation later) const {
    return {{later.to[earlier.to[0]], later.to[earlier.to[1]], later.to[earlier.to[2]]}};
  }
};

/// The map x -> scale * x + offset over wrapping 64-bit words, and of how many maps it is made. 24
/// bytes.
struct long_affine {
  std::uint64_t scale;
  std::uint64_t offset;
  std::int64_t maps;
  bool operator==(long_affine const&) const = default;
};

/// Composition: the earlier map is applied first.
struct long_compose {
  using value_type = long_affine;
  LIBSCAN_HOST_DEVICE static constexpr long_affine identity() { return {1, 0, 0}; }
  LIBSCAN_HOST_DEVICE constexpr long_affine operator()(long_affine earlier,
                                                       long_affine later) const {
    return {later.scale * earlier.scale, later.scale * earlier.offset + later.offset,
            earlier.maps + later.maps};
  }
};

static_assert(sizeof(permutation) == 3 && sizeof(interval) == 16 && sizeof(long_affine) == 24);

template <>
inline std::vector<permutation> make_items<permutation>(index_t n, std::uint64_t stream) {
  static constexpr permutation all[] = {{{0, 1, 2}}, {{0, 2, 1}}, {{1, 0, 2}},
                                        {{1, 2, 0}}, {{2, 0, 1}}, {{2, 1, 0}}};
  random_words words(stream);
  std::vector<permutation> items;
  for (index_t k = 0; k < n; ++k) items.push_back(all[words.below(6)]);
  return items;
}

template <>
inline std::vector<long_affine> make_items<long_affine>(index_t n, std::uint64_t stream) {
  random_words words(stream);
  std::vector<long_affine> items;
  for (index_t k = 0; k < n; ++k) items.push_back({words() | 1U, words(), 1});
  return items;
}

}  // namespace libscan::test
