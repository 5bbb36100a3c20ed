// SPDX-License-Identifier: Apache-2.0
// How the vector code of scans writes its results: in whole groups, and past the caches in whole
// cache lines, wherever the output begins. Included once per instruction set, like Highway's -inl
// headers.

#if defined(LIBSCAN_CPU_VECTOR_STORE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIBSCAN_CPU_VECTOR_STORE_INL
#undef LIBSCAN_CPU_VECTOR_STORE_INL
#else
#define LIBSCAN_CPU_VECTOR_STORE_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_group-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

/// Copies the bytes of one cache line past the caches. `to` is the start of a line.
HWY_INLINE void stream_line(void const* from, void* to) {
  hn::CappedTag<std::uint8_t, 64> const bytes;
  for (std::size_t i = 0; i < 64; i += hn::Lanes(bytes)) {
    hn::Stream(hn::LoadU(bytes, static_cast<std::uint8_t const*>(from) + i), bytes,
               static_cast<std::uint8_t*>(to) + i);
  }
}

/// Streams whole groups into an `out` that begins within a cache line, or whose items are written
/// in partial lines: through a stage that begins with a line, since stores across lines are
/// expensive.
template <class T, class ScanWhole>
HWY_INLINE void scan_by_stage(T* out, index_t whole, ScanWhole const& scan_whole) {
  constexpr index_t line = 64 / sizeof(T), capacity = 4096 / sizeof(T);
  alignas(64) T stage[line + capacity];
  T* const begin = stage + line;
  index_t ours = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(out) % 64 / sizeof(T));
  index_t held = ours;  // before `begin`, in an incomplete line
  for (index_t i = 0; i < whole; i += capacity) {
    index_t const items = std::min(capacity, whole - i);
    index_t const filled = held + items;
    T const* const from = begin - held;
    T* const to = out + (i - held);
    scan_whole(i, items, begin, store_policy::cached);
    index_t done = 0;
    if (ours > 0 && filled >= line) {  // the line in which `out` begins
      std::copy(from + ours, from + line, to + ours);
      ours = 0;
      done = line;
    }
    for (; done + line <= filled; done += line) stream_line(from + done, to + done);
    held = filled - done;
    std::copy_n(from + done, held, begin - held);
  }
  std::copy_n(begin - held + ours, held - ours, out + (whole - (held - ours)));
}

/// Scans n items into `out`, stored as `policy` says. scan_whole(i, items, to, policy) scans whole
/// groups of items i, i + 1, ... into to[0..items-1]; scan_rest(i, items) scans fewer than a group
/// into out[i], ... and returns the prefix after them; both use `carry`.
template <class T, class ScanWhole, class ScanRest>
HWY_INLINE T scan_by(store_policy policy, T* out, index_t n, carried<T> const& carry,
                     ScanWhole const& scan_whole, ScanRest const& scan_rest) {
  index_t const whole = n - n % group_items<T>;
  bool const lines = sizeof(T) >= 4 && reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
  if (policy == store_policy::cached || lines) {
    scan_whole(0, whole, out, policy);
  } else {
    scan_by_stage(out, whole, scan_whole);
  }
  if (policy == store_policy::non_temporal) stream_fence();
  return whole == n ? static_cast<T>(hn::GetLane(carry.sum)) : scan_rest(whole, n - whole);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();
#endif
