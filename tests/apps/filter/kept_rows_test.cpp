// SPDX-License-Identifier: Apache-2.0
// Items that are kept close ranks, by one warp: every number of items and every kind of word, by
// itself. And runs that are copied, of any length to any place.
#include <cstdint>
#include <string>
#include <vector>

#include <apps/filter/device/kept_rows.cuh>
#include <apps/filter/device/pipelined_filter.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

struct is_kept {
  __device__ bool operator()(int x) const { return (x & 1) == 0; }
};

/// out = the even ones of the first `valid` items; numbers: how many, and the last of them.
template <int Width, int Rows>
struct keep_kernel {
  using rows_type = device::kept_rows<Width, Rows>;
  __device__ void operator()(int const* in, int valid, int* out, int* numbers) const {
    unsigned const bits = rows_type::evaluate(in, valid, is_kept{});
    rows_type const kept(bits);
    int item[Rows][Width];
    rows_type::load(in, valid, item);
    kept.gather(out, [&](int r, int j) { return item[r][j]; });
    unsigned const first = rows_type::first_items(valid);
    int last = bits == 0 ? -1 : rows_type::last_of(bits);
    for (int distance = 16; distance > 0; distance /= 2) {
      int const other = simt::shfl_xor(simt::full_warp, last, distance);
      last = other > last ? other : last;
    }
    int const all = rows_type(first).count();
    if (simt::lane_id() != 0) return;
    numbers[0] = kept.count();
    numbers[1] = last;
    numbers[2] = all;
  }
};

template <int Width, int Rows>
void require_kept(unsigned often) {
  constexpr int most = 32 * Width * Rows;
  random_words words(often);
  std::vector<int> items;
  for (int i = 0; i < most; ++i) {
    items.push_back(2 * i + (often == 0 || (often < 100 && words.below(often) == 0) ? 0 : 1));
  }
  for (int valid = 0; valid <= most; valid += valid < 40 || valid > most - 40 ? 1 : 29) {
    std::vector<int> expected;
    int last = -1;
    for (int i = 0; i < valid; ++i) {
      int const item = items[static_cast<std::size_t>(i)];
      if (item % 2 != 0) continue;
      expected.push_back(item);
      last = i;
    }
    auto const count = static_cast<int>(expected.size());
    device_image<int> in(std::vector<int>(items.begin(), items.begin() + valid), valid % 2);
    device_image<int> out(count), numbers(3);
    simt::launch<keep_kernel<Width, Rows>>({.blocks = 1, .threads = simt::warp_size},
                                           static_cast<int const*>(in.data()), valid, out.data(),
                                           numbers.data());
    INFO(Rows << " rows of " << Width << ", " << valid << " items, one in " << often);
    REQUIRE(difference(expected, out.read()) == "");
    REQUIRE(difference({count, last, valid}, numbers.read()) == "");
    REQUIRE(out.damage() == "");
  }
}

template <class Item>
struct copy_kernel {
  struct shared_storage {
    alignas(16) Item staged[1024];
  };
  __device__ void operator()(shared_storage& shared, Item const* in, int count, Item* out) const {
    Item* const run = device::agreeing_after(shared.staged, out);
    for (int i = simt::lane_id(); i < count; i += simt::warp_size) run[i] = in[i];
    simt::sync_warp();
    device::copy_run(static_cast<Item const*>(run), count, out);
  }
};

}  // namespace

TEST_CASE("items kept close ranks, in their order") {
  for (unsigned const often : {0U, 1U, 2U, 9U, 100U}) {
    require_kept<4, 4>(often);
    require_kept<4, 3>(often);
    require_kept<2, 8>(often);
    require_kept<16, 2>(often);
    require_kept<8, 1>(often);
  }
}

TEMPLATE_TEST_CASE("runs are copied whatever their length and place", "", std::uint8_t,
                   std::uint32_t, std::uint64_t) {
  for (int const offset : {0, 1, 2, 3, 7, 15}) {
    for (int count = 0; count <= 900; count += count < 80 || count > 880 ? 1 : 61) {
      auto const items = make_input<TestType>(pattern::random, count);
      device_image<TestType> in(items), out(count, offset);
      simt::launch<copy_kernel<TestType>>({.blocks = 1, .threads = simt::warp_size},
                                          static_cast<TestType const*>(in.data()), count,
                                          out.data());
      INFO(count << " items, offset " << offset);
      REQUIRE(difference(items, out.read()) == "");
      REQUIRE(out.damage() == "");
    }
  }
}
