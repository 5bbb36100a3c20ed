// SPDX-License-Identifier: Apache-2.0
// Head flags of segments as bits, a chunk's or all.
#include <apps/prefix/heads.hpp>

#include <algorithm>

#include <libscan/core/operators.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/segment_heads.hpp>

namespace libscan::apps {

namespace {

/// Calls use(description), one of those of libscan/cpu; nothing for `none`.
template <class Use>
void visit_heads(segmentation const& segments, Use use) {
  using form = segmentation::form;
  switch (segments.how) {
    case form::none:
      return;
    case form::flags:
      return use(cpu::head_flags{static_cast<std::uint8_t const*>(segments.data)});
    case form::bits:
      return use(cpu::head_bits{static_cast<std::uint32_t const*>(segments.data)});
    case form::offsets:
      return use(
          cpu::segment_offsets{static_cast<index_t const*>(segments.data), segments.segments});
    case form::keys:
      return visit_item_type(segments.key_type, [&]<class Key>(std::type_identity<Key>) {
        use(cpu::segment_keys{static_cast<Key const*>(segments.data)});
      });
  }
}

}  // namespace

void described_heads::mark(index_t begin, index_t end, cpu::head_word* to) const {
  if (segments.how == segmentation::form::none) {
    std::fill_n(to, ceil_div(end - begin, cpu::word_heads), cpu::head_word{0});
  }
  visit_heads(segments, [&](auto const& heads) { heads.mark(begin, end, to); });
}

cpu::memory_piece described_heads::read_for(index_t begin, index_t end) const {
  cpu::memory_piece piece;
  visit_heads(segments, [&](auto const& heads) { piece = heads.read_for(begin, end); });
  return piece;
}

std::vector<std::uint32_t> packed_heads(int threads, prefix_call const& call) {
  constexpr index_t chunk_items = index_t{1} << 15;
  static_assert(chunk_items % cpu::word_heads == 0);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(ceil_div(call.n, index_t{32})));
  described_heads const heads{call.segments};
  cpu::sum_chunks(
      threads, call.n, chunk_items,
      [&] { return std::vector<cpu::head_word>(chunk_items / cpu::word_heads); },
      [&](std::vector<cpu::head_word>& marks, cpu::chunk const& c) {
        cpu::mark_positions(heads, call.direction, call.n, c.begin, c.end, marks.data());
        auto const half = [&](index_t w) {
          return static_cast<std::uint32_t>(marks[static_cast<std::size_t>(w / 2)] >> w % 2 * 32);
        };
        index_t const count = ceil_div(c.size(), index_t{32});
        for (index_t w = 0; w < count; ++w) {
          words[static_cast<std::size_t>(c.begin / 32 + w)] = half(w);
        }
        return index_t{0};
      });
  return words;
}

}  // namespace libscan::apps
