// SPDX-License-Identifier: Apache-2.0
// What the tests of segmented scans and of segmented reductions share: a small tile, and the
// segments of a case in device memory, in every form a caller may hold them.
#pragma once

#include <cstdint>
#include <vector>

#include <libscan/device/segment_readers.cuh>
#include <tests/support/machine.hpp>
#include <tests/support/segments.hpp>

namespace libscan::test {

/// Tile of several warps, several rows of several items.
struct small_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::look_back;
  static constexpr int block_threads = 96;
  [[maybe_unused]] static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 8;
};

/// A resident tile of two warps for each block.
struct tiny_resident_segments {
  static constexpr scan_algorithm algorithm = scan_algorithm::resident;
  static constexpr int block_threads = 64;
  static constexpr int items_per_thread = 8;
};

/// The forms in which segments are described.
enum class descriptor { flags, bits, offsets, narrow_offsets, keys };

/// All of them.
inline constexpr descriptor all_descriptors[] = {descriptor::flags, descriptor::bits,
                                                 descriptor::offsets, descriptor::narrow_offsets,
                                                 descriptor::keys};

/// Some of them, known when a test is compiled: no kernel is made for the others.
template <descriptor... Which>
struct descriptors {};

/// The same flags; of odd numbers of items without that of item 0, which begins a segment anyway.
inline std::vector<std::uint8_t> flags_to_read(std::vector<std::uint8_t> flags) {
  if (flags.size() % 2 == 1) flags[0] = 0;
  return flags;
}

/// The segments of one case, in every form, in device memory between canaries.
struct segments_on_device {
  explicit segments_on_device(std::vector<index_t> const& ends, int offset = 0)
      : host_flags(flags_of(ends)),
        flags(flags_to_read(host_flags), offset),
        bits(bits_of(flags_to_read(host_flags)), offset),
        offsets(ends, offset),
        narrow(std::vector<std::int32_t>(ends.begin(), ends.end()), offset),
        keys(keys_of<std::uint16_t>(host_flags), offset),
        segments(static_cast<index_t>(ends.size()) - 1) {}

  /// The form requested.
  template <descriptor Which>
  auto as() const {
    if constexpr (Which == descriptor::flags) {
      return head_flags{flags.data()};
    } else if constexpr (Which == descriptor::bits) {
      return head_bits{bits.data()};
    } else if constexpr (Which == descriptor::offsets) {
      return segment_offsets{offsets.data(), segments};
    } else if constexpr (Which == descriptor::narrow_offsets) {
      return segment_offsets{narrow.data(), segments};
    } else {
      return segment_keys{keys.data()};
    }
  }

  /// Calls body(descriptor) with the form requested.
  template <class Body>
  void as(descriptor which, Body body) const {
    switch (which) {
      case descriptor::flags:
        return body(as<descriptor::flags>());
      case descriptor::bits:
        return body(as<descriptor::bits>());
      case descriptor::offsets:
        return body(as<descriptor::offsets>());
      case descriptor::narrow_offsets:
        return body(as<descriptor::narrow_offsets>());
      case descriptor::keys:
        return body(as<descriptor::keys>());
    }
  }

  std::vector<std::uint8_t> host_flags;
  device_image<std::uint8_t> flags;
  device_image<std::uint32_t> bits;
  device_image<index_t> offsets;
  device_image<std::int32_t> narrow;
  device_image<std::uint16_t> keys;
  index_t segments;
};

/// Lengths of rows of a matrix of n items: short and long ones, and more than there are items.
inline std::vector<index_t> row_lengths(index_t n) {
  return {1, 2, 3, 5, 31, 33, 100, 4096, 4097, n - 1, n, index_t{1} << 40};
}

/// Offsets of rows of `length` that cover n items.
inline std::vector<index_t> row_offsets(index_t n, index_t length) {
  std::vector<index_t> offsets;
  for (index_t i = 0; i < n; i += length) offsets.push_back(i);
  offsets.push_back(n);
  return offsets;
}

}  // namespace libscan::test
