// SPDX-License-Identifier: Apache-2.0
// Calls on device memory from plain C++ and from C, against plain loops: in the executor, and on a
// GPU if there is one.
#include <libscan/device_calls.hpp>

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
    std::vector<std::uint8_t> const flags{1};
    CHECK_THROWS_WITH(inclusive_segmented_scan(device_queue{on}, device_span<int>{&item, 1}, &item,
                                               segmentation::of_flags(flags)),
                      Contains("expected segmentation::of_bits"));
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
    CHECK(libscan_scan_from(&queue, from, out.data(), LIBSCAN_PLUS, LIBSCAN_INCLUSIVE, total.data(),
                            all.data()) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::uint16_t>{27, 28, 32, 33, 38});
    CHECK(all.copy()[0] == 38);
    CHECK(libscan_scan_from(&queue, from, out.data(), LIBSCAN_PLUS, LIBSCAN_INCLUSIVE, nullptr,
                            all.data()) == LIBSCAN_INVALID_ARGUMENT);
    device_memory<index_t> const offsets(on, std::vector<index_t>{0, 2, 5});
    libscan_segments const segments{LIBSCAN_OFFSETS, offsets.data(), nullptr, 2};
    CHECK(libscan_scan(&queue, from, out.data(), &segments, LIBSCAN_BIT_XOR, LIBSCAN_INCLUSIVE,
                       nullptr, nullptr) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::uint16_t>{3, 2, 4, 5, 0});
    CHECK(libscan_reduce(&queue, from, total.data(), nullptr, LIBSCAN_MINIMUM, nullptr, nullptr) ==
          LIBSCAN_OK);
    CHECK(total.copy()[0] == 1);
    std::size_t bytes = 0;
    CHECK(libscan_workspace_bytes(&queue, from, nullptr, &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_workspace_bytes<std::uint16_t>(on, 5));

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
