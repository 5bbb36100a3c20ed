// SPDX-License-Identifier: Apache-2.0
// Segmented scans on CPU threads: the scan of libscan/cpu/scan.hpp with the operator
// `segmented<Op>`, over pairs of an item and its head flag that exist only while they are looked
// at. Costs the same whatever the segments' lengths.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>

#include <libscan/core/operators.hpp>
#include <libscan/core/segmented.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/segment_heads.hpp>
#include <libscan/cpu/staged_scan.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// The items of a chunk as `segmented<Op>` takes them, `init` before each head.
template <class Op>
struct flagged_items {
  using T = typename Op::value_type;
  T const* items;
  std::uint8_t const* heads;
  Op op;
  T init;

  flagged<T> operator[](index_t i) const {
    bool const head = heads[i] != 0;
    return {head ? op(init, items[i]) : items[i], head};
  }
};

/// Takes the results of `segmented<Op>` for a chunk. What precedes a head is `init`, not the
/// segment before.
template <scan_kind Kind, class T>
struct unflagged_output {
  T* out;
  std::uint8_t const* heads;
  T init;

  struct place {
    T& to;
    bool head;
    T init;
    void operator=(flagged<T> const& prefix) const {
      to = Kind == scan_kind::exclusive && head ? init : prefix.value;
    }
  };
  place operator[](index_t i) const { return {out[i], heads[i] != 0, init}; }

  friend T* operator+(unflagged_output const& output, index_t i) { return output.out + i; }
};

/// A stage with the heads of its items.
template <class T>
struct segmented_stage : stage<T, flagged<T>> {
  std::unique_ptr<std::uint8_t[]> heads;

  segmented_stage(index_t room, flagged<T> any)
      : stage<T, flagged<T>>(room, any),
        heads(std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(room))) {}
};

}  // namespace detail

/// Scans each segment of items 0..n-1 of `source` on its own into out[0..n-1], `init` before the
/// first item of each: inclusive out[i] = init op first item of i's segment op ... op item i,
/// exclusive the same without item i. In reverse each segment is scanned from its end.
///
/// `heads` says where segments begin (see `segment_heads`); `op` never sees items of two segments.
/// All else as `staged_scan`; a thread needs a byte more for each item of a chunk.
template <scan_kind Kind, class Source, segment_heads Heads, monoid Op>
requires item_source<Source, typename Op::value_type>
void staged_segmented_scan(int threads, scan_direction direction, Source const& source,
                           Heads const& heads, typename Op::value_type* out, index_t n, Op op,
                           typename Op::value_type init, index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  using stage = detail::segmented_stage<T>;
  segmented<Op> const within{op};
  run_chunks(
      threads, n, chunk_items, within, flagged<T>{init, false},
      [&] { return stage(std::min(n, chunk_items), within.identity()); },
      [&](stage& here, chunk const& c) {
        detail::fetch(source, direction, n, c, here.items.get());
        mark_positions(heads, direction, n, c.begin, c.end, here.heads.get());
        detail::flagged_items<Op> const items{here.items.get(), here.heads.get(), op, init};
        return detail::sum_streams<flagged<T>>(items, c.size(), within, here.sums);
      },
      [&](stage& here, chunk const& c, flagged<T> carry) {
        detail::flagged_items<Op> const items{here.items.get(), here.heads.get(), op, init};
        detail::deliver(out, direction, n, c, here.items.get(), [&](T* to) {
          detail::unflagged_output<Kind, T> const output{to, here.heads.get(), init};
          detail::scan_streams<Kind>(items, output, c.size(), within, carry, here.sums);
        });
      });
}

/// The same for the items in[0..n-1] of a random-access iterator or pointer, each converted to
/// Op::value_type. `out` may be `in`, or apart from it.
template <scan_kind Kind, std::random_access_iterator In, segment_heads Heads, monoid Op>
void segmented_scan(int threads, scan_direction direction, In in, Heads const& heads,
                    typename Op::value_type* out, index_t n, Op op, typename Op::value_type init,
                    index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  auto const source = [in](index_t begin, index_t end, T* to) {
    for (index_t i = begin; i < end; ++i) to[i - begin] = static_cast<T>(in[i]);
  };
  staged_segmented_scan<Kind>(threads, direction, source, heads, out, n, op, init, chunk_items);
}

}  // namespace libscan::inline v1::cpu
