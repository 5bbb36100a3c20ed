// SPDX-License-Identifier: Apache-2.0
// Host memory for large results: a range for every call, uninitialized, in huge pages.
#include <libscan/buffer.hpp>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdint>
#include <span>
#include <vector>

#include <libscan/libscan.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

TEST_CASE("a buffer is input and output of calls, and moves") {
  std::vector<int> const in{1, 2, 3};
  buffer<int> out(3);
  CHECK(inclusive_scan(engine::cpu(1), in, out) == 6);
  CHECK((out[0] == 1 && out[2] == 6));
  buffer<int> moved(std::move(out));
  CHECK(out.empty());
  CHECK(reduce(engine::cpu(1), moved) == 10);
  moved = buffer<int>(0);
  CHECK((moved.size() == 0 && moved.begin() == moved.end()));
}

TEST_CASE("a buffer is truncated to its first items, and never grows") {
  buffer<int> items(4);
  for (int i = 0; i < 4; ++i) items[static_cast<std::size_t>(i)] = i;
  items.truncate(2);
  CHECK(std::vector<int>(items.begin(), items.end()) == std::vector<int>{0, 1});
  CHECK_THROWS_WITH(items.truncate(3), Catch::Matchers::Contains("truncated to 3 of 2 items"));
  CHECK_THROWS_AS(items.truncate(-1), invalid_argument);
  items.truncate(0);
  CHECK(items.empty());
}

TEST_CASE("large buffers begin at a huge page, small ones at a cache line") {
  auto const address = [](auto const& of) { return reinterpret_cast<std::uintptr_t>(of.data()); };
  CHECK(address(buffer<double>(index_t{1} << 20)) % cpu::huge_page == 0);
  CHECK(address(buffer<char>(100)) % 64 == 0);
}

#ifdef __GLIBC__
TEST_CASE("memory of buffers that ended is used again") {
  auto const from_system = [] {
    struct mallinfo2 const info = mallinfo2();
    return info.arena + info.hblkhd;
  };
  std::vector<std::vector<char>> between;  // what stays of other work
  std::size_t const before = from_system();
  for (int i = 0; i < 300; ++i) {
    buffer<char> const one(900'000 + i * 7919 % 97 * 1024), two(300'000 + i * 31 % 89 * 1024);
    between.emplace_back(300);
  }
  CHECK(from_system() < before + (std::size_t{3} << 20));
}
#endif

TEST_CASE("sizes that cannot be are refused") {
  CHECK_THROWS_AS(buffer<int>(-1), invalid_argument);
  CHECK_THROWS_AS(buffer<double>(index_t{1} << 62), std::bad_alloc);
}

TEST_CASE(
    "a vector with the allocator keeps its items when it grows, and leaves new ones as they are") {
  std::vector<int, page_allocator<int>> items;
  for (int i = 0; i < 1000; ++i) items.push_back(i);
  items.resize(500);
  items.resize(1000);  // into the same memory
  CHECK((items[499] == 499 && items[500] == 500));
  items.resize(1001, 7);
  CHECK(items.back() == 7);
  std::vector<int, page_allocator<int>> const copy(items);
  CHECK(copy == items);
}

}  // namespace
}  // namespace libscan::test
