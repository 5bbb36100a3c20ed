// SPDX-License-Identifier: Apache-2.0
// Filters, splits and runs of device memory from plain C++, against plain loops: in the executor,
// and on a GPU if there is one.
#include <libscan/filter_device_calls.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <libscan/predicate_parser.hpp>
#include <libscan/sort_device_calls.hpp>
#include <tests/apps/filter/selection_host_api_cases.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

/// Outputs of filters of n items, and a count.
template <class T>
struct outputs {
  device_memory<T> out, rejected;
  device_memory<index_t> positions, count;

  outputs(engine const& on, index_t n)
      : out(on, n), rejected(on, n), positions(on, n), count(on, 1) {}

  index_t counted() const { return count.copy()[0]; }

  /// Checks what has been written of `expected`.
  void check_kept(division<T> const& expected) const {
    REQUIRE(counted() == expected.count());
    CHECK(front(out, counted()) == expected.kept);
  }
  void check_positions(division<T> const& expected) const {
    REQUIRE(counted() == expected.count());
    CHECK(front(positions, counted()) == expected.positions);
  }
  void check_split_in_one(division<T> const& expected) const {
    check_kept(expected);
    CHECK(out.copy() == expected.joined);
  }
  void check_split(division<T> const& expected) const {
    check_kept(expected);
    CHECK(front(rejected, static_cast<index_t>(expected.rejected.size())) == expected.rejected);
  }
};

TEMPLATE_TEST_CASE("filters of device memory by predicates are those of a loop", "", std::int8_t,
                   std::uint64_t, float) {
  using T = TestType;
  // An interval, and a program.
  for (char const* const text : {">= 3", "> 2 and < 6 or == 1"}) {
    auto const keep = parse_predicate<T>(text);
    for (index_t const n : {0, 1, 100, 2000}) {
      auto const items = make_input<T>(pattern::small, n);
      division<T> const expected(items, [&](std::size_t i) { return keep(items[i]); });
      for (engine const& on : machines()) {
        INFO(on.description() << ", " << n << " items, " << text);
        device_memory<T> const in(on, items);
        outputs<T> const to(on, n);
        device_queue const queue{on};
        device_span<T> const from{in.data(), n};
        filter(queue, from, to.out.data(), keep, to.count.data());
        to.check_kept(expected);
        filter_indices(queue, from, to.positions.data(), keep, to.count.data());
        to.check_positions(expected);
        split(queue, from, to.out.data(), to.rejected.data(), keep, to.count.data());
        to.check_split(expected);
        split(queue, from, to.out.data(), keep, to.count.data());
        to.check_split_in_one(expected);
        filter_with_indices(queue, from, to.out.data(), to.positions.data(), keep, to.count.data());
        to.check_kept(expected);
        to.check_positions(expected);
        count_if(queue, from, keep, to.count.data());
        CHECK(to.counted() == expected.count());
        filter(queue, from, in.data(), keep, to.count.data());
        CHECK(front(in, to.counted()) == expected.kept);
      }
    }
  }
}

TEST_CASE("masks in device memory filter, split, and give positions") {
  for (index_t const n : {0, 1, 33, 2000}) {
    auto const items = make_input<double>(pattern::small, n);
    std::vector<std::uint8_t> flags(items.size());
    std::vector<std::uint32_t> words(static_cast<std::size_t>(ceil_div(n, index_t{32})));
    for (std::size_t i = 0; i < flags.size(); ++i) {
      flags[i] = static_cast<std::uint8_t>(i * i % 7 < 3 ? 1 + i % 255 : 0);
      if (flags[i] != 0) words[i / 32] |= 1u << i % 32;
    }
    division<double> const expected(items, [&](std::size_t i) { return flags[i] != 0; });
    for (engine const& on : machines()) {
      device_memory<double> const in(on, items);
      device_memory<std::uint8_t> const bytes(on, flags);
      device_memory<std::uint32_t> const bits(on, words);
      outputs<double> const to(on, n);
      device_queue const queue{on};
      device_span<double> const from{in.data(), n};
      for (item_mask const& mask : {item_mask::of_flags({bytes.data(), flags.size()}),
                                    item_mask::of_bits({bits.data(), words.size()}, n)}) {
        INFO(on.description() << ", " << n << " items");
        filter(queue, from, to.out.data(), mask, to.count.data());
        to.check_kept(expected);
        split(queue, from, to.out.data(), to.rejected.data(), mask, to.count.data());
        to.check_split(expected);
        split(queue, from, to.out.data(), mask, to.count.data());
        to.check_split_in_one(expected);
        filter_with_indices(queue, from, to.out.data(), to.positions.data(), mask, to.count.data());
        to.check_kept(expected);
        to.check_positions(expected);
        mask_indices(queue, mask, to.positions.data(), to.count.data());
        to.check_positions(expected);
        count_marked(queue, mask, to.count.data());
        CHECK(to.counted() == expected.count());
      }
    }
  }
}

TEMPLATE_TEST_CASE("keys in device memory are split by a bit", "", std::int8_t, std::uint64_t) {
  using T = TestType;
  for (index_t const n : {0, 1, 100, 3000}) {
    auto const keys = make_input<T>(pattern::random, n);
    for (int const bit : {0, 7}) {
      division<T> const expected(keys, [&](std::size_t i) { return (keys[i] >> bit & 1) == 0; });
      for (engine const& on : machines()) {
        INFO(on.description() << ", " << n << " keys, bit " << bit);
        device_memory<T> const in(on, keys);
        outputs<T> const to(on, n);
        device_span<T> const from{in.data(), n};
        split_by_bit(device_queue{on}, from, to.out.data(), bit, to.count.data());
        to.check_split_in_one(expected);
        CHECK_THROWS_WITH(split_by_bit(device_queue{on}, from, to.out.data(), 64, nullptr),
                          Contains("split_by_bit: bit 64 of keys"));
      }
    }
  }
}

TEST_CASE("runs of device memory, and a count that a sort takes from there") {
  std::vector<std::int32_t> const items{5, 5, -1, -1, -1, 7, 5, 5};
  for (engine const& on : machines()) {
    device_memory<std::int32_t> const in(on, items), out(on, 8), sorted(on, 8);
    device_memory<index_t> const lengths(on, 8), count(on, 1);
    std::size_t const bytes = std::max(device_filter_workspace_bytes<std::int32_t>(on, 8),
                                       device_sort_workspace_bytes<std::int32_t>(on, 8));
    device_memory<std::byte> const workspace(on, static_cast<index_t>(bytes));
    device_queue const queue{.on = on, .workspace = workspace.data(), .workspace_bytes = bytes};
    device_span<std::int32_t> const from{in.data(), 8};
    run_length_encode(queue, from, out.data(), lengths.data(), count.data());
    CHECK(count.copy()[0] == 4);
    CHECK(front(out, 4) == std::vector<std::int32_t>{5, -1, 7, 5});
    CHECK(front(lengths, 4) == std::vector<index_t>{2, 3, 1, 2});
    device_memory<index_t> const offsets(on, 8);
    run_length_encode(queue, from, out.data(), lengths.data(), offsets.data(), count.data());
    CHECK(front(lengths, 4) == std::vector<index_t>{2, 3, 1, 2});
    CHECK(front(offsets, 4) == std::vector<index_t>{0, 2, 5, 6});
    auto* const over_lengths = lengths.data();
    CHECK_THROWS_WITH(
        run_length_encode(queue, from, out.data(), lengths.data(), over_lengths, count.data()),
        Contains("lengths and offsets share memory"));
    unique(queue, from, out.data(), count.data());
    sort_keys(queue, device_span<std::int32_t>{out.data(), 8, count.data()}, sorted.data());
    CHECK(front(sorted, 4) == std::vector<std::int32_t>{-1, 5, 5, 7});
    // Half of the items, in device memory.
    device_memory<index_t> const half(on, std::vector<index_t>{5});
    unique(queue, device_span<std::int32_t>{in.data(), 8, half.data()}, out.data(), count.data());
    CHECK(count.copy()[0] == 2);
  }
}
/// Encodes the runs of at least `min_length` of the first n items, with just as much workspace as
/// that needs.
template <class T>
void check_long_runs(engine const& on, std::vector<T> const& items, index_t n, index_t min_length) {
  auto const expected =
      expected_runs<T>(std::vector<T>(items.begin(), items.begin() + n)).of_at_least(min_length);
  index_t const all = static_cast<index_t>(items.size()), kept = expected.count();
  INFO(on.description() << ", " << n << " of " << all << " items, runs of " << min_length);
  auto const bytes = device_run_workspace_bytes<T>(on, all, min_length);
  device_memory<std::byte> const workspace(on, static_cast<index_t>(bytes));
  device_queue const queue{.on = on, .workspace = workspace.data(), .workspace_bytes = bytes};
  device_memory<T> const in(on, items), out(on, kept);
  device_memory<index_t> const lengths(on, kept), offsets(on, kept), count(on, 1);
  device_memory<index_t> const d_n(on, std::vector<index_t>{n});
  device_span<T> const from{in.data(), all, n < all ? d_n.data() : nullptr};
  run_length_encode(queue, from, out.data(), lengths.data(), offsets.data(), count.data(),
                    min_length);
  REQUIRE(count.copy()[0] == kept);
  CHECK(bit_difference(expected.firsts, out.copy()) == "");
  CHECK(lengths.copy() == expected.lengths);
  CHECK(offsets.copy() == expected.offsets);
}

TEMPLATE_TEST_CASE("runs of device memory are left out if they are too short", "", std::int8_t,
                   std::uint16_t, float, std::uint64_t) {
  using T = TestType;
  for (index_t const n : {1, 100, 3000}) {
    auto items = runs_of<T>(n, 4);
    for (engine const& on : machines()) {
      for (index_t const min_length : {1, 2, 4, 5}) check_long_runs(on, items, n, min_length);
      check_long_runs(on, items, n / 2, 3);
      check_long_runs(on, items, index_t{0}, 2);
      check_long_runs(on, std::vector<T>(items.size(), T{1}), n, n);
    }
  }
  for (engine const& on : machines()) check_long_runs(on, std::vector<T>(), 0, 2);
}

TEST_CASE("a NaN in device memory is a run of its own, and 0 equals -0") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (engine const& on : machines()) {
    check_long_runs(on, std::vector<float>{nan, nan, 0, -0.0F, 1, nan}, 6, 1);
    check_long_runs(on, std::vector<float>{nan, nan, 0, -0.0F, 1, nan}, 6, 2);
  }
}

TEST_CASE("runs of device memory refuse results that are shared or misaligned") {
  for (engine const& on : machines()) {
    device_memory<std::int32_t> const in(on, runs_of<std::int32_t>(5000, 4)), out(on, 5001);
    device_memory<index_t> const lengths(on, 5001), offsets(on, 5000), count(on, 1);
    auto const before = in.copy();
    device_span<std::int32_t> const from{in.data(), 5000};
    auto const shifted = [](auto* at, int bytes) {
      return reinterpret_cast<decltype(at)>(reinterpret_cast<std::byte*>(at) + bytes);
    };
    for (index_t const least : {1, 2}) {
      INFO(on.description() << ", runs of " << least);
      auto const encode = [&](device_span<std::int32_t> items, std::int32_t* to, index_t* length,
                              index_t* offset) {
        run_length_encode(device_queue{on}, items, to, length, offset, count.data(), least);
      };
      auto* const o = out.data();
      auto *const l = lengths.data(), *const f = offsets.data();
      auto* const numbers = reinterpret_cast<index_t*>(in.data());
      CHECK_THROWS_WITH(encode(from, in.data(), l, f), Contains("items and out share"));
      CHECK_THROWS_WITH(encode(from, o, numbers, f), Contains("items and lengths share"));
      CHECK_THROWS_WITH(encode(from, o, l, numbers + 100), Contains("items and offsets share"));
      CHECK_THROWS_WITH(encode(from, o, reinterpret_cast<index_t*>(o), f),
                        Contains("out and lengths share"));
      CHECK_THROWS_WITH(encode(from, o, l, reinterpret_cast<index_t*>(o)),
                        Contains("out and offsets share"));
      CHECK_THROWS_WITH(encode(from, o, l, l), Contains("lengths and offsets share"));
      CHECK_THROWS_WITH(encode({shifted(in.data(), 2), 4000}, o, l, f), Contains("aligned"));
      CHECK_THROWS_WITH(encode(from, shifted(o, 1), l, f), Contains("aligned"));
      CHECK_THROWS_WITH(encode(from, o, shifted(l, 4), f), Contains("aligned"));
      CHECK_THROWS_WITH(encode(from, o, l, shifted(f, 4)), Contains("aligned"));
    }
    CHECK(in.copy() == before);
  }
}

TEST_CASE("a least length of runs that is none is refused") {
  for (engine const& on : machines()) {
    int item = 0;
    index_t count = 0, length = 0, offset = 0;
    for (index_t const wrong : {0, -3}) {
      CHECK_THROWS_WITH(run_length_encode(device_queue{on}, device_span<int>{&item, 1}, &item,
                                          &length, &offset, &count, wrong),
                        Contains("expected >= 1"));
      CHECK_THROWS_WITH(device_run_workspace_bytes<int>(on, 1, wrong), Contains("expected >= 1"));
    }
    auto const bytes = device_run_workspace_bytes<int>(on, 100, 2);
    device_memory<std::byte> const memory(on, static_cast<index_t>(bytes));
    device_queue const small{.on = on, .workspace = memory.data(), .workspace_bytes = bytes - 1};
    device_memory<int> const in(on, 100), out(on, 100);
    device_memory<index_t> const lengths(on, 100), offsets(on, 100);
    CHECK_THROWS_WITH(run_length_encode(small, device_span<int>{in.data(), 100}, out.data(),
                                        lengths.data(), offsets.data(), &count, 2),
                      Contains("but the call needs " + std::to_string(bytes)));
  }
}

TEST_CASE("the C calls filter and encode runs") {
  std::vector<std::int32_t> const items{3, 3, 4, 1, 5, 5, 5};
  std::vector<std::uint8_t> const flags{0, 1, 0, 1, 0, 1, 1};
  for (engine const& on : machines()) {
    libscan_queue const queue = queue_of(on);
    device_memory<std::int32_t> const in(on, items), out(on, 7), rest(on, 7);
    device_memory<index_t> const places(on, 7), count(on, 1);
    device_memory<std::uint8_t> const marks(on, flags);
    libscan_items const from{LIBSCAN_I32, in.data(), 7, nullptr};
    libscan_rule const large{"> 3", nullptr, nullptr}, marked{nullptr, marks.data(), nullptr};
    REQUIRE(libscan_filter(&queue, from, &large, out.data(), nullptr, nullptr, count.data()) ==
            LIBSCAN_OK);
    CHECK(front(out, count.copy()[0]) == std::vector<std::int32_t>{4, 5, 5, 5});
    REQUIRE(libscan_filter(&queue, from, &marked, out.data(), rest.data(), nullptr, count.data()) ==
            LIBSCAN_OK);
    CHECK(front(out, count.copy()[0]) == std::vector<std::int32_t>{3, 1, 5, 5});
    CHECK(front(rest, 3) == std::vector<std::int32_t>{3, 4, 5});
    REQUIRE(libscan_filter(&queue, from, &large, nullptr, nullptr, places.data(), count.data()) ==
            LIBSCAN_OK);
    CHECK(front(places, count.copy()[0]) == std::vector<index_t>{2, 4, 5, 6});
    REQUIRE(libscan_filter(&queue, from, &marked, nullptr, nullptr, nullptr, count.data()) ==
            LIBSCAN_OK);
    CHECK(count.copy()[0] == 4);
    REQUIRE(libscan_filter(&queue, from, &large, out.data(), nullptr, places.data(),
                           count.data()) == LIBSCAN_OK);
    CHECK(front(out, count.copy()[0]) == std::vector<std::int32_t>{4, 5, 5, 5});
    CHECK(front(places, 4) == std::vector<index_t>{2, 4, 5, 6});
    REQUIRE(libscan_filter(&queue, from, &large, out.data(), out.data(), nullptr, count.data()) ==
            LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::int32_t>{4, 5, 5, 5, 3, 3, 1});
    REQUIRE(libscan_split_by_bit(&queue, from, out.data(), 1, count.data()) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::int32_t>{4, 1, 5, 5, 5, 3, 3});
    CHECK(count.copy()[0] == 5);
    libscan_items const floats{LIBSCAN_F32, in.data(), 7, nullptr};
    CHECK(libscan_split_by_bit(&queue, floats, out.data(), 1, count.data()) ==
          LIBSCAN_INVALID_ARGUMENT);
    REQUIRE(libscan_unique(&queue, from, out.data(), places.data(), count.data()) == LIBSCAN_OK);
    CHECK(front(out, count.copy()[0]) == std::vector<std::int32_t>{3, 4, 1, 5});
    CHECK(front(places, 4) == std::vector<index_t>{2, 1, 1, 3});
    device_memory<index_t> const begins(on, 4);
    REQUIRE(libscan_run_length_encode(&queue, from, out.data(), places.data(), begins.data(),
                                      count.data()) == LIBSCAN_OK);
    CHECK(begins.copy()[1] == front(places, 1)[0]);
    REQUIRE(libscan_long_runs(&queue, from, out.data(), places.data(), begins.data(), 2,
                              count.data()) == LIBSCAN_OK);
    CHECK(front(out, count.copy()[0]) == std::vector<std::int32_t>{3, 5});
    CHECK(front(places, 2) == std::vector<index_t>{2, 3});
    CHECK(front(begins, 2) == std::vector<index_t>{0, 4});
    REQUIRE(libscan_long_runs(&queue, from, out.data(), places.data(), nullptr, 3, count.data()) ==
            LIBSCAN_OK);
    CHECK(front(out, count.copy()[0]) == std::vector<std::int32_t>{5});
    CHECK(libscan_run_length_encode(&queue, from, out.data(), nullptr, begins.data(),
                                    count.data()) == LIBSCAN_INVALID_ARGUMENT);
    REQUIRE(libscan_unique(&queue, from, out.data(), nullptr, count.data()) == LIBSCAN_OK);
    CHECK(count.copy()[0] == 4);
    std::size_t bytes = 0;
    CHECK(libscan_filter_workspace_bytes(&queue, from, &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_filter_workspace_bytes<std::int32_t>(on, 7));
    CHECK(libscan_long_runs_workspace_bytes(&queue, from, 2, &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_run_workspace_bytes<std::int32_t>(on, 7, 2));
    CHECK(libscan_long_runs_workspace_bytes(&queue, from, 0, &bytes) == LIBSCAN_INVALID_ARGUMENT);

    libscan_rule const both{"> 3", marks.data(), nullptr}, wrong{"> ", nullptr, nullptr};
    for (auto const& rule : {both, wrong}) {
      CHECK(libscan_filter(&queue, from, &rule, out.data(), nullptr, nullptr, count.data()) ==
            LIBSCAN_INVALID_ARGUMENT);
    }
    CHECK(libscan_filter(&queue, from, &large, nullptr, rest.data(), nullptr, count.data()) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("expected out, positions or both"));
  }
}
}  // namespace
}  // namespace libscan::test
