// SPDX-License-Identifier: Apache-2.0
// Device-wide calls of every kind and of sizes that launch differently, as one table, with what
// they read and write: for tests of what runs beside what, and of graphs. CUDA only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <libscan/workspace.cuh>
#include <tests/support/device_buffer.hpp>
#include <tests/support/device_formula.hpp>
#include <tests/support/formula.hpp>

namespace libscan::test {

/// Where a call finds what it reads, n of each, and space for n of what it writes.
struct call_memory {
  float const* items;          ///< in [-1, 1), of so many bits that sums are rounded
  std::uint8_t const* flags;   ///< one in 16 is not 0
  std::uint32_t const* words;  ///< any bits
  std::uint32_t const* keys;   ///< in runs
  index_t const* offsets;      ///< of `segments` segments, among them empty ones
  index_t segments;            ///< n / 6, rounded up
  float* sums;
  std::uint32_t* ranks;  ///< or keys
  index_t* number;
};

/// A call and its number of items.
struct device_call {
  std::string name;
  index_t n;
  bool waits_for_all;  ///< its blocks begin when all of them fit, on GPUs like an H100
  std::function<void(workspace&, call_memory const&, index_t n)> queue;
};

/// Sizes on either side of what the multiprocessors of such a GPU hold at once, and of what the
/// pipelines begin with.
inline constexpr index_t few_items = 100003, resident_items = index_t{1} << 20,
                         several_items = 4000037, many_items = (index_t{1} << 23) + 37;

/// Scans by every strategy, from either end, of bits; reductions.
std::vector<device_call> scan_calls();
/// Scans and reductions within segments of every descriptor.
std::vector<device_call> segment_calls();
/// Filters and sorts.
std::vector<device_call> item_calls();

/// All of them; the first three are a resident, a pipelined and a look-back scan.
inline std::vector<device_call> all_calls() {
  auto calls = scan_calls();
  for (auto const& more : {segment_calls(), item_calls()}) {
    calls.insert(calls.end(), more.begin(), more.end());
  }
  return calls;
}

/// Space for the workspace of any of them.
inline constexpr std::size_t plenty_for_calls = std::size_t{48} << 20;

/// The formulas of what calls read.
struct call_items {
  index_t salt;
  LIBSCAN_HOST_DEVICE float operator()(index_t i) const {
    return static_cast<float>(scrambled(i + salt) >> 40) / (1 << 23) - 1;
  }
};
struct call_flags {
  index_t salt;
  LIBSCAN_HOST_DEVICE std::uint8_t operator()(index_t i) const {
    auto const bits = scrambled(i + salt) >> 20;
    return static_cast<std::uint8_t>(bits % 16 == 0 ? bits >> 8 | 1 : 0);
  }
};
struct call_words {
  index_t salt;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(scrambled(i + salt) >> 32);
  }
};
struct call_keys {
  index_t salt;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const {
    return static_cast<std::uint32_t>(scrambled((i + salt) / 13) >> 62);
  }
};
struct call_offsets {
  index_t salt, n, segments;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t s) const {
    if (s == 0 || s == segments) return s == 0 ? 0 : n;
    index_t const next = 6 * s + static_cast<index_t>((scrambled(s + salt) >> 32) % 7);
    return next < n ? next : n;
  }
};

/// What another call wrote.
struct call_results {
  std::uint32_t const* bits;
  LIBSCAN_HOST_DEVICE std::uint32_t operator()(index_t i) const { return bits[i]; }
};

/// The memory of one call.
class call_buffers {
 public:
  explicit call_buffers(index_t n)
      : n_(n),
        segments_(ceil_div(n, index_t{6})),
        items_(size(n)),
        flags_(size(n)),
        words_(size(n)),
        keys_(size(n)),
        offsets_(size(segments_ + 1)),
        half_(ceil_div(n, index_t{64}) * 64),
        out_(size(2 * half_)),
        number_(1) {}

  /// Writes what the call reads, other data for each salt, and wipes what it writes; finished on
  /// return.
  void refill(index_t salt = 0) const {
    fill_by(items_.data(), n_, call_items{salt});
    fill_by(flags_.data(), n_, call_flags{salt});
    fill_by(words_.data(), n_, call_words{salt});
    fill_by(keys_.data(), n_, call_keys{salt});
    fill_by(offsets_.data(), segments_ + 1, call_offsets{salt, n_, segments_});
    wipe({});
    simt::synchronize();
  }

  /// Wipes what the call writes.
  void wipe(simt::stream on) const {
    simt::fill_async(out_.data(), 0xff, out_.size() * sizeof(std::uint32_t), on);
    simt::fill_async(number_.data(), 0xff, sizeof(index_t), on);
  }

  call_memory memory() const {
    return {items_.data(), flags_.data(), words_.data(),       keys_.data(),  offsets_.data(),
            segments_,     sums(),        out_.data() + half_, number_.data()};
  }

  /// Empty if what the call wrote has the same bits as what it wrote there. Both must be finished.
  std::string difference(call_buffers const& expected) const {
    if (number_.copy() != expected.number_.copy()) return "another number";
    return difference_from(out_.data(), 2 * half_, call_results{expected.out_.data()});
  }

 private:
  static std::size_t size(index_t n) { return static_cast<std::size_t>(n); }
  float* sums() const { return reinterpret_cast<float*>(out_.data()); }

  index_t n_, segments_;
  device_buffer<float> items_;
  device_buffer<std::uint8_t> flags_;
  device_buffer<std::uint32_t> words_, keys_;
  device_buffer<index_t> offsets_;
  index_t half_;
  device_buffer<std::uint32_t> out_;  // sums, then ranks
  device_buffer<index_t> number_;
};

}  // namespace libscan::test
