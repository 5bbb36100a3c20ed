// SPDX-License-Identifier: Apache-2.0
// Calls of scan-prefix's engines for tests: items of any type, segments in any form.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <apps/prefix/prefix_scan.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {

/// Segments of random lengths over n items, in all four forms.
struct some_segments {
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> bits;
  std::vector<index_t> offsets;
  std::vector<std::int16_t> keys;

  explicit some_segments(index_t n)
      : flags(static_cast<std::size_t>(n)), bits(flags.size() / 32 + 1), keys(flags.size()) {
    random_words words(static_cast<std::uint64_t>(n));
    for (std::size_t i = 0; i < flags.size(); ++i) {
      bool const head = i == 0 || words.below(1 + i % 37) == 0;
      flags[i] = head ? 1 : 0;
      bits[i / 32] |= (head ? 1U : 0U) << (i % 32);
      if (head) offsets.push_back(static_cast<index_t>(i));
      keys[i] = static_cast<std::int16_t>(offsets.size());
    }
    offsets.push_back(n);
  }

  segmentation in_form(segmentation::form how) const {
    using form = segmentation::form;
    switch (how) {
      case form::flags:
        return segmentation::of_flags(flags);
      case form::bits:
        return segmentation::of_bits(bits, static_cast<index_t>(flags.size()));
      case form::offsets:
        return segmentation::of_offsets(offsets);
      case form::keys:
        return segmentation::of_keys(keys);
      default:
        return {};
    }
  }
};

inline constexpr segmentation::form all_forms[] = {
    segmentation::form::none, segmentation::form::flags, segmentation::form::bits,
    segmentation::form::offsets, segmentation::form::keys};

/// A call with the memory it points to. T accumulates items of type Item.
template <class T, class Item>
struct owned_call {
  std::vector<Item> in;
  some_segments segments;
  T init;
  std::vector<T> out;

  explicit owned_call(std::vector<Item> items, T before)
      : in(std::move(items)),
        segments(static_cast<index_t>(in.size())),
        init(before),
        out(in.size()) {}
  owned_call(owned_call const&) = delete;

  apps::prefix_call call(operator_kind op, scan_kind kind, scan_direction direction,
                         segmentation::form how) {
    return {apps::dtype_of<Item>(),
            in.data(),
            static_cast<index_t>(in.size()),
            op,
            kind,
            direction,
            segments.in_form(how),
            apps::dtype_of<T>(),
            &init,
            out.data()};
  }
};

/// Calls body(kind, direction, form) for all of them.
template <class Body>
void each_manner(Body body) {
  for (auto const kind : {scan_kind::inclusive, scan_kind::exclusive}) {
    for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
      for (auto const how : all_forms) body(kind, direction, how);
    }
  }
}

}  // namespace libscan::test
