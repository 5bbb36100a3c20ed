// SPDX-License-Identifier: Apache-2.0
// What the tiles of a single-pass scan publish (Merrill & Garland, "Single-pass Parallel Prefix
// Scan with Decoupled Look-back", 2016): each tile publishes the total of its own items, then the
// prefix up to its end. Tiles are claimed in order by an atomic ticket, so a tile waits only for
// running ones.
#pragma once

#include <cstddef>
#include <cstring>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/packed_count.cuh>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What a tile has published so far.
enum class tile_status : unsigned { nothing, total, prefix };

/// A tile's status, and its value.
template <class T>
struct tile_report {
  tile_status status;
  T value;
};

namespace detail {

/// Values that fit one 64-bit word together with their status: read and written at once, so no
/// memory needs ordering. Never contains the word 0, which means "nothing yet".
template <class T>
struct packed_word {
  static constexpr bool fits = sizeof(T) <= 4;
  static __device__ unsigned long long encode(tile_status status, T value) {
    unsigned bits = 0;
    std::memcpy(&bits, __builtin_addressof(value), sizeof(T));
    return static_cast<unsigned long long>(status) << 32 | bits;
  }
  static __device__ tile_report<T> decode(unsigned long long word) {
    auto const bits = static_cast<unsigned>(word);
    tile_report<T> report;
    report.status = static_cast<tile_status>(word >> 32);
    std::memcpy(__builtin_addressof(report.value), &bits, sizeof(T));
    return report;
  }
};

template <>
struct packed_word<packed_count> {
  static constexpr bool fits = true;
  static __device__ unsigned long long encode(tile_status status, packed_count at) {
    return static_cast<unsigned long long>(at.value) << 2 | static_cast<unsigned>(status);
  }
  static __device__ tile_report<packed_count> decode(unsigned long long word) {
    return {static_cast<tile_status>(word & 3u), {static_cast<index_t>(word >> 2)}};
  }
};

}  // namespace detail

/// The shared state of all tiles, in device memory that must be zero in its first `reset_bytes`
/// when the kernel starts. A small value, passed to kernels.
template <class T>
class tile_state {
  using word = unsigned long long;
  static constexpr bool packed = detail::packed_word<T>::fits;

 public:
  tile_state(std::byte* memory, index_t tiles)
      : ticket_(reinterpret_cast<word*>(memory)),
        words_(ticket_ + 1),
        values_(reinterpret_cast<T*>(memory + values_offset(tiles))),
        tiles_(tiles) {}

  /// Bytes of device memory for this many tiles.
  static constexpr std::size_t bytes(index_t tiles) {
    std::size_t const values = packed ? 0 : 2 * static_cast<std::size_t>(tiles) * sizeof(T);
    return values_offset(tiles) + values;
  }

  /// How many of them, from the first, must be zero before a kernel uses the state.
  static constexpr std::size_t reset_bytes(index_t tiles) {
    return (1 + static_cast<std::size_t>(tiles)) * sizeof(word);
  }

  /// The next unclaimed tile. The block that claims tile k may wait for earlier tiles: their blocks
  /// are running.
  __device__ index_t claim() const {
    return static_cast<index_t>(
        simt::atomic_ref<word>(*ticket_).fetch_add(1, simt::memory_order_relaxed));
  }

  /// Publishes a tile's own total, or the prefix up to and including it. By one thread.
  __device__ void publish(index_t tile, tile_status status, T value) const {
    simt::atomic_ref<word> const at(words_[tile]);
    if constexpr (packed) {
      at.store(detail::packed_word<T>::encode(status, value), simt::memory_order_relaxed);
    } else {
      values_[slot(tile, status)] = value;
      at.store(static_cast<word>(status), simt::memory_order_release);
    }
  }

  /// What a tile has published; never waits.
  __device__ tile_report<T> read(index_t tile) const {
    simt::atomic_ref<word> const at(words_[tile]);
    if constexpr (packed) {
      return detail::packed_word<T>::decode(at.load(simt::memory_order_relaxed));
    } else {
      auto const status = static_cast<tile_status>(at.load(simt::memory_order_acquire));
      tile_report<T> report{};
      report.status = status;
      if (status != tile_status::nothing) report.value = values_[slot(tile, status)];
      return report;
    }
  }

 private:
  static constexpr std::size_t values_offset(index_t tiles) {
    return ceil_div(reset_bytes(tiles), std::size_t{256}) * 256;
  }

  // Total and prefix have separate places: a reader of the total may still be reading when the
  // prefix is written.
  __device__ index_t slot(index_t tile, tile_status status) const {
    return status == tile_status::prefix ? tiles_ + tile : tile;
  }

  word* ticket_;
  word* words_;
  T* values_;
  index_t tiles_;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
