// SPDX-License-Identifier: Apache-2.0
// Distributed calls on device memory: ranks that are threads, in the executor or on one GPU that
// all of them share, against plain loops; floats bit for bit against one rank.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <libscan/distributed/device_scan.hpp>
#include <libscan/distributed/device_segmented_scan.hpp>
#include <libscan/distributed/threads.hpp>
#include <tests/distributed/device_ranks.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using test::machines_for;
using test::on_device;
using test::part_of;
using test::spread;

namespace {

constexpr index_t block = index_t{1} << 15;

/// Results and the total of a scan of `in` over the parts of `d`, in device or in host memory.
template <scan_kind Kind, class Op, class T = typename Op::value_type>
std::vector<T> scan_on(distribution const& d, std::vector<T> in, Op op, T init,
                       scan_direction direction, bool in_place, bool on_host = false) {
  std::vector<T> out(in.size());
  std::vector<T> totals(2 * static_cast<std::size_t>(d.ranks()), init);
  thread_ranks(machines_for(d.ranks())).run([&](ranks const& on) {
    auto const scan = [&](auto const& from, auto&& results) {
      return Kind == scan_kind::inclusive ? inclusive_scan(on, from, results, op, init, direction)
                                          : exclusive_scan(on, from, results, op, init, direction);
    };
    auto const mine = part_of(in, d, on.rank());
    auto const to = part_of(out, d, on.rank());
    T* const total = &totals[2 * static_cast<std::size_t>(on.rank())];
    if (on_host) {
      total[1] = libscan::reduce(on, mine, op, init);
      total[0] = scan(mine, to);
      return;
    }
    on_device<T> const items(on, mine);
    detail::device_array<T> const other(on.queue(), items.size());
    device_span<T const> const from{items.data(), items.size()};
    total[1] = libscan::reduce(on, from, op, init);
    total[0] = scan(from, in_place ? items.data() : other.data());
    (in_place ? items : other).download(to);
  });
  // Reductions associate from the first rank on.
  bool const same = std::is_integral_v<T> || direction == scan_direction::forward;
  for (std::size_t i = 0; i < totals.size(); i += same ? 1 : 2) {
    CHECK(test::same_bits<T>({totals[i]}, {totals[0]}));
  }
  out.push_back(totals[0]);
  return out;
}

/// The definition.
template <scan_kind Kind, class Op, class T = typename Op::value_type>
std::vector<T> scan_by_loop(std::vector<T> in, Op op, T init, scan_direction direction) {
  bool const reversed = direction == scan_direction::reverse;
  if (reversed) std::ranges::reverse(in);
  for (T& item : in) {
    T const before = init;
    init = op(init, item);
    item = Kind == scan_kind::inclusive ? init : before;
  }
  if (reversed) std::ranges::reverse(in);
  in.push_back(init);
  return in;
}

template <class T>
std::vector<T> random_items(index_t n) {
  test::random_words words(static_cast<std::uint64_t>(n));
  std::vector<T> items;
  for (index_t i = 0; i < n; ++i) items.push_back(static_cast<T>(words()));
  return items;
}

}  // namespace

TEST_CASE("integer scans of device memory over ranks") {
  for (int const p : {1, 2, 3, 5}) {
    for (index_t const n : {index_t{0}, index_t{2}, index_t{999}, 2 * block + 77}) {
      for (auto const how : test::all_spreads()) {
        INFO("ranks " << p << ", items " << n << ", spread " << static_cast<int>(how));
        auto const d = test::spread_out(how, n, p);
        bool const in_place = (n + p) % 2 == 0;
        auto const words = random_items<std::uint32_t>(n);
        CHECK(scan_on<scan_kind::exclusive>(d, words, plus<std::uint32_t>{}, 3u,
                                            scan_direction::forward, in_place) ==
              scan_by_loop<scan_kind::exclusive>(words, plus<std::uint32_t>{}, 3u,
                                                 scan_direction::forward));
        auto const bytes = random_items<std::int8_t>(n);
        CHECK(scan_on<scan_kind::inclusive>(d, bytes, maximum<std::int8_t>{}, std::int8_t{-7},
                                            scan_direction::reverse, !in_place) ==
              scan_by_loop<scan_kind::inclusive>(bytes, maximum<std::int8_t>{}, std::int8_t{-7},
                                                 scan_direction::reverse));
      }
    }
  }
}

TEST_CASE("float scans of device memory have the same bits for any parts") {
  index_t const n = 4 * block + 1234;
  test::random_words words(7);
  std::vector<double> items;
  for (index_t i = 0; i < n; ++i) {
    double const mantissa = static_cast<double>(static_cast<std::int64_t>(words()));
    items.push_back(std::ldexp(mantissa, static_cast<int>(words.below(60)) - 90));
  }
  double sum_of_magnitudes = 0;
  for (double const item : items) sum_of_magnitudes += std::abs(item);
  for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
    auto const scan = [&](distribution const& d, bool in_place, bool on_host) {
      return scan_on<scan_kind::inclusive>(d, items, plus<double>{}, 0.5, direction, in_place,
                                           on_host);
    };
    auto const expected = scan(distribution::even(n, 1), false, false);
    auto const loop = scan_by_loop<scan_kind::inclusive>(items, plus<double>{}, 0.5, direction);
    double largest_error = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      largest_error = std::max(largest_error, std::abs(expected[i] - loop[i]));
    }
    CHECK(largest_error <= 1e-13 * sum_of_magnitudes);
    for (auto const how : test::all_spreads()) {
      INFO("spread " << static_cast<int>(how));
      CHECK(
          test::same_bits(scan(test::spread_out(how, n, 3), how == spread::even, false), expected));
    }
    CHECK(test::same_bits(scan(test::spread_out(spread::uneven, n, 2), false, true), expected));
  }
}

TEST_CASE("the first and the last of many bits") {
  device_queue const queue{test::machines().at(0)};
  index_t const n = (index_t{3} << 21) + 5;
  for (auto const& set : std::vector<std::vector<index_t>>{
           {}, {0}, {n - 1}, {(index_t{1} << 21) - 1}, {70, 3 << 20}, {(5 << 20) + 1, n - 1}}) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(ceil_div(n, index_t{32})));
    for (index_t const i : set) words[static_cast<std::size_t>(i / 32)] |= 1u << (i % 32);
    words.back() |= 1u << (n % 32);  // no bit of theirs
    detail::device_array<std::uint32_t> const d_words(queue, std::ssize(words));
    d_words.upload(words);
    auto const found = detail::find_set_bits(queue, d_words.data(), n);
    CHECK(found.first == (set.empty() ? n : set.front()));
    CHECK(found.last == (set.empty() ? -1 : set.back()));
  }
}

TEST_CASE("segments go on over ranks") {
  for (int const p : test::sized_list({1, 2, 3, 5}, {1, 3})) {
    for (unsigned const sparse : {1u, 40u, 900u, 100000u}) {
      for (auto const how : test::all_spreads()) {
        index_t const n = 2500;
        INFO("ranks " << p << ", one head in " << sparse << ", spread " << static_cast<int>(how));
        auto const d = test::spread_out(how, n, p);
        auto items = random_items<std::uint32_t>(n);
        test::random_words words(sparse);
        std::vector<bool> heads;
        for (index_t i = 0; i < n; ++i) heads.push_back(words.below(sparse) == 0);
        std::vector<std::uint32_t> inclusive(items.size()), exclusive(items.size());
        thread_ranks(machines_for(p)).run([&](ranks const& on) {
          on_device<std::uint32_t> const mine(on, part_of(items, d, on.rank()));
          index_t const begin = d.begin(on.rank());
          std::vector<std::uint32_t> packed(static_cast<std::size_t>(mine.size() / 32 + 1), 0);
          for (index_t i = 0; i < mine.size(); ++i) {
            if (!heads[static_cast<std::size_t>(begin + i)]) continue;
            packed[static_cast<std::size_t>(i / 32)] |= std::uint32_t{1} << (i % 32);
          }
          on_device<std::uint32_t> const d_packed(on, packed);
          auto const segments = segmentation::of_bits(
              std::span<std::uint32_t const>(d_packed.data(), packed.size()), mine.size());
          detail::device_array<std::uint32_t> const out(on.queue(), mine.size());
          inclusive_segmented_scan(on, test::span_of(mine), out.data(), segments,
                                   plus<std::uint32_t>{}, 5u);
          out.download(part_of(inclusive, d, on.rank()));
          exclusive_segmented_scan(on, test::span_of(mine), out.data(), segments,
                                   plus<std::uint32_t>{}, 5u);
          out.download(part_of(exclusive, d, on.rank()));
        });
        std::uint32_t sum = 5;
        std::vector<std::uint32_t> expected_inclusive, expected_exclusive;
        for (std::size_t i = 0; i < items.size(); ++i) {
          if (heads[i]) sum = 5;
          expected_exclusive.push_back(sum);
          expected_inclusive.push_back(sum += items[i]);
        }
        CHECK(inclusive == expected_inclusive);
        CHECK(exclusive == expected_exclusive);
      }
    }
  }
}

TEST_CASE("a failure on one rank of several threads is reported by all") {
  auto const failures = [](auto const& body) {
    std::vector<std::string> found;
    for (auto const& one : thread_ranks(machines_for(3)).outcomes(body)) {
      try {
        if (one) std::rethrow_exception(one);
        found.emplace_back();
      } catch (std::exception const& e) {
        found.emplace_back(e.what());
      }
    }
    return found;
  };
  auto const overlapping = failures([](ranks const& on) {
    detail::device_array<int> const items(on.queue(), 10);
    exclusive_scan(on, device_span<int const>{items.data(), 8},
                   items.data() + (on.rank() == 1 ? 2 : 0));
  });
  std::string const own =
      "exclusive_scan: out overlaps the input; expected the same or other memory";
  CHECK(overlapping ==
        std::vector<std::string>{"rank 1 failed: " + own, own, "rank 1 failed: " + own});
  auto const thrown = failures([](ranks const& on) {
    if (on.rank() == 2) throw std::runtime_error("its disk is full");
    libscan::reduce(on, device_span<int const>{});
  });
  CHECK(thrown == std::vector<std::string>{"rank 2 failed: its disk is full",
                                           "rank 2 failed: its disk is full", "its disk is full"});
}

TEST_CASE("a thread that hangs is named when time is up") {
  using std::chrono::milliseconds;
  std::atomic<int> gone = 0;
  auto const found =
      thread_ranks(machines_for(3), {.timeout = milliseconds(1000)}).outcomes([&](ranks const& on) {
        if (on.rank() == 2) {
          while (gone < 2) std::this_thread::sleep_for(milliseconds(1));
          return;
        }
        try {
          libscan::reduce(on, device_span<int const>{});
        } catch (...) {
          ++gone;
          throw;
        }
      });
  for (int const r : {0, 1}) {
    REQUIRE_THROWS_WITH(
        std::rethrow_exception(found[static_cast<std::size_t>(r)]),
        Catch::Matchers::Contains(
            "reduce (lengths): no progress for 1000 ms; ranks that do not answer: 2"));
  }
}
