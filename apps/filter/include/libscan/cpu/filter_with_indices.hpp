// SPDX-License-Identifier: Apache-2.0
// The filter of values with their positions on CPU threads: both are packed from the same marks, in
// one pass over the input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>  // and so std::iterator_traits: <iterator> also has streams

#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/workers.hpp>

namespace libscan::inline v1::cpu {

/// The outputs of `filter_with_indices_by`, and their capacities.
template <class Values, class Indices = index_t*>
struct indexed_outputs {
  Values values;
  index_t values_capacity;
  Indices indices;
  index_t indices_capacity;
};

/// out.values[k] = item k of those of in[0..n-1] that `rule` (see rules.hpp) keeps,
/// out.indices[k] = its position; returns how many it keeps. Writes at most as many of each as fit,
/// in order. Values may be written over `in`, as in `filter_by`; otherwise the parts of the outputs
/// that may be written must not overlap each other or what is read. Indices are any integers that
/// can hold the positions. A thread has a chunk of values and 4 bytes an item of it. chunk_items of
/// more than 2^32 are refused. Otherwise as `filter_by`.
template <std::random_access_iterator In, class Rule, class Values = std::iter_value_t<In>*,
          class Indices = index_t*>
index_t filter_with_indices_by(int threads, In in, indexed_outputs<Values, Indices> const& out,
                               index_t n, Rule rule, index_t chunk_items = filter_chunk_items) {
  using T = std::iter_value_t<In>;
  detail::refuse_memory<T>();
  detail::refuse_results<T, Values>();
  detail::refuse_results<index_t, Indices>();
  detail::check_offsets("filter_with_indices", chunk_items);
  char const* const call = "filter_with_indices";
  detail::require_output_in_place_or_no_overlap(call, in, rule, n, out.values, out.values_capacity);
  detail::require_no_output_overlap(call, in, rule, n, out.indices, out.indices_capacity);
  detail::require_no_overlap_of_outputs(call, out.values, out.values_capacity, out.indices,
                                        out.indices_capacity, n);
  struct indexed_chunk {
    detail::packed_chunk<T> values;
    detail::small_buffer<std::uint32_t> offsets;
  };
  auto const positions = detail::best_vector_packs().positions;
  store_policy const policy =
      cpu::store_policy_for(n * static_cast<index_t>(sizeof(T)), detail::in_place(in, out.values));
  return cpu::run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0,
      [&] {
        index_t const capacity = std::min(n, chunk_items);
        return indexed_chunk{detail::packed_chunk<T>(capacity),
                             detail::small_buffer<std::uint32_t>(capacity)};
      },
      [&](indexed_chunk& packed, chunk const& c) {
        index_t kept = 0;
        detail::mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
          if (!flags) return;
          positions(static_cast<std::uint32_t>(i - c.begin), flags, items,
                    packed.offsets.data() + kept);
          kept += detail::pack_from(in, i, flags, 1, items, packed.values.items.data() + kept);
        });
        return packed.values.count = kept;
      },
      [&](indexed_chunk const& packed, chunk const& c, index_t place) {
        index_t const kept = packed.values.count;
        detail::put_fitting(packed.offsets.data(), c.begin, kept, out.indices, out.indices_capacity,
                            place);
        if (detail::stays(rule, in, out.values, c, place, kept)) return;
        detail::copy_fitting(policy, packed.values.items.data(), kept, out.values,
                             out.values_capacity, place);
      },
      detail::surely_no_overlap<In, Values>(in, out.values) ? aggregates::repeatable
                                                            : aggregates::once);
}

/// out[k] = in[indices[k]] for k < count, on the default number of threads. `out` may be equal to
/// `in` if indices ascend, then on one thread; otherwise it must overlap neither. Throws
/// `invalid_argument` if it overlaps the indices.
template <class T>
void gather(T const* in, index_t const* indices, index_t count, T* out) {
  detail::require_no_overlap("gather", "indices and output", detail::memory_of(indices, count),
                             detail::memory_of(out, count));
  struct nothing {};
  cpu::sum_chunks(
      in == out ? 1 : default_threads(), count, filter_chunk_items, [] { return nothing{}; },
      [&](nothing, chunk const& c) {
        for (index_t k = c.begin; k < c.end; ++k) out[k] = in[indices[k]];
        return index_t{0};
      });
}

}  // namespace libscan::inline v1::cpu
