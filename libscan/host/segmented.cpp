// SPDX-License-Identifier: Apache-2.0
// The compiled half of segmented.hpp: checks a call and passes it to its engine.
#include <libscan/segmented.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/index_checks.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::inline v1::detail {

namespace {

using form = segmentation::form;

[[noreturn]] void refuse(char const* call, std::string const& what) {
  throw invalid_argument(std::string(call) + ": " + what);
}

void check_aligned(char const* call, char const* what, void const* items, std::size_t size) {
  if (reinterpret_cast<std::uintptr_t>(items) % size == 0) return;
  refuse(call, std::string(what) + " begins at an address that is no multiple of " +
                   std::to_string(size) + ", the size of an item");
}

void check_capacity(char const* call, char const* what, index_t capacity, index_t needed) {
  if (capacity >= needed) return;
  refuse(call, std::string(what) + " holds " + std::to_string(capacity) +
                   " items; expected at least " + std::to_string(needed));
}

/// Throws `invalid_argument` unless offsets, or begins and ends, are within n items. Returns the
/// one length of segments between offsets from 0 to n, if it is known to be one; else 0.
template <class Offset>
index_t check_bounds(char const* call, int threads, segmentation const& segments, index_t n) {
  auto const* const begins = static_cast<Offset const*>(segments.data());
  if (segments.how() == form::offsets) {
    index_t const count = segments.count();
    index_t const length = cpu::detail::check_offsets(call, threads, begins, count, n);
    bool const all =
        static_cast<index_t>(begins[0]) == 0 && static_cast<index_t>(begins[count]) == n;
    return all ? length : 0;
  }
  auto const* const ends = static_cast<Offset const*>(segments.ends());
  cpu::detail::check_ranges(call, threads, begins, ends, segments.count(), n);
  return 0;
}

/// Threads for work on the host, for any engine.
int host_threads(engine const& on) {
  return on.runs_kernels() ? cpu::default_threads() : on.threads();
}

/// A piece of a longer input, as a scan that begins with the carry and returns it.
[[maybe_unused]] host_scan from_carry(host_scan call) {
  if (call.carry == nullptr) return call;
  call.init = call.total = call.carry;
  return call;
}

char const* name_of(host_scan const& call) {
  bool const inclusive = call.kind == scan_kind::inclusive;
  if (call.segments.how() != form::none) {
    return inclusive ? "inclusive_segmented_scan" : "exclusive_segmented_scan";
  }
  if (call.direction == scan_direction::reverse) {
    return inclusive ? "reverse_inclusive_scan" : "reverse_exclusive_scan";
  }
  return inclusive ? "inclusive_scan" : "exclusive_scan";
}

/// Returns the call as the cpu engine runs it.
host_reduction check(engine const& on, host_reduction const& call, char const* name) {
  host_reduction on_cpu = call;
  on_cpu.segments = check_segments(name, host_threads(on), call.segments, call.n);
  std::size_t const size = libscan::size_of(call.accumulator);
  check_aligned(name, "in", call.in, detail::size_of(call.type));
  check_aligned(name, "totals", call.totals, size);
  auto const results = memory_span(call.totals, call.capacity, size);
  require_no_overlap(name, "in and totals",
                     memory_span(call.in, call.n, detail::size_of(call.type)), results);
  check_segments_apart(name, call.segments, results);
  return on_cpu;
}

/// Runs a checked reduction, if its totals fit into the output.
index_t reduce_checked(engine const& on, host_reduction const& call, host_reduction const& on_cpu,
                       char const* name) {
  if (call.segments.how() != form::none) {
    // As many as items always suffice, and need no count.
    int const threads = host_threads(on);
    bool const enough = !call.segments.counts_segments() && call.capacity >= call.n;
    index_t const needed = enough ? 0 : detail::count_segments(threads, call.segments, call.n);
    check_capacity(name, "totals", call.capacity, needed);
    if (call.n == 0 && !call.segments.counts_segments()) return 0;
  }
  return libscan::visit_item_type(call.accumulator, [&]<class T>(std::type_identity<T>) {
    return detail::on_engine(
        on, call.n,
        [&](auto machine) { return device_segments<decltype(machine), T>::reduce(machine, call); },
        [&](int threads) { return cpu_items<T>::reduce(threads, on_cpu); });
  });
}

}  // namespace

segmentation check_segments(char const* call, int threads, segmentation const& segments,
                            index_t n) {
  switch (segments.how()) {
    case form::none:
    case form::length:
      break;
    case form::flags:
    case form::bits:
    case form::keys:
    case form::own_keys:
      if (segments.count() == n) break;
      refuse(call, "the segments are described for " + std::to_string(segments.count()) +
                       " items, but there are " + std::to_string(n));
    case form::offsets:
      if (segments.bytes().empty()) refuse(call, "no offsets; expected one more than segments");
      [[fallthrough]];
    case form::ranges: {
      index_t length = 0;
      detail::visit_input_type(segments.type(), [&]<class Offset>(std::type_identity<Offset>) {
        if constexpr (std::is_integral_v<Offset>) {
          length = check_bounds<Offset>(call, threads, segments, n);
        }
      });
      if (length > 0) return segmentation::of_length(length);
    }
  }
  return segments;
}

void check_segments_apart(char const* call, segmentation const& segments,
                          memory_span const& results) {
  require_no_overlap(call, "the output and the description of segments", segments.bytes(), results);
  if (segments.ends() == nullptr) return;
  require_no_overlap(
      call, "the output and the ends of segments",
      memory_span(segments.ends(), segments.count(), detail::size_of(segments.type())), results);
}

void run_host_scan(engine const& on, host_scan const& call) {
  char const* const name = name_of(call);
  host_scan on_cpu = call;
  on_cpu.segments = check_segments(name, host_threads(on), call.segments, call.n);
  check_capacity(name, "out", call.capacity, call.n);
  std::size_t const in_size = detail::size_of(call.type), out_size = detail::size_of(call.out_type);
  check_aligned(name, "in", call.in, in_size);
  check_aligned(name, "out", call.out, out_size);
  auto const results = memory_span(call.out, call.n, out_size);
  bool const in_place = call.in == call.out && call.type == call.out_type;
  if (!in_place)
    require_no_overlap(name, "in and out", memory_span(call.in, call.n, in_size), results);
  check_segments_apart(name, call.segments, results);
  libscan::visit_item_type(call.accumulator, [&]<class T>(std::type_identity<T>) {
    detail::on_engine(
        on, call.n,
        [&](auto machine) {
          device_segments<decltype(machine), T>::scan(machine, from_carry(call));
        },
        [&](int threads) { cpu_items<T>::scan(threads, on_cpu); });
  });
}

index_t run_host_reduction(engine const& on, host_reduction const& call) {
  char const* const name = call.segments.how() == form::none ? "reduce" : "segmented_reduce";
  return reduce_checked(on, call, check(on, call, name), name);
}

index_t run_keyed_reduction(engine const& on, host_reduction const& call, void* unique,
                            index_t unique_capacity) {
  char const* const name = "reduce_by_key";
  host_reduction const on_cpu = check(on, call, name);
  auto const keys = memory_span(unique, unique_capacity, call.segments.item_bytes());
  require_no_overlap(name, "unique and totals", keys,
                     memory_span(call.totals, call.capacity, libscan::size_of(call.accumulator)));
  require_no_overlap(name, "unique and in", keys,
                     memory_span(call.in, call.n, detail::size_of(call.type)));
  check_segments_apart(name, call.segments, keys);
  int const threads = host_threads(on);
  if (unique_capacity < call.n) {
    check_capacity(name, "unique", unique_capacity,
                   detail::count_segments(threads, call.segments, call.n));
  }
  index_t const runs = reduce_checked(on, call, on_cpu, name);
  detail::copy_first_keys(threads, call.segments, call.n, unique);
  return runs;
}

namespace {

template <class Rank, class Mask>
index_t rank_on_cpu(int threads, host_binary_scan const& call, Mask const& mask) {
  auto* const ranks = static_cast<Rank*>(call.ranks);
  index_t const n = call.mask.size();
  return call.kind == scan_kind::inclusive ? cpu::inclusive_binary_scan(threads, mask, ranks, n)
                                           : cpu::exclusive_binary_scan(threads, mask, ranks, n);
}

template <class Mask>
index_t rank_on_cpu(int threads, host_binary_scan const& call, Mask const& mask) {
  return call.rank_bytes == 4 ? rank_on_cpu<std::uint32_t>(threads, call, mask)
                              : rank_on_cpu<std::uint64_t>(threads, call, mask);
}

}  // namespace

index_t run_binary_scan(engine const& on, host_binary_scan const& call) {
  char const* const name =
      call.kind == scan_kind::inclusive ? "inclusive_binary_scan" : "exclusive_binary_scan";
  index_t const n = call.mask.size();
  check_capacity(name, "ranks", call.capacity, n);
  check_aligned(name, "ranks", call.ranks, call.rank_bytes);
  require_no_overlap(name, "the mask and ranks", call.mask.bytes(),
                     memory_span(call.ranks, n, call.rank_bytes));
  return detail::on_engine(
      on, n, [&](auto machine) { return device_ranks<decltype(machine)>::scan(machine, call); },
      [&](int threads) {
        return call.mask.words() != nullptr
                   ? rank_on_cpu(threads, call, bit_mask{call.mask.words()})
                   : rank_on_cpu(threads, call, byte_mask{call.mask.flags()});
      });
}

}  // namespace libscan::inline v1::detail
