// SPDX-License-Identifier: Apache-2.0
// Sums of complex numbers, and differences of them and of 16-bit floats, on engines that run
// kernels. No kernel is compiled for them: real and imaginary parts pass apart through the compiled
// calls, and 16-bit floats as floats. Internal: users include callables.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>

#include <libscan/buffer.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/half.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/host_operator.hpp>
#include <libscan/host/scan_call.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1::detail {

/// Sums of complex items in T.
template <class Op, class T, class Item>
concept sums_complex = complex_number<T> && complex_number<Item> &&
    (std::same_as<Op, plus<T>> || std::same_as<Op, std::plus<>> || std::same_as<Op, std::plus<T>>);

/// The parts of an item, which lie side by side in arrays: two of a complex number, else one.
template <class Item>
struct parts_in {
  using stored = Item;
  static constexpr index_t count = 1;
};
template <complex_number Item>
struct parts_in<Item> {
  using stored = typename Item::value_type;
  static constexpr index_t count = 2;
};

/// The real parts (part 0) or the imaginary parts (1) of some items, as an array of R.
template <class R, class Item>
buffer<R> parts_of(std::span<Item const> items, std::size_t part) {
  using in = parts_in<Item>;
  buffer<R> parts(static_cast<index_t>(items.size()));
  auto const* const from = reinterpret_cast<typename in::stored const*>(items.data()) + part;
  cpu::for_each_index(
      cpu::default_threads(), static_cast<index_t>(items.size()),
      [to = parts.data(), from](index_t i) { to[i] = static_cast<R>(from[in::count * i]); });
  return parts;
}

/// Writes n such parts to numbers.
template <class R, class T>
void write_parts(R const* parts, index_t n, std::size_t part, T* numbers) {
  using in = parts_in<T>;
  auto* const to = reinterpret_cast<typename in::stored*>(numbers) + part;
  cpu::for_each_index(cpu::default_threads(), n, [=](index_t i) {
    to[in::count * i] = static_cast<typename in::stored>(parts[i]);
  });
}

/// Refuses an output that overlaps what is read, except numbers over themselves.
template <class Item, class Result>
void check_complex_overlap(char const* call, std::span<Item const> in, memory_span const& results,
                           segmentation const& segments, bool in_place) {
  memory_span const items(std::as_bytes(in));
  if (in_place && std::is_same_v<Item, Result>) {
    detail::require_in_place_or_no_overlap(call, items, results);
  } else {
    detail::require_no_overlap(call, "in and the output", items, results);
  }
  detail::check_segments_apart(call, segments, results);
}

/// A scan. `out` holds as many numbers as `in`, at least. Returns the total if there are no
/// segments.
template <scan_kind Kind, class T, class Item>
T scan_complex(engine const& on, std::span<Item const> in, T* out, scan_direction direction,
               segmentation const& segments, T init) {
  using R = typename T::value_type;
  auto const n = static_cast<index_t>(in.size());
  detail::check_complex_overlap<Item, T>("scan", in, memory_span(out, n, sizeof(*out)), segments,
                                         true);
  bool const leaves_items = segments.counts_segments();
  std::array<R, 2> const first{init.real(), init.imag()};
  std::array<R, 2> total = first;
  for (std::size_t part = 0; part < 2; ++part) {
    buffer<R> items = detail::parts_of<R>(in, part);
    // Results of items in no segment stay as they are.
    buffer<R> others =
        leaves_items ? detail::parts_of<R>(std::span<T const>(out, in.size()), part) : buffer<R>();
    R* const results = leaves_items ? others.data() : items.data();
    bool const summed = segments.how() == segmentation::form::none;
    detail::run_host_scan(
        on, {input_type_of<R>::value, items.data(), n, operator_kind::plus, Kind, direction,
             segments, item_type_of<R>::value, &first[part], input_type_of<R>::value, results, n,
             summed ? &total[part] : nullptr});
    detail::write_parts(results, n, part, out);
  }
  return T(total[0], total[1]);
}

/// Items whose differences are made of parts.
template <class Item>
concept differs_by_parts = compiled_complex<Item> || half_float<Item>;

/// Later minus earlier neighbors. `out` holds as many items as `in`, at least.
template <differs_by_parts Item>
void difference_of_parts(engine const& on, std::span<Item const> in, Item* out) {
  using R = accumulator_t<typename parts_in<Item>::stored>;
  auto const n = static_cast<index_t>(in.size());
  detail::check_complex_overlap<Item, Item>("adjacent_difference", in,
                                            memory_span(out, n, sizeof(*out)), {}, true);
  for (std::size_t part = 0; part < parts_in<Item>::count; ++part) {
    buffer<R> parts = detail::parts_of<R>(in, part);
    detail::run_difference(on, {item_type_of<R>::value, parts.data(), parts.data(), n}, n);
    detail::write_parts(parts.data(), n, part, out);
  }
}

/// The sums of segments, or of all items: totals[s] for each of them. Calls reduce(call), which
/// runs the reduction of one part, writes first keys to `unique` if there are any, and returns the
/// number of segments. Returns that.
template <class T, class Item, class Reduce>
index_t reduce_complex(char const* name, std::span<Item const> in, std::span<T> totals,
                       memory_span const& unique, segmentation const& segments, T init,
                       Reduce const& reduce) {
  using R = typename T::value_type;
  auto const n = static_cast<index_t>(in.size());
  memory_span const results(std::as_bytes(totals));
  detail::check_complex_overlap<Item, T>(name, in, results, segments, false);
  detail::require_no_overlap(name, "unique and in", memory_span(std::as_bytes(in)), unique);
  detail::require_no_overlap(name, "unique and totals", results, unique);
  index_t const max_segments =
      segments.counts_segments() ? segments.count() : std::max(n, index_t{1});
  buffer<R> sums(std::min(static_cast<index_t>(totals.size()), max_segments));
  std::array<R, 2> const first{init.real(), init.imag()};
  index_t count = 0;
  for (std::size_t part = 0; part < 2; ++part) {
    buffer<R> const items = detail::parts_of<R>(in, part);
    count = reduce({input_type_of<R>::value, items.data(), n, operator_kind::plus, segments,
                    item_type_of<R>::value, &first[part], sums.data(),
                    static_cast<index_t>(sums.size())});
    detail::write_parts(sums.data(), count, part, totals.data());
  }
  return count;
}

}  // namespace libscan::inline v1::detail
