// SPDX-License-Identifier: Apache-2.0
// The segments of a length distribution, in each form that scans take, and the names of scans and
// sorts within them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <bench/distributions.hpp>
#include <bench/options.hpp>

namespace libscan::bench {

/// The requested forms that can describe segments of these lengths: empty segments only have
/// offsets. Throws `invalid_argument` if none is left.
inline std::vector<std::string> forms_to_measure(std::vector<std::string> const& requested,
                                                 std::string const& lengths) {
  std::vector<std::string> forms = or_standard(requested, names_of(head_axis));
  if (lengths != "half-empty") return forms;
  std::erase_if(forms, [](std::string const& form) { return form != "offsets"; });
  if (forms.empty()) throw invalid_argument("empty segments are only measured between offsets");
  return forms;
}

/// The same segments as flags, bits, keys and offsets. Only offsets describe empty segments.
struct segment_forms {
  std::vector<std::int32_t> offsets;
  host_array<std::uint8_t> flags;
  host_array<std::uint32_t> bits;
  host_array<std::uint32_t> keys;  ///< the number of the segment

  segment_forms(std::string const& lengths, index_t n)
      : offsets(offsets_of(lengths, n)), flags(n), bits(ceil_div(n, index_t{32})), keys(n) {
    std::fill(bits.begin(), bits.end(), 0u);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      index_t const begin = offsets[s], end = offsets[s + 1];
      std::fill(flags.begin() + begin, flags.begin() + end, std::uint8_t{0});
      std::fill(keys.begin() + begin, keys.begin() + end, static_cast<std::uint32_t>(s));
      flags[begin] = 1;
      bits[begin / 32] |= 1u << begin % 32;
    }
  }

  /// The bytes of one read of the description; `heads` is a name on `head_axis`.
  double bytes(std::string const& heads) const {
    if (heads == "flags") return static_cast<double>(flags.size);
    if (heads == "bits") return 4.0 * static_cast<double>(bits.size);
    if (heads == "keys") return 4.0 * static_cast<double>(keys.size);
    return 4.0 * static_cast<double>(offsets.size());
  }
};

/// The name of a scan within segments in a record: "inclusive_segmented_scan flags, power-law".
inline std::string segmented_name(scan_kind kind, std::string const& heads,
                                  std::string const& lengths) {
  std::string const name = kind == scan_kind::inclusive ? "inclusive" : "exclusive";
  return name + "_segmented_scan " + heads + ", " + lengths;
}

/// The name of their totals: "segmented_reduce flags, power-law".
inline std::string totals_name(std::string const& heads, std::string const& lengths) {
  return "segmented_reduce " + heads + ", " + lengths;
}

/// The name of a sort within segments in a record: "sort pairs within segments, power-law", with
/// the values of the keys if they are not uniform.
inline std::string segmented_sort_name(std::string const& what, std::string const& lengths,
                                       std::string const& keys) {
  std::string const name = "sort " + what + " within segments, " + lengths;
  return keys == "uniform" ? name : name + ", " + keys;
}

/// The least bytes that a sort of n items, keys and values, within segments moves: offsets read
/// once, each item read once and written once.
inline double segmented_sort_bytes(index_t n, std::size_t item_bytes, double offset_bytes) {
  return offset_bytes + 2.0 * static_cast<double>(n) * static_cast<double>(item_bytes);
}

}  // namespace libscan::bench
