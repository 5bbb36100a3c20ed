// SPDX-License-Identifier: Apache-2.0
// Which items of a few rows of a warp are kept, as bits of one word per lane, and the place of each
// after compaction. One warp scan of packed counts serves up to four rows.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/warp/row_io.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// `Rows` rows of 32 times `Width` consecutive items; each lane holds `Width` of a row. All lanes
/// of the warp call each function.
template <int Width, int Rows>
class kept_rows {
  // A row takes at least four bits of a lane's word. Masks split the counts of all rows into words
  // with fields wide enough for the counts of a whole warp.
  static constexpr int row_bits = Width < 4 ? 4 : Width;
  static constexpr int field_bits = row_bits < 8 ? 8 : 16;
  static constexpr int fields = 32 / field_bits;
  static constexpr int words = (Rows + fields - 1) / fields;
  static_assert(row_bits <= 16 && Rows * row_bits <= 32);

 public:
  static constexpr int width = Width;
  static constexpr int rows = Rows;
  static constexpr int row_items = simt::warp_size * Width;
  static constexpr int items = Rows * row_items;

  /// Loads the items from memory; those from `valid` on are undefined.
  template <class Item>
  static __device__ void load(Item const* source, int valid, Item (&item)[Rows][Width]) {
    if (valid >= items && warp::whole_rows<Width>(source)) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) warp::load_whole_row(source, position(r), item[r]);
    } else {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        warp::load_row(source, position(r), valid - position(r), Item{}, item[r]);
      }
    }
  }

  /// The caller's word: which of its items, of the first `valid` in memory, `keep` keeps. Applies
  /// it once to each.
  template <class Item, class Predicate>
  static __device__ unsigned evaluate(Item const* source, int valid, Predicate const& keep) {
    Item item[Rows][Width];
    load(source, valid, item);
    unsigned bits = 0;
    if (valid >= items) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        unsigned row = 0;
#pragma unroll
        for (int j = 0; j < Width; ++j) {
          if (keep(item[r][j])) row |= bit_of(r, j);
        }
        bits |= row;
      }
    } else {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
#pragma unroll
        for (int j = 0; j < Width; ++j) {
          if (position(r) + j < valid && static_cast<bool>(keep(item[r][j]))) bits |= bit_of(r, j);
        }
      }
    }
    return bits;
  }

  /// The caller's word from its bits of each row: bit j of row_bits_of(r) is item j of row r.
  template <class RowBits>
  static __device__ unsigned word(RowBits row_bits_of) {
    unsigned bits = 0;
#pragma unroll
    for (int r = 0; r < Rows; ++r) bits |= row_bits_of(r) << shift(r);
    return bits;
  }

  /// The caller's word for the first `valid` items.
  static __device__ unsigned first_items(int valid) {
    return word([&](int r) {
      int const rest = valid - position(r);
      return rest <= 0 ? 0u : rest < Width ? (1u << rest) - 1 : (1u << Width) - 1;
    });
  }

  /// The last item of a word that is not 0.
  static __device__ int last_of(unsigned bits) {
    int last = -1;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      unsigned const row = bits >> shift(r) & ((1u << Width) - 1);
      if (row != 0) last = position(r) + simt::warp_size - 1 - simt::clz(row);
    }
    return last;
  }

  /// Ranks the kept items. `bits`: the caller's word.
  explicit __device__ kept_rows(unsigned bits) : bits_(bits) {
    unsigned const counts = row_counts(bits);
#pragma unroll
    for (int w = 0; w < words; ++w) {
      unsigned const own = counts >> w * row_bits & field_mask;
      auto const row = warp::inclusive_scan(own, plus<unsigned>{});
      before_[w] = row.prefix - own;
      total_[w] = row.total;
    }
  }

  /// The number of items that the warp keeps.
  __device__ int count() const {
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < words; ++w) sum = simt::dp4a<field>(total_[w], fields_before(fields), sum);
    return static_cast<int>(sum);
  }

  /// target[0 .. count() - 1] = value(r, j) for the kept items, in their order: item j of each
  /// caller's row r.
  template <class Value, class Get>
  __device__ void gather(Value* target, Get value) const {
    unsigned word_start = 0;
#pragma unroll
    for (int w = 0; w < words; ++w) {
#pragma unroll
      for (int f = 0; f < fields; ++f) {
        int const r = w * fields + f;
        if (r >= Rows) break;
        unsigned const row_start = simt::dp4a<field>(total_[w], fields_before(f), word_start);
        Value* to = target + simt::dp4a<field>(before_[w], 1u << 8 * f, row_start);
#pragma unroll
        for (int j = 0; j < Width; ++j) {
          if ((bits_ & bit_of(r, j)) == 0) continue;
          *to = value(r, j);
          ++to;
        }
      }
      word_start = simt::dp4a<field>(total_[w], fields_before(fields), word_start);
    }
  }

  /// Where the caller's items of a row begin.
  static __device__ int position(int row) { return row * row_items + simt::lane_id() * Width; }

 private:
  using field = std::conditional_t<field_bits == 8, std::uint8_t, std::uint16_t>;

  static constexpr unsigned field_mask = row_bits == 4 ? 0x0f0f0f0f : 0x00ff00ff;

  static __device__ constexpr int shift(int r) {
    return r % fields * field_bits + r / fields * row_bits;
  }
  static __device__ constexpr unsigned bit_of(int r, int j) { return 1u << (shift(r) + j); }

  /// Weights of a dot product that sums the first fields of a word.
  static __device__ constexpr unsigned fields_before(int f) {
    return static_cast<unsigned>(0x01010101ull & ((1ull << 8 * f) - 1));
  }

  /// How many bits are set in each `row_bits` of the word.
  static __device__ unsigned row_counts(unsigned bits) {
    unsigned counts = bits - (bits >> 1 & 0x55555555);
    counts = (counts & 0x33333333) + (counts >> 2 & 0x33333333);
    if (row_bits >= 8) counts = (counts + (counts >> 4)) & 0x0f0f0f0f;
    if (row_bits == 16) counts = (counts + (counts >> 8)) & 0x00ff00ff;
    return counts;
  }

  unsigned bits_;
  unsigned before_[words];  // kept by earlier lanes, of each row
  unsigned total_[words];   // kept by the warp, of each row
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
