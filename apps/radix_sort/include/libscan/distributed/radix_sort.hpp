// SPDX-License-Identifier: Apache-2.0
// Stable sorts of arrays that are spread over ranks. Ranks find out which keys are for whom before
// they sort; one exchange brings each rank its part of the result: sort_host_keys.hpp, with values
// sort_host_pairs.hpp. For sorts on GPUs see device_sort.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <apps/radix_sort/host/sort_host_keys.hpp>
#include <apps/radix_sort/host/sort_host_pairs.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/device_copy.hpp>
#include <libscan/distributed/device_sort.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1 {

namespace detail {

/// A sort of keys with values: value_at(i, begin) is the value of local key i, on a rank whose keys
/// begin at global position `begin`. `check` may throw. `out` may be null.
template <class Value, class Key, class Check, class ValueAt>
void sort_with_values(char const* name, ranks const& on, std::span<Key const> in, Key* out,
                      std::span<Value> values_out, sort_options const& options, Check const& check,
                      ValueAt const& value_at) {
  detail::collective(on.comm(), name, [&](collective_call& call) {
    auto const d = detail::lengths_of(call, in.size(), values_out.size(), [&] {
      check();
      cpu::detail::require_aligned(in.data());
      sort_order<Key>{options.direction, options.first_bit, options.end_bit, {}}.check_bits();
    });
    index_t const begin = d.in.begin(on.rank());  // of all ranks' keys
    auto const value = [&](index_t i) { return value_at(i, begin); };
    detail::sort_host_pairs<Value>(call, on, d.out, in, value, out, values_out, options);
  });
}

}  // namespace detail

/// Sorts the keys of all ranks: each rank gets the next `out.size()` of them, in rank order. Every
/// rank gets exactly that number, also if all keys are equal.
/// Types: as `sort_keys` on an engine. `keys` and `out` may be the same memory.
/// Result: the bits of `sort_keys` of the whole array on one rank: the sort is stable.
/// Memory: two copies of the local keys or of the local result, if that is more; at most 16 MiB of
/// counters.
/// Synchronization: collective; each key is sent at most once.
/// Throws: `invalid_argument` on all ranks unless the lengths of all `out` and of all `keys` have
/// the same sum, and on a rank with misaligned memory; `remote_error` if another rank failed;
/// `communicator_lost`.
template <host_items Keys, host_output Out>
void sort_keys(ranks const& on, Keys const& keys, Out&& out, sort_options const& options = {}) {
  using key = detail::item_of<Keys>;
  std::span<key const> const in{keys};
  std::span<key> const to{static_cast<Out&&>(out)};
  if (on.local().runs_kernels()) {
    detail::device_copy<key> const copy(on, "sort_keys", in), sorted(on, "sort_keys", to.size());
    libscan::sort_keys(on, device_span<key const>{copy.data(), copy.size()},
                       device_span<key>{sorted.data(), sorted.size()}, options);
    return sorted.download("sort_keys", to);
  }
  detail::collective(on.comm(), "sort_keys", [&](detail::collective_call& call) {
    using compiled = typename detail::compiled_key<key>::type;
    std::span const keys_in(detail::compiled_keys(in.data()), in.size());
    std::span const keys_out(detail::compiled_keys(to.data()), to.size());
    detail::host_key_sort<compiled>(on, call, keys_in, keys_out, options).run();
  });
}

/// Sorts as `sort_keys`, and moves values with their keys. Values are of any trivially copyable
/// type with a default constructor, one per key. Each output may be its input.
/// Memory: two copies of the local keys and values, or of their results, if those are more; words
/// of keys that are next to other ranks' parts. Throws: also `invalid_argument` on a rank with a
/// different number of values than keys.
template <host_items Keys, host_output Out, host_items Values, host_output ValuesOut>
void sort_pairs(ranks const& on, Keys const& keys, Out&& out, Values const& values,
                ValuesOut&& values_out, sort_options const& options = {}) {
  using key = detail::item_of<Keys>;
  using value = detail::item_of<Values>;
  std::span<key const> const in{keys};
  std::span<key> const to{static_cast<Out&&>(out)};
  std::span<value const> const values_in{values};
  std::span<value> const values_to{static_cast<ValuesOut&&>(values_out)};
  detail::sort_with_values<value>(
      "sort_pairs", on, in, to.data(), values_to, options,
      [&] {
        if (values_in.size() != in.size() || values_to.size() != to.size()) {
          throw invalid_argument("sort_pairs: one value per key expected, in inputs and outputs");
        }
        cpu::detail::require_aligned(to.data());
        cpu::detail::require_aligned(values_in.data());
        cpu::detail::require_aligned(values_to.data());
      },
      [&](index_t i, index_t) { return values_in[static_cast<std::size_t>(i)]; });
}

/// The global positions of the keys in sorted order: each rank gets the next `positions.size()` of
/// them. `positions` holds index_t. Otherwise as `sort_pairs`.
template <host_items Keys, host_output Positions>
void argsort(ranks const& on, Keys const& keys, Positions&& positions,
             sort_options const& options = {}) {
  using key = detail::item_of<Keys>;
  std::span<key const> const in{keys};
  std::span<index_t> const to{static_cast<Positions&&>(positions)};
  detail::sort_with_values<index_t>(
      "argsort", on, in, static_cast<key*>(nullptr), to, options,
      [&] { cpu::detail::require_aligned(to.data()); },
      [](index_t i, index_t begin) { return begin + i; });
}

}  // namespace libscan::inline v1
