// SPDX-License-Identifier: Apache-2.0
// Run-length encoding on CPU threads. Each chunk gathers where runs begin in it; the chain of
// chunks is the scan of how many begin and where the last one does, and tells each which runs are
// its own (the enumeration of Blelloch, "Prefix Sums and Their Applications", 1990). Every item
// crosses memory once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <apps/filter/cpu_rules.hpp>
#include <apps/filter/filter_cpu.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>

namespace libscan::inline v1::cpu {

/// Where `encode_runs` writes, and how much fits there.
template <class T>
struct run_outputs {
  T* values;
  index_t values_capacity;
  index_t* lengths;
  index_t lengths_capacity;
};

namespace detail {

/// Of some consecutive items: how many runs begin among them, and the position of the last that
/// does (0 if none does).
struct run_begins {
  index_t runs;
  index_t last;
};

/// Two such stretches, one behind the other.
struct join_begins {
  using value_type = run_begins;
  static constexpr run_begins identity() { return {0, 0}; }
  constexpr run_begins operator()(run_begins earlier, run_begins later) const {
    return {earlier.runs + later.runs, later.runs > 0 ? later.last : earlier.last};
  }
};

/// Writes what chunk `c` tells, in which `count` runs begin, the k-th of them at c.begin +
/// offsets[k]: their values, and the lengths of the runs that end where they begin.
template <class T>
void write_runs(T const* in, chunk const& c, std::uint32_t const* offsets, index_t count,
                run_begins before, run_outputs<T> const& out) {
  index_t const values = std::clamp<index_t>(out.values_capacity - before.runs, 0, count);
  for (index_t k = 0; k < values; ++k) out.values[before.runs + k] = in[c.begin + offsets[k]];

  index_t const ended = before.runs - 1;  // the run that ends where the first of these begins
  index_t const lengths = std::clamp<index_t>(out.lengths_capacity - ended, 0, count);
  if (lengths > 0 && ended >= 0) out.lengths[ended] = c.begin + offsets[0] - before.last;
  for (index_t k = 1; k < lengths; ++k) {
    out.lengths[ended + k] = index_t{offsets[k]} - offsets[k - 1];
  }
}

}  // namespace detail

/// values[r] = the first item of the r-th run of equal ones (==) in in[0..n-1], lengths[r] = how
/// many they are; returns how many runs there are. Writes no more than fits, whatever it returns.
/// The outputs must not overlap each other or `in`.
///
/// Reads `in` once, writes each output once; allocates 4 bytes an item of a chunk for each thread,
/// if that is more than 8 KiB. Throws `invalid_argument` if threads < 1, n < 0, or chunk_items is
/// not in 1 .. 2^32, and std::bad_alloc.
template <class T>
index_t encode_runs(int threads, T const* in, index_t n, run_outputs<T> const& out,
                    index_t chunk_items = filter_chunk_items) {
  if (chunk_items > index_t{1} << 32) {
    throw invalid_argument("encode_runs: chunk_items of at most 2^32 expected, got " +
                           std::to_string(chunk_items));
  }
  // Offsets within a chunk; its items are still in the cache when they are wanted.
  using gathered_begins = detail::packed_chunk<std::uint32_t>;
  detail::run_begins const all = run_chunks(
      threads, n, chunk_items, detail::join_begins{}, detail::join_begins::identity(),
      [&] { return gathered_begins(std::min(n, chunk_items)); },
      [&](gathered_begins& begins, chunk const& c) {
        begins.count = detail::pack_offsets(keep_heads<T>{in}, c, begins.items.data());
        if (begins.count == 0) return detail::join_begins::identity();
        return detail::run_begins{begins.count, c.begin + begins.items[begins.count - 1]};
      },
      [&](gathered_begins const& begins, chunk const& c, detail::run_begins before) {
        detail::write_runs(in, c, begins.items.data(), begins.count, before, out);
      });
  if (all.runs > 0 && all.runs <= out.lengths_capacity) out.lengths[all.runs - 1] = n - all.last;
  return all.runs;
}

}  // namespace libscan::inline v1::cpu
