// SPDX-License-Identifier: Apache-2.0
// The compiled half of the radix sort's host API for one type of key: checks a call and passes it
// to its engine. Included by the files that compile it for some types each. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <apps/radix_sort/host/sort_device.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/on_queue.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1::detail {

/// Throws `invalid_argument` if two ranges of memory overlap; equal ones are allowed if
/// `same_start`.
void check_no_sort_overlap(char const* call, char const* words, std::span<std::byte const> a,
                           std::span<std::byte const> b, bool same_start);

template <class Key>
sort_order<Key> order_of(sort_options const& options) {
  sort_order<Key> const order{options.direction, options.first_bit, options.end_bit, {}};
  order.check_bits();
  return order;
}

/// The same order of keys given by their bits.
template <class Key>
auto order_of_bits(sort_order<Key> const& order) {
  using word = typename number_order<Key>::word_type;
  return sort_order<word, number_bits<word>>{order.direction, order.first_bit, order.end_bit,
                                             number_bits<word>::template of<Key>()};
}

inline std::span<std::byte const> memory_of(void const* items, index_t n, std::size_t size) {
  return {static_cast<std::byte const*>(items), static_cast<std::size_t>(n) * size};
}

/// Refuses outputs that overlap anything; but if `in_place`, each may be its input. Refuses
/// misaligned keys; values are moved by their bytes.
template <class Key>
void check_items(char const* call, Key const* keys, Key* out, value_bytes const& values, index_t n,
                 bool in_place) {
  cpu::detail::require_aligned(keys);
  cpu::detail::require_aligned(out);
  auto const in = detail::memory_of(keys, n, sizeof(Key));
  auto const to = detail::memory_of(out, n, sizeof(Key));
  auto const values_in = memory_of(values.in, n, values.size);
  auto const values_to = memory_of(values.out, n, values.size);
  detail::check_no_sort_overlap(call, "out overlaps keys", in, to, in_place);
  check_no_sort_overlap(call, "values_out overlaps values", values_in, values_to, in_place);
  detail::check_no_sort_overlap(call, "values_out overlaps out", to, values_to, false);
  detail::check_no_sort_overlap(call, "values_out overlaps keys", in, values_to, false);
  detail::check_no_sort_overlap(call, "out overlaps values", values_in, to, false);
}

/// positions[i] = i.
template <class Position>
void fill_positions(int threads, Position* positions, index_t n) {
  cpu::detail::pieces const all(threads, n);
  cpu::detail::for_each_of(threads, all.count, [&](int, index_t p) {
    for (index_t i = all.begin(p); i < all.end(p); ++i) positions[i] = static_cast<Position>(i);
  });
}

/// On a device values of other sizes than 4 and 8 bytes stay in place until their destinations are
/// known.
template <class Machine, class Key>
void gather_on_machine(Machine device, Key const* keys, Key* out, value_bytes const& values,
                       index_t n, sort_order<Key> const& order) {
  std::vector<index_t> positions(static_cast<std::size_t>(n));
  device_sort<decltype(device), Key>::positions(device, keys, positions.data(), n, order);
  int const threads = cpu::default_threads();
  cpu::detail::gather(threads, keys, out, sizeof(Key), positions.data(), n);
  cpu::detail::gather(threads, values.in, values.out, values.size, positions.data(), n);
}

template <class Machine, class Key>
void sort_on_machine(Machine device, Key const* keys, Key* out, value_bytes const& values,
                     index_t n, sort_order<Key> const& order) {
  switch (values.size) {
    case 0:
      return device_sort<decltype(device), Key>::keys(device, keys, out, n, order);
    case sizeof(std::uint32_t):
      return device_sort<decltype(device), Key>::pairs(
          device, keys, out, static_cast<std::uint32_t const*>(values.in),
          static_cast<std::uint32_t*>(values.out), n, order);
    case sizeof(std::uint64_t):
      return device_sort<decltype(device), Key>::pairs(
          device, keys, out, static_cast<std::uint64_t const*>(values.in),
          static_cast<std::uint64_t*>(values.out), n, order);
    default:
      return detail::gather_on_machine(device, keys, out, values, n, order);
  }
}

template <class Key>
void compiled_sort<Key>::items(engine const& on, Key const* keys, Key* out,
                               value_bytes const& values, index_t n, sort_options const& options) {
  auto const order = detail::order_of<Key>(options);
  detail::check_items("sort", keys, out, values, n, true);
  if (n == 0) return;
  detail::on_engine(
      on, n, [&](auto device) { detail::sort_on_machine(device, keys, out, values, n, order); },
      [&](int threads) {
        cpu::detail::sort_bytes(threads, keys, out, values.in, values.out, values.size, n, order,
                                {});
      });
}

template <class Key, class Position>
void sort_to_positions(engine const& on, Key const* keys, Position* positions, index_t n,
                       sort_options const& options) {
  auto const order = detail::order_of<Key>(options);
  detail::check_no_sort_overlap("sort", "positions overlap keys",
                                detail::memory_of(keys, n, sizeof(Key)),
                                memory_of(positions, n, sizeof(Position)), false);
  if (n == 0) return;
  detail::on_engine(
      on, n,
      [&](auto device) {
        device_sort<decltype(device), Key>::positions(device, keys, positions, n, order);
      },
      [&](int threads) { cpu::argsort(threads, keys, positions, n, order); });
}

template <class Key>
void compiled_sort<Key>::positions(engine const& on, Key const* keys, index_t* positions, index_t n,
                                   sort_options const& options) {
  detail::sort_to_positions(on, keys, positions, n, options);
}

template <class Key>
void compiled_sort<Key>::positions(engine const& on, Key const* keys, std::uint32_t* positions,
                                   index_t n, sort_options const& options) {
  detail::sort_to_positions(on, keys, positions, n, options);
}

template <class Key>
void compiled_sort<Key>::enqueue(device_queue const& queue, sort_call const& given,
                                 sort_options const& options) {
  auto const order = detail::order_of<Key>(options);
  sort_call const call = detail::checked_sort(given, sizeof(Key));
  if (detail::needs_preparation(call)) {
    return detail::enqueue_prepared_sort(queue, call, sizeof(Key), enqueued_bytes(queue.on, call),
                                         [&](device_queue const& rest, sort_call const& prepared) {
                                           enqueue(rest, prepared, options);
                                         });
  }
  queue_place const place = detail::place_of(queue);
  detail::on_machine_of(queue.on, call.n, [&]<class Machine>(Machine on) {
    if (!call.in_segments) return device_sort<Machine, Key>::enqueue(on, place, call, order);
    using word = typename number_order<Key>::word_type;
    device_segmented_sort<Machine, word>::enqueue(on, place, call, detail::order_of_bits(order));
  });
}

template <class Key>
std::size_t compiled_sort<Key>::enqueued_bytes(engine const& on, sort_call const& call) {
  if (detail::needs_preparation(call)) {
    return detail::prepared_sort_bytes(on, call, sizeof(Key), [&](sort_call const& prepared) {
      return enqueued_bytes(on, prepared);
    });
  }
  return detail::on_machine_of<std::size_t>(on, call.n, [&]<class Machine>(Machine) {
    using word = typename number_order<Key>::word_type;
    return call.in_segments ? device_segmented_sort<Machine, word>::workspace_bytes(call)
                            : device_sort<Machine, Key>::workspace_bytes(call.n, call.value_bytes);
  });
}

}  // namespace libscan::inline v1::detail
