// SPDX-License-Identifier: Apache-2.0
// The vector code that marks characters, for every instruction set that this CPU has and Highway
// compiled for, against one character after another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <libscan/cpu/vector_targets.hpp>

#include <hwy/highway.h>

#include <apps/common/vector_marks.hpp>
#include <libscan/core/types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>

using libscan::index_t;
using libscan::test::guarded_buffer;

TEST_CASE("all instruction sets mark the same characters") {
  std::mt19937_64 random(1);
  for (std::int64_t const target : hwy::SupportedAndGeneratedTargets()) {
    INFO(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    auto const [mark, list] = libscan::apps::current_character_markers();
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
