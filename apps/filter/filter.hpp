// SPDX-License-Identifier: Apache-2.0
// The plain C++ facade of the filter: keeps the items a predicate accepts, in their order, on
// whichever engine there is. A filter is a scan: the exclusive prefix sum of "is kept" is each
// item's place in the output. Needs no nvcc; link libscan::filter.
#pragma once

#include <span>
#include <type_traits>

#include <apps/filter/predicate.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// Copies the items of `values` that `keep` keeps to the front of `out`, in their order, and
/// returns how many they are. T is one of the ten arithmetic types; it follows from `keep`, so that
/// vectors can be passed for the spans:
///
///   auto kept = filter(engine::best(), values, out, parse_predicate<float>(">= 4.5 and < 9"));
///
/// Both are in host memory. `out` must hold what is kept, which may be less than `values` (as many
/// always suffice); items of `out` behind what is kept are not touched. `out` may be `values`
/// itself (in-place), or apart from it.
///
/// The result is the same on every engine and for any number of threads. Reads `values` once and
/// writes what is kept once. Returns when `out` is complete.
///
/// Throws `invalid_argument` if `out` overlaps `values` otherwise than exactly, or is too short for
/// what is kept (its items are then unspecified, what lies behind it is untouched);
/// `device_error`, `engine_unavailable` or std::bad_alloc if a device or its memory fails.
template <class T>
index_t filter(engine const& on, std::type_identity_t<std::span<T const>> values,
               std::type_identity_t<std::span<T>> out, predicate<T> const& keep);

/// Writes the positions (from 0) of the items that `keep` keeps to the front of `out`, ascending,
/// and returns how many they are: numpy.flatnonzero of the predicate. All else as `filter`, but
/// `out` must lie apart from `values`.
template <class T>
index_t filter_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                       std::span<index_t> out, predicate<T> const& keep);

/// Copies the items that `keep` keeps to the front of `out` and their positions to the front of
/// `indices`, both ascending by position, and returns how many they are. `out` and `indices` must
/// lie apart from `values` and from each other. Asks about each item once. All else as `filter`,
/// for each of the two outputs.
template <class T>
index_t filter_with_indices(engine const& on, std::type_identity_t<std::span<T const>> values,
                            std::type_identity_t<std::span<T>> out, std::span<index_t> indices,
                            predicate<T> const& keep);

/// How many items of `values` `keep` keeps. Reads `values` once, writes nothing. Throws as
/// `filter`, for the reasons of devices and memory.
template <class T>
index_t count_if(engine const& on, std::type_identity_t<std::span<T const>> values,
                 predicate<T> const& keep);

}  // namespace libscan::inline v1
