// SPDX-License-Identifier: Apache-2.0
// The vector code of vector_lines.hpp, through Highway.
#include <apps/common/vector_lines.hpp>

#define LIBSCAN_VECTORS_UP_TO_AVX2
#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "apps/common/vector_lines.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <libscan/cpu/vector_dispatch.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::apps {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Copies a line, and bytes after it. Returns its size with the LF; 0: it reaches `to_end`.
HWY_INLINE std::size_t copy_line(char const* from, char* to, char const* to_end) {
  hn::CappedTag<std::uint8_t, line_slack> const d;
  auto const line_end = hn::Set(d, static_cast<std::uint8_t>('\n'));
  for (std::size_t i = 0; to + i < to_end; i += hn::Lanes(d)) {
    auto const some = hn::LoadU(d, reinterpret_cast<std::uint8_t const*>(from + i));
    hn::StoreU(some, d, reinterpret_cast<std::uint8_t*>(to + i));
    std::intptr_t const at = hn::FindFirstTrue(d, hn::Eq(some, line_end));
    if (at >= 0) return i + static_cast<std::size_t>(at) + 1;
  }
  return 0;
}

copied_lines copy_lines(char const* text, std::uint32_t end, std::span<std::uint32_t const> begins,
                        std::span<char> to) {
  constexpr std::size_t ahead = 32;           // lines are at random places
  constexpr std::ptrdiff_t usual_bytes = 24;  // they often reach the next cache line
  copied_lines done;
  char const* const to_end = to.data() + to.size() - line_slack;
  for (; done.lines < begins.size(); ++done.lines) {
    if (done.lines + ahead < begins.size()) {
      char const* const later = text + begins[done.lines + ahead];
      __builtin_prefetch(later);
      __builtin_prefetch(later + usual_bytes);
    }
    std::uint32_t const begin = begins[done.lines];
    if (begin >= end) break;
    std::size_t const size = copy_line(text + begin, to.data() + done.bytes, to_end);
    if (size == 0) break;
    done.bytes += size;
  }
  return done;
}

void choose(line_copiers& to) { to = {copy_lines}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::apps
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::apps {

LIBSCAN_VECTOR_TABLE(line_copiers, choose)

}  // namespace libscan::apps
#endif
