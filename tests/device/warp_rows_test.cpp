// SPDX-License-Identifier: Apache-2.0
// A warp's rows by themselves: scans, sums and segmented scans of several rows. The last row
// is cut off anywhere.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/device/segmented_row.cuh>
#include <libscan/device/warp_rows.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int rows = 3, width = 2, row_items = width * simt::warp_size, most = rows * row_items;

/// out = the scan of `valid` items after `before`, the first `prepended` of it after `more`;
/// totals: what it returns, and only the sum.
template <scan_kind Kind, bool FewerRows, class Op>
struct rows_kernel {
  using T = typename Op::value_type;
  __device__ void operator()(T const* in, int valid, T before, T more, int prepended, T* out,
                             T* totals, Op op) const {
    device::warp_rows<T, rows, width, FewerRows> part;
    part.load(in, valid, op);
    T const total = part.template scan<Kind>(before, op);
    part.prepend(more, op, prepended);
    part.store(out, valid);
    // In two steps, so that rows follow rows.
    using small = device::warp_rows<T, 1, width>;
    T const sum = small::sum(in, most, valid, op);
    if (simt::lane_id() == 0) {
      totals[0] = total;
      totals[1] = sum;
    }
  }
};

template <scan_kind Kind, bool FewerRows, class Op>
void require_rows(int valid, int offset) {
  using T = typename Op::value_type;
  auto const items = make_items<T>(valid);
  T const before = Op::identity();
  auto expected = scan_oracle(Kind, items, Op{}, before);
  T more;
  if constexpr (std::is_same_v<T, interval>) {
    more = interval::over(-5, 0);
  } else {
    more = make_items<T>(1, 9)[0];
  }
  int const prepended = valid / 2;
  for (int i = 0; i < prepended; ++i) {
    T& prefix = expected.out[static_cast<std::size_t>(i)];
    prefix = oracle_of(Op{})(more, prefix);
  }
  device_image<T> in(items, offset), out(valid, offset), totals(2);
  INFO(valid << " items, offset " << offset);
  simt::launch<rows_kernel<Kind, FewerRows, Op>>({.blocks = 1, .threads = simt::warp_size},
                                                 static_cast<T const*>(in.data()), valid, before,
                                                 more, prepended, out.data(), totals.data(), Op{});
  REQUIRE(difference(expected.out, out.read()) == "");
  REQUIRE(difference({expected.total, expected.total}, totals.read()) == "");
  REQUIRE(in.damage() + out.damage() == "");
}

/// out = the segmented scan of rows; open[0] = what is open at their end.
template <device::row_prefix What, class Op>
struct scan_row_kernel {
  using T = typename Op::value_type;
  __device__ void operator()(T const* in, std::uint8_t const* heads, T before, T init, T* out,
                             T* open, int* headless, Op op) const {
    device::segment_carry<T> all{before, false};
    for (int r = 0; r < rows; ++r) {
      int const at = r * row_items + simt::lane_id() * width;
      T row[width];
      unsigned own = 0;
      for (int j = 0; j < width; ++j) {
        row[j] = in[at + j];
        own |= (heads[at + j] != 0 ? 1u : 0u) << j;
      }
      bool const none = device::scan_row<What>(row, own, all, init, op);
      for (int j = 0; j < width; ++j) out[at + j] = row[j];
      headless[r * simt::warp_size + simt::lane_id()] = none ? 1 : 0;
    }
    if (simt::lane_id() == 0) {
      open[0] = all.value;
      headless[rows * simt::warp_size] = all.has_head ? 1 : 0;
    }
  }
};

template <device::row_prefix What, class Op>
void require_segmented(std::vector<std::uint8_t> const& heads, typename Op::value_type before,
                       typename Op::value_type init) {
  using T = typename Op::value_type;
  auto const plain = oracle_of(Op{});
  auto const items = make_items<T>(most);
  std::vector<T> expected;
  std::vector<int> headless_expected;
  T sum = before;
  bool any = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i % row_items == 0) any = false;
    if (i % width == 0) headless_expected.push_back(any ? 0 : 1);
    T const ended = sum;
    if (heads[i] != 0) sum = init;
    T const exclusive = sum;
    sum = plain(sum, items[i]);
    any = any || heads[i] != 0;
    expected.push_back(What == device::row_prefix::inclusive   ? sum
                       : What == device::row_prefix::exclusive ? exclusive
                                                               : ended);
  }
  bool has_head = false;
  for (auto const head : heads) has_head = has_head || head != 0;
  headless_expected.push_back(has_head ? 1 : 0);
  device_image<T> in(items), out(most), open(1);
  device_image<std::uint8_t> flags(heads);
  device_image<int> headless(rows * simt::warp_size + 1);
  simt::launch<scan_row_kernel<What, Op>>({.blocks = 1, .threads = simt::warp_size},
                                          static_cast<T const*>(in.data()),
                                          static_cast<std::uint8_t const*>(flags.data()), before,
                                          init, out.data(), open.data(), headless.data(), Op{});
  REQUIRE(difference(expected, out.read()) == "");
  REQUIRE(difference({sum}, open.read()) == "");
  REQUIRE(difference(headless_expected, headless.read()) == "");
}

}  // namespace

TEMPLATE_TEST_CASE("rows of a warp are scanned, summed and stored", "", compose, tripwire,
                   plus<std::int32_t>) {
  for (int const offset : {0, 1}) {
    for (int valid = 0; valid <= most; valid += offset == 0 ? 1 : 13) {
      if (valid > 70 && valid % 64 > 2 && valid % 64 < 62 && valid % 9 != 0) continue;
      require_rows<scan_kind::inclusive, false, TestType>(valid, offset);
      require_rows<scan_kind::exclusive, true, TestType>(valid, offset);
    }
  }
}

TEMPLATE_TEST_CASE("rows of a warp are scanned within segments", "", compose, plus<std::int32_t>) {
  using T = typename TestType::value_type;
  auto const carries = make_items<T>(2, 5);
  std::vector<std::vector<std::uint8_t>> lists{std::vector<std::uint8_t>(most, 0),
                                               std::vector<std::uint8_t>(most, 1)};
  for (int at = 0; at < most; at += 3) {  // one head
    lists.emplace_back(most, 0)[static_cast<std::size_t>(at)] = 1;
  }
  random_words words(7);
  for (std::uint64_t const often : {2, 3, 5, 20, 60, 100}) {
    auto& list = lists.emplace_back(most, 0);
    for (auto& head : list) head = words.below(often) == 0 ? 1 : 0;
  }
  for (auto const& heads : lists) {
    require_segmented<device::row_prefix::inclusive, TestType>(heads, carries[0], carries[1]);
    require_segmented<device::row_prefix::exclusive, TestType>(heads, carries[0], carries[1]);
    require_segmented<device::row_prefix::ended, TestType>(heads, carries[0], carries[1]);
  }
}
