// SPDX-License-Identifier: Apache-2.0
// Bank conflicts of Blelloch's scan, counted as the literature claims them (Harris, Sengupta &
// Owens 2007): plain, and with the index padded by n >> log2(banks).
#include <cmath>

#include <libscan/core/types.hpp>
#include <tests/simt/racecheck/finding.hpp>

namespace libscan::test {

namespace {

/// How an item's place in shared memory is padded.
enum class padding { none, once, twice };

template <padding Padding, int LogBanks>
__device__ int padded(int n) {
  if constexpr (Padding == padding::none) return n;
  if constexpr (Padding == padding::once) return n + (n >> LogBanks);
  return n + (n >> LogBanks) + (n >> (2 * LogBanks));
}

/// Work-efficient exclusive scan of 2 * blockDim.x items in place, by up- and down-sweep. Of the
/// paper's Listing 2, with the earlier operand first.
template <padding Padding, int LogBanks>
struct blelloch_kernel {
  __device__ void operator()(int* data, int n) const {
    int* const item = simt::dynamic_shared<int>();
    int const thread = static_cast<int>(threadIdx.x);
    auto const at = [](int i) { return padded<Padding, LogBanks>(i); };
    item[at(thread)] = data[thread];
    item[at(thread + n / 2)] = data[thread + n / 2];
    int offset = 1;  //: sweeps begin
    for (int pairs = n / 2; pairs > 0; pairs /= 2, offset *= 2) {
      simt::sync_block();
      if (thread < pairs) {
        int const left = at(offset * (2 * thread + 1) - 1);
        int const right = at(offset * (2 * thread + 2) - 1);
        item[right] = item[left] + item[right];
      }
    }
    simt::sync_block();
    if (thread == 0) item[at(n - 1)] = 0;
    for (int pairs = 1; pairs < n; pairs *= 2) {
      offset /= 2;
      simt::sync_block();
      if (thread < pairs) {
        int const left = at(offset * (2 * thread + 1) - 1);
        int const right = at(offset * (2 * thread + 2) - 1);
        int const total = item[left];
        item[left] = item[right];
        item[right] = item[right] + total;
      }
    }
    simt::sync_block();  //: sweeps end
    data[thread] = item[at(thread)];
    data[thread + n / 2] = item[at(thread + n / 2)];
  }
};

/// What the sweeps over n ones cost shared memory.
template <padding Padding, int LogBanks>
simt::executor::line_counts cost(int n) {
  simt::executor::counts counts;
  simt::executor::settings how;
  how.count = &counts;
  how.shared_banks = 1 << LogBanks;
  std::vector<int> data(static_cast<std::size_t>(n), 1);
  using kernel = blelloch_kernel<Padding, LogBanks>;
  auto const launch = [&] {
    simt::launch<kernel>(
        {.blocks = 1, .threads = static_cast<unsigned>(n / 2), .dynamic_shared_bytes = 16 * 1024},
        data.data(), n);
  };
  REQUIRE(error_of(launch, how) == "");
  for (int i = 0; i < n; ++i) REQUIRE(data[static_cast<std::size_t>(i)] == i);
  int const begin = line_marked(__FILE__, "sweeps begin"),
            end = line_marked(__FILE__, "sweeps end");
  simt::executor::line_counts sum;
  for (auto const& [at, count] : counts.by_line) {
    if (at.line > begin && at.line < end) sum += count;
  }
  return sum;
}

/// Wavefronts in a hundred ideal ones, rounded.
long percent(simt::executor::line_counts const& c) {
  return std::lround(100.0 * static_cast<double>(c.shared_wavefronts) /
                     static_cast<double>(c.shared_ideal));
}

}  // namespace

TEST_CASE("16 banks, 512 items: up to 16-way conflicts, nearly none with padding") {
  auto const plain = cost<padding::none, 4>(512);
  CHECK(plain.shared_worst == 16);
  CHECK(percent(plain) == 453);
  auto const once = cost<padding::once, 4>(512);
  CHECK(percent(once) == 111);
  auto const twice = cost<padding::twice, 4>(512);
  CHECK(percent(twice) == 100);
}

TEST_CASE("32 banks: padding once suffices up to 1024 items") {
  for (int const n : {64, 128, 256, 512, 1024}) {
    INFO(n);
    CHECK(percent(cost<padding::once, 5>(n)) == 100);
  }
  CHECK(percent(cost<padding::once, 5>(2048)) == 107);
  CHECK(percent(cost<padding::twice, 5>(2048)) == 100);
}

}  // namespace libscan::test
