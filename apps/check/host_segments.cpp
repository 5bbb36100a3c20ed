// SPDX-License-Identifier: Apache-2.0
// Describes segments in every way that the host API takes.
#include <apps/check/host_case.hpp>

namespace libscan::apps {

described_segments::described_segments(check_case const& c, placed in) {
  auto const count = static_cast<std::size_t>(c.n);
  if (in.where.has(slot::places)) {
    auto const offsets = host_case<index_t>::array<index_t const>(in, slot::places);
    if (c.form.segments > description::ranges) make_keys(c, offsets);
    segments_ = c.form.segments > description::ranges ? by_form(c) : by_bounds(c, offsets);
    return;
  }
  if (in.where.has(slot::keys)) {
    keys_ = {in.at<std::int32_t const>(slot::keys), count};
    segments_ = by_form(c);
    return;
  }
  segments_ = by_task(c, in);
}

segmentation described_segments::by_task(check_case const& c, placed in) {
  switch (c.what) {
    case task::segmented_by_flags:
    case task::sums_by_flags:
      return segmentation::of_flags(
          std::span(in.at<std::uint8_t const>(slot::flags), static_cast<std::size_t>(c.n)));
    case task::segmented_by_bits:
    case task::sums_by_bits:
      return segmentation::of_bits(host_case<index_t>::array<std::uint32_t const>(in, slot::bits),
                                   c.n);
    default:
      return segmentation::of_length(segment_length(c));
  }
}

segmentation described_segments::by_bounds(check_case const& c, std::span<index_t const> offsets) {
  bool const ranges = c.what == task::segmented_by_ranges || c.what == task::sums_by_ranges ||
                      c.form.segments == description::ranges;
  if (c.form.segments == description::narrow) {
    narrow_ = converted<std::int32_t>(offsets);
    std::span<std::int32_t const> const few(narrow_.data(), narrow_.size());
    return ranges ? segmentation::of_ranges(few.first(few.size() - 1), few.subspan(1))
                  : segmentation::of_offsets(few);
  }
  return ranges ? segmentation::of_ranges(offsets.first(offsets.size() - 1), offsets.subspan(1))
                : segmentation::of_offsets(offsets);
}

void described_segments::make_keys(check_case const& c, std::span<index_t const> offsets) {
  own_memory_ = buffer<std::int32_t>(c.n);
  std::fill_n(own_memory_.data(), c.n, 0);
  // Empty segments have no item that could begin them.
  for (index_t const offset : offsets) {
    if (offset < c.n) own_memory_[static_cast<std::size_t>(offset)] = 1;
  }
  for (std::size_t i = 1; i < own_memory_.size(); ++i) {
    own_memory_[i] = (own_memory_[i - 1] + own_memory_[i]) % 3;
  }
  keys_ = {own_memory_.data(), own_memory_.size()};
}

segmentation described_segments::by_form(check_case const& c) {
  auto const begins = [this](std::size_t i) { return i == 0 || keys_[i] != keys_[i - 1]; };
  switch (c.form.segments) {
    case description::flags:
      flags_ = buffer<std::uint8_t>(c.n);
      for (std::size_t i = 0; i < keys_.size(); ++i) flags_[i] = begins(i) ? 2 : 0;
      return segmentation::of_flags(flags_);
    case description::bits:
      bits_ = buffer<std::uint32_t>(ceil_div(c.n, index_t{32}));
      std::fill(bits_.begin(), bits_.end(), 0);
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        bits_[i / 32] |= std::uint32_t{begins(i)} << i % 32;
      }
      return segmentation::of_bits(bits_, c.n);
    case description::keys:
      numbers_ = converted<double>(keys_);
      return segmentation::of_keys(numbers_);
    case description::own_keys:
      own_keys_ = buffer<own_key>(c.n);
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        own_keys_[i] = {keys_[i], static_cast<std::int32_t>(i)};
      }
      return segmentation::of_keys(own_keys_, same_key{});
    default:
      return segmentation::of_keys(keys_);
  }
}

}  // namespace libscan::apps
