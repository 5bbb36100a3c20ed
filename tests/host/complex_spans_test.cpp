// SPDX-License-Identifier: Apache-2.0
// Sums of complex numbers in device memory, from C++ and from C, against plain loops: in the
// executor, and on a GPU if there is one.
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include <libscan/c_api.h>
#include <libscan/callables.hpp>
#include <libscan/device_calls.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;
using wide = std::complex<double>;
using narrow = std::complex<float>;

/// Complex numbers whose sums are exact in any order.
template <class Number>
std::vector<Number> small_numbers(index_t n) {
  std::vector<Number> in;
  for (index_t i = 0; i < n; ++i) {
    in.emplace_back(static_cast<float>(i % 7), static_cast<float>(-i % 5));
  }
  return in;
}

/// The scan of items [begin, end) of `in` after init, at their places of `out`.
template <class Number>
Number scan_range(bool inclusive, std::vector<Number> const& in, index_t begin, index_t end,
                  Number sum, std::vector<Number>& out) {
  for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
    Number const before = sum;
    sum += in[i];
    out[i] = inclusive ? sum : before;
  }
  return sum;
}

TEMPLATE_TEST_CASE("complex numbers in device memory are scanned and summed", "", narrow, wide) {
  using number = TestType;
  number const init(3, -2);
  for (index_t const n : {0, 1, 700, 5000}) {
    auto const in = small_numbers<number>(n);
    std::vector<number> inclusive(in.size()), exclusive(in.size()), from_end(in.size());
    number const total = scan_range(true, in, 0, n, init, inclusive);
    scan_range(false, in, 0, n, init, exclusive);
    std::exclusive_scan(in.rbegin(), in.rend(), from_end.rbegin(), init);
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " items");
      device_queue const queue{on};
      device_memory<number> const items(on, in), out(on, n), all(on, 1);
      device_span<number const> const from{items.data(), n};
      inclusive_scan(queue, from, out.data(), plus<number>{}, all.data(), init);
      CHECK(out.copy() == inclusive);
      CHECK(all.copy()[0] == total);
      reverse_exclusive_scan(queue, from, out.data(), plus<number>{}, all.data(), init);
      CHECK(out.copy() == from_end);
      CHECK(all.copy()[0] == total);
      reduce(queue, from, all.data(), plus<number>{}, init);
      CHECK(all.copy()[0] == total);
      // In place, after a total in device memory, and as many items as the device says.
      device_memory<number> const first(on, std::vector<number>{init});
      device_memory<index_t> const size(on, std::vector<index_t>{n});
      device_span<number> const bounded{items.data(), n + 100, size.data()};
      exclusive_scan(queue, bounded, items.data(), plus<number>{}, all.data(),
                     device_init<number>{first.data()});
      CHECK(items.copy() == exclusive);
      CHECK(all.copy()[0] == total);
    }
  }
}

TEMPLATE_TEST_CASE("complex numbers in device memory are summed within segments", "", narrow,
                   wide) {
  using number = TestType;
  index_t const n = 3000;
  number const init(1, 0), untouched(9, 8);
  auto const in = small_numbers<number>(n);
  std::vector<index_t> const begins{1, 2, 2, 2000}, ends{2, 2, 2000, 2999};
  std::vector<index_t> const offsets{1, 2, 2, 2000, 2999};
  std::vector<number> scanned(in.size(), untouched), totals;
  for (std::size_t s = 0; s < begins.size(); ++s) {
    totals.push_back(scan_range(true, in, begins[s], ends[s], init, scanned));
  }
  std::vector<number> rows(in.size()), row_totals;
  for (index_t i = 0; i < n; i += 9) {
    row_totals.push_back(scan_range(false, in, i, std::min(n, i + 9), init, rows));
  }
  for (engine const& on : machines()) {
    INFO(on.description());
    device_memory<number> const items(on, in);
    device_memory<index_t> const from(on, begins), until(on, ends), bounds(on, offsets),
        count(on, 1);
    device_span<number> const all{items.data(), n};
    // As much workspace as is announced, and none.
    auto const each_queue = [&](segmentation const& how, auto const& body) {
      std::size_t const needed = device_workspace_bytes<number>(on, n, how);
      device_memory<std::byte> const memory(on, static_cast<index_t>(needed));
      body(device_queue{.on = on, .workspace = memory.data(), .workspace_bytes = needed});
      body(device_queue{on});
    };
    for (segmentation const& how :
         {segmentation::of_offsets(std::span(bounds.data(), 5)),
          segmentation::of_ranges(std::span(from.data(), 4), std::span(until.data(), 4))}) {
      each_queue(how, [&](device_queue const& queue) {
        device_memory<number> const out(on, std::vector<number>(in.size(), untouched));
        device_memory<number> const sums(on, std::vector<number>(5, untouched));
        inclusive_segmented_scan(queue, all, out.data(), how, plus<number>{}, init);
        CHECK(out.copy() == scanned);
        segmented_reduce(queue, all, sums.data(), how, plus<number>{}, nullptr, init);
        auto expected = totals;
        expected.push_back(untouched);
        CHECK(sums.copy() == expected);
      });
    }
    auto const nines = segmentation::of_length(9);
    each_queue(nines, [&](device_queue const& queue) {
      device_memory<number> const out(on, n);
      exclusive_segmented_scan(queue, all, out.data(), nines, plus<number>{}, init);
      CHECK(out.copy() == rows);
      device_memory<number> const sums(on, std::vector<number>(in.size(), untouched));
      segmented_reduce(queue, all, sums.data(), nines, plus<number>{}, count.data(), init);
      auto expected = row_totals;
      CHECK(count.copy()[0] == static_cast<index_t>(expected.size()));
      expected.resize(in.size(), untouched);
      CHECK(sums.copy() == expected);
    });
  }
}

TEST_CASE("no complex numbers in device memory need a workspace, too") {
  for (engine const& on : machines()) {
    INFO(on.description());
    device_memory<narrow> const out(on, std::vector<narrow>{{9, 9}});
    device_memory<index_t> const offsets(on, std::vector<index_t>{0, 0});
    for (segmentation const& how : {segmentation{}, segmentation::of_length(3),
                                    segmentation::of_offsets(std::span(offsets.data(), 2))}) {
      INFO("form " << static_cast<int>(how.how()));
      std::size_t const needed = device_workspace_bytes<narrow>(on, 0, how);
      device_memory<std::byte> const memory(on, static_cast<index_t>(needed));
      device_queue const queue{.on = on, .workspace = memory.data(), .workspace_bytes = needed};
      device_span<narrow const> const none{nullptr, 0};
      segmented_reduce(queue, none, out.data(), how, plus<narrow>{}, nullptr, narrow(1, 2));
      CHECK(out.copy()[0] ==
            (how.how() == segmentation::form::length ? narrow(9, 9) : narrow(1, 2)));
      inclusive_segmented_scan(queue, none, out.data(), how, plus<narrow>{});
      out.write({{9, 9}});
      // One byte less is refused.
      device_queue small = queue;
      small.workspace_bytes = needed - 1;
      CHECK_THROWS_WITH(segmented_reduce(small, none, out.data(), how, plus<narrow>{}),
                        Contains("but the call needs"));
    }
  }
}

TEST_CASE("complex numbers in device memory are summed by key") {
  for (index_t const n : {0, 1, 3000}) {
    auto const in = small_numbers<narrow>(n);
    std::vector<short> keys, firsts;
    std::vector<narrow> sums;
    for (std::size_t i = 0; i < in.size(); ++i) {
      keys.push_back(static_cast<short>(i / 7 * i / 900));
      if (i == 0 || keys[i] != keys[i - 1]) {
        firsts.push_back(keys[i]);
        sums.emplace_back(2, 5);
      }
      sums.back() += in[i];
    }
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " items");
      device_memory<narrow> const items(on, in), totals(on, n);
      device_memory<short> const of_items(on, keys), unique(on, n);
      device_memory<index_t> const runs(on, 1);
      reduce_by_key(device_queue{on}, of_items.data(), device_span<narrow>{items.data(), n},
                    unique.data(), totals.data(), plus<narrow>{}, runs.data(), narrow(2, 5));
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

/// A complex number of another library.
struct own_complex {
  using value_type = double;
  own_complex() = default;
  own_complex(double re, double im = 0) : re_(re), im_(im) {}
  double real() const { return re_; }
  double imag() const { return im_; }
  friend own_complex operator+(own_complex a, own_complex b) {
    return {a.re_ + b.re_, a.im_ + b.im_};
  }
  bool operator==(own_complex const&) const = default;

 private:
  double re_, im_;
};

TEST_CASE("complex numbers of other libraries are summed, and zeros keep their sign") {
  std::vector<own_complex> const in{{1, 2}, {3, 4}};
  std::vector<narrow> const zeros{{-0.0F, -0.0F}, {-0.0F, 0.0F}};
  for (engine const& on : engines()) {
    INFO(on.description());
    std::vector<own_complex> out(2);
    CHECK(inclusive_scan(on, in, out) == own_complex(4, 6));
    CHECK(out[1] == own_complex(4, 6));
    std::vector<narrow> sums(2);
    inclusive_scan(on, zeros, sums);
    CHECK((std::signbit(sums[0].real()) && std::signbit(sums[0].imag())));
    CHECK((std::signbit(sums[1].real()) && !std::signbit(sums[1].imag())));
  }
  for (engine const& on : machines()) {
    INFO(on.description());
    device_memory<own_complex> const items(on, in), out(on, 2);
    inclusive_scan(device_queue{on}, device_span<own_complex>{items.data(), 2}, out.data());
    CHECK(out.copy()[1] == own_complex(4, 6));
    device_memory<narrow> const from(on, zeros), total(on, 1);
    reduce(device_queue{on}, device_span<narrow>{from.data(), 1}, total.data());
    CHECK((std::signbit(total.copy()[0].real()) && std::signbit(total.copy()[0].imag())));
    libscan_queue const queue = queue_of(on);
    CHECK(libscan_reduce(&queue, {LIBSCAN_C64, from.data(), 2, nullptr}, total.data(), nullptr,
                         LIBSCAN_PLUS, nullptr, nullptr) == LIBSCAN_OK);
    CHECK((std::signbit(total.copy()[0].real()) && !std::signbit(total.copy()[0].imag())));
  }
}

TEST_CASE("complex numbers in device memory: what is refused") {
  auto const in = small_numbers<wide>(9);
  for (engine const& on : machines()) {
    INFO(on.description());
    device_memory<wide> const items(on, in), out(on, 9);
    device_memory<index_t> const offsets(on, std::vector<index_t>{0, 4, 9});
    device_span<wide> const from{items.data(), 8};
    CHECK_THROWS_WITH(inclusive_scan(device_queue{on}, from, items.data() + 1),
                      Contains("overlaps the input otherwise than exactly"));
    CHECK_THROWS_WITH(
        segmented_reduce(device_queue{on}, from, items.data() + 7, segmentation::of_length(4)),
        Contains("items and results share memory"));
    CHECK_THROWS_WITH(
        inclusive_segmented_scan(device_queue{on}, from, reinterpret_cast<wide*>(offsets.data()),
                                 segmentation::of_offsets(std::span(offsets.data(), 3))),
        Contains("the description of segments share memory"));
    CHECK_THROWS_WITH(reduce(device_queue{on}, device_span<wide>{items.data(), -1}, out.data()),
                      Contains("number of items is -1"));
    CHECK_THROWS_WITH(reduce(device_queue{engine::cpu()}, from, out.data()),
                      Contains("run on the engines cuda and executor"));
    std::size_t const needed = device_workspace_bytes<wide>(on, 8);
    device_memory<std::byte> const memory(on, static_cast<index_t>(needed));
    device_queue const small{.on = on, .workspace = memory.data(), .workspace_bytes = needed - 1};
    CHECK_THROWS_WITH(inclusive_scan(small, from, out.data()), Contains("but the call needs"));
    auto* const odd = reinterpret_cast<wide*>(reinterpret_cast<char*>(items.data()) + 4);
    CHECK_THROWS_WITH(reduce(device_queue{on}, device_span<wide>{odd, 8}, out.data()),
                      Contains("expected aligned memory"));
    CHECK(items.copy() == in);
  }
}

TEST_CASE("complex numbers from C") {
  auto const in = small_numbers<wide>(6);
  std::vector<wide> scanned(6), row_sums(2);
  wide const init(1, 2);
  scan_range(true, in, 0, 6, init, scanned);
  row_sums[0] = in[0] + in[1] + in[2] + in[3];
  row_sums[1] = in[4] + in[5];
  for (engine const& on : machines()) {
    libscan_queue const queue = queue_of(on);
    device_memory<wide> const items(on, in), out(on, 6), sums(on, 2);
    libscan_items const from{LIBSCAN_C128, items.data(), 6, nullptr};
    CHECK(libscan_scan(&queue, from, out.data(), nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE, &init,
                       nullptr) == LIBSCAN_OK);
    CHECK(out.copy() == scanned);
    libscan_segments const rows{LIBSCAN_LENGTH, nullptr, nullptr, 4, LIBSCAN_I8};
    CHECK(libscan_reduce(&queue, from, sums.data(), &rows, LIBSCAN_PLUS, nullptr, nullptr) ==
          LIBSCAN_OK);
    CHECK(sums.copy() == row_sums);
    std::size_t bytes = 0;
    CHECK(libscan_workspace_bytes(&queue, from, &rows, &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_workspace_bytes<wide>(on, 6, segmentation::of_length(4)));
    for (libscan_operator const op : {LIBSCAN_MAXIMUM, LIBSCAN_BIT_OR}) {
      CHECK(libscan_scan(&queue, from, out.data(), nullptr, op, LIBSCAN_INCLUSIVE, nullptr,
                         nullptr) == LIBSCAN_INVALID_ARGUMENT);
      CHECK_THAT(libscan_last_error(),
                 Contains("complex numbers: expected a scan or a reduction by LIBSCAN_PLUS"));
    }
    CHECK(libscan_combine_neighbors(&queue, from, out.data(), LIBSCAN_MINIMUM) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK(out.copy() == scanned);
  }
}

}  // namespace
}  // namespace libscan::test
