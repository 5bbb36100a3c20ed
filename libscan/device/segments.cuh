// SPDX-License-Identifier: Apache-2.0
// Where segments begin, in the forms programs hold it: flags, bits, offsets, keys, or one length
// for all. Kernels ask each for the head bits of a few consecutive items. Item 0 always begins a
// segment.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <libscan/device/item_count.cuh>
#include <libscan/device/masks.cuh>
#include <libscan/warp/segmented_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Segments begin at nonzero bytes. Costs one byte of traffic per item.
using head_flags = byte_mask;

/// Segments begin at set bits: bit i of word w is item 32 w + i. Costs 1/8 byte per item.
using head_bits = bit_mask;

/// Segment s is the items [offsets[s], offsets[s + 1]); it may be empty. `offsets`: segments + 1
/// integers of any size in device memory, ascending, the first 0, the last the number of items.
/// Offsets outside [0, n) begin nothing. They are first turned into head bits in the workspace:
/// reads all offsets, writes and reads 1/8 byte per item; no search, however long, short or empty
/// the segments are.
template <class Offset>
struct segment_offsets {
  Offset const* offsets;
  index_t segments;
};
template <class Offset>
segment_offsets(Offset const*, index_t) -> segment_offsets<Offset>;
template <class Offset>
segment_offsets(Offset*, index_t) -> segment_offsets<Offset>;

/// ==, as a functor for device code.
struct equal_values {
  template <class Key>
  LIBSCAN_HOST_DEVICE constexpr bool operator()(Key const& earlier, Key const& later) const {
    return earlier == later;
  }
};

/// A segment begins wherever a key differs from the one before it. `keys`: a random-access iterator
/// of the device; `equal(earlier, later)` is asked about neighbours only. Costs one key of traffic
/// per item.
template <class Keys, class Equal = equal_values>
struct segment_keys {
  Keys keys;
  Equal equal{};

  /// Whether `whole_bits` may be asked, for i a multiple of Width.
  template <int Width>
  __device__ __forceinline__ bool whole_rows() const {
    return warp::whole_rows<Width>(keys);
  }

  /// Bit j: item i + j begins a segment, for j < Width <= 32.
  template <int Width>
  __device__ __forceinline__ unsigned whole_bits(index_t i) const {
    key row[Width];
    warp::load_whole_row(keys, i, row);
    return changes(i, Width, row);
  }

  /// The same for j < count; no other bit is set.
  template <int Width>
  __device__ __forceinline__ unsigned bits(index_t i, int count) const {
    if (count <= 0) return 0;
    key row[Width];
    warp::load_row(keys, i, count, key{}, row);
    return changes(i, count, row);
  }

 private:
  using key = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<Keys>()[0])>>;

  template <int Width>
  __device__ __forceinline__ unsigned changes(index_t i, int count, key const (&row)[Width]) const {
    // The neighbour's key is in the line the warp reads at this moment: a shuffle is no cheaper.
    key const before = keys[i == 0 ? 0 : i - 1];
    unsigned result = i == 0 || !equal(before, row[0]) ? 1 : 0;
#pragma unroll
    for (int j = 1; j < Width; ++j) {
      if (j < count && !equal(row[j - 1], row[j])) result |= 1u << j;
    }
    return result;
  }
};

/// Keys compared by ==.
template <class Keys>
segment_keys(Keys) -> segment_keys<Keys>;

/// Keys compared by `equal`.
template <class Keys, class Equal>
segment_keys(Keys, Equal) -> segment_keys<Keys, Equal>;

/// Every segment has `length` > 0 items, but for the last, which may have fewer: the rows of a
/// matrix. No traffic.
struct equal_segments {
  index_t length;

  /// Whether `whole_bits` may be asked: always.
  template <int Width>
  __device__ __forceinline__ bool whole_rows() const {
    return true;
  }

  /// Bit j: item i + j begins a segment, for j < Width <= 32.
  template <int Width>
  __device__ __forceinline__ unsigned whole_bits(index_t i) const {
    return bits<Width>(i, Width);
  }

  /// The same for j < count; no other bit is set.
  template <int Width>
  __device__ __forceinline__ unsigned bits(index_t i, int count) const {
    unsigned result = 0;
    index_t next = remainder(i);
    next = next == 0 ? 0 : length - next;
    for (; next < count; next += length) result |= 1u << next;
    return result;
  }

  /// i % length, by 32-bit arithmetic where that suffices.
  __device__ __forceinline__ index_t remainder(index_t i) const {
    if ((i | length) >> 32 == 0) {
      return static_cast<unsigned>(i) % static_cast<unsigned>(length);
    }
    return i % length;
  }
};

namespace device {

/// [s]: whether segment s begins at an item, as it does unless it is empty. An iterator.
template <class Offset>
struct begun_segments {
  Offset const* offsets;
  item_count count;

  __device__ bool operator[](index_t s) const {
    auto const at = static_cast<index_t>(offsets[s]);
    return at >= 0 && at < count.get() && at < static_cast<index_t>(offsets[s + 1]);
  }
};

/// Sets the head bit of every segment that is not empty.
template <class Offset>
struct mark_heads_kernel {
  static constexpr int block_threads = 256;
  static constexpr int at_once = 4;  // of a thread
  static constexpr int block_segments = block_threads * at_once;

  __device__ void operator()(begun_segments<Offset> begun, index_t segments,
                             std::uint32_t* words) const {
    constexpr index_t warp_segments = at_once * simt::warp_size;
    index_t const stride = index_t{gridDim.x} * block_segments;
    index_t const warp = (index_t{blockIdx.x} * block_threads + threadIdx.x) / simt::warp_size;
    index_t const n = begun.count.get();
    // Whole warps go on together, since lanes with the same word join their bits.
    for (index_t first = warp * warp_segments; first < segments; first += stride) {
      index_t at[at_once];
      index_t end[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        index_t const s = first + k * simt::warp_size + simt::lane_id();
        at[k] = static_cast<index_t>(begun.offsets[s < segments ? s : segments]);
        end[k] = static_cast<index_t>(begun.offsets[s < segments ? s + 1 : segments]);
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        bool const begins = at[k] >= 0 && at[k] < n && at[k] < end[k];
        mark(begins ? at[k] : -1, words);
      }
    }
  }

  /// Sets bit `at`, if there is one; not less than in earlier lanes where those have one. By a
  /// warp.
  static __device__ void mark(index_t at, std::uint32_t* words) {
    unsigned const begun = simt::ballot(simt::full_warp, at >= 0);
    if (begun == 0) return;
    index_t const word = at / 32;
    unsigned const bit = at >= 0 ? 1u << at % 32 : 0;
    index_t const first = simt::shfl(simt::full_warp, word, simt::ffs(begun) - 1);
    index_t const last = simt::shfl(simt::full_warp, word, simt::warp_size - 1 - simt::clz(begun));
    if (last - first <= 1) {
      unsigned const low = simt::reduce_or(simt::full_warp, word == first ? bit : 0);
      unsigned const high = simt::reduce_or(simt::full_warp, word == first ? 0 : bit);
      if (simt::lane_id() == 0) set(words, first, low);
      if (simt::lane_id() == 1) set(words, last, high);
      return;
    }
    index_t const own = at >= 0 ? word : -1;
    index_t const before = simt::shfl_up(simt::full_warp, own, 1);
    bool const leads = simt::lane_id() == 0 || before != own;
    auto const joined = warp::segmented_scan<scan_kind::inclusive>(bit, leads, bit_or<unsigned>{});
    if (leads) set(words, own, joined.total);
  }

  static __device__ void set(std::uint32_t* words, index_t word, unsigned bits) {
    if (bits == 0) return;
    simt::atomic_ref<std::uint32_t>(words[word]).fetch_or(bits, simt::memory_order_relaxed);
  }
};

/// Bytes of workspace that turning a descriptor into head bits takes: 0, but for offsets.
template <class Heads>
constexpr std::size_t head_bytes(Heads const&, index_t) {
  return 0;
}
template <class Offset>
constexpr std::size_t head_bytes(segment_offsets<Offset> const&, index_t n) {
  return static_cast<std::size_t>(ceil_div(n, index_t{2048})) * 256;
}

/// What a kernel reads heads from: the descriptor itself, or head bits made of it at `memory`.
template <class Heads>
Heads prepare_heads(Heads heads, std::byte*, item_count, simt::stream) {
  return heads;
}
template <class Offset>
head_bits prepare_heads(segment_offsets<Offset> heads, std::byte* memory, item_count n,
                        simt::stream on) {
  using kernel = mark_heads_kernel<Offset>;
  auto* const words = reinterpret_cast<std::uint32_t*>(memory);
  simt::fill_async(memory, 0, head_bytes(heads, n.at_most()), on);
  index_t const wanted = ceil_div(heads.segments, index_t{kernel::block_segments});
  index_t const most = index_t{simt::multiprocessor_count()} * 8;
  if (wanted > 0) {
    simt::launch<kernel>({.blocks = static_cast<unsigned>(wanted < most ? wanted : most),
                          .threads = kernel::block_threads,
                          .on = on},
                         begun_segments<Offset>{heads.offsets, n}, heads.segments, words);
  }
  return head_bits{words};
}

/// Throws `invalid_argument` for a descriptor that describes no segments.
template <class Heads>
void check_heads(Heads const&) {}
template <class Offset>
void check_heads(segment_offsets<Offset> const& heads) {
  if (heads.segments < 0) {
    throw invalid_argument("number of segments is " + std::to_string(heads.segments) +
                           "; expected >= 0");
  }
}
inline void check_heads(equal_segments const& heads) {
  if (heads.length <= 0) {
    throw invalid_argument("length of segments is " + std::to_string(heads.length) +
                           "; expected > 0");
  }
}

}  // namespace device
}  // namespace libscan::inline LIBSCAN_MACHINE
