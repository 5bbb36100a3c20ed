// SPDX-License-Identifier: Apache-2.0
// The items of ranges, copied together so that they are segments between offsets, and back.
// Internal.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/range_scans.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1::detail {

class moved_ranges {
 public:
  /// Throws `invalid_argument` unless the ranges are within n items.
  moved_ranges(char const* call, segmentation const& described, index_t n)
      : call_(call), described_(described), bounds_(checked(call, described, n)) {
    segment_ranges<index_t> const all = bounds_.ranges();
    offsets_.reserve(static_cast<std::size_t>(all.segments) + 1);
    offsets_.push_back(0);
    for (index_t s = 0; s < all.segments; ++s) {
      offsets_.push_back(offsets_.back() + all.ends[s] - all.begins[s]);
    }
  }

  /// Throws `invalid_argument` if an output overlaps the ranges' description.
  void require_no_overlap_with(std::span<std::byte const> output) const {
    check_segments_apart(call_, described_, memory_span(output));
  }

  /// Where the ranges begin when they are together, and after the last one.
  std::span<index_t const> offsets() const { return offsets_; }
  /// The number of items in ranges.
  index_t count() const { return offsets_.back(); }

  /// Calls body(offset, begin, end) for each range, on several threads.
  template <class Body>
  void for_each(Body const& body) const {
    constexpr index_t any_length = index_t{1} << 62;
    cpu::detail::for_each_range(
        cpu::default_threads(), bounds_.ranges(), any_length, [](index_t, index_t, index_t) {},
        [&](index_t s, index_t begin, index_t end) {
          body(offsets_[static_cast<std::size_t>(s)], begin, end);
        });
  }

  /// Copies items of `bytes` each together.
  void gather(void const* items, void* together, std::size_t bytes) const {
    for_each([&](index_t offset, index_t begin, index_t end) {
      copy(place(together, offset, bytes), place(items, begin, bytes), end - begin, bytes);
    });
  }

  /// Copies them back.
  void scatter(void const* together, void* items, std::size_t bytes) const {
    for_each([&](index_t offset, index_t begin, index_t end) {
      copy(place(items, begin, bytes), place(together, offset, bytes), end - begin, bytes);
    });
  }

 private:
  static segmentation const& checked(char const* call, segmentation const& described, index_t n) {
    detail::check_segments(call, cpu::default_threads(), described, n);
    return described;
  }
  static std::byte* place(void* items, index_t i, std::size_t bytes) {
    return static_cast<std::byte*>(items) + static_cast<std::size_t>(i) * bytes;
  }
  static std::byte const* place(void const* items, index_t i, std::size_t bytes) {
    return static_cast<std::byte const*>(items) + static_cast<std::size_t>(i) * bytes;
  }
  static void copy(std::byte* to, std::byte const* from, index_t items, std::size_t bytes) {
    if (items > 0 && bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(items) * bytes);
  }

  char const* call_;
  segmentation described_;
  index_bounds bounds_;
  std::vector<index_t> offsets_;
};

}  // namespace libscan::inline v1::detail
