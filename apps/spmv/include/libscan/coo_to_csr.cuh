// SPDX-License-Identifier: Apache-2.0
// From a list of entries to a matrix by rows, entirely by scans: a radix sort by row and column, a
// segmented reduction that adds up entries at the same place, and a scan under `maximum` that finds
// the ends of rows.
#pragma once

#include <algorithm>
#include <utility>

#include <apps/spmv/core/row_result.hpp>
#include <apps/spmv/device/compress_entries.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// Writes the keys of n entries and mirror images, and their values.
template <class Value>
struct expand_entries_kernel {
  static constexpr int block_threads = 256;

  __device__ void operator()(libscan::detail::expanded_list<Value> all, index_t n,
                             std::uint64_t* keys, Value* values) const {
    index_t const i = index_t{blockIdx.x} * block_threads + threadIdx.x;
    if (i >= n) return;
    keys[i] = all.key(i);
    if constexpr (!std::is_same_v<Value, no_values>) values[i] = all.value(i);
  }
};

/// Launches one thread for each of n > 0 items.
template <class Kernel, class... Args>
void launch_for_each(simt::stream on, index_t n, Args... args) {
  auto const blocks = static_cast<unsigned>(ceil_div(n, index_t{Kernel::block_threads}));
  simt::launch<Kernel>({.blocks = blocks, .threads = Kernel::block_threads, .on = on}, args...);
}

/// The layout of the conversion's workspace.
template <class Value, class Offset>
struct coo_layout {
  using sort_value = std::conditional_t<std::is_same_v<Value, no_values>, void, Value>;
  std::size_t keys;
  std::size_t values;
  std::size_t calls;

  constexpr coo_layout(index_t entries, index_t rows)
      : keys(padded(static_cast<std::size_t>(entries) * sizeof(std::uint64_t))),
        values(std::is_same_v<Value, no_values>
                   ? 0
                   : padded(static_cast<std::size_t>(entries) * sizeof(Value))),
        calls(std::max({libscan::sort_between_workspace_bytes<std::uint64_t, sort_value>(entries),
                        compress_layout<Value>(entries).bytes(),
                        libscan::scan_workspace_bytes<Offset>(rows + 1)})) {}

  constexpr std::size_t bytes() const { return 2 * keys + 2 * values + calls; }
};

}  // namespace device

/// Bytes of workspace for `coo_to_csr`: two buffers of 8-byte keys and two of values, for twice the
/// entries unless the matrix is general, and about 6 % of one. A pure function of its arguments;
/// needs no device.
template <class Value, class Offset>
constexpr std::size_t coo_to_csr_workspace_bytes(index_t rows, index_t entries, symmetry kind) {
  return device::coo_layout<Value, Offset>(kind == symmetry::general ? entries : 2 * entries, rows)
      .bytes();
}

/// Converts a list of entries to a matrix by rows: `offsets` (rows + 1 integers of 32 or 64 bits,
/// the last the number of entries), and `indices` and `values`, ascending by column in each row,
/// one for each place in the list.
///
/// Result: entries at the same place add up (halves: in float, rounded once) in an order that
/// depends only on the list. A symmetric list stands for both triangles; entries on the diagonal
/// have no mirror image. With `no_values`, `values` may be null and repeated entries are one.
/// Types: `indices` and `values` need space for as many entries as the list has, twice that unless
/// it is general; nothing after the entries is written. Indices are not checked.
/// Aliasing: outputs must not overlap anything.
/// Synchronization: asynchronous on the workspace's stream; allocates only if the workspace must
/// grow; the same launches for lists of the same sizes.
/// Determinism: results are bitwise the same in every run.
/// Traffic: a radix sort of the entries by the bits of places, and about three more passes.
/// Throws: `invalid_argument` (invalid sizes, offsets too narrow, workspace too small),
/// `device_error`.
template <class Value, class Offset>
void coo_to_csr(workspace& ws, coo_matrix<Value> const& list, Offset* offsets,
                std::int32_t* indices, Value* values) {
  libscan::detail::check_list<Offset>("coo_to_csr", list);
  device::require_aligned(list.row_indices, list.indices, list.values, offsets, indices, values);
  index_t const n = libscan::detail::expanded_entries(list);
  using layout_type = device::coo_layout<Value, Offset>;
  layout_type const layout(n, list.rows);
  std::byte* const memory = ws.reserve(layout.bytes());
  std::byte* const values_memory = memory + 2 * layout.keys;
  std::byte* const calls_memory = values_memory + 2 * layout.values;
  workspace calls(calls_memory, layout.calls, ws.stream());
  simt::fill_async(offsets, 0, static_cast<std::size_t>(list.rows + 1) * sizeof(Offset),
                   ws.stream());
  if (n == 0) return;

  // 1 the keys of all entries, in order of place
  entry_keys const keys_of(list.rows, list.columns, list.kind != symmetry::general);
  double_buffer<std::uint64_t> keys{reinterpret_cast<std::uint64_t*>(memory),
                                    reinterpret_cast<std::uint64_t*>(memory + layout.keys)};
  double_buffer<Value> sorted{reinterpret_cast<Value*>(values_memory),
                              reinterpret_cast<Value*>(values_memory + layout.values)};
  device::launch_for_each<device::expand_entries_kernel<Value>>(
      ws.stream(), n, libscan::detail::expanded_list<Value>{list, keys_of}, n, keys.current,
      sorted.current);
  sort_order<std::uint64_t> order;
  order.end_bit = keys_of.bits();
  if constexpr (std::is_same_v<Value, no_values>) {
    sort_keys(calls, keys, n, order);
  } else {
    libscan::sort_pairs(calls, keys, sorted, n, order);
  }

  // 2 combine entries at the same place
  device::compress_entries<Value, Offset>(ws.stream(), calls_memory,
                                          device::sorted_keys{keys.current, n, keys_of},
                                          sorted.current, {offsets, indices, values});

  // 3 a row ends where the last row before it with entries ended
  libscan::inclusive_scan(calls, offsets, offsets, list.rows + 1, maximum<Offset>{});
}

}  // namespace libscan::inline LIBSCAN_MACHINE
