// SPDX-License-Identifier: Apache-2.0
// How tiles whose summaries are about segments learn what comes before them: how many segments
// begin, and the value of the last segment so far. A tile with a head knows its prefix at once, and
// so ends every other tile's walk back.
#pragma once

#include <cstdint>
#include <cstring>

#include <libscan/device/resident_kernel.cuh>
#include <libscan/device/segmented_row.cuh>
#include <libscan/device/tile_chain.cuh>
#include <libscan/device/tile_totals.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Summary of consecutive items: the number of segments that begin among them, and the partial
/// total of the last one, or of all items.
template <class T>
struct segment_summary {
  index_t segments;
  T open;
};

/// Joins the summaries of adjacent items.
template <class Op>
struct join_segments {
  using value_type = segment_summary<typename Op::value_type>;
  Op op;
  __device__ value_type identity() const { return {0, op.identity()}; }
  __device__ value_type operator()(value_type earlier, value_type later) const {
    index_t const segments = earlier.segments + later.segments;
    if (later.segments > 0) return {segments, later.open};
    return {segments, op(earlier.open, later.open)};
  }
};

/// Stored as a 32-bit count, then the value.
template <class T>
struct total_format<segment_summary<T>> {
  struct value_type {
    std::uint32_t segments;
    std::uint32_t open[(sizeof(T) + 3) / 4];
  };
  static __device__ value_type value(segment_summary<T> const& total) {
    value_type value{static_cast<std::uint32_t>(total.segments), {}};
    std::memcpy(value.open, __builtin_addressof(total.open), sizeof(T));
    return value;
  }
  static __device__ bool flag(segment_summary<T> const&) { return false; }
  static __device__ segment_summary<T> total(value_type const& value, bool) {
    segment_summary<T> total;
    total.segments = value.segments;
    std::memcpy(__builtin_addressof(total.open), value.open, sizeof(T));
    return total;
  }
  template <class Op>
  static __device__ segment_summary<T> combine_lanes(segment_summary<T> const& total,
                                                     join_segments<Op> join) {
    auto const segments = total_format<packed_count>::combine_lanes(packed_count{total.segments},
                                                                    plus_packed_count{});
    segment_carry<T> const end{total.open, total.segments > 0};
    return {segments.value,
            total_format<segment_carry<T>>::combine_lanes(end, join_carries<Op>{join.op}).value};
  }
};

namespace detail {

/// Publishes what a tile leaves open; returns what enters the tile, or the identity if no lane
/// needs that. By one warp.
template <class T, class Op>
__device__ T enter_segments(tile_state<T> const& state, index_t tile, segment_carry<T> const& own,
                            bool needed, Op op) {
  bool const leader = simt::lane_id() == 0;
  if (leader) {
    state.publish(tile, own.has_head ? tile_status::prefix : tile_status::total, own.value);
  }
  if (tile == 0 || !simt::any(simt::full_warp, needed)) return op.identity();
  T const carry = device::look_back(state, tile, op);
  if (leader && !own.has_head) state.publish(tile, tile_status::prefix, op(carry, own.value));
  return carry;
}

/// What enters a tile, in shared memory. Apart from its neighbors: compilers widen loads of those
/// to 16 bytes, which checkers of races take for reads of it.
template <class T>
struct shared_carry {
  alignas(T) alignas(16) T value;
};

}  // namespace detail

/// Carries of segments: tile 0 always has a head.
template <class T>
class tile_chain<segment_carry<T>> {
 public:
  using shared_storage = detail::shared_carry<T>;

  tile_chain(std::byte* memory, index_t tiles) : state_(memory, tiles) {}

  static constexpr std::size_t bytes(index_t tiles) { return tile_state<T>::bytes(tiles); }
  static constexpr std::size_t reset_bytes(index_t tiles) {
    return tile_state<T>::reset_bytes(tiles);
  }

  __device__ index_t claim() const { return state_.claim(); }

  template <class Op>
  __device__ segment_carry<T> enter(shared_storage& shared, index_t tile,
                                    segment_carry<T> const& own, segment_carry<T> const& /*init*/,
                                    join_carries<Op> join, bool /*ordered*/, bool needed) const {
    if (threadIdx.x < simt::warp_size) {
      T const carry = detail::enter_segments(state_, tile, own, needed, join.op);
      if (threadIdx.x == 0) shared.value = carry;
    }
    simt::sync_block();
    return {shared.value, false};
  }

 private:
  tile_state<T> state_;
};

/// Counts of segments, and what the last leaves open: two chains, by two warps where there are two.
template <class T>
class tile_chain<segment_summary<T>> {
 public:
  struct shared_storage {
    detail::shared_carry<T> open;
    index_t segments;
  };

  tile_chain(std::byte* memory, index_t tiles)
      : counts_(memory, tiles), open_(memory + tile_state<packed_count>::bytes(tiles), tiles) {}

  static constexpr std::size_t bytes(index_t tiles) {
    return tile_state<packed_count>::bytes(tiles) + tile_state<T>::bytes(tiles);
  }
  static constexpr std::size_t reset_bytes(index_t tiles) {
    return tile_state<packed_count>::bytes(tiles) + tile_state<T>::reset_bytes(tiles);
  }

  __device__ index_t claim() const { return open_.claim(); }

  template <class Op>
  __device__ segment_summary<T> enter(shared_storage& shared, index_t tile,
                                      segment_summary<T> const& own,
                                      segment_summary<T> const& /*init*/, join_segments<Op> join,
                                      bool /*ordered*/, bool needed) const {
    if (threadIdx.x >= blockDim.x - simt::warp_size) count(shared, tile, {own.segments});
    if (threadIdx.x < simt::warp_size) {
      segment_carry<T> const end{own.open, own.segments > 0};
      T const carry = detail::enter_segments(open_, tile, end, needed, join.op);
      if (threadIdx.x == 0) shared.open.value = carry;
    }
    simt::sync_block();
    return {shared.segments, shared.open.value};
  }

 private:
  /// Finds how many segments begin before the tile, and publishes it. By one warp.
  __device__ void count(shared_storage& shared, index_t tile, packed_count own) const {
    bool const leader = simt::lane_id() == 0;
    packed_count before{0};
    if (tile > 0) {
      if (leader) counts_.publish(tile, tile_status::total, own);
      before = device::look_back(counts_, tile, plus_packed_count{});
    }
    if (leader) {
      counts_.publish(tile, tile_status::prefix, plus_packed_count{}(before, own));
      shared.segments = before.value;
    }
  }

  tile_state<packed_count> counts_;
  tile_state<T> open_;
};

/// In the memory of resident blocks, a segment's carry is the summary of one segment or none.
template <class T>
struct resident_format<segment_carry<T>> {
  using summary = segment_summary<T>;
  using stored = typename total_format<summary>::value_type;
  static __device__ stored store(segment_carry<T> const& own) {
    return total_format<summary>::value({own.has_head ? 1 : 0, own.value});
  }
  static __device__ segment_carry<T> load(stored const& other) {
    summary const found = total_format<summary>::total(other, false);
    return {found.open, found.segments > 0};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
