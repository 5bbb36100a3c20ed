// SPDX-License-Identifier: Apache-2.0
// Scans of one piece of a longer input: a value comes from the pieces before, and one goes to those
// after. For inputs that are never in memory as a whole.
#pragma once

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/staged_scan.hpp>

namespace libscan::inline v1::cpu {

/// As `staged_scan` of n > 0 items, with `carry` before the first one in the order of the scan.
/// Then sets `carry` to what comes before the first item of the next piece.
///
/// Types: items of up to 64 bytes.
/// Determinism: if all pieces except the last are multiples of `chunk_items`, the results are bit
/// for bit those of one `staged_scan` of all items.
template <scan_kind Kind, class Source, monoid Op, std::random_access_iterator Out>
requires item_source<Source, typename Op::value_type>
void carried_scan(int threads, scan_direction direction, Source const& source, Out out, index_t n,
                  Op op, typename Op::value_type& carry, index_t chunk_items = staged_chunk_items) {
  static_assert(!detail::large_value<typename Op::value_type>);
  carry =
      detail::scan_staged_chunks<Kind>(threads, direction, source, out, n, op, carry, chunk_items);
}

/// As `staged_segmented_scan` of n > 0 items, with `carry` before the first one in the order of the
/// scan: the value so far of its segment, or `init` if one begins there. Then sets `carry` to the
/// value of the last segment so far. Marks of the first item are ignored. Otherwise as
/// `carried_scan`; inputs of few items may be summed in another order than by
/// `staged_segmented_scan`.
template <scan_kind Kind, class Source, segment_heads Heads, monoid Op,
          std::random_access_iterator Out>
requires item_source<Source, typename Op::value_type>
void carried_segmented_scan(int threads, scan_direction direction, Source const& source, Out out,
                            Heads const& heads, index_t n, Op op, typename Op::value_type init,
                            typename Op::value_type& carry,
                            index_t chunk_items = staged_chunk_items) {
  static_assert(!detail::large_value<typename Op::value_type>);
  carry = detail::scan_segmented_chunks<Kind>(threads, direction, source, heads, out, n, op, init,
                                              chunk_items, &carry);
}

}  // namespace libscan::inline v1::cpu
