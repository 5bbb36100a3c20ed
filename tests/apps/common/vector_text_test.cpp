// SPDX-License-Identifier: Apache-2.0
// The vector code that marks characters and copies lines, for every instruction set that this CPU
// has and Highway compiled for, against one character or line after another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <libscan/cpu/vector_targets.hpp>

#include <hwy/highway.h>

#include <apps/common/vector_text.hpp>
#include <libscan/core/types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>

using libscan::index_t;
using libscan::apps::line_slack;
using libscan::test::guarded_buffer;

TEST_CASE("all instruction sets mark the same characters") {
  std::mt19937_64 random(1);
  for (std::int64_t const target : hwy::SupportedAndGeneratedTargets()) {
    INFO(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    auto const [mark, list, copy] = libscan::apps::current_text_code();
    hwy::SetSupportedTargetsForTest(0);
    for (std::size_t const size : {0, 1, 63, 64, 65, 127, 300, 1000}) {
      std::string text;
      while (text.size() < size) text += "\n,; \tab\xff\x8a"[random() % 9];
      for (char const a : {',', ';', '\xff', '\n'}) {
        char const b = a == ';' ? '\t' : a;
        auto const words = static_cast<index_t>((size + 63) / 64);
        guarded_buffer<std::uint64_t> line_ends(words, 0), separators(words, 1);
        mark(text.data(), size, a, b, line_ends.data(), separators.data());
        CHECK(line_ends.damage() == "");
        CHECK(separators.damage() == "");
        auto const ends = line_ends.copy(), all = separators.copy();
        bool same = true;
        for (std::size_t i = 0; i < size; ++i) {
          bool const is_end = text[i] == '\n';
          same = same && (ends[i / 64] >> i % 64 & 1) == is_end &&
                 (all[i / 64] >> i % 64 & 1) == (is_end || text[i] == a || text[i] == b);
        }
        CHECK(same);
        std::vector<std::uint32_t> places;
        for (std::size_t i = 0; i < 64 * all.size(); ++i) {
          if ((all[i / 64] >> i % 64 & 1) != 0)
            places.push_back(static_cast<std::uint32_t>(77 + i));
        }
        guarded_buffer<std::uint32_t> listed(
            static_cast<index_t>(places.size() + libscan::apps::listed_beyond));
        REQUIRE(list(all.data(), all.size(), 77, listed.data()) == places.size());
        CHECK(listed.damage() == "");
        CHECK(std::equal(places.begin(), places.end(), listed.data()));
      }
    }
  }
}

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
    auto const copy = libscan::apps::current_text_code().copy;
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
