// SPDX-License-Identifier: Apache-2.0
// Sorts over ranks of keys in device memory. Each rank sorts its own keys; exact splitters cut
// them; each rank merges its part of the result. Between GPUs of one process that reach each
// other's memory, the merge itself reads the other ranks' keys; otherwise an exchange brings them.
// Such GPUs sort many keys by buckets instead: sort_by_buckets.hpp. Otherwise as radix_sort.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <apps/radix_sort/host/sort_by_buckets.hpp>
#include <apps/radix_sort/host/sorted_runs.hpp>
#include <libscan/distributed/device_exchange.hpp>
#include <libscan/distributed/splitters.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/sort_device_calls.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The passes that merge so many runs two by two.
inline int merge_passes(int runs) { return std::bit_width(static_cast<unsigned>(runs - 1)); }

/// Merges runs, pass after pass, so that the last one writes to `out`. The others write there, too,
/// and to `other`.
template <class Key, class Value>
void merge_device_runs(ranks const& on, std::vector<sorted_run<Key>> runs,
                       device_pairs<Key, Value> out, device_pairs<Key, Value> other,
                       sort_order<Key> const& order) {
  for (int left = merge_passes(static_cast<int>(runs.size())); left > 0; --left) {
    auto const& to = left % 2 != 0 ? out : other;
    merge_target const target{to.keys, to.values, static_cast<int>(sizeof(Value))};
    runs = compiled_runs<Key>::merge(on.queue(), runs, target, order);
  }
}

/// Consecutive runs of these lengths.
template <class Key, class Value>
std::vector<sorted_run<Key>> runs_of(device_pairs<Key, Value> all,
                                     std::span<index_t const> lengths) {
  std::vector<sorted_run<Key>> runs;
  for (index_t const length : lengths) {
    runs.push_back({all.keys, all.values, length});
    all.keys += length;
    if (all.values != nullptr) all.values += length;
  }
  return runs;
}

/// Merges this rank's part out of all ranks' sorted memory, which its kernels read where it is.
/// `send[r]` of this rank's pairs are for rank r.
template <class Key, class Value>
void merge_from_ranks(collective_call& call, ranks const& on, device_pairs<Key, Value> sorted,
                      std::span<index_t const> send, device_pairs<Key, Value> out, index_t n_out,
                      sort_order<Key> const& order) {
  std::vector<index_t> begins(send.size()), theirs(send.size()), receive(send.size());
  std::exclusive_scan(send.begin(), send.end(), begins.begin(), index_t{0});
  call.through().transpose(call.at("counts"), send, receive);
  call.through().transpose(call.at("places"), begins, theirs);
  std::optional<device_pairs_array<Key, Value>> other;
  auto const all = call.gather("sorted runs", [&] {
    if (merge_passes(on.size()) > 1) other.emplace(on.queue(), n_out);
    detail::synchronize(on.queue());
    return sorted;
  });
  call.agree("merge", [&] {
    std::vector<sorted_run<Key>> runs;
    for (std::size_t r = 0; r < all.size(); ++r) {
      Value const* const values = all[r].values == nullptr ? nullptr : all[r].values + theirs[r];
      runs.push_back({all[r].keys + theirs[r], values, receive[r]});
    }
    detail::merge_device_runs(on, (std::move)(runs), out, other ? other->get() : out, order);
    detail::synchronize(on.queue());
  });
}

/// Sends sorted pairs to their ranks, and merges what comes.
template <class Key, class Value>
void exchange_and_merge(collective_call& call, ranks const& on, device_pairs<Key, Value> sorted,
                        std::span<index_t const> send, device_pairs<Key, Value> out, index_t n_out,
                        sort_order<Key> const& order) {
  std::vector<index_t> receive(send.size());
  call.through().transpose(call.at("counts"), send, receive);
  // After an odd number of passes the result is not where the runs were.
  bool const odd = merge_passes(on.size()) % 2 != 0;
  device_pairs_array<Key, Value> const space(on.queue(), n_out);
  auto const received = odd ? space.get() : out;
  detail::exchange_device_pieces<Key>(call, on, "keys", sorted.keys, send, received.keys, receive);
  if constexpr (!std::is_same_v<Value, keys_only>) {
    detail::exchange_device_pieces<Value>(call, on, "values", sorted.values, send, received.values,
                                          receive);
  }
  auto runs = detail::runs_of(received, std::span<index_t const>(receive));
  detail::merge_device_runs(on, (std::move)(runs), out, space.get(), order);
  detail::synchronize(on.queue());
  call.agree("end", [] {});
}

/// A sort of pairs or keys. `check_sizes` may throw.
template <class Key, class Value, class Check>
void sort_device_memory(char const* name, ranks const& on, device_pairs<Key const, Value const> in,
                        index_t n, device_pairs<Key, Value> out, index_t n_out,
                        sort_options const& options, Check const& check_sizes) {
  detail::collective(on.comm(), name, [&](collective_call& call) {
    sort_order<Key> const order{options.direction, options.first_bit, options.end_bit, {}};
    bool const may_split =
        on.size() > 1 && call.through().reads_all_memory() && detail::may_use_buckets(order);
    std::optional<device_pairs_array<Key, Value>> sorted;
    auto const sort_own = [&] {
      sorted.emplace(on.queue(), n);
      detail::sort_own(on, in, n, sorted->get(), options);
    };
    auto const all = call.gather("lengths", [&] {
      check_sizes();
      order.check_bits();
      bool const fast = may_split && compiled_runs<Key>::sorts_segments_fast(on.queue());
      bool const samples = fast && n >= detail::min_group_items(on.local());
      sort_numbers<Key> mine{n, n_out, fast, samples, {}};
      if (samples) {
        compiled_runs<Key>::sample(on.queue(), in.keys, n, mine.words, order);
      } else if (on.size() > 1) {
        sort_own();  // while the ranks talk
      }
      return mine;
    });
    auto const d = detail::lengths_in(call, all);
    if (on.size() == 1) {
      detail::sort_own(on, in, n, out, options);
      return detail::synchronize(on.queue());
    }
    if (may_split && detail::suits_buckets(all, d, on.local(), order)) {
      sorted.reset();
      if (detail::sort_by_buckets(call, on, in, out, d, options)) return;
    }
    if (!sorted) sort_own();
    auto const send = detail::split_device_keys<Key>(call, on, d.out, sorted->get().keys, n, order);
    if (call.through().reads_all_memory()) {
      detail::merge_from_ranks(call, on, sorted->get(), send, out, n_out, order);
    } else {
      detail::exchange_and_merge(call, on, sorted->get(), send, out, n_out, order);
    }
  });
}

/// The type as which compiled code sorts keys of type T.
template <class T>
using device_key = typename sort_key<std::remove_const_t<T>>::type;

}  // namespace detail

/// Sorts keys in device memory of all ranks: each rank gets the next `out.size` of them, in rank
/// order; exactly that number, also if all keys are equal. `out` may be the keys.
/// Types: as `sort_keys` of sort_device_calls.hpp.
/// Result: the bits of a sort of the whole array on one GPU: the sort is stable.
/// Memory: a copy of the local keys. Sorts by buckets, and of more than two linked GPUs or of GPUs
/// that are not linked, also need a copy of the local result.
/// Synchronization: collective, on the queue's stream; returns when `out` is complete. Each key is
/// sent at most once.
/// Throws: as `sort_keys` of radix_sort.hpp; `invalid_argument` on a rank whose engine is cpu;
/// `device_error`.
template <class Key>
void sort_keys(ranks const& on, device_span<Key> keys, device_span<std::remove_const_t<Key>> out,
               sort_options const& options = {}) {
  using key = detail::device_key<Key>;
  detail::sort_device_memory<key, detail::keys_only>(
      "sort_keys", on, {detail::compiled_keys(keys.data), nullptr}, keys.size,
      {detail::compiled_keys(out.data), nullptr}, out.size, options, [&] {
        detail::check_device_items(on, keys);
        detail::check_device_items(on, out);
      });
}

/// The same with values of 4 or 8 bytes that move with their keys. Each output may be its input.
/// Throws: also `invalid_argument` on a rank with a different number of values than keys.
template <class Key, class Value>
void sort_pairs(ranks const& on, device_span<Key> keys, device_span<std::remove_const_t<Key>> out,
                device_span<Value> values, device_span<std::remove_const_t<Value>> values_out,
                sort_options const& options = {}) {
  using key = detail::device_key<Key>;
  using value = std::remove_const_t<Value>;
  detail::sort_device_memory<key, value>(
      "sort_pairs", on, {detail::compiled_keys(keys.data), values.data}, keys.size,
      {detail::compiled_keys(out.data), values_out.data}, out.size, options, [&] {
        detail::check_device_items(on, keys);
        detail::check_device_items(on, out);
        if (values.size == keys.size && values_out.size == out.size) return;
        throw invalid_argument("sort_pairs: one value per key expected, in inputs and outputs");
      });
}

}  // namespace libscan::inline v1
