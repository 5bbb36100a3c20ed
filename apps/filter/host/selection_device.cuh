// SPDX-License-Identifier: Apache-2.0
// The implementation of selection_device.hpp: host memory in, the kernels of
// filter.cuh, split.cuh and runs.cuh, host memory out. The files selection_device_*.cu compile it
// for items of a few sizes each: masks move all items of a size by the same kernels. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include <apps/filter/device/expensive_programs.cuh>
#include <apps/filter/host/selection_device.hpp>
#include <libscan/buffer.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/runs.cuh>
#include <libscan/split.cuh>

namespace libscan::inline v1::detail {

/// The unsigned integer of T's size, which moves an item without interpreting it.
template <class T>
using word_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
std::span<word_of<T> const> as_words(std::span<T const> items) {
  return {reinterpret_cast<word_of<T> const*>(items.data()), items.size()};
}
template <class T>
std::span<word_of<T>> as_words(std::span<T> items) {
  return {reinterpret_cast<word_of<T>*>(items.data()), items.size()};
}

/// Runs call(workspace, device count) and returns the count.
template <class Call>
index_t counted(Call call) {
  device::buffer<index_t> const count(1);
  workspace ws;
  call(ws, count.data());
  index_t kept = 0;
  count.read_sync(&kept, 1);
  return kept;
}

/// call(mask) with the mask in device memory.
template <class Call>
index_t with_mask(item_mask const& mask, Call call) {
  if (mask.words() != nullptr) {
    auto const words = static_cast<std::size_t>(ceil_div(mask.size(), index_t{32}));
    device::buffer<std::uint32_t> const bits{std::span<std::uint32_t const>(mask.words(), words)};
    return call(bit_mask{bits.data()});
  }
  device::buffer<std::uint8_t> const flags{
      std::span<std::uint8_t const>(mask.flags(), static_cast<std::size_t>(mask.size()))};
  return call(byte_mask{flags.data()});
}

template <class Item>
void read_front(device::buffer<Item> const& from, std::span<Item> out, index_t count) {
  from.read_sync(out.data(), std::min(count, static_cast<index_t>(out.size())));
}

/// Filters with `call`, called as call(workspace, device items, device output, n, device count).
template <class Item, class Call>
index_t filtered(std::span<Item const> values, std::span<Item> out, Call call) {
  auto const n = static_cast<index_t>(values.size());
  device::buffer<Item> const items{values};
  device::buffer<Item> const kept(n);
  index_t const count = counted(
      [&](workspace& ws, index_t* d_count) { call(ws, items.data(), kept.data(), n, d_count); });
  read_front(kept, out, count);
  return count;
}

/// Splits into two buffers, even if the host has one for both: that takes one pass, without a count
/// before it.
template <class Item, class Keep>
index_t split_on_device(std::span<Item const> values, std::span<Item> out,
                        std::optional<std::span<Item>> rejected, Keep const& keep) {
  auto const n = static_cast<index_t>(values.size());
  device::buffer<Item> const items{values};
  device::buffer<Item> const kept(n);
  device::buffer<Item> const rest(n);
  index_t const count = counted([&](workspace& ws, index_t* d_count) {
    libscan::split(ws, items.data(), kept.data(), rest.data(), item_count(n), keep, d_count);
  });
  read_front(kept, out, count);
  read_front(rest, rejected ? *rejected : out.subspan(static_cast<std::size_t>(count)), n - count);
  return count;
}

/// f(values, out) with words, where `==` of words gives the same result.
template <class T, class F>
index_t with_comparable(std::span<T const> values, std::span<T> out, F f) {
  if constexpr (std::is_integral_v<T>) {
    return f(as_words(values), as_words(out));
  } else {
    return f(values, out);
  }
}

template <class Machine, class T>
index_t device_selection<Machine, T>::filter(Machine on, std::span<T const> values,
                                             std::span<T> out, item_mask const& mask) {
  device::on_machine const here(on);
  return with_mask(mask, [&](auto const& on_device) {
    return filtered(as_words(values), as_words(out),
                    [&](workspace& ws, auto* in, auto* to, index_t n, index_t* d_count) {
                      libscan::filter(ws, in, to, item_count(n), on_device, d_count);
                    });
  });
}

template <class Machine, class T>
index_t device_selection<Machine, T>::split(Machine on, std::span<T const> values, std::span<T> out,
                                            std::optional<std::span<T>> rejected,
                                            predicate<T> const& keep) {
  device::on_machine const here(on);
  return visit_predicate(
      keep, [&](auto const& test) { return split_on_device(values, out, rejected, test); });
}

template <class Machine, class T>
index_t device_selection<Machine, T>::split(Machine on, std::span<T const> values, std::span<T> out,
                                            std::optional<std::span<T>> rejected,
                                            item_mask const& mask) {
  device::on_machine const here(on);
  std::optional<std::span<word_of<T>>> rest;
  if (rejected) rest = as_words(*rejected);
  return with_mask(mask, [&](auto const& on_device) {
    return split_on_device(as_words(values), as_words(out), rest, on_device);
  });
}

template <class Machine, class T>
index_t device_selection<Machine, T>::unique(Machine on, std::span<T const> values,
                                             std::span<T> out) {
  device::on_machine const here(on);
  return with_comparable(values, out, [](auto in, auto firsts) {
    return filtered(in, firsts,
                    [](workspace& ws, auto* items, auto* kept, index_t n, index_t* d_count) {
                      libscan::unique(ws, items, kept, item_count(n), d_count);
                    });
  });
}

template <class Machine, class T>
index_t device_selection<Machine, T>::run_length_encode(Machine on, std::span<T const> values,
                                                        std::span<T> out,
                                                        std::span<index_t> lengths) {
  device::on_machine const here(on);
  device::buffer<index_t> const of_runs(static_cast<index_t>(values.size()));
  index_t const runs = with_comparable(values, out, [&](auto in, auto firsts) {
    return filtered(in, firsts,
                    [&](workspace& ws, auto* items, auto* repeated, index_t n, index_t* d_runs) {
                      libscan::run_length_encode(ws, items, repeated, of_runs.data(), no_output{},
                                                 item_count(n), d_runs);
                    });
  });
  read_front(of_runs, lengths, runs);
  return runs;
}

template <class Machine, class T>
index_t device_selection<Machine, T>::split_by_bit(Machine on, std::span<T const> keys,
                                                   std::span<T> out,
                                                   int bit) requires std::unsigned_integral<T> {
  if constexpr (!std::unsigned_integral<T>) {
    return 0;  // clang++ 14 compiles this for all types
  } else {
    device::on_machine const here(on);
    return split_on_device(keys, out, std::optional<std::span<T>>{}, has_bit_clear<T>{bit});
  }
}

}  // namespace libscan::inline v1::detail
