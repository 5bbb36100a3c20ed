// SPDX-License-Identifier: Apache-2.0
// Calls on device memory from plain C++ and from C, against plain loops: in the executor, and on a
// GPU if there is one.
#include <libscan/device_calls.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <libscan/c_api.h>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

/// Where segments begin, and where the last one ends.
std::vector<index_t> offsets_of(std::vector<std::uint8_t> const& flags) {
  std::vector<index_t> offsets;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != 0) offsets.push_back(static_cast<index_t>(i));
  }
  offsets.push_back(static_cast<index_t>(flags.size()));
  return offsets;
}

TEMPLATE_TEST_CASE("scans and sums of device memory are those of a loop", "", std::int32_t,
                   double) {
  using T = TestType;
  for (engine const& on : machines()) {
    for (index_t const n : {0, 1, 100, 5000}) {
      INFO(on.description() << ", " << n << " items");
      auto const items = make_input<T>(pattern::small, n);
      device_memory<T> const in(on, items), out(on, n), total(on, 1);
      device_queue const queue{on};
      device_span<T> const from{in.data(), n};
      auto const exclusive = scan_oracle(scan_kind::exclusive, items, plus<T>{}, T(5));
      exclusive_scan(queue, from, out.data(), plus<T>{}, total.data(), 5);
      CHECK(difference(exclusive, {out.copy(), total.copy()[0]}) == "");
      auto const inclusive = scan_oracle(scan_kind::inclusive, items, maximum<T>{}, T(-3));
      inclusive_scan(queue, from, out.data(), maximum<T>{}, total.data(), -3);
      CHECK(difference(inclusive, {out.copy(), total.copy()[0]}) == "");
      reduce(queue, from, total.data());
      CHECK(total.copy()[0] == scan_oracle(scan_kind::inclusive, items, plus<T>{}, T(0)).total);
    }
  }
}

TEST_CASE("segments in device memory, by offsets, ranges and bits") {
  index_t const n = 3000;
  auto const items = make_input<float>(pattern::small, n);
  auto const offsets = make_offsets(segment_shape::some_empty, n);
  auto const flags = flags_of(offsets);
  auto const bits = bits_of(flags);
  auto const scanned = segmented_oracle(scan_kind::inclusive, items, flags, plus<float>{}, 2);
  auto const all = segment_totals_oracle(items, offsets, minimum<float>{}, 2);
  auto const some = segment_totals_oracle(items, without_empty(offsets), minimum<float>{}, 2);
  for (engine const& on : machines()) {
    device_queue const queue{on};
    auto const count = static_cast<std::size_t>(offsets.size() - 1);
    device_memory<float> const in(on, items), out(on, n), totals(on, static_cast<index_t>(count));
    device_memory<index_t> const bounds(on, offsets), segments(on, 1);
    device_memory<std::uint32_t> const words(on, bits);
    device_span<float> const from{in.data(), n};
    std::span<index_t const> const all_bounds{bounds.data(), count + 1};
    auto const by_offsets = segmentation::of_offsets(all_bounds);
    auto const by_ranges = segmentation::of_ranges(all_bounds.first(count), all_bounds.subspan(1));
    auto const by_bits = segmentation::of_bits({words.data(), bits.size()}, n);
    for (segmentation const& how : {by_offsets, by_ranges, by_bits}) {
      inclusive_segmented_scan(queue, from, out.data(), how, plus<float>{}, 2);
      CHECK(difference(scanned, out.copy()) == "");
    }
    for (segmentation const& how : {by_offsets, by_ranges}) {
      segmented_reduce(queue, from, totals.data(), how, minimum<float>{}, nullptr, 2);
      CHECK(difference(all, totals.copy()) == "");
    }
    segmented_reduce(queue, from, totals.data(), by_bits, minimum<float>{}, segments.data(), 2);
    CHECK(segments.copy()[0] == static_cast<index_t>(some.size()));
    auto sums = totals.copy();
    sums.resize(some.size());
    CHECK(difference(some, sums) == "");
  }
}

TEST_CASE("segments in device memory, by flags, keys and one length") {
  index_t const n = 3000;
  auto const items = make_input<std::int16_t>(pattern::small, n);
  auto const flags = flags_of(make_offsets(segment_shape::power_law, n));
  auto const keys = keys_of<float>(flags);
  std::vector<std::uint8_t> rows(flags.size());
  for (std::size_t i = 0; i < rows.size(); i += 7) rows[i] = 1;
  for (engine const& on : machines()) {
    device_memory<std::int16_t> const in(on, items), out(on, n);
    device_memory<index_t> const segments(on, 1);
    device_memory<std::uint8_t> const bytes(on, flags);
    device_memory<float> const values(on, keys);
    auto const size = static_cast<std::size_t>(n);
    struct described {
      segmentation how;
      std::vector<std::uint8_t> const& flags;
    };
    described const forms[] = {{segmentation::of_flags(std::span(bytes.data(), size)), flags},
                               {segmentation::of_keys(std::span(values.data(), size)), flags},
                               {segmentation::of_length(7), rows}};
    device_span<std::int16_t> const from{in.data(), n};
    for (auto const& [how, heads] : forms) {
      INFO(on.description() << ", form " << static_cast<int>(how.how()));
      // As much workspace as is announced.
      std::size_t const needed = device_workspace_bytes<std::int16_t>(on, n, how);
      device_memory<std::byte> const memory(on, static_cast<index_t>(needed));
      device_queue const queue{.on = on, .workspace = memory.data(), .workspace_bytes = needed};
      exclusive_segmented_scan(queue, from, out.data(), how, plus<std::int16_t>{}, 3);
      auto const op = plus<std::int16_t>{};
      CHECK(difference(segmented_oracle(scan_kind::exclusive, items, heads, op, 3), out.copy()) ==
            "");
      segmented_reduce(queue, from, out.data(), how, maximum<std::int16_t>{}, segments.data());
      auto const expected = segment_totals_oracle(items, offsets_of(heads), maximum<std::int16_t>{},
                                                  maximum<std::int16_t>::identity());
      REQUIRE(segments.copy()[0] == static_cast<index_t>(expected.size()));
      auto totals = out.copy();
      totals.resize(expected.size());
      CHECK(difference(expected, totals) == "");
      // Half of the items, in device memory.
      device_memory<index_t> const half(on, std::vector<index_t>{n / 2});
      device_span<std::int16_t> const fewer{in.data(), n, half.data()};
      segmented_reduce(queue, fewer, out.data(), how, op, segments.data());
      CHECK(segments.copy()[0] == std::count_if(heads.begin() + 1, heads.begin() + n / 2,
                                                [](auto head) { return head != 0; }) +
                                      1);
    }
  }
}

TEMPLATE_TEST_CASE("sums of runs of equal keys in device memory", "", std::uint8_t, std::int16_t,
                   std::uint32_t, double) {
  using Key = TestType;
  for (index_t const n : {0, 1, 40, 6000}) {
    auto const items = make_input<float>(pattern::small, n);
    auto const keys = make_input<Key>(pattern::small, n);
    std::vector<Key> firsts;
    std::vector<float> sums;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        firsts.push_back(keys[i]);
        sums.push_back(2);
      }
      sums.back() += items[i];
    }
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " items");
      device_memory<float> const in(on, items), totals(on, n);
      device_memory<Key> const of_items(on, keys), unique(on, n);
      device_memory<index_t> const runs(on, 1);
      device_span<float> const from{in.data(), n};
      reduce_by_key(device_queue{on}, of_items.data(), from, unique.data(), totals.data(),
                    plus<float>{}, runs.data(), 2);
      REQUIRE(runs.copy()[0] == static_cast<index_t>(firsts.size()));
      auto got_firsts = unique.copy();
      auto got_sums = totals.copy();
      got_firsts.resize(firsts.size());
      got_sums.resize(sums.size());
      CHECK(got_firsts == firsts);
      CHECK(got_sums == sums);
    }
  }
}

TEMPLATE_TEST_CASE("scans of device memory from the end", "", std::int8_t, float) {
  using T = TestType;
  for (index_t const n : {0, 1, 100, 5000}) {
    auto const items = make_input<T>(pattern::small, n);
    std::vector<T> const backward(items.rbegin(), items.rend());
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " items");
      device_memory<T> const in(on, items), out(on, n), total(on, 1), init(on, std::vector<T>{4});
      device_queue const queue{on};
      device_span<T const> const from{in.data(), n};
      auto expected = scan_oracle(scan_kind::exclusive, backward, plus<T>{}, T(4));
      std::reverse(expected.out.begin(), expected.out.end());
      reverse_exclusive_scan(queue, from, out.data(), plus<T>{}, total.data(), 4);
      CHECK(difference(expected, {out.copy(), total.copy()[0]}) == "");
      expected = scan_oracle(scan_kind::inclusive, backward, minimum<T>{}, T(4));
      std::reverse(expected.out.begin(), expected.out.end());
      reverse_inclusive_scan(queue, from, in.data(), minimum<T>{}, total.data(),
                             device_init<T>{init.data()});
      CHECK(difference(expected, {in.copy(), total.copy()[0]}) == "");
    }
  }
}

TEMPLATE_TEST_CASE("differences in device memory", "", std::uint8_t, std::int64_t, double) {
  using T = TestType;
  for (index_t const n : {0, 1, 100, 5000}) {
    auto const items = make_input<T>(pattern::random, n);
    std::vector<T> expected = items;
    for (std::size_t i = items.size(); i-- > 1;) {
      if constexpr (std::is_floating_point_v<T>) {
        expected[i] = items[i] - items[i - 1];
      } else {
        expected[i] = static_cast<T>(static_cast<std::uint64_t>(items[i]) -
                                     static_cast<std::uint64_t>(items[i - 1]));
      }
    }
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " items");
      device_memory<T> const in(on, items), out(on, n);
      device_memory<index_t> const size(on, std::vector<index_t>{n});
      adjacent_difference(device_queue{on}, device_span<T const>{in.data(), n}, out.data());
      CHECK(out.copy() == expected);
      adjacent_difference(device_queue{on}, device_span<T>{in.data(), n + 7, size.data()},
                          in.data());
      CHECK(in.copy() == expected);
    }
  }
}

TEMPLATE_TEST_CASE("neighbors in device memory are combined by operators of the list", "",
                   std::int16_t, double) {
  using T = TestType;
  for (engine const& on : machines()) {
    for (index_t const n : {1, 5000}) {
      INFO(on.description() << ", " << n << " items");
      auto const items = make_input<T>(pattern::random, n);
      auto least = items, either = items;
      for (std::size_t i = 1; i < items.size(); ++i) {
        least[i] = std::min(items[i - 1], items[i]);
        if constexpr (std::is_integral_v<T>) either[i] = items[i - 1] | items[i];
      }
      device_memory<T> const in(on, items), out(on, n);
      device_span<T> const from{in.data(), n};
      adjacent_difference(device_queue{on}, from, out.data(), minimum<T>{});
      CHECK(difference(least, out.copy()) == "");
      if constexpr (std::is_integral_v<T>) {
        adjacent_difference(device_queue{on}, from, in.data(), bit_or<T>{});
        CHECK(difference(either, in.copy()) == "");
      }
    }
  }
}

TEMPLATE_TEST_CASE("ranks of masks in device memory", "", std::int32_t, std::uint64_t) {
  using Rank = TestType;
  for (index_t const n : {0, 1, 33, 5000}) {
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(n));
    std::vector<Rank> before, upto;
    Rank count = 0;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      flags[i] = i % 5 < 2 ? 9 : 0;
      before.push_back(count);
      if (flags[i] != 0) ++count;
      upto.push_back(count);
    }
    auto const bits = bits_of(flags);
    for (engine const& on : machines()) {
      device_memory<std::uint8_t> const bytes(on, flags);
      device_memory<std::uint32_t> const words(on, bits);
      device_memory<Rank> const ranks(on, n);
      device_memory<index_t> const total(on, 1);
      std::size_t const needed = device_binary_scan_workspace_bytes(on, n);
      device_memory<std::byte> const memory(on, static_cast<index_t>(needed));
      device_queue const queue{.on = on, .workspace = memory.data(), .workspace_bytes = needed};
      for (item_mask const& mask : {item_mask::of_flags({bytes.data(), flags.size()}),
                                    item_mask::of_bits({words.data(), bits.size()}, n)}) {
        INFO(on.description() << ", " << n << " items");
        exclusive_binary_scan(queue, mask, ranks.data(), total.data());
        CHECK(ranks.copy() == before);
        CHECK(total.copy()[0] == static_cast<index_t>(count));
        inclusive_binary_scan(queue, mask, ranks.data());
        CHECK(ranks.copy() == upto);
      }
    }
  }
}

TEST_CASE("the number of items may be in device memory, and the workspace the caller's") {
  std::vector<int> const items(1000, 1);
  for (engine const& on : machines()) {
    std::size_t const bytes = device_workspace_bytes<int>(on, 1000);
    device_memory<int> const in(on, items), out(on, 1000), total(on, 1);
    device_memory<index_t> const n(on, std::vector<index_t>{700});
    device_memory<std::byte> const workspace(on, static_cast<index_t>(bytes));
    device_queue const queue{.on = on, .workspace = workspace.data(), .workspace_bytes = bytes};
    inclusive_scan(queue, device_span<int>{in.data(), 1000, n.data()}, out.data(), plus<int>{},
                   total.data());
    CHECK(total.copy()[0] == 700);
    CHECK(out.copy()[699] == 700);
    device_queue const small{.on = on, .workspace = workspace.data(), .workspace_bytes = 1};
    CHECK_THROWS_WITH(reduce(small, device_span<int>{in.data(), 1000}, total.data()),
                      Contains("workspace of 1 bytes"));
  }
}

TEMPLATE_TEST_CASE("a scan goes on from a total in device memory", "", std::uint8_t, double) {
  using T = TestType;
  for (index_t const n : {0, 1, 700, 5000}) {
    auto const items = make_input<T>(pattern::small, 2 * n);
    auto const expected = scan_oracle(scan_kind::exclusive, items, plus<T>{}, T(3));
    for (engine const& on : machines()) {
      INFO(on.description() << ", twice " << n << " items");
      device_memory<T> const in(on, items), out(on, 2 * n), total(on, 1), all(on, 1);
      device_queue const queue{on};
      exclusive_scan(queue, device_span<T>{in.data(), n}, out.data(), plus<T>{}, total.data(), 3);
      exclusive_scan(queue, device_span<T>{in.data() + n, n}, out.data() + n, plus<T>{}, all.data(),
                     device_init<T>{total.data()});
      CHECK(difference(expected, {out.copy(), all.copy()[0]}) == "");
      inclusive_scan(queue, device_span<T>{in.data() + n, n}, out.data() + n, plus<T>{},
                     total.data(), device_init<T>{all.data()});
      std::vector<T> const second(items.begin() + n, items.end());
      auto const last = scan_oracle(scan_kind::inclusive, second, plus<T>{}, expected.total);
      auto scanned = out.copy();
      scanned.erase(scanned.begin(), scanned.begin() + n);
      CHECK(difference(last, {scanned, total.copy()[0]}) == "");
    }
  }
}

TEST_CASE("sums and segments begin with a value in device memory") {
  index_t const n = 5000;
  auto const items = make_input<std::int64_t>(pattern::random, n);
  auto const offsets = make_offsets(segment_shape::some_empty, n);
  auto const flags = flags_of(offsets);
  auto const op = plus<std::int64_t>{};
  auto const scanned = segmented_oracle(scan_kind::exclusive, items, flags, op, 11);
  auto const totals = segment_totals_oracle(items, offsets, op, 11);
  auto const some = segment_totals_oracle(items, without_empty(offsets), op, 11);
  for (engine const& on : machines()) {
    device_memory<std::int64_t> const in(on, items), out(on, n), result(on, 1);
    device_memory<std::int64_t> const sums(on, static_cast<index_t>(totals.size()));
    device_memory<std::int64_t> const eleven(on, std::vector<std::int64_t>{11});
    device_memory<index_t> const bounds(on, offsets);
    device_memory<std::uint32_t> const words(on, bits_of(flags));
    device_queue const queue{on};
    device_span<std::int64_t> const from{in.data(), n};
    device_init<std::int64_t> const first{eleven.data()};
    for (index_t const count : {index_t{0}, n}) {
      reduce(queue, device_span<std::int64_t>{in.data(), count}, result.data(), op, first);
      auto some_items = items;
      some_items.resize(static_cast<std::size_t>(count));
      CHECK(result.copy()[0] ==
            scan_oracle(scan_kind::inclusive, some_items, op, std::int64_t{11}).total);
    }
    std::span<index_t const> const all{bounds.data(), offsets.size()};
    auto const by_offsets = segmentation::of_offsets(all);
    auto const by_ranges = segmentation::of_ranges(all.first(all.size() - 1), all.subspan(1));
    auto const by_bits = segmentation::of_bits(
        {words.data(), static_cast<std::size_t>(ceil_div(n, index_t{32}))}, n);
    for (segmentation const& how : {by_offsets, by_ranges, by_bits}) {
      exclusive_segmented_scan(queue, from, out.data(), how, op, first);
      CHECK(difference(scanned, out.copy()) == "");
      segmented_reduce(queue, from, sums.data(), how, op, nullptr, first);
      auto const& expected = how.counts_segments() ? totals : some;
      auto got = sums.copy();
      got.resize(expected.size());
      CHECK(difference(expected, got) == "");
    }
  }
}

TEST_CASE("memory comes from the caller's functions, and goes back") {
  for (engine const& on : machines()) {
    struct account {
      engine on;
      int held = 0;
      int taken = 0;
    } memory{on};
    memory_functions const source{[](std::size_t bytes, void*, void* context) -> void* {
                                    auto& self = *static_cast<account*>(context);
                                    ++self.held;
                                    ++self.taken;
                                    return allocate_on(self.on, bytes);
                                  },
                                  [](void* at, std::size_t, void*, void* context) {
                                    auto& self = *static_cast<account*>(context);
                                    --self.held;
                                    deallocate_on(self.on, at);
                                  },
                                  &memory};
    std::vector<int> const items(5000, 1);
    device_memory<int> const in(on, items), total(on, 1);
    reduce(device_queue{.on = on, .memory = source}, device_span<int>{in.data(), 5000},
           total.data());
    CHECK(total.copy()[0] == 5000);
    CHECK((memory.taken == 1 && memory.held == 0));
  }
}

TEST_CASE("calls that cannot run say why") {
  int item = 0;
  CHECK_THROWS_WITH(reduce(device_queue{engine::cpu()}, device_span<int>{&item, 1}, &item),
                    Contains("run on the engines cuda and executor"));
  for (engine const& on : machines()) {
    std::vector<std::uint8_t> const flags{1, 0};
    CHECK_THROWS_WITH(inclusive_segmented_scan(device_queue{on}, device_span<int>{&item, 1}, &item,
                                               segmentation::of_flags(flags)),
                      Contains("segments of 2 items for 1 items"));
    std::span<int const> const offsets;
    CHECK_THROWS_WITH(inclusive_segmented_scan(device_queue{on}, device_span<int>{&item, 1}, &item,
                                               segmentation::of_offsets(offsets)),
                      Contains("no offsets; expected one more than segments"));
    auto const near = [](int a, int b) { return b - a < 2; };
    CHECK_THROWS_WITH(inclusive_segmented_scan(device_queue{on}, device_span<int>{&item, 1}, &item,
                                               segmentation::of_keys(std::span(&item, 1), near)),
                      Contains("keys in device memory: expected numbers that are compared by ==") &&
                          Contains("libscan/segmented_scan.cuh"));
    int unique = 0;
    CHECK_THROWS_WITH(
        reduce_by_key(device_queue{on}, &unique, device_span<int>{&item, 1}, &unique, &item),
        Contains("unique and keys share memory"));
    CHECK_THROWS_WITH(reduce(device_queue{on}, device_span<int>{&item, -1}, &item),
                      Contains("number of items is -1"));
  }
}

TEST_CASE("the C calls are the same, with a status and a message") {
  CHECK(libscan_c_api_version() == LIBSCAN_C_API_VERSION);
  std::vector<std::uint16_t> const items{3, 1, 4, 1, 5};
  for (engine const& on : machines()) {
    libscan_queue const queue = queue_of(on);
    device_memory<std::uint16_t> const in(on, items), out(on, 5), total(on, 1);
    libscan_items const from{LIBSCAN_U16, in.data(), 5, nullptr};
    std::uint16_t const init = 10;
    CHECK(libscan_scan(&queue, from, out.data(), nullptr, LIBSCAN_PLUS, LIBSCAN_EXCLUSIVE, &init,
                       total.data()) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::uint16_t>{10, 13, 14, 18, 19});
    CHECK(total.copy()[0] == 24);
    device_memory<std::uint16_t> const all(on, 1);
    CHECK(libscan_scan_from(&queue, from, out.data(), nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE,
                            total.data(), all.data()) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::uint16_t>{27, 28, 32, 33, 38});
    CHECK(all.copy()[0] == 38);
    CHECK(libscan_scan_from(&queue, from, out.data(), nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE,
                            nullptr, all.data()) == LIBSCAN_INVALID_ARGUMENT);
    device_memory<index_t> const offsets(on, std::vector<index_t>{0, 2, 5});
    libscan_segments const segments{LIBSCAN_OFFSETS, offsets.data(), nullptr, 2, LIBSCAN_I8};
    CHECK(libscan_scan(&queue, from, out.data(), &segments, LIBSCAN_BIT_XOR, LIBSCAN_INCLUSIVE,
                       nullptr, nullptr) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::uint16_t>{3, 2, 4, 5, 0});
    CHECK(libscan_reduce(&queue, from, total.data(), nullptr, LIBSCAN_MINIMUM, nullptr, nullptr) ==
          LIBSCAN_OK);
    CHECK(total.copy()[0] == 1);
    std::size_t bytes = 0;
    CHECK(libscan_workspace_bytes(&queue, from, nullptr, &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_workspace_bytes<std::uint16_t>(on, 5));
    CHECK(libscan_reduce_from(&queue, from, out.data(), &segments, LIBSCAN_PLUS, all.data(),
                              nullptr) == LIBSCAN_OK);
    CHECK(out.copy()[0] == 42);
    CHECK(out.copy()[1] == 48);
    CHECK(libscan_scan(&queue, from, out.data(), nullptr, LIBSCAN_PLUS, LIBSCAN_REVERSE_EXCLUSIVE,
                       nullptr, total.data()) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::uint16_t>{11, 10, 6, 5, 0});
    CHECK(total.copy()[0] == 14);
    CHECK(libscan_scan(&queue, from, out.data(), &segments, LIBSCAN_PLUS, LIBSCAN_REVERSE_EXCLUSIVE,
                       nullptr, nullptr) == LIBSCAN_INVALID_ARGUMENT);
    CHECK(libscan_scan(&queue, from, out.data(), &segments, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE,
                       nullptr, total.data()) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("d_total of a scan within segments; expected NULL"));
    device_memory<index_t> const some(on, 1);
    CHECK(libscan_reduce(&queue, from, total.data(), nullptr, LIBSCAN_PLUS, nullptr, some.data()) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("d_segments of a reduction without segments"));
    libscan_segments none = segments;
    none.form = static_cast<libscan_form>(7);
    CHECK(libscan_scan(&queue, from, out.data(), &none, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE, nullptr,
                       nullptr) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("form 7 of segments: there is none"));
    libscan_segments half_keys{LIBSCAN_KEYS, items.data(), nullptr, 0,
                               static_cast<libscan_type>(14)};
    CHECK(libscan_scan(&queue, from, out.data(), &half_keys, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE,
                       nullptr, nullptr) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("item_type 14: no such type of items"));
    // Numbers whose low bits are those of others.
    libscan_items other_items = from;
    other_items.type = static_cast<libscan_type>(256 + from.type);
    CHECK(libscan_scan(&queue, other_items, out.data(), nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE,
                       nullptr, nullptr) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("no such type of items"));
    CHECK(libscan_scan(&queue, from, out.data(), nullptr, static_cast<libscan_operator>(256),
                       LIBSCAN_INCLUSIVE, nullptr, nullptr) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("operator 256: there is none"));
    CHECK(libscan_adjacent_difference(&queue, from, out.data()) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::uint16_t>{3, 65534, 3, 65533, 4});
    CHECK(libscan_combine_neighbors(&queue, from, out.data(), LIBSCAN_MAXIMUM) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::uint16_t>{3, 3, 4, 4, 5});
    CHECK(libscan_combine_neighbors(&queue, {LIBSCAN_F32, in.data(), 1, nullptr}, out.data(),
                                    LIBSCAN_BIT_AND) == LIBSCAN_INVALID_ARGUMENT);
    device_memory<std::uint8_t> const marks(on, std::vector<std::uint8_t>{0, 1, 0, 0, 1});
    device_memory<double> const keys(on, std::vector<double>{7, 7, 7, 2, 2});
    libscan_segments const by_flags{LIBSCAN_HEAD_FLAGS, marks.data(), nullptr, 0, LIBSCAN_I8};
    libscan_segments const by_keys{LIBSCAN_KEYS, keys.data(), nullptr, 0, LIBSCAN_F64};
    libscan_segments const pairs{LIBSCAN_LENGTH, nullptr, nullptr, 2, LIBSCAN_I8};
    auto const sums_of = [&](libscan_segments const& how) {
      CHECK(libscan_scan(&queue, from, out.data(), &how, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE, nullptr,
                         nullptr) == LIBSCAN_OK);
      return out.copy();
    };
    CHECK(sums_of(by_flags) == std::vector<std::uint16_t>{3, 1, 5, 6, 5});
    CHECK(sums_of(by_keys) == std::vector<std::uint16_t>{3, 4, 8, 1, 6});
    CHECK(sums_of(pairs) == std::vector<std::uint16_t>{3, 4, 4, 5, 5});
    device_memory<double> const unique(on, 5);
    device_memory<index_t> const runs(on, 1);
    CHECK(libscan_reduce_by_key(&queue, LIBSCAN_F64, keys.data(), from, unique.data(), out.data(),
                                LIBSCAN_PLUS, nullptr, runs.data()) == LIBSCAN_OK);
    CHECK(runs.copy()[0] == 2);
    CHECK((unique.copy()[0] == 7 && unique.copy()[1] == 2));
    CHECK((out.copy()[0] == 8 && out.copy()[1] == 6));
    libscan_rule const marked{nullptr, marks.data(), nullptr};
    device_memory<std::uint32_t> const ranks(on, 5);
    CHECK(libscan_binary_scan(&queue, &marked, 5, ranks.data(), 4, LIBSCAN_INCLUSIVE,
                              runs.data()) == LIBSCAN_OK);
    CHECK(ranks.copy() == std::vector<std::uint32_t>{0, 1, 1, 1, 2});
    CHECK(libscan_binary_scan(&queue, &marked, 5, ranks.data(), 3, LIBSCAN_INCLUSIVE,
                              runs.data()) == LIBSCAN_INVALID_ARGUMENT);
    CHECK(libscan_binary_scan_workspace_bytes(&queue, 5, &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_binary_scan_workspace_bytes(on, 5));

    CHECK(libscan_reduce(nullptr, from, total.data(), nullptr, LIBSCAN_PLUS, nullptr, nullptr) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK(std::string(libscan_last_error()) == "queue is NULL; expected a pointer");
    libscan_items const of_floats{LIBSCAN_F32, in.data(), 1, nullptr};
    CHECK(libscan_reduce(&queue, of_floats, total.data(), nullptr, LIBSCAN_BIT_OR, nullptr,
                         nullptr) == LIBSCAN_INVALID_ARGUMENT);
    libscan_queue lost = queue;
    lost.machine = LIBSCAN_CUDA;
    lost.device = 1000;
    CHECK(libscan_reduce(&lost, from, total.data(), nullptr, LIBSCAN_PLUS, nullptr, nullptr) ==
          LIBSCAN_ENGINE_UNAVAILABLE);
  }
}

}  // namespace
}  // namespace libscan::test
