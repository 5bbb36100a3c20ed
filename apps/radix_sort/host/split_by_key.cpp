// SPDX-License-Identifier: Apache-2.0
// The compiled half of the split by key: checks a call and hands it to its engine.
#include <libscan/split_by_key.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <apps/radix_sort/host/compiled_sort_cpu.hpp>
#include <apps/radix_sort/host/sort_device.hpp>
#include <libscan/core/error.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/host/on_engine.hpp>
#include <libscan/host/on_queue.hpp>
#include <libscan/host/side_memory.hpp>

namespace libscan::inline v1::detail {
namespace {

/// A value of this many bytes, of any type and alignment.
template <std::size_t Size>
struct value_of_size {
  std::byte bytes[Size];
};

void check_buckets(std::span<index_t> offsets) {
  if (offsets.size() >= 2 && offsets.size() <= cpu::detail::max_buckets + 1) return;
  throw invalid_argument("split_by_key: " + std::to_string(offsets.size()) +
                         " offsets; expected 2 to 257, one more than there are buckets");
}

template <class Key>
void check_split(Key const* keys, Key* out, value_bytes const& values, index_t n,
                 std::span<index_t> offsets) {
  check_buckets(offsets);
  char const* const call = "split_by_key";
  check_items(call, keys, out, values, n, false);
  auto const begins = std::as_bytes(offsets);
  check_no_sort_overlap(call, "offsets overlap keys", memory_of(keys, n, sizeof(Key)), begins,
                        false);
  check_no_sort_overlap(call, "offsets overlap out", memory_of(out, n, sizeof(Key)), begins, false);
  check_no_sort_overlap(call, "offsets overlap values", memory_of(values.in, n, values.size),
                        begins, false);
  check_no_sort_overlap(call, "offsets overlap values_out", memory_of(values.out, n, values.size),
                        begins, false);
}

template <std::size_t Size, class Key>
void split_by_cpu(int threads, Key const* keys, Key* out, void const* values, void* values_out,
                  index_t n, std::span<index_t> offsets) {
  using value = value_of_size<Size>;
  cpu::split_by_key(threads, keys, out, static_cast<value const*>(values),
                    static_cast<value*>(values_out), offsets.data(), n,
                    static_cast<int>(offsets.size()) - 1);
}

/// Values of other sizes are moved only when their places are known.
template <class Position, class Key>
void gather_by_cpu(int threads, Key const* keys, Key* out, value_bytes const& values, index_t n,
                   std::span<index_t> offsets) {
  cpu::detail::sort_memory<Position> const positions(n), grouped(n);
  fill_positions(threads, positions.data(), n);
  split_by_cpu<sizeof(Position)>(threads, keys, out, positions.data(), grouped.data(), n, offsets);
  cpu::detail::gather(threads, values.in, values.out, values.size, grouped.data(), n);
}

/// The buckets of keys as bytes: all that a device needs to know about them.
template <class Key>
cpu::detail::sort_memory<std::uint8_t> bucket_bytes(int threads, Key const* keys, index_t n,
                                                    int buckets) {
  constexpr index_t block = cpu::detail::bucket_block;
  cpu::its_bucket const bucket_of;
  cpu::detail::sort_memory<std::uint8_t> bytes(n);
  cpu::detail::pieces const all(threads, n);
  std::atomic<bool> all_have_one{true};
  cpu::detail::for_each_of(threads, all.count, [&](int, index_t p) {
    std::uint32_t found[block];
    for (index_t i = all.begin(p); i < all.end(p); i += block) {
      index_t const count = std::min(block, all.end(p) - i);
      if (!cpu::detail::find_buckets(keys + i, count, bucket_of, buckets, found)) {
        all_have_one.store(false, std::memory_order_relaxed);
      }
      for (index_t k = 0; k < count; ++k) bytes.data()[i + k] = static_cast<std::uint8_t>(found[k]);
    }
  });
  if (!all_have_one.load()) cpu::detail::refuse_keys(keys, n, bucket_of, buckets);
  return bytes;
}

/// Writes the keys of each bucket; the buckets begin at `offsets`.
template <class Key>
void fill_buckets(int threads, Key* out, index_t n, std::span<index_t const> offsets) {
  cpu::detail::pieces const all(threads, n);
  cpu::detail::for_each_of(threads, all.count, [&](int, index_t p) {
    auto past = std::upper_bound(offsets.begin(), offsets.end(), all.begin(p));
    for (index_t i = all.begin(p); i < all.end(p); ++past) {
      index_t const end = std::min(*past, all.end(p));
      std::fill(out + i, out + end, static_cast<Key>(past - offsets.begin() - 1));
      i = end;
    }
  });
}

template <class Device, class Key>
void split_on(Device device, Key const* keys, Key* out, value_bytes const& values, index_t n,
              std::span<index_t> offsets) {
  int const threads = cpu::default_threads();
  int const buckets = static_cast<int>(offsets.size()) - 1;
  auto const in_bucket = bucket_bytes(threads, keys, n, buckets);
  split_keys<std::uint8_t> const bytes{in_bucket.data(), n, buckets, offsets.data()};
  using split = device_split<Device, std::uint8_t>;
  std::uint64_t const* const none = nullptr;
  if (values.size == 0) {
    split::values(device, bytes, none, nullptr);
  } else if (values.size == sizeof(std::uint32_t)) {
    split::values(device, bytes, static_cast<std::uint32_t const*>(values.in),
                  static_cast<std::uint32_t*>(values.out));
  } else if (values.size == sizeof(std::uint64_t)) {
    split::values(device, bytes, static_cast<std::uint64_t const*>(values.in),
                  static_cast<std::uint64_t*>(values.out));
  } else {
    cpu::detail::sort_memory<std::uint64_t> const positions(n);
    split::values(device, bytes, none, positions.data());
    cpu::detail::gather(threads, values.in, values.out, values.size, positions.data(), n);
  }
  fill_buckets<Key>(threads, out, n, offsets);
}

}  // namespace

template <class Key>
void compiled_split<Key>::items(engine const& on, Key const* keys, Key* out,
                                value_bytes const& values, index_t n, std::span<index_t> offsets) {
  check_split(keys, out, values, n, offsets);
  if (n == 0) {
    std::fill(offsets.begin(), offsets.end(), index_t{0});
    return;
  }
  detail::on_engine(
      on, n, [&](auto device) { detail::split_on(device, keys, out, values, n, offsets); },
      [&](int threads) {
        switch (values.size) {
          case 0:
            return cpu::split_by_key(threads, keys, out, offsets.data(), n,
                                     static_cast<int>(offsets.size()) - 1);
          case 4:
            return split_by_cpu<4>(threads, keys, out, values.in, values.out, n, offsets);
          case 8:
            return split_by_cpu<8>(threads, keys, out, values.in, values.out, n, offsets);
          default:
            return cpu::detail::with_position_type(n, [&]<class Position>(Position) {
              gather_by_cpu<Position>(threads, keys, out, values, n, offsets);
            });
        }
      });
}

namespace {

/// Returns body(machine, Word{}), a Result, for the machine of an engine and the words of a call's
/// keys.
template <class Result = void, class Body>
Result on_split_machine(engine const& on, split_call const& call, Body const& body) {
  return detail::on_machine_of<Result>(on, call.n, [&](auto machine) -> Result {
    switch (call.key_bytes) {
      case 1:
        return body(machine, std::uint8_t{});
      case 2:
        return body(machine, std::uint16_t{});
      case 4:
        return body(machine, std::uint32_t{});
      default:
        return body(machine, std::uint64_t{});
    }
  });
}

}  // namespace

namespace {

/// The split to positions.
split_call split_of_positions(split_call call, void* places) {
  call.values = nullptr;
  call.values_out = places;
  call.value_bytes = detail::position_bytes(call.n);
  return call;
}

/// A split with values that no kernel moves.
void split_by_positions(device_queue const& queue, split_call const& call) {
  if (call.n > 0 && call.values == nullptr) {
    throw invalid_argument(
        "split_by_key: no values, but a place for them; expected both or neither");
  }
  index_t const n = call.d_n == nullptr ? call.n : 0;
  auto const size = static_cast<std::size_t>(call.value_bytes);
  auto const place_size = static_cast<std::size_t>(detail::position_bytes(call.n));
  memory_span const moved(call.values_out, n, size);
  memory_span const others[] = {{call.values, n, size},
                                {call.keys, n, static_cast<std::size_t>(call.key_bytes)},
                                {call.out, n, static_cast<std::size_t>(call.key_bytes)},
                                {call.offsets, call.buckets + 1, sizeof(index_t)}};
  for (memory_span const& other : others) {
    detail::require_no_overlap("split_by_key", "values_out and other arrays", moved, other);
  }
  side_memory memory(queue, side_memory::bytes_of(call.n, place_size),
                     detail::enqueued_split_bytes(queue.on, call));
  void* const places = memory.take(call.n, place_size);
  detail::enqueue_split(memory.rest(), split_of_positions(call, places));
  detail::gather_values(queue,
                        {size, call.values, call.values_out, place_size, places, call.n, call.d_n});
}

}  // namespace

void enqueue_split(device_queue const& queue, split_call const& given) {
  split_call const call = detail::checked_items(given, static_cast<std::size_t>(given.key_bytes));
  if (detail::moves_by_positions(call.value_bytes)) return split_by_positions(queue, call);
  queue_place const place = detail::place_of(queue);
  on_split_machine(queue.on, call, [&]<class Machine, class Word>(Machine on, Word) {
    device_split<Machine, Word>::enqueue(on, place, call);
  });
}

std::size_t enqueued_split_bytes(engine const& on, split_call const& call) {
  bool const by_positions = detail::moves_by_positions(call.value_bytes);
  split_call const moved = by_positions ? split_of_positions(call, nullptr) : call;
  auto const split =
      on_split_machine<std::size_t>(on, moved, [&]<class Machine, class Word>(Machine, Word) {
        return device_split<Machine, Word>::workspace_bytes(moved);
      });
  auto const place_size = static_cast<std::size_t>(detail::position_bytes(call.n));
  return by_positions ? side_memory::bytes_of(call.n, place_size) + split : split;
}

template struct compiled_split<std::int8_t>;
template struct compiled_split<std::uint8_t>;
template struct compiled_split<std::int16_t>;
template struct compiled_split<std::uint16_t>;
template struct compiled_split<std::int32_t>;
template struct compiled_split<std::uint32_t>;
template struct compiled_split<std::int64_t>;
template struct compiled_split<std::uint64_t>;

}  // namespace libscan::inline v1::detail
