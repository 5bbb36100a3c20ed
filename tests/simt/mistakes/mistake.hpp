// SPDX-License-Identifier: Apache-2.0
// A mistake planted in a kernel, its correct twin, and which checks must find it.
#pragma once

#include <array>
#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include <libscan/simt/simt.cuh>
#include <tests/support/device_buffer.hpp>

namespace libscan::test {

enum class variant { correct, planted };

/// What finds a mistake. `seeded` and `race` say in how many of 20 seeds at least; 0: no promise.
struct findings {
  bool fixed = false;  ///< the fixed order, by an error or a wrong result
  int seeded = 0;
  int race = 0;       ///< seeded, in the racecheck build
  bool asan = false;  ///< ASan and UBSan (clang++)
  bool tsan = false;  ///< TSan (clang++)
};

struct mistake {
  std::string name;
  bool (*correct)() =
      nullptr;  ///< launches under the settings in force; whether the result is right
  bool (*planted)() = nullptr;
  findings found_by;
  /// What the executor's error must say, if it reports one; "@0", "@1" stand for the lines that
  /// the kernel noted.
  std::vector<std::string> says;
  bool only_checked = false;  ///< run only by a build that finds it: anything may happen elsewhere
};

/// Lines of a kernel that messages must name. A kernel sets them: `noted_line[0] = __LINE__ + 1;`
/// before the call in question.
inline std::array<std::atomic<int>, 2> noted_line;

inline std::vector<int> iota(std::size_t n) {
  std::vector<int> items(n);
  std::iota(items.begin(), items.end(), 0);
  return items;
}

std::vector<mistake> barrier_mistakes();
std::vector<mistake> cluster_mistakes();
std::vector<mistake> warp_mistakes();
std::vector<mistake> memory_mistakes();
std::vector<mistake> lookback_mistakes();
std::vector<mistake> bulk_copy_mistakes();
std::vector<mistake> source_mistakes();

}  // namespace libscan::test
