// SPDX-License-Identifier: Apache-2.0
// The vector code that copies lines, for every instruction set that this CPU has and Highway
// compiled for, against one line after another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <libscan/cpu/vector_targets.hpp>

#include <hwy/highway.h>

#include <apps/common/vector_lines.hpp>
#include <libscan/core/types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>

using libscan::index_t;
using libscan::apps::line_slack;
using libscan::test::guarded_buffer;

TEST_CASE("all instruction sets copy the same lines") {
  std::mt19937_64 random(1);
  std::string text;
  std::vector<std::uint32_t> begins;
  std::vector<std::string> lines;
  for (int i = 0; i < 500; ++i) {
    std::size_t const size = i % 50 == 0 ? random() % 3000 : random() % 70;
    lines.push_back(std::string(size, static_cast<char>('a' + i % 26)) + '\n');
    begins.push_back(static_cast<std::uint32_t>(text.size()));
    text += lines.back();
  }
  auto const end = static_cast<std::uint32_t>(text.size());
  std::vector<char> readable(text.begin(), text.end());
  readable.resize(text.size() + line_slack, 'x');
  guarded_buffer<char> const from(readable);
  for (std::int64_t const target : hwy::SupportedAndGeneratedTargets()) {
    INFO(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    auto const copy = libscan::apps::current_line_copiers().copy;
    hwy::SetSupportedTargetsForTest(0);
    for (std::size_t const space :
         {line_slack, line_slack + 1, std::size_t{500}, 4 * text.size()}) {
      for (std::uint32_t const stop : {end, end / 2, 0u}) {
        std::vector<std::size_t> order(300);
        for (auto& one : order) one = random() % lines.size();
        std::vector<std::uint32_t> places;
        for (std::size_t const one : order) places.push_back(begins[one]);
        guarded_buffer<char> to(static_cast<index_t>(space));
        auto const done = copy(from.data(), stop, places, std::span(to.data(), space));
        CHECK(to.damage() == "");
        std::string expected;
        for (std::size_t i = 0; i < done.lines; ++i) expected += lines[order[i]];
        CHECK(std::ranges::all_of(std::span(places).first(done.lines),
                                  [&](std::uint32_t begin) { return begin < stop; }));
        REQUIRE(done.bytes == expected.size());
        CHECK(std::equal(expected.begin(), expected.end(), to.data()));
        bool const more = done.lines < order.size() && places[done.lines] < stop;
        if (more) CHECK(expected.size() + lines[order[done.lines]].size() + line_slack > space);
      }
    }
  }
}
