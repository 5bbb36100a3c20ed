// SPDX-License-Identifier: Apache-2.0
// The filter in plain C++: keeps the items that a predicate accepts, in their order, on any engine.
// A filter is a scan: the exclusive prefix sum of "is kept" is each item's place in the output.
// Needs no nvcc; link libscan::filter.
#pragma once

#include <span>
#include <type_traits>

#include <libscan/buffer.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/types.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1 {

/// Copies the items of `values` that `keep` keeps to the front of `out`, in their order, and
/// returns their number. T follows from `keep`, so vectors can be passed for the spans:
///
///   auto kept = filter(engine::best(), values, out, parse_predicate<float>(">= 4.5 and < 9"));
///
/// Result: the same on every engine and for any number of threads.
/// Types: T is one of the ten arithmetic types, `float16` or `bfloat16`. Both spans are in host
/// memory. `out` must have space for the kept items (as many as `values` suffice); items after them
/// are unchanged.
/// Aliasing: `out` may be `values` itself (in place), or must not overlap it.
/// Synchronization: returns when `out` is complete.
/// Traffic: reads `values` once and writes the kept items once.
/// Throws: `invalid_argument` if `out` overlaps `values` without being equal to it, or is too short
/// for the kept items (its items are then unspecified, and nothing after them is changed);
/// `device_error`, `engine_unavailable` or std::bad_alloc if a device or its memory fails.
template <class T>
index_t filter(engine const& on, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out, predicate<T> const& keep);

/// The items that `keep` keeps, in memory of their own. It is for as many items as `values`; pages
/// that are not written take none. Otherwise as the previous call.
///
///   libscan::buffer<float> const kept = filter(on, values, parse_predicate<float>(">= 4.5"));
template <class T>
buffer<T> filter(engine const& on, std::type_identity_t<std::span<T const>> values,
                 predicate<T> const& keep) {
  buffer<T> kept(static_cast<index_t>(values.size()));
  kept.truncate(libscan::filter<T>(on, values, {kept.data(), kept.size()}, keep));
  return kept;
}

/// Writes the positions (from 0) of the items that `keep` keeps to the front of `out`, ascending,
/// and returns their number: numpy.flatnonzero of the predicate. Otherwise as `filter`, but `out`
/// must not overlap `values`.
template <class T>
index_t filter_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                       std::span<index_t> out, predicate<T> const& keep);

/// Copies the items that `keep` keeps to the front of `out` and their positions to the front of
/// `indices`, both ascending by position, and returns their number. `out` may be equal to `values`;
/// `indices` must not overlap either. Otherwise as `filter`, for each of the two outputs.
template <class T>
index_t filter_with_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                            std::type_identity_t<std::span<T>> out, std::span<index_t> indices,
                            predicate<T> const& keep);

/// The number of items of `values` that `keep` keeps. Reads `values` once, writes nothing. Throws
/// as `filter` if a device or memory fails.
template <class T>
index_t count_if(engine const& on, std::type_identity_t<std::span<T const>> values,
                 predicate<T> const& keep);

}  // namespace libscan::inline v1
