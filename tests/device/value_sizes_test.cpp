// SPDX-License-Identifier: Apache-2.0
// Every device call over values from 1 byte to 2 KiB: its kernels compile for their sizes, and give
// what loops give.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <tests/device/value_size_calls.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int n = 700;

/// Runs of one to three equal numbers, 0 to 9, and offsets of segments, one of them empty.
struct inputs {
  std::vector<unsigned> numbers;
  std::vector<std::int32_t> offsets{0, 3, 3, 40, n};
  std::vector<std::uint32_t> keys;

  inputs() {
    for (unsigned i = 0; i < n; ++i) {
      numbers.push_back((i / 2 + i / 3) * 7 % 10);
      keys.push_back(i * 2654435761U >> 20 & 31);
    }
  }
  std::vector<unsigned> last(int begin, int end) const {
    std::vector<unsigned> out;
    unsigned x = 0;
    for (int i = begin; i < end; ++i) {
      auto const number = numbers[static_cast<std::size_t>(i)];
      out.push_back(x = number != 0 ? number : x);
    }
    return out;
  }
  /// The numbers in the order of the keys, from `begin` to `end`.
  void sort(std::size_t begin, std::size_t end, std::vector<unsigned>& out) const {
    std::vector<std::size_t> order(end - begin);
    std::iota(order.begin(), order.end(), begin);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    for (std::size_t const i : order) out.push_back(numbers[i]);
  }

  /// What the call of that name should write.
  std::vector<unsigned> expected(std::string const& call) const {
    auto const all = last(0, n);
    std::vector<unsigned> out, rest;
    if (call == "reduce") return {all.back()};
    if (call == "inclusive_scan") return all;
    if (call == "reverse_inclusive_scan") {
      // in[i] op all later ones: the last that is not 0.
      return std::vector<unsigned>(n, all.back());
    }
    if (call == "sort_pairs") {
      sort(0, n, out);
      return out;
    }
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      auto const scanned = last(offsets[s], offsets[s + 1]);
      if (call == "inclusive_segmented_scan") out.insert(out.end(), scanned.begin(), scanned.end());
      if (call == "segmented_reduce") out.push_back(scanned.empty() ? 0 : scanned.back());
      if (call == "segmented_sort_pairs") {
        sort(static_cast<std::size_t>(offsets[s]), static_cast<std::size_t>(offsets[s + 1]), out);
      }
    }
    if (!out.empty()) return out;
    for (std::size_t i = 0; i < n; ++i) {
      bool const head = i == 0 || numbers[i] != numbers[i - 1], odd = numbers[i] % 2 != 0;
      bool const keeps = call == "filter" || call == "split" ? odd : head;
      (keeps ? out : rest).push_back(numbers[i]);
    }
    if (call == "split") out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("device calls take values of every size", "", all_sizes) {
  constexpr int bytes = TestType::value;
  using value = value_of<bytes>;
  inputs const input;
  std::vector<value> items;
  for (unsigned const number : input.numbers) items.push_back(value::of(number));
  device_image<value> in(items), out(index_t{n}), more(index_t{n});
  device_image<std::uint32_t> keys(input.keys), keys_out(index_t{n});
  device_image<std::int32_t> offsets(input.offsets);
  device_image<index_t> count(index_t{1});
  workspace ws;
  value_buffers<bytes> const buffers{in.data(),
                                     out.data(),
                                     more.data(),
                                     keys.data(),
                                     keys_out.data(),
                                     offsets.data(),
                                     static_cast<index_t>(input.offsets.size()) - 1,
                                     count.data(),
                                     n};
  auto const check = [&](char const* call) {
    INFO(call << " of values of " << bytes << " bytes");
    auto const expected = input.expected(call);
    auto const got = out.read();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO("item " << i);
      auto const whole = value::of(expected[i]);
      REQUIRE(std::equal(std::begin(whole.at), std::end(whole.at), std::begin(got[i].at)));
    }
    REQUIRE(out.damage() == "");
  };
  call_scans(ws, buffers, check);
  call_moves(ws, buffers, check);
}
