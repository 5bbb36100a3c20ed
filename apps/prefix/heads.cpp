// SPDX-License-Identifier: Apache-2.0
// Heads of segments as bytes and as bits.
#include <apps/prefix/heads.hpp>

#include <libscan/core/operators.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/segment_heads.hpp>

namespace libscan::apps {

void described_heads::mark(index_t begin, index_t end, std::uint8_t* to) const {
  using form = segmentation::form;
  switch (segments.how) {
    case form::none:
      std::fill_n(to, end - begin, std::uint8_t{0});
      return;
    case form::flags:
      return cpu::head_flags{static_cast<std::uint8_t const*>(segments.data)}.mark(begin, end, to);
    case form::bits:
      return cpu::head_bits{static_cast<std::uint32_t const*>(segments.data)}.mark(begin, end, to);
    case form::offsets:
      return cpu::segment_offsets{static_cast<index_t const*>(segments.data), segments.segments}
          .mark(begin, end, to);
    case form::keys:
      return visit_dtype(segments.key_type, [&]<class Key>(std::type_identity<Key>) {
        cpu::segment_keys<Key>{static_cast<Key const*>(segments.data)}.mark(begin, end, to);
      });
  }
}

std::vector<std::uint32_t> packed_heads(int threads, prefix_call const& call) {
  constexpr index_t chunk_items = index_t{1} << 15;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(ceil_div(call.n, index_t{32})));
  described_heads const heads{call.segments};
  cpu::run_chunks(
      threads, call.n, chunk_items, plus<index_t>{}, 0,
      [&] { return std::vector<std::uint8_t>(chunk_items); },
      [&](std::vector<std::uint8_t>& bytes, cpu::chunk const& c) {
        cpu::mark_positions(heads, call.direction, call.n, c.begin, c.end, bytes.data());
        std::fill(bytes.begin() + c.size(), bytes.end(), std::uint8_t{0});
        for (index_t i = 0; i < c.size(); i += 32) {
          std::uint32_t word = 0;
          for (int bit = 0; bit < 32; ++bit) {
            word |= std::uint32_t{bytes[static_cast<std::size_t>(i + bit)]} << bit;
          }
          words[static_cast<std::size_t>((c.begin + i) / 32)] = word;
        }
        return index_t{0};
      },
      [](std::vector<std::uint8_t> const&, cpu::chunk const&, index_t) {});
  return words;
}

}  // namespace libscan::apps
