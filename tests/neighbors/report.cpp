// SPDX-License-Identifier: Apache-2.0
// The report of the libscan this is compiled with, by whichever name LIBSCAN_REPORT gives it.
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <libscan/buffer.cuh>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <tests/neighbors/report.hpp>

#ifndef __CUDACC__
#include <libscan/cpu/scan.hpp>
#endif

using namespace libscan;

namespace {

using item = unsigned;

/// How many items differ from the sums of 0, 1, 2, ...
int wrong_items(std::vector<item> const& sums) {
  int wrong = 0;
  item expected = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    expected += static_cast<item>(i);
    if (sums[i] != expected) ++wrong;
  }
  return wrong;
}

template <class Tuning>
int wrong_of_device(std::vector<item> const& items) {
  auto const n = static_cast<index_t>(items.size());
  device::buffer<item> const in{std::span<item const>(items)};
  device::buffer<item> const out(n);
  workspace ws;
  inclusive_scan<Tuning>(ws, static_cast<item const*>(in.data()), out.data(), n, plus<item>{});
  std::vector<item> sums(items.size());
  out.read_sync(sums.data(), n);
  return wrong_items(sums);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void LIBSCAN_REPORT(neighbors::report* result) {
  std::vector<item> items(50021);
  std::iota(items.begin(), items.end(), item{0});
  result->wrong_items =
      wrong_of_device<void>(items) + wrong_of_device<look_back_tuning<item>>(items);
#ifndef __CUDACC__
  std::vector<item> sums(items.size());
  cpu::inclusive_scan(2, items.begin(), sums.begin(), static_cast<index_t>(items.size()),
                      plus<item>{}, item{0});
  result->wrong_items += wrong_items(sums);
#endif
  result->tile_items = look_back_tuning<item>::items_per_thread;
  result->message[0] = '\0';
  try {
    (void)item_count(-1);
  } catch (invalid_argument const& negative) {
    std::snprintf(result->message, sizeof result->message, "%s", negative.what());
  }
}
