// SPDX-License-Identifier: Apache-2.0
// Scans and totals within segments of large values: a few would fill a thread's stack.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/large_values.hpp>
#include <libscan/cpu/segment_readers.hpp>
#include <libscan/cpu/staged_scan.hpp>

namespace libscan::inline v1::cpu::detail {

/// Where the segments of n items begin, in the order of a scan.
class large_heads {
 public:
  template <segment_heads Heads>
  large_heads(Heads const& heads, scan_direction direction, index_t n)
      : n_(n), words_(static_cast<std::size_t>(ceil_div(n, word_heads))), before_(words_.size()) {
    if (n == 0) return;
    cpu::mark_positions(heads, direction, n, 0, n, words_.data());
    for (std::size_t w = 0; w < words_.size(); ++w) {
      before_[w] = count_;
      count_ += std::popcount(words_[w]);
    }
  }

  head_word const* data() const { return words_.data(); }
  index_t count() const { return count_; }
  bool begins(index_t i) const { return detail::is_head(data(), i); }
  bool ends(index_t i) const { return i + 1 == n_ || begins(i + 1); }

  /// The segment of item i, of all that are not empty.
  index_t segment_of(index_t i) const {
    auto const w = static_cast<std::size_t>(i / word_heads);
    head_word const up_to = words_[w] & ~head_word{0} >> (word_heads - 1 - i % word_heads);
    return before_[w] + std::popcount(up_to) - 1;
  }

 private:
  index_t n_;
  index_t count_ = 0;
  std::vector<head_word> words_;
  std::vector<index_t> before_;  // head flags, each word
};

/// `staged_segmented_scan` of large values. All head flags are known before anything is written.
template <scan_kind Kind, class Source, segment_heads Heads, class Op, class Out>
void scan_large_segments(int threads, scan_direction direction, Source const& source,
                         Heads const& heads, Out const& out, index_t n, Op const& op,
                         typename Op::value_type const& init) {
  using T = typename Op::value_type;
  large_heads const begins(heads, direction, n);
  auto const place = [=](index_t i) {
    return direction == scan_direction::forward ? i : n - 1 - i;
  };
  detail::scan_large(
      threads, n, begins.data(), op, init,
      [&](index_t i, T* space) -> T const& { return detail::staged_item(source, place(i), space); },
      [&](index_t i, T const& before, T const& value) {
        detail::write_large(out, place(i), Kind == scan_kind::inclusive ? value : before);
      });
}

/// The totals of segments of large values: calls begin(s, i) for each segment s, whose item i is
/// the first, and end(s, sum); concurrently. Returns how many there are.
template <class In, class Heads, class Op, class Begin, class End>
index_t find_large_totals(int threads, In const& in, Heads const& heads, index_t n, Op const& op,
                          typename Op::value_type const& init, Begin const& begin, End const& end) {
  using T = typename Op::value_type;
  large_heads const begins(heads, scan_direction::forward, n);
  detail::scan_large(
      threads, n, begins.data(), op, init,
      [&](index_t i, T* space) -> T const& { return detail::large_item(in, i, space); },
      [&](index_t i, T const&, T const& sum) {
        if (begins.begins(i)) begin(begins.segment_of(i), i);
        if (begins.ends(i)) end(begins.segment_of(i), sum);
      });
  return begins.count();
}

}  // namespace libscan::inline v1::cpu::detail
