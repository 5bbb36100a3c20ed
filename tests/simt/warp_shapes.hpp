// SPDX-License-Identifier: Apache-2.0
// Blocks with whole and partial warps, and warps split into groups: what the tests of warp
// intrinsics run through.
#pragma once

#include <algorithm>
#include <string>

#include <libscan/simt/simt.cuh>

namespace libscan::test {

/// The threads of a block.
struct block_shape {
  unsigned x, y, z;
  int size() const { return static_cast<int>(x * y * z); }
};

/// Whole warps, partial warps, several dimensions.
inline constexpr block_shape shapes[] = {{1, 1, 1},   {7, 1, 1}, {32, 1, 1}, {33, 1, 1},
                                         {100, 1, 1}, {8, 5, 1}, {3, 4, 6}};

/// How the lanes of a warp split into groups that call on their own.
enum class split { none, halves, odd_even, thirds, quarters };
inline constexpr split splits[] = {split::none, split::halves, split::odd_even, split::thirds,
                                   split::quarters};
inline constexpr int max_groups = 4;

/// The group that `lane` belongs to.
__host__ __device__ inline int group_of(split how, int lane) {
  switch (how) {
    case split::halves:
      return lane / 16;
    case split::odd_even:
      return lane % 2;
    case split::thirds:
      return lane % 3;
    case split::quarters:
      return lane / 8;
    default:
      return 0;
  }
}

/// All lanes of a group.
__host__ __device__ inline unsigned mask_of(split how, int group) {
  unsigned mask = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (group_of(how, lane) == group) mask |= 1u << lane;
  }
  return mask;
}

/// A number that shares nothing with n.
__host__ __device__ inline unsigned scramble(unsigned n) {
  n = (n ^ 61u) ^ (n >> 16);
  n *= 9u;
  n ^= n >> 4;
  n *= 0x27d4eb2du;
  return n ^ (n >> 15);
}

/// The lanes of a split group that exist in the warp of thread `rank`.
inline unsigned members(split how, int rank, int size) {
  unsigned const mask = mask_of(how, group_of(how, rank % 32));
  int const in_warp = std::min(32, size - rank / 32 * 32);
  return in_warp == 32 ? mask : mask & ((1u << in_warp) - 1u);
}

/// For messages of failed tests.
inline std::string words(block_shape shape, split how, int rank) {
  return "block " + std::to_string(shape.x) + "x" + std::to_string(shape.y) + "x" +
         std::to_string(shape.z) + ", split " + std::to_string(static_cast<int>(how)) +
         ", thread " + std::to_string(rank);
}

}  // namespace libscan::test
