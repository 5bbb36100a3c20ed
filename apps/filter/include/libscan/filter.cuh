// SPDX-License-Identifier: Apache-2.0
// Stream compaction on the device: keeps the items that a predicate or a mask selects, in their
// order. A filter is a scan of flags: the place of a kept item is the number of items kept before
// it (Harris & Garland, "Optimizing Parallel Prefix Operations for the Fermi Architecture", 3.3.1).
#pragma once

#include <apps/filter/device/select.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Bytes of workspace that a filter, split or `unique` of up to `n` items of type T needs; for
/// `mask_indices`, of any T. A pure function of its arguments; needs no device.
template <class T>
constexpr std::size_t filter_workspace_bytes(index_t n) {
  return device::count_bytes + device::filter_bytes<device::packed_count, void, T>(n);
}

/// Writes the items of in[0 .. n-1] that `keep` keeps to `out`, in their order, and their number to
/// *d_count.
///
/// Types: `in` and `out` are random-access iterators of the device. Keep is one of: a copyable
/// functor with a device call, applied once to each item, which keeps it if true; a `byte_mask`
/// (keeps item i if byte i is nonzero); a `bit_mask` (keeps it if bit i % 32 of word i / 32 is set,
/// as numpy.packbits(bitorder="little") packs bits; those after the last item are ignored). n: any
/// size >= 0, also read from device memory (`item_count::on_device`); n = 0 writes only the count.
/// d_count: one value in device memory, or null. `out` must have space for all kept items; nothing
/// after them is written.
/// Aliasing: `out` may be `in` itself if both are pointers to one type; items of `in` after the
/// kept ones then do not change. `out` must not overlap `in` or the mask in any other way. A
/// pointer `out` that begins within them throws; an overlap from a begin before them is not
/// detected.
/// Synchronization: asynchronous on the workspace's stream.
/// Workspace: `filter_workspace_bytes`; allocates only if the workspace must grow.
/// Traffic: reads n items and the mask, writes the kept items. With a `bit_mask`, only kept items
/// are read, and warps whose bits are all 0 read none, except in place.
/// Progress: as `exclusive_scan`.
/// Throws: `invalid_argument` (workspace too small, overlap), `device_error`.
template <class Tuning = void, class In, class Out, class Keep>
void filter(workspace& ws, In in, Out out, item_count n, Keep keep, index_t* d_count) {
  device::filter_outputs<Out> const outputs{out, {}, {}};
  device::filter<Tuning>(ws, in, outputs, n, device::rule_of(keep), d_count);
}

/// `filter` with a `byte_mask`, under an older name and with the mask before the output.
template <class Tuning = void, class In, class Out>
[[deprecated("use filter(ws, in, out, n, byte_mask{flags}, d_count)")]] void filter_flagged(
    workspace& ws, In in, std::uint8_t const* flags, Out out, item_count n, index_t* d_count) {
  libscan::filter<Tuning>(ws, in, out, n, byte_mask{flags}, d_count);
}

/// `filter` with a `bit_mask`, under an older name and with the mask before the output.
template <class Tuning = void, class In, class Out>
[[deprecated("use filter(ws, in, out, n, bit_mask{words}, d_count)")]] void filter_masked(
    workspace& ws, In in, std::uint32_t const* words, Out out, item_count n, index_t* d_count) {
  libscan::filter<Tuning>(ws, in, out, n, bit_mask{words}, d_count);
}

/// Writes the positions i of the items that `keep` keeps to `out`, ascending; otherwise as
/// `filter`.
/// Aliasing: positions must not overlap `in`, even with the same start.
template <class Tuning = void, class In, class Out, class Keep>
void filter_indices(workspace& ws, In in, Out out, item_count n, Keep keep, index_t* d_count) {
  device::filter_outputs<no_output, Out> const outputs{{}, out, {}};
  device::filter<Tuning>(ws, in, outputs, n, device::rule_of(keep), d_count);
}

/// Writes the positions that a `byte_mask` or `bit_mask` of n items marks to `out`, ascending:
/// numpy.flatnonzero. Otherwise as `filter`.
/// Traffic: reads the mask, writes a position for each item marked.
template <class Tuning = void, class Mask, class Out>
void mask_indices(workspace& ws, Mask mask, Out out, item_count n, index_t* d_count) {
  static_assert(device::is_marked<decltype(device::rule_of(mask))>, "a mask is expected");
  libscan::filter_indices<Tuning>(ws, static_cast<char const*>(nullptr), out, n, mask, d_count);
}

/// Writes the items that `keep` keeps to `out` and their positions to `indices`; otherwise as
/// `filter`.
/// Aliasing: `out` may be `in` itself, as in `filter`; `indices` must not overlap anything.
/// Traffic: writes what `filter` and `filter_indices` write, but reads each item once.
template <class Tuning = void, class In, class Out, class Indices, class Keep>
void filter_with_indices(workspace& ws, In in, Out out, Indices indices, item_count n, Keep keep,
                         index_t* d_count) {
  device::filter_outputs<Out, Indices> const outputs{out, indices, {}};
  device::filter<Tuning>(ws, in, outputs, n, device::rule_of(keep), d_count);
}

/// Writes only the number of items of in[0 .. n-1] that `keep` keeps, to *d_count; otherwise as
/// `filter`.
/// Traffic: reads n items, or only the mask.
template <class Tuning = void, class In, class Keep>
void count_if(workspace& ws, In in, item_count n, Keep keep, index_t* d_count) {
  device::filter<Tuning>(ws, in, device::filter_outputs<>{}, n, device::rule_of(keep), d_count);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
