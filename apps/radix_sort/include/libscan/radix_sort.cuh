// SPDX-License-Identifier: Apache-2.0
// The device-wide radix sort: stable, from the least significant digit up, eight bits at a time. A
// radix sort is a scan of digit counts: the place of an item is the number of items with smaller
// digits, and of earlier items with the same digit (Merrill & Grimshaw 2011; Adinets & Merrill
// 2022).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <apps/radix_sort/core/sort_overlap.hpp>
#include <apps/radix_sort/device/cluster_sort.cuh>
#include <apps/radix_sort/device/resident_sort.cuh>
#include <apps/radix_sort/device/sort_passes.cuh>
#include <libscan/device/arguments.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Two buffers of n items each for a sort that needs no third. The items are in `current`; both
/// buffers are overwritten; afterwards `current` is the buffer with the result. Which one that is
/// depends only on the order's bits, not on the keys.
template <class T>
struct double_buffer {
  T* current;
  T* alternate;
};

namespace device {

/// Bytes of n items; none if T is void.
template <class Value>
constexpr std::size_t bytes_of(index_t n) {
  return static_cast<std::size_t>(n) * static_cast<std::size_t>(value_bytes<Value>);
}

/// Bytes through which the blocks of a sort in one launch exchange their counts, for two passes,
/// and the digits that all keys share.
constexpr std::size_t resident_sort_bytes(index_t n) {
  constexpr index_t max_blocks = 1024, min_tile = 256;
  index_t const blocks = ceil_div(n, min_tile);
  return static_cast<std::size_t>(blocks < max_blocks ? blocks : max_blocks) *
         (2 * digit_values + 1) * sizeof(std::uint16_t);
}

/// The layout of a sort's temporary memory, with `key_buffers` and `value_buffers` of n items each.
template <class Order, class Value, class Tuning>
constexpr sort_layout layout_of(index_t n, int key_buffers, int value_buffers) {
  using key_type = typename Order::key_type;
  using pass = typename Tuning::pass;
  index_t const tile = device::min_tile_items<Tuning>();
  index_t const portion = pass::portion_tiles * device::tile_items_of<pass>();
  std::size_t const keys = sort_layout::aligned(device::bytes_of<key_type>(n));
  std::size_t const values = sort_layout::aligned(device::bytes_of<Value>(n));
  return sort_layout(n, tile, portion, Order::bits / digit_bits + 1,
                     static_cast<std::size_t>(key_buffers) * keys +
                         static_cast<std::size_t>(value_buffers) * values,
                     resident_sort_bytes(n));
}

/// Whether `Tuning` is that of a sort in one launch, of one cluster or of the whole grid.
template <class Tuning>
concept tunes_cluster_sort = requires {
  Tuning::max_blocks;
};
template <class Tuning>
concept tunes_resident_sort = requires {
  Tuning::resident;
};

/// The tuning of the sort in passes: `Tuning`, or the default if that has none.
template <class Order, class Value, class Tuning>
using sort_tuning_or = std::conditional_t<
    std::is_void_v<Tuning> || tunes_cluster_sort<Tuning> || tunes_resident_sort<Tuning>,
    pass_sort_tuning<typename Order::key_type, Value, typename Order::word_type>, Tuning>;

/// Sorts in one launch if `Tuning` says so, or leaves the choice and one launch is faster; returns
/// whether it did. `counts`: `resident_sort_bytes` of memory.
template <class Tuning, class Order, class Value>
bool sort_at_once(workspace& ws, std::byte* counts, sort_buffers<typename Order::key_type> keys,
                  sort_buffers<Value> values, item_count n, Order const& order,
                  std::vector<digit_place> const& places, bucket_offsets offsets = {}) {
  using key_type = typename Order::key_type;
  if (places.size() > digit_list::max_digits) return false;
  digit_list const digits(places, offsets);
  if constexpr (tunes_cluster_sort<Tuning>) {
    return device::cluster_sort<Tuning>(ws, keys, values, n, order, digits);
  } else if constexpr (tunes_resident_sort<Tuning>) {
    device::resident_sort<Tuning>(ws, counts, keys, values, n, order, digits);
    return true;
  } else if constexpr (std::is_void_v<Tuning>) {
    using in_cluster = cluster_sort_tuning<key_type, Value>;
    if constexpr (in_cluster::items_per_thread > 0) {
      if (device::cluster_sort<in_cluster>(ws, keys, values, n, order, digits)) return true;
    }
    using tuning = resident_sort_tuning<key_type, Value>;
    using kernel = resident_sort_kernel<Order, Value, tuning>;
    if (!device::resident_sort_suits<kernel>(n.at_most())) return false;
    device::resident_sort<tuning>(ws, counts, keys, values, n, order, digits);
    return true;
  } else {
    return false;
  }
}

/// Sorts into `out`; the other buffers are in the workspace. `values.in` may be null: values are
/// positions. `keys.out` may be null: the sorted keys are not stored.
template <class Tuning, class Order, class Value>
void sort(workspace& ws, sort_buffers<typename Order::key_type> keys, sort_buffers<Value> values,
          item_count n, Order const& order, sort_stability stability = sort_stability::stable) {
  using key_type = typename Order::key_type;
  using tuning = sort_tuning_or<Order, Value, Tuning>;
  order.check_bits();
  device::memory_of(keys, values, n.at_most()).require_no_overlap("sort", true);
  bool in_place = keys.in == keys.out;
  bool const own_keys = keys.out == nullptr;
  if constexpr (!std::is_void_v<Value>) in_place = in_place || values.in == values.out;
  sort_layout const layout = device::layout_of<Order, Value, tuning>(n.at_most(), own_keys ? 2 : 1,
                                                                     std::is_void_v<Value> ? 0 : 1);
  std::byte* const memory = ws.reserve(layout.bytes);
  std::byte* next = memory;
  auto const take = [&](std::size_t bytes) {
    return std::exchange(next, next + sort_layout::aligned(bytes));
  };
  keys.other = reinterpret_cast<key_type*>(take(device::bytes_of<key_type>(n.at_most())));
  if (own_keys)
    keys.out = reinterpret_cast<key_type*>(take(device::bytes_of<key_type>(n.at_most())));
  if constexpr (!std::is_void_v<Value>) {
    values.other = reinterpret_cast<Value*>(take(device::bytes_of<Value>(n.at_most())));
  }
  auto places = device::digit_places(order);
  // In place, an odd number of passes needs one more, and so does a sort by no bits at all.
  if (places.empty() || (in_place && places.size() % 2 == 1)) {
    places.push_back({places.empty() ? 0 : places.back().word, 0, 0});
  }
  if (device::sort_at_once<Tuning>(ws, next, keys, values, n, order, places)) return;
  device::sort_in_passes<tuning>(ws, memory, layout, keys, values, n, order, places,
                                 in_place ? pass_count::even : pass_count::any, {}, stability);
}

/// Sorts between two buffers of each.
template <class Tuning, class Order, class Value>
void sort_between(workspace& ws, double_buffer<typename Order::key_type>& keys,
                  double_buffer<Value>* values, item_count n, Order const& order) {
  using tuning = sort_tuning_or<Order, Value, Tuning>;
  order.check_bits();
  sort_buffers<Value> of_values;
  if constexpr (!std::is_void_v<Value>) of_values = {values->current, values->alternate};
  sort_buffers<typename Order::key_type> const given{keys.current, keys.alternate};
  auto const all = device::memory_of(given, of_values, n.at_most());
  all.require_no_overlap("sort", false);
  require_no_overlap("sort", "keys and values", all.keys_in, all.values_in);
  sort_layout const layout = device::layout_of<Order, Value, tuning>(n.at_most(), 0, 0);
  std::byte* const memory = ws.reserve(layout.bytes);
  auto const places = device::digit_places(order);
  if (places.empty()) return;
  bool const odd = places.size() % 2 == 1;
  auto const buffers = [odd](auto& both) {
    using item = std::remove_pointer_t<decltype(both.current)>;
    if (odd) std::swap(both.current, both.alternate);
    return sort_buffers<item>{odd ? both.alternate : both.current, both.current, both.alternate};
  };
  if constexpr (!std::is_void_v<Value>) of_values = buffers(*values);
  auto const of_keys = buffers(keys);
  if (device::sort_at_once<Tuning>(ws, memory, of_keys, of_values, n, order, places)) return;
  device::sort_in_passes<tuning>(ws, memory, layout, of_keys, of_values, n, order, places,
                                 odd ? pass_count::odd : pass_count::even);
}

}  // namespace device

/// Bytes of workspace to sort up to `n` keys of type Key, with values of type Value unless that is
/// void: one more buffer of each, and space for counts. That is 4 bytes an item up to 1 MiB, or, if
/// it is more, a sixteenth of the wider of key and value (as if of 4 to 512 bytes) an item of the
/// first 2^29; and 4 KiB a digit. In all, 2.00, 1.26 and 1.06 buffers of 10^5, 10^6 and 10^8 keys
/// of 32 bits, and 1.25 of 10^8 bytes. For orders with a custom decomposition, name the order. A
/// pure function of its arguments; needs no device.
template <class Key, class Value = void, class Order = sort_order<Key>>
constexpr std::size_t sort_workspace_bytes(index_t n) {
  using tuning = device::sort_tuning_or<Order, Value, void>;
  return device::layout_of<Order, Value, tuning>(n, 1, std::is_void_v<Value> ? 0 : 1).bytes;
}

/// The same for `argsort` with indices of type Index: two buffers of keys.
template <class Key, class Index, class Order = sort_order<Key>>
constexpr std::size_t argsort_workspace_bytes(index_t n) {
  using tuning = device::sort_tuning_or<Order, Index, void>;
  return device::layout_of<Order, Index, tuning>(n, 2, 1).bytes;
}

/// The same for a sort between two buffers of the caller's: only the space for counts.
template <class Key, class Value = void, class Order = sort_order<Key>>
constexpr std::size_t sort_between_workspace_bytes(index_t n) {
  using tuning = device::sort_tuning_or<Order, Value, void>;
  return device::layout_of<Order, Value, tuning>(n, 0, 0).bytes;
}

/// out[0 .. n-1] = the keys in[0 .. n-1] in the order of `order` (see `sort_order`: direction,
/// range of bits, custom keys). Stable: keys with equal bits in that range keep their order.
///
/// Types: integers, floats (-0 and +0 are equal, all NaNs are equal and last), `float16`,
/// `bfloat16`, CUDA's types of 16 bits, and with a decomposition any trivially copyable type; the
/// decomposition must be trivially copyable, too. n: any size >= 0, also read from device memory
/// (`item_count::on_device`).
/// Aliasing: `in` may be `out`; any other overlap throws.
/// Synchronization: asynchronous on the workspace's stream; the same launches for all keys.
/// Workspace: `sort_workspace_bytes`; allocates device memory only if the workspace must grow, and
/// on the host a short list of digits.
/// Traffic: reads n keys once to count digits, then reads and writes n keys for each eight bits in
/// which keys differ (at least once). Few keys are read and written once, and pass between the
/// blocks of a cluster.
/// Progress: on GPUs with clusters, bulk copies and enough memory for such kernels (sm_90), few
/// items, if they are more than a block's, and items from 2^18 on use clusters or cooperative
/// launches, which start when all their blocks fit. Otherwise a tile waits only for tiles claimed
/// by running blocks, in any order of blocks.
/// Throws: `invalid_argument` (workspace too small, invalid bits, overlap), `device_error`,
/// std::bad_alloc (that list).
template <class Tuning = void, class Key, class Order = sort_order<Key>>
void sort_keys(workspace& ws, Key const* in, Key* out, item_count n, Order order = {}) {
  libscan::detail::refuse_order<Key, Order>();
  device::refuse_moved<Key>();
  device::sort<Tuning, Order, void>(ws, {in, out}, {}, n, order);
}

/// Sorts `keys.current`, using both buffers and little workspace (`sort_between_workspace_bytes`);
/// afterwards `keys.current` is the buffer with the result. Copies nothing: if keys agree in so
/// many digits that the result would be in the other buffer, it makes one of the passes that it
/// could skip. Buffers that overlap throw. Otherwise as the other form.
template <class Tuning = void, class Key, class Order = sort_order<Key>>
void sort_keys(workspace& ws, double_buffer<Key>& keys, item_count n, Order order = {}) {
  libscan::detail::refuse_order<Key, Order>();
  device::sort_between<Tuning, Order, void>(ws, keys, nullptr, n, order);
}

/// Sorts keys as `sort_keys` does, and moves the values, of any trivially copyable type, with them:
/// values_out[j] = values_in[i] wherever keys_out[j] is keys_in[i].
/// Aliasing: each output may be its input; any other overlap throws.
template <class Tuning = void, class Key, class Value, class Order = sort_order<Key>>
void sort_pairs(workspace& ws, Key const* keys_in, Key* keys_out, Value const* values_in,
                Value* values_out, item_count n, Order order = {}) {
  libscan::detail::refuse_order<Key, Order>();
  device::refuse_moved<Value>();
  device::sort<Tuning, Order, Value>(ws, {keys_in, keys_out}, {values_in, values_out}, n, order);
}

/// The same between two buffers of each.
template <class Tuning = void, class Key, class Value, class Order = sort_order<Key>>
void sort_pairs(workspace& ws, double_buffer<Key>& keys, double_buffer<Value>& values, item_count n,
                Order order = {}) {
  libscan::detail::refuse_order<Key, Order>();
  device::refuse_moved<Value>();
  device::sort_between<Tuning, Order, Value>(ws, keys, std::addressof(values), n, order);
}

/// indices[j] = the position in `in` of key j of the result: in[indices[j]] is sorted, and equal
/// keys have ascending indices. `in` does not change. Otherwise as `sort_keys`.
/// Types: Index is an integer type of 32 or 64 bits that holds n - 1.
/// Workspace: `argsort_workspace_bytes`.
/// Throws: `invalid_argument` also if Index is too small, or if `indices` overlap `in`.
template <class Tuning = void, class Key, class Index, class Order = sort_order<Key>>
void argsort(workspace& ws, Key const* in, Index* indices, item_count n, Order order = {}) {
  libscan::detail::refuse_order<Key, Order>();
  // The sort checks what overlaps.
  libscan::detail::check_positions<Index>("argsort", n.at_most(), {}, {});
  device::sort<Tuning, Order, Index>(ws, {in, nullptr}, {nullptr, indices}, n, order);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
