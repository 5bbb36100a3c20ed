// SPDX-License-Identifier: Apache-2.0
// More than 2^31 and 2^32 items, and more than 4 GiB of them: what breaks where a count, a position
// or a number of bytes is kept in 32 bits. Results are known in closed form and checked on the GPU.
// The executor does the same with few items, which tests the formulas.
#include <cstdint>
#include <vector>

#include <libscan/binary_scan.cuh>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <tests/large/memory.hpp>
#include <tests/large/results.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_formula.hpp>
#include <tests/support/formula.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// An exclusive scan into memory of its own and an inclusive one in place, with their totals.
template <class T>
void require_large_scans(index_t n) {
  if (!has_memory(2 * n * static_cast<index_t>(sizeof(T)))) return;
  auto const in = filled<T>(n, random_steps<T>{});
  device_buffer<T> const total(1);
  workspace ws;
  T const init = random_steps<T>{}.before(0);
  T const all = random_steps<T>{}.before(n);
  {
    device_buffer<T> const out(static_cast<std::size_t>(n));
    exclusive_scan(ws, static_cast<T const*>(in.data()), out.data(), n, plus<T>{}, total.data(),
                   init);
    REQUIRE(difference_from(out.data(), n, exclusive_sums<T>{}) == "");
    REQUIRE(total.copy().front() == all);
    REQUIRE(difference_from(in.data(), n, random_steps<T>{}) == "");
  }
  inclusive_scan(ws, in.data(), in.data(), n, plus<T>{}, total.data(), init);
  REQUIRE(difference_from(in.data(), n, inclusive_sums<T>{}) == "");
  REQUIRE(total.copy().front() == all);
}

}  // namespace

TEST_CASE("a single wrong item is noticed, and where it is") {
  auto const items = filled<std::uint8_t>(5000, random_steps<std::uint8_t>{});
  simt::fill_async(items.data() + 4321, random_steps<std::uint8_t>{}(4321) ^ 1, 1);
  CHECK_THAT(difference_from(items.data(), 5000, random_steps<std::uint8_t>{}),
             Catch::StartsWith("1 of 5000 items are wrong; item 4321: expected "));
}

TEST_CASE("scans of 2^33 items of one byte") { require_large_scans<std::uint8_t>(large(two_33)); }

TEST_CASE("scans of 2-byte items beyond 4 GiB") {
  require_large_scans<std::uint16_t>(large(two_31 + 4099));
}

TEST_CASE("scans of 2^32 + 1 items of four bytes") {
  require_large_scans<std::uint32_t>(large(two_32 + 1));
}

TEST_CASE("a number of items beyond 2^32 may lie in device memory") {
  index_t const n = large(two_32 + 1);
  if (!has_memory(4 * n)) return;
  auto const items = filled<std::uint32_t>(n, random_steps<std::uint32_t>{});
  device_buffer<index_t> const length(std::vector<index_t>{n - 7});
  workspace ws;
  inclusive_scan(ws, items.data(), items.data(), item_count::on_device(length.data(), n),
                 plus<std::uint32_t>{}, nullptr, random_steps<std::uint32_t>{}.before(0));
  REQUIRE(difference_from(items.data(), n - 7, inclusive_sums<std::uint32_t>{}) == "");
  REQUIRE(difference_from(items.data() + n - 7, 7, later_steps{n - 7}) == "");
}

TEST_CASE("sums of bytes beyond 2^32, in 64 bits") {
  index_t const n = large(two_32 + 1);
  if (!has_memory(9 * n)) return;
  even_steps const steps{9876, 80};  // 123.45
  auto const in = filled<std::uint8_t>(n, steps);
  device_buffer<std::int64_t> const out(static_cast<std::size_t>(n)), total(1);
  workspace ws;
  inclusive_scan(ws, static_cast<std::uint8_t const*>(in.data()), out.data(), n,
                 plus<std::int64_t>{}, total.data());
  REQUIRE(difference_from(out.data(), n, step_ranks<scan_kind::inclusive>{steps}) == "");
  REQUIRE(total.copy().front() == steps.before(n));
}

TEST_CASE("a reverse scan of 2^32 + 1 items") {
  index_t const n = large(two_32 + 1);
  if (!has_memory(4 * n)) return;
  auto const items = filled<std::uint32_t>(n, random_steps<std::uint32_t>{});
  workspace ws;
  reverse_exclusive_scan(ws, items.data(), items.data(), n, plus<std::uint32_t>{});
  REQUIRE(difference_from(items.data(), n, sums_after<std::uint32_t>{n}) == "");
}

TEST_CASE("reductions of 2^33 bytes and of 2^32 + 1 items") {
  index_t const bytes = large(two_33);
  if (!has_memory(bytes)) return;
  workspace ws;
  {
    even_steps const steps{9876, 80};
    auto const in = filled<std::uint8_t>(bytes, steps);
    device_buffer<std::int64_t> const sum(1);
    reduce(ws, in.data(), sum.data(), bytes, plus<std::int64_t>{});
    REQUIRE(sum.copy().front() == steps.before(bytes));
  }
  index_t const n = large(two_32 + 1);
  if (!has_memory(4 * n)) return;
  auto const in = filled<std::uint32_t>(n, random_steps<std::uint32_t>{});
  device_buffer<std::uint32_t> const sum(1);
  reduce(ws, in.data(), sum.data(), n, plus<std::uint32_t>{});
  REQUIRE(sum.copy().front() == random_steps<std::uint32_t>{}.sum(0, n));
}

TEST_CASE("segments longer than 2^31 items, and segments that begin after them") {
  using T = std::uint32_t;
  index_t const n = large(two_32 + 1);
  if (!has_memory(9 * n)) return;
  three_segments const three{n};
  auto const in = filled<T>(n, random_steps<T>{});
  device_buffer<T> const out(static_cast<std::size_t>(n));
  workspace ws;
  {
    auto const flags = filled<std::uint8_t>(n, three);
    inclusive_segmented_scan(ws, in.data(), out.data(), head_flags{flags.data()}, n, plus<T>{});
    REQUIRE(difference_from(out.data(), n,
                            segment_sums<T, scan_kind::inclusive, three_segments>{three}) == "");
  }
  device_buffer<index_t> const offsets(
      std::vector<index_t>{three.begin(0), three.begin(1), three.begin(2), n});
  segment_offsets const heads{offsets.data(), 3};
  exclusive_segmented_scan(ws, in.data(), out.data(), heads, n, plus<T>{});
  REQUIRE(difference_from(out.data(), n,
                          segment_sums<T, scan_kind::exclusive, three_segments>{three}) == "");

  device_buffer<T> const totals(3);
  segmented_reduce(ws, in.data(), totals.data(), heads, n, plus<T>{});
  auto const got = totals.copy();
  for (int s = 0; s < 3; ++s) {
    CHECK(got[static_cast<std::size_t>(s)] ==
          random_steps<T>{}.sum(three.begin(s), three.begin(s + 1)));
  }
  rows const long_rows{n / 2 + 5};
  inclusive_segmented_scan(ws, in.data(), out.data(), equal_segments{long_rows.length}, n,
                           plus<T>{});
  REQUIRE(difference_from(out.data(), n, segment_sums<T, scan_kind::inclusive, rows>{long_rows}) ==
          "");
}

TEST_CASE("more than 2^31 segments") {
  using T = std::uint8_t;
  index_t const n = large(two_32 + 4);
  if (!has_memory(2 * n)) return;
  auto const in = filled<T>(n, random_steps<T>{});
  device_buffer<T> const totals(static_cast<std::size_t>(n / 2));
  device_buffer<index_t> const number(1);
  workspace ws;
  segmented_reduce(ws, in.data(), totals.data(), equal_segments{2}, n, plus<T>{}, number.data());
  REQUIRE(number.copy().front() == n / 2);
  REQUIRE(difference_from(totals.data(), n / 2, pair_sums<T>{}) == "");
}

TEST_CASE("ranks of 2^32 + 65 predicates, bits and bytes") {
  index_t const n = large(two_32 + 65);
  if (!has_memory(9 * n)) return;
  workspace ws;
  device_buffer<index_t> const total(1);
  {
    even_steps const steps{7, 12};  // more than 2^31 hold
    device_buffer<index_t> const ranks(static_cast<std::size_t>(n));
    auto const words = filled<std::uint32_t>(ceil_div(n, index_t{32}), packed_steps{steps});
    exclusive_binary_scan(ws, bit_mask{words.data()}, ranks.data(), n, total.data());
    REQUIRE(difference_from(ranks.data(), n, step_ranks<scan_kind::exclusive>{steps}) == "");
    REQUIRE(total.copy().front() == steps.before(n));
  }
  even_steps const steps{5, 11};
  device_buffer<std::int32_t> const ranks(static_cast<std::size_t>(n));
  auto const bytes = filled<std::uint8_t>(n, steps);
  inclusive_binary_scan(ws, byte_mask{bytes.data()}, ranks.data(), n, total.data());
  REQUIRE(difference_from(ranks.data(), n, step_ranks<scan_kind::inclusive>{steps}) == "");
  REQUIRE(total.copy().front() == steps.before(n));
}
