// SPDX-License-Identifier: Apache-2.0
// Workspaces whose memory comes from a pair of functions of the caller's.
#include <cstddef>
#include <map>
#include <vector>

#include <libscan/scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// No std::exception.
struct own_failure {};

/// Device memory that it keeps account of.
struct accounted_memory {
  std::map<void*, std::size_t> held;
  int allocations = 0;
  bool exhausted = false;
  bool fails = false;

  memory_functions functions() {
    return {[](std::size_t bytes, void*, void* context) -> void* {
              auto& self = *static_cast<accounted_memory*>(context);
              if (self.exhausted) return nullptr;
              if (self.fails) throw own_failure{};
              ++self.allocations;
              void* const memory = simt::allocate(bytes);
              self.held[memory] = bytes;
              return memory;
            },
            [](void* memory, std::size_t bytes, void*, void* context) {
              auto& self = *static_cast<accounted_memory*>(context);
              if (self.held.at(memory) != bytes) throw invalid_argument("other bytes came back");
              self.held.erase(memory);
              simt::deallocate(memory);
              if (self.fails) throw own_failure{};
            },
            this};
  }
};

/// The sum of n ones by a scan.
int scanned_sum(workspace& ws, index_t n) {
  std::vector<int> const ones(static_cast<std::size_t>(n), 1);
  device::buffer<int> const items{std::span<int const>(ones)};
  device::buffer<int> const total(1);
  exclusive_scan(ws, items.data(), items.data(), n, plus<int>{}, total.data());
  int sum = 0;
  total.read_sync(&sum, 1);
  return sum;
}

}  // namespace

TEST_CASE("a workspace takes its memory from the caller's functions, and gives all of it back") {
  accounted_memory memory;
  {
    workspace ws(memory.functions());
    CHECK(scanned_sum(ws, 100) == 100);
    CHECK(memory.allocations == 1);
    CHECK(scanned_sum(ws, 100) == 100);
    CHECK(memory.allocations == 1);
    ws.reserve(std::size_t{1} << 20);
    CHECK(memory.allocations == 2);
    CHECK(memory.held.size() == 1);
    workspace moved(std::move(ws));
    CHECK(scanned_sum(moved, 50) == 50);
    CHECK(memory.allocations == 2);
  }
  CHECK(memory.held.empty());
}

TEST_CASE("a source without memory is an error of the call") {
  accounted_memory memory;
  memory.exhausted = true;
  workspace ws(memory.functions());
  CHECK_THROWS_AS(scanned_sum(ws, 100), std::bad_alloc);
  memory.exhausted = false;
  CHECK(scanned_sum(ws, 100) == 100);
}

TEST_CASE("what a source throws leaves the call, and the workspace goes on") {
  accounted_memory memory;
  {
    workspace ws(memory.functions());
    memory.fails = true;
    CHECK_THROWS_AS(scanned_sum(ws, 100), own_failure);
    CHECK_THROWS_AS(scanned_sum(ws, 100), own_failure);
    memory.fails = false;
    CHECK(scanned_sum(ws, 100) == 100);
    memory.fails = true;
    CHECK_THROWS_AS(ws.reserve(std::size_t{1} << 20), own_failure);  // as it gives memory back
    CHECK(memory.held.empty());
    memory.fails = false;
    CHECK(scanned_sum(ws, 50) == 50);
    memory.fails = true;
  }  // ends without a word
  CHECK(memory.held.empty());
}
