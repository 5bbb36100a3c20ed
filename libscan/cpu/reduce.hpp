// SPDX-License-Identifier: Apache-2.0
// Reductions on CPU threads, of any random-access iterator by any operator: the sums that a scan
// makes of its chunks (chunk_scan.hpp), summed in turn (chunk_chain.hpp).
#pragma once

#include <algorithm>
#include <concepts>
#include <iterator>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/scan.hpp>

namespace libscan::inline v1::cpu {

/// init op in[0] op ... op in[n-1], on up to `threads` threads; `init` if n = 0.
///
/// `in` is a random-access iterator or pointer; items are converted to Op::value_type, in which
/// everything accumulates. `op` is associative, need not commute, is called only as op(earlier,
/// later), concurrently, and sees nothing but items, `init` and their sums. (What commutes is
/// summed in another order of the items; the result is the same but for rounding, and for which of
/// several NaNs it is.) Reads n items,
/// allocates nothing. Floating-point results depend on n and `chunk_items` only, bit for bit, never
/// on `threads`, timing or the CPU; they may differ in their last bits from the total of a scan.
///
/// Throws `invalid_argument` if threads < 1, n < 0 or chunk_items < 1, and lets pass what `op` or
/// the iterator throw (of several, that of the first chunk).
template <std::random_access_iterator In, monoid Op>
typename Op::value_type reduce(int threads, In in, index_t n, Op op,
                               std::type_identity_t<typename Op::value_type> init = Op::identity(),
                               index_t chunk_items = default_chunk_items) {
  using T = typename Op::value_type;
  using code = detail::chunk_code<In, T*, Op>;
  if constexpr (detail::vectorised<Op>) {
    detail::check_chunks(threads, n, chunk_items);
    if (n == 0) return init;
    if (n * static_cast<index_t>(sizeof(T)) <= detail::one_thread_bytes) threads = 1;
    bool const in_one_piece = threads == 1 && std::integral<T>;  // with the same sum
    if (n <= chunk_items || in_one_piece) {
      auto sums = detail::all_streams(init);
      return op(init, code::sum(in, n, op, sums));
    }
    // Sums of integers are the same in any pieces: larger ones, if enough are left for each thread.
    constexpr index_t large = index_t{1} << 18;
    if (std::integral<T>) {
      chunk_items = std::max(chunk_items, std::min(large, ceil_div(n, index_t{4} * threads)));
    }
  }
  return run_chunks(
      threads, n, chunk_items, op, init, [&] { return detail::all_streams(init); },
      [&](detail::stream_values<T>& sums, chunk const& c) {
        return code::sum(in + c.begin, c.size(), op, sums);
      },
      [](detail::stream_values<T> const&, chunk const&, T const&) {});
}

}  // namespace libscan::inline v1::cpu
