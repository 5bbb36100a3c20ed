// SPDX-License-Identifier: Apache-2.0
// Stable sorts of arrays that are spread over ranks. Ranks find out which keys are for whom before
// they sort; one exchange brings each rank its part of the result: sort_host.hpp. For sorts on GPUs
// see device_sort.hpp.
#pragma once

#include <cstddef>
#include <span>

#include <apps/radix_sort/host/sort_host.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/device_copy.hpp>
#include <libscan/distributed/device_sort.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1 {

namespace detail {

/// A sort on the `cpu` engine, or of values on any. `out` may be null, for positions.
/// `check_here` may throw.
template <class Key, class Check>
void sort_on_ranks(char const* name, ranks const& on, std::span<Key const> in, Key* out,
                   std::size_t n_out, values_on_ranks const& values, sort_options const& options,
                   Check const& check_here) {
  using compiled = typename compiled_key<Key>::type;
  detail::collective(on.comm(), name, [&](collective_call& call) {
    std::span const keys(detail::compiled_keys(in.data()), in.size());
    rank_sort<compiled>(on, call, keys, detail::compiled_keys(out), n_out, values, options)
        .run(check_here);
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
  detail::sort_on_ranks("sort_keys", on, in, to.data(), to.size(), {}, options, [] {});
}

/// Sorts as `sort_keys`, and moves values with their keys. Values are of any trivially copyable
/// type with a default constructor, one per key. Each output may be its input.
/// Memory: as `sort_keys` with keys and values; n pairs, up to three times, if many keys share high
/// bits. Positions of keys besides, for values of other sizes than 4 and 8 bytes.
/// Throws: also `invalid_argument` on a rank with a different number of values than keys.
template <host_items Keys, host_output Out, host_items Values, host_output ValuesOut>
void sort_pairs(ranks const& on, Keys const& keys, Out&& out, Values const& values,
                ValuesOut&& values_out, sort_options const& options = {}) {
  using key = detail::item_of<Keys>;
  using value = detail::item_of<Values>;
  std::span<key const> const in{keys};
  std::span<key> const to{static_cast<Out&&>(out)};
  std::span<value const> const values_in{values};
  std::span<value> const values_to{static_cast<ValuesOut&&>(values_out)};
  detail::refuse_values<value>();
  detail::sort_on_ranks(
      "sort_pairs", on, in, to.data(), to.size(),
      {values_in.data(), values_to.data(), sizeof(value)}, options, [&] {
        if (values_in.size() != in.size() || values_to.size() != to.size()) {
          throw invalid_argument("sort_pairs: one value per key expected, in inputs and outputs");
        }
        cpu::detail::require_aligned(values_in.data());
        cpu::detail::require_aligned(values_to.data());
      });
}

/// The global positions of the keys in sorted order: each rank gets the next `positions.size()` of
/// them. `positions` holds index_t. Otherwise as `sort_pairs`; within, positions of up to 2^32 keys
/// have 4 bytes.
template <host_items Keys, host_output Positions>
void argsort(ranks const& on, Keys const& keys, Positions&& positions,
             sort_options const& options = {}) {
  using key = detail::item_of<Keys>;
  std::span<key const> const in{keys};
  std::span<index_t> const to{static_cast<Positions&&>(positions)};
  detail::sort_on_ranks("argsort", on, in, static_cast<key*>(nullptr), to.size(),
                        {nullptr, to.data(), sizeof(index_t), true}, options,
                        [&] { cpu::detail::require_aligned(to.data()); });
}

}  // namespace libscan::inline v1
