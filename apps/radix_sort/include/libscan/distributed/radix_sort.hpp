// SPDX-License-Identifier: Apache-2.0
// Stable sorts of arrays that are spread over ranks: sort_host_keys.hpp sorts keys. With values,
// each rank sorts its own keys; exact splitters cut them; one exchange brings each rank its part of
// the result, as sorted runs, which it merges on the CPU. For sorts on GPUs see device_sort.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <apps/radix_sort/host/sort_host_keys.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/device_copy.hpp>
#include <libscan/distributed/device_sort.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/merge_runs.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/splitters.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1 {

namespace detail {

/// A key with its value, as it travels.
template <class Key, class Value>
struct sorted_pair {
  Key key;
  Value value;
};

template <class Key>
Key const& key_of(Key const& item) {
  return item;
}
template <class Key, class Value>
Key const& key_of(sorted_pair<Key, Value> const& item) {
  return item.key;
}

/// The compared bits of a key's word.
template <class Key>
struct compared_word {
  sort_order<Key> order;
  template <class Item>
  auto operator()(Item const& item) const {
    using word = typename sort_order<Key>::word_type;
    return static_cast<word>(order.word(detail::key_of(item)) & order.counting(0));
  }
};

/// Exchanges sorted local items so that each rank gets its part of all, and merges them.
template <class Key, class Item>
std::vector<Item> share_sorted(collective_call& call, int threads, distribution const& out,
                               std::vector<Item> items, sort_order<Key> const& order) {
  compared_word<Key> const word_of{order};
  using word = typename sort_order<Key>::word_type;
  auto const send = detail::split_counts<word>(
      call, out, static_cast<index_t>(items.size()),
      [&](index_t i) { return word_of(items[static_cast<std::size_t>(i)]); });
  std::vector<index_t> receive(send.size()), ends;
  call.through().transpose(call.at("counts"), send, receive);
  std::vector<Item> received(static_cast<std::size_t>(out.size(call.comm().rank())));
  detail::exchange_pieces(call, "items", std::span<Item const>(items),
                          std::span<index_t const>(send), std::span<Item>(received),
                          std::span<index_t const>(receive));
  for (index_t end = 0; index_t const count : receive) ends.push_back(end += count);
  items.assign(received.size(), Item{});
  Item const* const merged =
      libscan::merge_runs(threads, ends, received.data(), items.data(),
                          [&](Item const& a, Item const& b) { return word_of(a) < word_of(b); });
  call.agree("end", [] {});
  return merged == received.data() ? std::move(received) : std::move(items);
}

/// A sort of keys with values: value_at(i, begin) is the value of local key i, on a rank whose keys
/// begin at global position `begin`; put(j, pair) takes local result j. `check` may throw.
template <class Value, class Key, class Check, class ValueAt, class Put>
void sort_with_values(char const* name, ranks const& on, std::span<Key const> in, std::size_t out,
                      sort_options const& options, Check const& check, ValueAt const& value_at,
                      Put const& put) {
  using pair = sorted_pair<Key, Value>;
  detail::collective(on.comm(), name, [&](collective_call& call) {
    sort_order<Key> const order{options.direction, options.first_bit, options.end_bit, {}};
    std::vector<index_t> places(in.size());
    auto const d = detail::lengths_of(call, in.size(), out, [&] {
      check();
      libscan::argsort(on.local(), in, places, options);
    });
    std::vector<pair> sorted;
    sorted.reserve(in.size());
    for (index_t const i : places) {
      sorted.push_back({in[static_cast<std::size_t>(i)], value_at(i, d.in.begin(on.rank()))});
    }
    auto const mine = detail::share_sorted(call, on.threads(), d.out, std::move(sorted), order);
    for (std::size_t j = 0; j < mine.size(); ++j) put(j, mine[j]);
  });
}

}  // namespace detail

/// Sorts the keys of all ranks: each rank gets the next `out.size()` of them, in rank order. Every
/// rank gets exactly that number, also if all keys are equal.
/// Types: as `sort_keys` on an engine. `keys` and `out` may be the same memory.
/// Result: the bits of `sort_keys` of the whole array on one rank: the sort is stable.
/// Memory: a copy of the local result, and one of the local keys if `out` overlaps them or is
/// shorter; at most 16 MiB of counters.
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
  detail::sort_with_values<value>(
      "sort_pairs", on, in, to.size(), options,
      [&] {
        if (values_in.size() != in.size() || values_to.size() != to.size()) {
          throw invalid_argument("sort_pairs: one value per key expected, in inputs and outputs");
        }
        cpu::detail::require_aligned(to.data());
        cpu::detail::require_aligned(values_in.data());
        cpu::detail::require_aligned(values_to.data());
      },
      [&](index_t i, index_t) { return values_in[static_cast<std::size_t>(i)]; },
      [&](std::size_t j, auto const& one) {
        to[j] = one.key;
        values_to[j] = one.value;
      });
}

/// The global positions of the keys in sorted order: each rank gets the next `positions.size()` of
/// them. `positions` holds index_t. Otherwise as `sort_keys`.
template <host_items Keys, host_output Positions>
void argsort(ranks const& on, Keys const& keys, Positions&& positions,
             sort_options const& options = {}) {
  std::span<detail::item_of<Keys> const> const in{keys};
  std::span<index_t> const to{static_cast<Positions&&>(positions)};
  detail::sort_with_values<index_t>(
      "argsort", on, in, to.size(), options, [&] { cpu::detail::require_aligned(to.data()); },
      [](index_t i, index_t begin) { return begin + i; },
      [&](std::size_t j, auto const& one) { to[j] = one.value; });
}

}  // namespace libscan::inline v1
