// SPDX-License-Identifier: Apache-2.0
// The threads that copy pieces of host memory through a device, on one whose streams run late and
// in any order, and that can fail.
#include <libscan/host/passage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include <libscan/cpu/workers.hpp>
#include <tests/host/fake_device.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

using detail::device_piece;
using detail::host_part;
using detail::passage_shape;
using detail::piece_plan;
using item = std::uint32_t;

/// A filter of the odd items, with the sum of all items before each one added, and the numbers of
/// the pieces as a second input: what depends on order, counts and memory made by threads.
struct odd_items {
  std::vector<item> in, out;
  index_t piece_items;
  index_t kept = 0;
  item sum = 0;  // of all items, as the last kernel leaves it in the workspace

  odd_items(index_t n, index_t length) : out(static_cast<std::size_t>(n)), piece_items(length) {
    for (index_t i = 0; i < n; ++i) in.push_back(static_cast<item>(i * 2654435761u >> 7));
  }

  index_t size() const { return static_cast<index_t>(in.size()); }
  index_t pieces() const { return ceil_div(size(), piece_items); }
  index_t length(index_t piece) const {
    return std::min(piece_items, size() - piece * piece_items);
  }

  std::vector<item> expected() const {
    std::vector<item> result;
    item before = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      auto const piece = static_cast<item>(static_cast<index_t>(i) / piece_items);
      before += in[i];
      if (in[i] % 2 != 0) result.push_back(before + piece);
    }
    return result;
  }

  void run(passage_shape shape, int threads) {
    auto const items_bytes = static_cast<std::size_t>(piece_items) * sizeof(item);
    std::size_t const number_at = items_bytes, kept_at = items_bytes + 8;
    std::size_t const count_at = (kept_at + items_bytes + 7) / 8 * 8;
    auto const inputs = [&](index_t piece, std::vector<host_part>& parts) {
      parts.push_back({in.data() + piece * piece_items,
                       static_cast<std::size_t>(length(piece)) * sizeof(item), 0});
      parts.push_back({nullptr, sizeof(item), number_at});
    };
    auto const fill = [](index_t piece, std::byte* to) {
      auto const number = static_cast<item>(piece);
      std::memcpy(to, &number, sizeof(number));
    };
    auto const kernels = [&](device_piece const& piece) {
      auto* const stream = static_cast<fake_device::stream*>(piece.stream);
      stream->run([at = piece.memory, sum_at = piece.workspace, first = piece.number == 0,
                   n = length(piece.number), number_at, kept_at, count_at] {
        item sum = 0;
        if (!first) std::memcpy(&sum, sum_at, sizeof(sum));
        auto const* const items = reinterpret_cast<item const*>(at);
        item number;
        std::memcpy(&number, at + number_at, sizeof(number));
        auto* const to = reinterpret_cast<item*>(at + kept_at);
        index_t count = 0;
        for (index_t i = 0; i < n; ++i) {
          sum += items[i];
          if (items[i] % 2 != 0) to[count++] = sum + number;
        }
        std::memcpy(at + count_at, &count, sizeof(count));
        std::memcpy(sum_at, &sum, sizeof(sum));
      });
    };
    auto const outputs = [&](index_t, index_t const* counts, std::vector<host_part>& parts) {
      parts.push_back(
          {out.data() + kept, static_cast<std::size_t>(counts[0]) * sizeof(item), kept_at});
      kept += counts[0];
    };
    piece_plan const plan{.pieces = pieces(),
                          .device_bytes = count_at + 8,
                          .inputs = inputs,
                          .enqueue = kernels,
                          .outputs = outputs,
                          .counts_at = count_at,
                          .counts = 1,
                          .workspace_bytes = 8,
                          .result = {&sum, sizeof(sum), 0},
                          .fill = fill};
    std::vector<std::byte> memory(static_cast<std::size_t>(shape.at_once) * plan.device_bytes + 8);
    shape.memory = memory.data();
    shape.threads = threads;
    cpu::with_workers(threads, [&] { detail::passage<fake_device>(plan, shape).run(); });
  }
};

TEST_CASE("pieces pass through a device in order, however late its streams run") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (index_t const piece_items : {40, 64, 500}) {  // parts of a block, one, and several
      for (passage_shape const& shape :
           {passage_shape{.blocks = 2, .at_once = 1}, passage_shape{.blocks = 4, .at_once = 3},
            passage_shape{.blocks = 2, .at_once = 8}}) {
        fake_device::begin(
            {.seed = seed, .refuses_pinned = seed % 5 == 0, .reaches_all = seed % 3 == 0});
        int const threads = 1 + static_cast<int>(seed % 4);
        INFO("seed " << seed << ", " << piece_items << " items, " << shape.at_once
                     << " at once, threads " << threads);
        odd_items work(1234, piece_items);
        work.run(shape, threads);
        auto const expected = work.expected();
        work.out.resize(static_cast<std::size_t>(work.kept));
        REQUIRE(work.out == expected);
        REQUIRE(work.sum == std::accumulate(work.in.begin(), work.in.end(), item{0}));
        REQUIRE(fake_device::pending() == 0);
      }
    }
  }
}

TEST_CASE("results take the place of items in device memory") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    int const threads = 1 + static_cast<int>(seed % 4);
    INFO("seed " << seed << ", threads " << threads);
    fake_device::begin({.seed = seed, .reaches_all = seed % 3 == 0});
    constexpr index_t length = 50, pieces = 20;
    std::vector<item> items(length * pieces), expected(items.size());
    std::iota(items.begin(), items.end(), seed);
    std::partial_sum(items.begin(), items.end(), expected.begin());
    auto const list = [&](index_t piece, std::vector<host_part>& parts) {
      parts.push_back({items.data() + piece * length, length * sizeof(item), 0});
    };
    auto const outputs = [&](index_t piece, index_t const*, std::vector<host_part>& parts) {
      list(piece, parts);
    };
    auto const kernels = [&](device_piece const& piece) {
      static_cast<fake_device::stream*>(piece.stream)->run([piece] {
        auto* const at = reinterpret_cast<item*>(piece.memory);
        auto* const sum = reinterpret_cast<item*>(piece.workspace);
        if (piece.number > 0) at[0] += *sum;
        std::partial_sum(at, at + length, at);
        *sum = at[length - 1];
      });
    };
    item total = 0;
    piece_plan const plan{.pieces = pieces,
                          .device_bytes = length * sizeof(item),
                          .inputs = list,
                          .enqueue = kernels,
                          .outputs = outputs,
                          .workspace_bytes = sizeof(item),
                          .result = {&total, sizeof(item), 0}};
    std::vector<item> memory(3 * length + 1);
    passage_shape const shape{.threads = threads,
                              .blocks = 4,
                              .at_once = 3,
                              .memory = reinterpret_cast<std::byte*>(memory.data())};
    cpu::with_workers(threads, [&] { detail::passage<fake_device>(plan, shape).run(); });
    REQUIRE(items == expected);
    REQUIRE(total == expected.back());
  }
}

TEST_CASE("many short stretches come to their places, with and without gaps between them") {
  constexpr std::size_t all = 3000;
  std::vector<std::byte> host(all);
  for (std::size_t i = 0; i < all; ++i) host[i] = static_cast<std::byte>(i * 7 + i / 256);
  for (unsigned seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    fake_device::begin({.seed = seed, .reaches_all = seed % 3 == 0});
    std::mt19937 random(seed);
    std::vector<std::byte> memory(2 * all), out(2 * all), expected(2 * all);
    std::vector<host_part> stretches;
    std::size_t end = 0;
    for (int k = 0; k < 40; ++k) {
      std::size_t const bytes = random() % 70, from = random() % (all - bytes);
      if (random() % 4 == 0) end += random() % 9;
      stretches.push_back({host.data() + from, bytes, end});
      std::copy_n(host.data() + from, bytes, expected.data() + end);
      end += bytes;
    }
    auto const inputs = [&](index_t, std::vector<host_part>& parts) { parts = stretches; };
    auto const outputs = [&](index_t, index_t const*, std::vector<host_part>& parts) {
      parts.push_back({out.data(), end, 0});
    };
    auto const nothing = [](device_piece const&) {};
    piece_plan const plan{
        .device_bytes = end, .inputs = inputs, .enqueue = nothing, .outputs = outputs};
    passage_shape const shape{.threads = 2, .at_once = 1, .memory = memory.data()};
    cpu::with_workers(2, [&] { detail::passage<fake_device>(plan, shape).run(); });
    REQUIRE(out == expected);
  }
}

TEST_CASE("a failure of any call ends the pieces, and nothing uses their memory afterward") {
  passage_shape const shape{.blocks = 2, .at_once = 3};
  fake_device::begin({});
  odd_items whole(700, 50);
  whole.run(shape, 1);
  long const calls = fake_device::calls();
  REQUIRE(calls > 100);
  int failures = 0;
  for (long call = 0; call < calls; ++call) {
    int const threads = 1 + static_cast<int>(call % 3);
    INFO("call " << call << " of " << calls << ", threads " << threads);
    fake_device::begin({.seed = static_cast<unsigned>(call), .fails_at = call});
    odd_items work(700, 50);
    try {
      work.run(shape, threads);
      work.out.resize(static_cast<std::size_t>(work.kept));
      REQUIRE(work.out == work.expected());  // with lanes that were there, there are fewer calls
    } catch (fake_device::failure const&) {
      ++failures;
    }
    REQUIRE(fake_device::pending() == 0);
  }
  CHECK(failures > calls / 2);
}

TEST_CASE("an exception of a plan ends the pieces") {
  fake_device::begin({});
  std::vector<item> in(1000, 1);
  std::vector<std::byte> memory(4096);
  auto const inputs = [&](index_t piece, std::vector<host_part>& parts) {
    parts.push_back({in.data() + piece * 100, 400, 0});
  };
  auto const kernels = [](device_piece const& piece) {
    if (piece.number == 4) throw std::out_of_range("the plan");
  };
  auto const outputs = [](index_t, index_t const*, std::vector<host_part>&) {};
  piece_plan const plan{
      .pieces = 10, .device_bytes = 400, .inputs = inputs, .enqueue = kernels, .outputs = outputs};
  passage_shape const shape{.threads = 2, .at_once = 3, .memory = memory.data()};
  auto const run = [&] {
    cpu::with_workers(2, [&] { detail::passage<fake_device>(plan, shape).run(); });
  };
  CHECK_THROWS_AS(run(), std::out_of_range);
  CHECK(fake_device::pending() == 0);
}

TEST_CASE("copies of one way are cut into blocks") {
  std::vector<std::byte> host(1001), device(1001);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::byte>(i * 7);
  auto const nothing = [](device_piece const&) {};
  for (bool const in : {true, false}) {
    fake_device::begin({.seed = 3});
    std::vector<std::byte> from = host, to(1001);
    std::vector<std::byte>& on_host = in ? from : to;
    auto const inputs = [&](index_t, std::vector<host_part>& parts) {
      if (in) parts.push_back({on_host.data(), on_host.size(), 0});
    };
    auto const outputs = [&](index_t, index_t const*, std::vector<host_part>& parts) {
      if (!in) parts.push_back({on_host.data(), on_host.size(), 0});
    };
    piece_plan const plan{.inputs = inputs, .enqueue = nothing, .outputs = outputs};
    passage_shape const shape{.threads = 2, .at_once = 1, .memory = in ? to.data() : from.data()};
    detail::passage<fake_device>(plan, shape).run();
    CHECK(to == host);
  }
}

TEST_CASE("stretches are cut into units of a block") {
  detail::unit_list list;
  std::vector<std::byte> host(1000);
  list.list([&](std::vector<host_part>& parts) {
    parts.push_back({host.data(), 0, 5});
    parts.push_back({host.data(), 100, 0});
    parts.push_back({nullptr, 90, 200});  // does not fit after 128 bytes
    parts.push_back({host.data() + 500, 300, 300});
  });
  auto const first = list.take(200);
  REQUIRE(first.size() == 1);
  CHECK(first[0].bytes == 100);
  auto const second = list.take(200);
  REQUIRE(second.size() == 2);
  CHECK(second[0].host == nullptr);
  CHECK(second[1].bytes == 72);
  CHECK(second[1].at == 300);
  auto const third = list.take(200);
  REQUIRE(third.size() == 1);
  CHECK(third[0].host == host.data() + 572);
  CHECK(third[0].at == 372);
  CHECK(third[0].bytes == 200);
  CHECK(list.take(200).front().bytes == 28);
  CHECK(list.empty());
}

}  // namespace
}  // namespace libscan::test
