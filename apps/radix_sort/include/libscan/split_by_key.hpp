// SPDX-License-Identifier: Apache-2.0
// The stable split by a small key in plain C++, on the engine at hand: what "group by expert"
// needs. Like radix_sort.hpp; link libscan::radix_sort.
#pragma once

#include <span>
#include <type_traits>

#include <libscan/radix_sort.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The split of keys of one type; compiled for the integers that `sort_key` knows. All pointers are
/// to space for n items, which the caller has checked; the rest is checked here.
template <class Key>
struct compiled_split {
  static void items(engine const& on, Key const* keys, Key* out, value_bytes const& values,
                    index_t n, std::span<index_t> offsets);
};

/// Calls it.
template <class Key>
void split_items(engine const& on, std::span<Key const> keys, std::span<Key> out,
                 value_bytes const& values, std::span<index_t> offsets) {
  static_assert(std::is_integral_v<Key>, "split_by_key: keys must be integers of 8 to 64 bits");
  detail::across_types([&] {
    compiled_split<typename sort_key<Key>::type>::items(on, detail::compiled_keys(keys.data()),
                                                        detail::compiled_keys(out.data()), values,
                                                        static_cast<index_t>(keys.size()), offsets);
  });
}

}  // namespace detail

/// Groups `keys` by bucket into the front of `out`: those that are 0 first, then those that are 1,
/// and so on. For k buckets, `offsets` has k + 1 index_t: offsets[b] is set to where bucket b
/// begins in `out`, offsets[k] to the number of keys. So the size of `offsets` is the number of
/// buckets, 1 to 256, plus one:
///
///   std::vector<libscan::index_t> offsets(experts + 1);
///   split_by_key(engine::best(), expert_of_token, grouped, tokens, tokens_by_expert, offsets);
///
/// Result: the grouped keys; `out` beyond them is unchanged. It is the same on every engine and for
/// any number of threads.
/// Types: anything that std::span can view in host memory; keys are integers of 8 to 64 bits, each
/// in [0, k).
/// Aliasing: outputs must overlap neither inputs nor each other.
/// Synchronization: returns when the result is complete.
/// Workspace: that of `cpu::split_by_key`; on a device, 2 bytes a key, and 1 on the host.
/// Throws: `invalid_argument`, before anything is written, if `out` is shorter than `keys`, if
/// outputs overlap anything, for other numbers of buckets, and for a key in no bucket;
/// `device_error`, `engine_unavailable` or std::bad_alloc if a device or memory fails.
template <host_items Keys, host_output Out, host_output Offsets>
void split_by_key(engine const& on, Keys const& keys, Out&& out, Offsets&& offsets) {
  auto const in = detail::as_items(keys);
  std::span const to{static_cast<Out&&>(out)};
  std::span<index_t> const begins{static_cast<Offsets&&>(offsets)};
  using key = typename decltype(in)::value_type;
  static_assert(std::is_same_v<key, typename decltype(to)::value_type>,
                "split_by_key: keys and out must hold the same type");
  detail::check_sort_capacity("split_by_key", "out", to.size(), in.size());
  detail::split_items<key>(on, in, to, {}, begins);
}

/// Groups `keys` as above, and `values` with them, each bucket's in their order: values_out[j] =
/// values[i] wherever out[j] is keys[i].
/// Types: values of any trivially copyable type, at least as many as keys; the rest as above.
/// Workspace: in addition, for values of other sizes than 4 and 8 bytes, two positions a key, of 4
/// bytes each, or of 8 beyond 2^32 keys. On a device, space for the values twice, or for other
/// sizes a position of 8 bytes a key, there and on the host.
template <host_items Keys, host_output Out, host_items Values, host_output ValuesOut,
          host_output Offsets>
void split_by_key(engine const& on, Keys const& keys, Out&& out, Values const& values,
                  ValuesOut&& values_out, Offsets&& offsets) {
  auto const in = detail::as_items(keys);
  std::span const to{static_cast<Out&&>(out)};
  auto const values_in = detail::as_items(values);
  std::span const values_to{static_cast<ValuesOut&&>(values_out)};
  std::span<index_t> const begins{static_cast<Offsets&&>(offsets)};
  using key = typename decltype(in)::value_type;
  using value = typename decltype(values_in)::value_type;
  static_assert(std::is_same_v<key, typename decltype(to)::value_type> &&
                    std::is_same_v<value, typename decltype(values_to)::value_type>,
                "split_by_key: inputs and their outputs must hold the same type");
  detail::refuse_values<value>();
  detail::check_sort_capacity("split_by_key", "out", to.size(), in.size());
  detail::check_sort_capacity("split_by_key", "values", values_in.size(), in.size());
  detail::check_sort_capacity("split_by_key", "values_out", values_to.size(), in.size());
  detail::split_items<key>(on, in, to, {values_in.data(), values_to.data(), sizeof(value)}, begins);
}

}  // namespace libscan::inline v1
