// SPDX-License-Identifier: Apache-2.0
// Workspaces over the caller's memory: refused where they are not aligned, whichever call would
// work in them, and used from the first byte on.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <libscan/buffer.cuh>
#include <libscan/filter.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <libscan/segmented_sort.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr index_t n = 3000;
constexpr std::size_t room = std::size_t{1} << 18;

struct is_one {
  LIBSCAN_HOST_DEVICE bool operator()(std::int32_t x) const { return x == 1; }
};

/// Items, and what calls make of them.
struct data {
  std::vector<std::int32_t> const ones = std::vector<std::int32_t>(n, 1);
  std::vector<std::int32_t> const bounds{0, 1000, 3000};
  device::buffer<std::int32_t> in{std::span<std::int32_t const>(ones)};
  device::buffer<std::int32_t> out{n};
  device::buffer<std::int32_t> offsets{std::span<std::int32_t const>(bounds)};
  device::buffer<index_t> count{1};
};

/// A call of each kind, which works in the workspace.
struct operation {
  char const* name;
  std::function<void(workspace&, data&)> run;
  int last;  // of the results
};

std::vector<operation> operations() {
  plus<std::int32_t> const op;
  auto const segments = [](data& of) { return segment_offsets{of.offsets.data(), 2}; };
  auto const ranges = [](data& of) {
    return segment_ranges{of.offsets.data(), of.offsets.data() + 1, 2};
  };
  using items = std::int32_t const*;
  return {
      {"scan",
       [=](workspace& ws, data& of) {
         inclusive_scan<tiny_tuning>(ws, of.in.data(), of.out.data(), n, op);
       },
       n},
      {"segmented scan",
       [=](workspace& ws, data& of) {
         inclusive_segmented_scan<tiny_tuning>(ws, of.in.data(), of.out.data(), segments(of), n,
                                               op);
       },
       2000},
      {"scan of ranges",
       [=](workspace& ws, data& of) {
         inclusive_segmented_scan<tiny_tuning>(ws, of.in.data(), of.out.data(), ranges(of), n, op);
       },
       2000},
      {"filter",
       [=](workspace& ws, data& of) {
         filter<tiny_tuning>(ws, of.in.data(), of.out.data(), n, is_one{}, of.count.data());
       },
       1},
      {"sort",
       [=](workspace& ws, data& of) { sort_keys(ws, items{of.in.data()}, of.out.data(), n); }, 1},
      {"segmented sort",
       [=](workspace& ws, data& of) {
         segmented_sort_keys(ws, items{of.in.data()}, of.out.data(), n, ranges(of));
       },
       1},
  };
}

}  // namespace

TEST_CASE("a workspace over memory that is not aligned to 256 bytes is refused in words") {
  device::buffer<unsigned char> const memory(static_cast<index_t>(room) + 256);
  for (auto const& operation : operations()) {
    INFO(operation.name);
    data of;
    for (std::size_t const at : {1, 4, 16, 128, 255}) {
      INFO(at);
      CHECK_THROWS_WITH(
          [&] {
            workspace ws(memory.data() + at, room);
            operation.run(ws, of);
          }(),
          Catch::Contains("workspace: memory at an address that is no multiple of 256"));
    }
    workspace ws(memory.data() + 256, room);
    operation.run(ws, of);
    std::vector<std::int32_t> out(n);
    of.out.read_sync(out.data(), n);
    CHECK(out.back() == operation.last);
  }
}

TEST_CASE("no memory is a workspace for calls that need none") {
  workspace none(nullptr, 0);
  CHECK(none.reserve(0) == nullptr);
  CHECK_THROWS_WITH(none.reserve(1), Catch::Contains("workspace of 0 bytes, but the call needs 1"));
}
