// SPDX-License-Identifier: Apache-2.0
// Scans, filters and sorts by CUB, of types that exercise it and compile soon.
#include <apps/check/rival_cuda.cuh>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <libscan/core/operators.hpp>

namespace libscan::apps::inline LIBSCAN_MACHINE {
namespace {

/// CUB's two calls: how much memory, then the work.
template <class Call>
void with_memory(workspace& ws, Call call) {
  std::size_t bytes = 0;
  LIBSCAN_CHECK(call(nullptr, bytes));
  void* const memory = ws.reserve(bytes + 1);
  LIBSCAN_CHECK(call(memory, bytes));
}

template <class T>
void scan_by_cub(device_case const& one) {
  check_case const& c = one.c;
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  T const init = init_of<T>(c);
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    return c.kind == scan_kind::inclusive
               ? cub::DeviceScan::InclusiveScan(memory, bytes, in, out, plus<T>{}, c.n)
               : cub::DeviceScan::ExclusiveScan(memory, bytes, in, out, plus<T>{}, init, c.n);
  });
}

template <class T>
void filter_by_cub(device_case const& one) {
  check_case const& c = one.c;
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  auto* const kept = one.out.at<index_t>(slot::count);
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    switch (c.what) {
      case task::filter_flagged:
        return cub::DeviceSelect::Flagged(memory, bytes, in, one.in.at<std::uint8_t>(slot::flags),
                                          out, kept, c.n);
      case task::unique:
        return cub::DeviceSelect::Unique(memory, bytes, in, out, kept, c.n);
      default:
        return cub::DeviceSelect::If(memory, bytes, in, out, kept, c.n,
                                     is_below<T>{threshold_of<T>(c)});
    }
  });
}

template <class T>
void sort_by_cub(device_case const& one) {
  check_case const& c = one.c;
  T const* const in = one.items<T>();
  T* const out = one.out.at<T>(slot::items);
  std::uint32_t const* const values = one.values();
  auto* const moved = one.out.at<std::uint32_t>(slot::values);
  int const end = c.end_bit < 0 ? 8 * static_cast<int>(sizeof(T)) : c.end_bit;
  using sort = cub::DeviceRadixSort;
  with_memory(one.ws, [&](void* memory, std::size_t& bytes) {
    if (c.what == task::sort_keys) {
      return c.descending ? sort::SortKeysDescending(memory, bytes, in, out, c.n, c.first_bit, end)
                          : sort::SortKeys(memory, bytes, in, out, c.n, c.first_bit, end);
    }
    return c.descending
               ? sort::SortPairsDescending(memory, bytes, in, out, values, moved, c.n, c.first_bit,
                                           end)
               : sort::SortPairs(memory, bytes, in, out, values, moved, c.n, c.first_bit, end);
  });
}

}  // namespace

bool has_rival(check_case const& c) {
  if (c.n == 0 || c.in_place) return false;
  switch (c.what) {
    case task::scan:
      if (c.kind == scan_kind::inclusive && c.has_init) return false;
      return c.type == dtype::i32 && c.op == operation::sum;
    case task::filter_if:
    case task::filter_flagged:
    case task::unique:
      return c.type == dtype::i32;
    case task::sort_keys:
    case task::sort_pairs:
      return c.type == dtype::i32 && c.first_bit != c.end_bit;
    default:
      return false;
  }
}

void run_cub(device_case const& one) {
  switch (family_of(one.c.what)) {
    case family::scan:
      return scan_by_cub<std::int32_t>(one);
    case family::filter:
      return filter_by_cub<std::int32_t>(one);
    default:
      return sort_by_cub<std::int32_t>(one);
  }
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
