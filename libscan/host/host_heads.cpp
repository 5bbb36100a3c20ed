// SPDX-License-Identifier: Apache-2.0
// Head flags of segments as bits, a chunk's or all.
#include <libscan/host/host_heads.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/segment_readers.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/described_offsets.hpp>

namespace libscan::inline v1::detail {

namespace {

constexpr index_t heads_chunk = index_t{1} << 15;
static_assert(heads_chunk % cpu::word_heads == 0);

/// Calls use(description), one of those of libscan/cpu; nothing for `none`, ranges and own keys.
template <class Use>
void visit_heads(segmentation const& segments, Use use) {
  using form = segmentation::form;
  switch (segments.how()) {
    case form::none:
    case form::ranges:
    case form::own_keys:
      return;
    case form::flags:
      return use(head_flags{static_cast<std::uint8_t const*>(segments.data())});
    case form::bits:
      return use(head_bits{static_cast<std::uint32_t const*>(segments.data())});
    case form::offsets:
      return use(segment_offsets{static_cast<index_t const*>(segments.data()), segments.count()});
    case form::length:
      return use(equal_segments{segments.count()});
    case form::keys:
      return detail::visit_input_type(segments.type(), [&]<class Key>(std::type_identity<Key>) {
        use(segment_keys{static_cast<Key const*>(segments.data())});
      });
  }
}

/// The marks of a chunk.
struct chunk_marks {
  cpu::head_word words[heads_chunk / cpu::word_heads];

  index_t mark(segmentation const& segments, scan_direction direction, index_t n,
               cpu::chunk const& c) {
    cpu::mark_positions(described_heads(segments, n), direction, n, c.begin, c.end, words);
    index_t count = 0;
    for (index_t w = 0; w < ceil_div(c.size(), cpu::word_heads); ++w) {
      count += std::popcount(words[w]);
    }
    return count;
  }
};

/// Integers as index_t; those that it cannot hold as -1.
template <class Offset>
std::vector<index_t> widened(Offset const* offsets, index_t count) {
  std::vector<index_t> result(static_cast<std::size_t>(count));
  std::transform(offsets, offsets + count, result.begin(), [](Offset offset) {
    constexpr bool may_exceed = std::is_unsigned_v<Offset> && sizeof(Offset) == 8;
    auto const index = static_cast<index_t>(offset);
    return may_exceed && index < 0 ? index_t{-1} : index;
  });
  return result;
}

index_t const* as_indices(input_type type, void const* offsets, index_t count,
                          std::vector<index_t>& wide) {
  if (type == input_type::i64) return static_cast<index_t const*>(offsets);
  detail::visit_input_type(type, [&]<class Offset>(std::type_identity<Offset>) {
    if constexpr (std::is_integral_v<Offset>) {
      wide = widened(static_cast<Offset const*>(offsets), count);
    }
  });
  return wide.data();
}

}  // namespace

described_heads::described_heads(segmentation const& segments, index_t n) : segments_(segments) {
  using form = segmentation::form;
  index_t const count = segments.count();
  if (segments.how() == form::offsets) {
    segment_offsets const all{static_cast<index_t const*>(segments.data()), count};
    if (all.begin_of(0) == 0 && all.begin_of(count) == n) bounds_ = {all, 0, n};
  } else if (segments.how() == form::length) {
    bounds_ = {{nullptr, ceil_div(n, count)}, count, n};
  }
}

void described_heads::mark(index_t begin, index_t end, cpu::head_word* to) const {
  if (segments_.how() == segmentation::form::none) {
    std::fill_n(to, ceil_div(end - begin, cpu::word_heads), cpu::head_word{0});
  }
  if (segments_.how() == segmentation::form::own_keys) segments_.mark_own_keys(begin, end, to);
  visit_heads(segments_, [&](auto const& heads) { cpu::detail::mark(heads, begin, end, to); });
}

cpu::memory_piece described_heads::read_for(index_t begin, index_t end) const {
  cpu::memory_piece piece{};
  if (segments_.how() == segmentation::form::own_keys) {
    auto const bytes = static_cast<index_t>(segments_.item_bytes());
    piece = {segments_.bytes().data() + begin * bytes, (end - begin) * bytes};
  }
  visit_heads(segments_, [&](auto const& heads) {
    if constexpr (requires { cpu::detail::read_for(heads, begin, end); })
      piece = cpu::detail::read_for(heads, begin, end);
  });
  return piece;
}

std::vector<std::uint32_t> packed_heads(int threads, segmentation const& segments,
                                        scan_direction direction, index_t n) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(ceil_div(n, index_t{32})));
  cpu::sum_chunks(
      threads, n, heads_chunk, [] { return chunk_marks(); },
      [&](chunk_marks& here, cpu::chunk const& c) {
        here.mark(segments, direction, n, c);
        for (index_t w = 0; w < ceil_div(c.size(), index_t{32}); ++w) {
          words[static_cast<std::size_t>(c.begin / 32 + w)] =
              static_cast<std::uint32_t>(here.words[w / 2] >> w % 2 * 32);
        }
        return index_t{0};
      });
  return words;
}

index_t count_segments(int threads, segmentation const& segments, index_t n) {
  if (segments.counts_segments()) return segments.count();
  if (segments.how() == segmentation::form::length) return ceil_div(n, segments.count());
  return cpu::sum_chunks(
      threads, n, heads_chunk, [] { return chunk_marks(); },
      [&](chunk_marks& here, cpu::chunk const& c) {
        return here.mark(segments, scan_direction::forward, n, c);
      });
}

namespace {

/// Calls use(s, i) for each of the segments: segment s begins at item i of n.
template <class Use>
void each_head(int threads, segmentation const& segments, index_t n, Use const& use) {
  cpu::run_chunks(
      threads, n, heads_chunk, plus<index_t>{}, index_t{0}, [] { return chunk_marks(); },
      [&](chunk_marks& here, cpu::chunk const& c) {
        return here.mark(segments, scan_direction::forward, n, c);
      },
      [&](chunk_marks const& here, cpu::chunk const& c, index_t before) {
        for (index_t w = 0; w < ceil_div(c.size(), cpu::word_heads); ++w) {
          index_t const first = c.begin + w * cpu::word_heads;
          for (cpu::head_word word = here.words[w]; word != 0; word &= word - 1) {
            use(before++, first + std::countr_zero(word));
          }
        }
      },
      cpu::aggregates::repeatable);
}

}  // namespace

void copy_first_keys(int threads, segmentation const& keys, index_t n, void* unique) {
  if (keys.how() == segmentation::form::own_keys) {
    std::size_t const bytes = keys.item_bytes();
    auto* const to = static_cast<std::byte*>(unique);
    return each_head(threads, keys, n, [=, from = keys.bytes().data()](index_t s, index_t i) {
      std::memcpy(to + static_cast<std::size_t>(s) * bytes,
                  from + static_cast<std::size_t>(i) * bytes, bytes);
    });
  }
  auto const copy_words = [&]<class Word>(Word* to) {
    auto const* const from = static_cast<Word const*>(keys.data());
    each_head(threads, keys, n, [=](index_t s, index_t i) { to[s] = from[i]; });
  };
  switch (keys.item_bytes()) {
    case 1:
      return copy_words(static_cast<std::uint8_t*>(unique));
    case 2:
      return copy_words(static_cast<std::uint16_t*>(unique));
    case 4:
      return copy_words(static_cast<std::uint32_t*>(unique));
    default:
      return copy_words(static_cast<std::uint64_t*>(unique));
  }
}

void with_described_offsets(char const* call, engine const& on, segmentation const& segments,
                            index_t n, function_ref<void(std::span<index_t const>)> body) {
  int const threads = on.runs_kernels() ? cpu::default_threads() : on.threads();
  detail::check_segments(call, threads, segments, n);
  if (segments.how() == segmentation::form::offsets) {
    index_bounds const bounds(segments);
    return body({bounds.begins(), static_cast<std::size_t>(bounds.segments() + 1)});
  }
  if (segments.how() == segmentation::form::none) {
    index_t const all[] = {0, n};
    return body(all);
  }
  std::vector<index_t> offsets(
      static_cast<std::size_t>(detail::count_segments(threads, segments, n) + 1), n);
  each_head(threads, segments, n,
            [&](index_t s, index_t i) { offsets[static_cast<std::size_t>(s)] = i; });
  body(offsets);
}

index_bounds::index_bounds(segmentation const& segments) : segments_(segments.count()) {
  bool const ranges = segments.how() == segmentation::form::ranges;
  index_t const count = ranges ? segments_ : segments_ + 1;
  begins_ = as_indices(segments.type(), segments.data(), count, wide_begins_);
  ends_ = ranges ? as_indices(segments.type(), segments.ends(), count, wide_ends_) : begins_ + 1;
}

}  // namespace libscan::inline v1::detail
