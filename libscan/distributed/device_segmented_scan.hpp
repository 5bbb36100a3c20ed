// SPDX-License-Identifier: Apache-2.0
// Scans within segments over ranks, of arrays in device memory. A segment may go on over the border
// of ranks, and over whole ranks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/device_calls.hpp>
#include <libscan/distributed/device_exchange.hpp>
#include <libscan/distributed/device_scan.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The first and the last of bits that are set; without any, their number and -1.
struct set_bits {
  index_t first, last;
};

/// Those among words [begin, end) of n bits in device memory.
inline set_bits set_bits_among(device_queue const& queue, std::uint32_t const* words, index_t n,
                               index_t begin, index_t end) {
  std::vector<std::uint32_t> copy(static_cast<std::size_t>(end - begin));
  detail::copy(queue, copy.data(), words + begin, copy.size() * sizeof(copy[0]));
  detail::synchronize(queue);
  if (32 * end > n) copy.back() &= ~std::uint32_t{0} >> (32 * end - n);
  set_bits found{n, -1};
  for (index_t w = begin; w < end; ++w) {
    std::uint32_t const word = copy[static_cast<std::size_t>(w - begin)];
    if (word == 0) continue;
    if (found.last < 0) found.first = 32 * w + std::countr_zero(word);
    found.last = 32 * w + 31 - std::countl_zero(word);
  }
  return found;
}

/// Those of all n bits.
inline set_bits find_set_bits(device_queue const& queue, std::uint32_t const* words, index_t n) {
  constexpr index_t piece = index_t{1} << 16;  // words that come to the host at once
  index_t const count = ceil_div(n, index_t{32});
  set_bits found{n, -1};
  for (index_t begin = 0; begin < count && found.first == n; begin += piece) {
    found = set_bits_among(queue, words, n, begin, std::min(begin + piece, count));
  }
  for (index_t end = count; end > 0 && found.first < n; end -= piece) {
    index_t const last =
        set_bits_among(queue, words, n, std::max(end - piece, index_t{0}), end).last;
    if (last < 0) continue;
    found.last = last;
    break;
  }
  return found;
}

/// The value of a rank's last segment so far.
template <class T>
struct last_segment {
  bool begins_here;
  T value;  // init op its items if it begins here, else the rank's items
};

template <scan_kind Kind, class T, class Op>
void segmented_scan_on_device(char const* name, ranks const& on, device_span<T const> in, T* out,
                              segmentation const& segments, Op op, T init) {
  auto const scan = [&](device_span<T const> items, T before) {
    if constexpr (Kind == scan_kind::inclusive) {
      libscan::inclusive_scan(on.queue(), items, out, op, nullptr, before);
    } else {
      libscan::exclusive_scan(on.queue(), items, out, op, nullptr, before);
    }
  };
  detail::collective(on.comm(), name, [&](collective_call& call) {
    index_t first = in.size;
    auto const open = call.gather("open segments", [&] {
      detail::check_device_items(on, in);
      detail::check_apart<T>(name, in, {out, in.size});
      if (segments.how() != segmentation::form::bits || segments.count() != in.size) {
        throw invalid_argument(std::string(name) + ": expected segmentation::of_bits of " +
                               std::to_string(in.size) + " items in device memory");
      }
      auto const* const words = static_cast<std::uint32_t const*>(segments.data());
      set_bits const heads = detail::find_set_bits(on.queue(), words, in.size);
      first = heads.first;
      index_t const begin = std::max(heads.last, index_t{0});
      device_array<T> const d_value(on.queue(), 1);
      libscan::reduce(on.queue(), device_span<T const>{in.data + begin, in.size - begin},
                      d_value.data(), op, heads.last < 0 ? Op::identity() : init);
      last_segment<T> found{heads.last >= 0, init};
      d_value.download(std::span(&found.value, 1));
      return found;
    });
    call.agree("scans", [&] {
      T before = init;
      for (int r = 0; r < on.rank(); ++r) {
        auto const& one = open[static_cast<std::size_t>(r)];
        before = one.begins_here ? one.value : op(before, one.value);
      }
      if (first < in.size) {
        if constexpr (Kind == scan_kind::inclusive) {
          libscan::inclusive_segmented_scan(on.queue(), in, out, segments, op, init);
        } else {
          libscan::exclusive_segmented_scan(on.queue(), in, out, segments, op, init);
        }
      }
      // What is before the first head goes on with the segment of earlier ranks.
      scan({in.data, first}, before);
      detail::synchronize(on.queue());
    });
  });
}

}  // namespace detail

/// Scan within segments over all ranks: out[i] = init op in[h] op ... op in[i], where h is the
/// first item of i's segment, also if that is on an earlier rank. `segments` are
/// `segmentation::of_bits` of this rank's items, in device memory. The first item of rank 0 begins
/// a segment; that of another rank does if its bit is set. `out` must not overlap `in`.
/// Determinism: of floats, bits depend on the lengths of the ranks' parts.
/// Synchronization: collective, on the queue's stream; returns when `out` is complete. Words of
/// bits come to the host until the first and the last head are found. Otherwise as
/// `inclusive_scan`.
template <class T, class Op = plus<std::remove_const_t<T>>>
void inclusive_segmented_scan(ranks const& on, device_span<T> in, std::remove_const_t<T>* out,
                              segmentation const& segments, Op op = {},
                              std::type_identity_t<std::remove_const_t<T>> init = Op::identity()) {
  detail::segmented_scan_on_device<scan_kind::inclusive, std::remove_const_t<T>>(
      "inclusive_segmented_scan", on, in, out, segments, op, init);
}

/// The same without item i: `init` for the first item of a segment.
template <class T, class Op = plus<std::remove_const_t<T>>>
void exclusive_segmented_scan(ranks const& on, device_span<T> in, std::remove_const_t<T>* out,
                              segmentation const& segments, Op op = {},
                              std::type_identity_t<std::remove_const_t<T>> init = Op::identity()) {
  detail::segmented_scan_on_device<scan_kind::exclusive, std::remove_const_t<T>>(
      "exclusive_segmented_scan", on, in, out, segments, op, init);
}

}  // namespace libscan::inline v1
