// SPDX-License-Identifier: Apache-2.0
// What the kernels of products do warp by warp, driven directly: sums of rows in a window, the
// search for the row in which a span begins, and the ends of rows that a ring keeps.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <apps/spmv/device/balanced_spmv.cuh>
#include <apps/spmv/device/row_ends.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

struct piece {
  int begin, end;
};

/// sums[32 c + l] = the sum of lane l's products in case c, in one window after the other.
template <class Op, int PerLane, int ShortRow>
struct window_kernel {
  using T = typename Op::value_type;
  using sums_type = device::window_sums<T, PerLane, ShortRow>;
  using shared_storage = typename sums_type::storage;
  __device__ void operator()(shared_storage& shared, T const* products, piece const* rows,
                             int cases, T* sums, Op op) const {
    sums_type::reset(shared);
    for (int c = 0; c < cases; ++c) {
      T own[PerLane];
      for (int j = 0; j < PerLane; ++j) own[j] = products[j * simt::warp_size + simt::lane_id()];
      // The products stay for a second case.
      if (c % 2 == 0) {
        simt::sync_warp();
        sums_type::stage(shared, own);
      }
      int const at = c * simt::warp_size + simt::lane_id();
      sums[at] = sums_type::sum(shared, rows[at].begin, rows[at].end, op);
    }
  }
};

/// 32 rows, one after the other, of lengths that `length` draws, within a window.
template <class Length>
void add_rows(std::vector<piece>& rows, int window, int begin, Length length) {
  for (int l = 0; l < simt::warp_size; ++l) {
    int const end = std::min(window, begin + length(l));
    rows.push_back({begin, end});
    begin = end;
  }
}

template <class Op, int PerLane, int ShortRow>
void require_windows() {
  using T = typename Op::value_type;
  using kernel = window_kernel<Op, PerLane, ShortRow>;
  constexpr int window = kernel::sums_type::window;
  random_words words(PerLane);
  auto const below = [&](int bound) {
    return static_cast<int>(words.below(static_cast<std::uint64_t>(bound)));
  };
  std::vector<piece> rows;
  for (int const length : {0, 1, ShortRow - 1, ShortRow, ShortRow + 1, PerLane, PerLane + 1,
                           window / 32 * 3, window - 1, window}) {
    add_rows(rows, window, 0, [&](int) { return length; });
    add_rows(rows, window, 1 + below(PerLane), [&](int l) { return l % 3 == 1 ? 0 : length; });
    add_rows(rows, window, 0, [&](int l) { return l == 31 ? length : 1; });
  }
  for (int k = 0; k < 40; ++k) {
    int const longest = 1 + below(k % 2 == 0 ? ShortRow : 3 * PerLane);
    add_rows(rows, window, below(window / 4), [&](int) { return below(longest + 1); });
  }
  auto const products = make_items<T>(window);
  device_buffer<T> const in(products), out(rows.size());
  device_buffer<piece> const list(rows);
  auto const cases = static_cast<int>(rows.size()) / simt::warp_size;
  simt::launch<kernel>({.blocks = 1, .threads = simt::warp_size}, static_cast<T const*>(in.data()),
                       static_cast<piece const*>(list.data()), cases, out.data(), Op{});
  auto const got = out.copy();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    T expected = Op::identity();
    for (int k = rows[i].begin; k < rows[i].end; ++k) {
      expected = oracle_of(Op{})(expected, products[static_cast<std::size_t>(k)]);
    }
    INFO("case " << i / 32 << ", lane " << i % 32 << ": products " << rows[i].begin << " to "
                 << rows[i].end);
    REQUIRE(got[i] == expected);
  }
}

/// found[i] = how many rows have ended among the first items[i] entries and ends of rows.
struct search_kernel {
  template <class Offset>
  __device__ void operator()(Offset const* offsets, index_t rows, index_t entries, index_t steps,
                             index_t* found) const {
    for (index_t i = 0; i < steps; ++i) {
      index_t const row = device::rows_ended_before(offsets, rows, entries, i);
      if (simt::lane_id() == 0) found[i] = row;
    }
  }
};

/// out[33 i ...] = where rows i `step` - 1 ... i `step` + 31 end, for the rows that exist.
struct ring_kernel {
  struct shared_storage {
    device::row_ends<int>::ring ring;
  };
  template <class Offset>
  __device__ void operator()(shared_storage& shared, Offset const* ends, int rows, index_t base,
                             int step, int* out) const {
    device::row_ends<Offset> kept(shared.ring, ends, rows, base, 0);
    for (int row = 0; row < rows; row += step, out += 33) {
      kept.need(row);
      int const lane = simt::lane_id();
      if (lane == 0) out[0] = kept[row - 1];
      if (row + lane < rows) out[1 + lane] = kept[row + lane];
      simt::sync_warp();
    }
  }
};

/// The offsets of rows of 0 to `longest` entries.
template <class Offset>
std::vector<Offset> offsets_of(int rows, int longest) {
  std::vector<Offset> offsets{0};
  random_words words(static_cast<std::uint64_t>(rows * 31 + longest));
  for (int r = 0; r < rows; ++r) {
    auto const length = words.below(static_cast<std::uint64_t>(longest) + 1);
    offsets.push_back(static_cast<Offset>(static_cast<std::uint64_t>(offsets.back()) + length));
  }
  return offsets;
}

}  // namespace

TEST_CASE("a window's sums are those of its rows, in order") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    require_windows<compose, 8, 4>();
    require_windows<tripwire, 4, 8>();
    require_windows<plus<std::int32_t>, 16, 8>();
  });
}

TEMPLATE_TEST_CASE("the search for a row agrees with counting", "", std::int32_t, std::uint64_t) {
  for (int const rows : {0, 1, 2, 31, 32, 33, 64, 200, 1056, 1100}) {
    for (int const longest : {0, 1, 7}) {
      if (rows > 200 && longest == 7) continue;
      auto const offsets = offsets_of<TestType>(rows, longest);
      auto const entries = static_cast<index_t>(offsets.back());
      std::vector<index_t> expected;
      index_t ended = 0;
      for (index_t items = 0; items <= rows + entries; ++items) {
        while (ended < rows &&
               static_cast<index_t>(offsets[static_cast<std::size_t>(ended + 1)]) + ended + 1 <=
                   items) {
          ++ended;
        }
        expected.push_back(ended);
      }
      device_buffer<TestType> const in(offsets);
      device_buffer<index_t> const found(expected.size());
      simt::launch<search_kernel>({.blocks = 1, .threads = simt::warp_size},
                                  static_cast<TestType const*>(in.data()), index_t{rows}, entries,
                                  static_cast<index_t>(expected.size()), found.data());
      INFO(rows << " rows of up to " << longest);
      REQUIRE(found.copy() == expected);
    }
  }
}

TEMPLATE_TEST_CASE("a ring keeps the ends of the rows at hand", "", std::int32_t, std::uint64_t) {
  for (int const rows : {1, 31, 127, 128, 129, 256, 385, 1000}) {
    for (int const step : {1, 7, 32}) {
      auto const offsets = offsets_of<TestType>(rows, 5);
      device_buffer<TestType> const in(offsets);
      std::vector<int> expected;
      for (int first = 0; first < rows; first += step) {
        for (int r = first; r < first + 33; ++r) {
          expected.push_back(r <= rows ? static_cast<int>(offsets[static_cast<std::size_t>(r)])
                                       : -1);
        }
      }
      device_buffer<int> const out(std::vector<int>(expected.size(), -1));
      simt::launch<ring_kernel>({.blocks = 1, .threads = simt::warp_size},
                                static_cast<TestType const*>(in.data() + 1), rows, index_t{0}, step,
                                out.data());
      INFO(rows << " rows by " << step);
      REQUIRE(out.copy() == expected);
    }
  }
}

TEST_CASE("rows that end far past a span never end in it") {
  constexpr int never = device::row_ends<std::int64_t>::never;
  constexpr std::int64_t base = std::int64_t{3} << 33;
  std::vector<std::int64_t> const distances{0,
                                            7,
                                            never - 1,
                                            never,
                                            (std::int64_t{1} << 31) + 9,
                                            std::int64_t{1} << 32,
                                            (std::int64_t{1} << 32) + 10,
                                            (std::int64_t{1} << 40) + 11};
  std::vector<std::int64_t> ends;
  std::vector<int> expected{0};  // row -1
  for (std::int64_t const distance : distances) {
    ends.push_back(base + distance);
    expected.push_back(distance < never ? static_cast<int>(distance) : never);
  }
  device_buffer<std::int64_t> const in(ends);
  device_buffer<int> const out(expected.size());
  simt::launch<ring_kernel>({.blocks = 1, .threads = simt::warp_size},
                            static_cast<std::int64_t const*>(in.data()),
                            static_cast<int>(ends.size()), index_t{base}, 32, out.data());
  REQUIRE(out.copy() == expected);
}
