// SPDX-License-Identifier: Apache-2.0
// Operators that detect what a sum hides: wrong order (affine, shear, matrix, keep_last), a wrong
// identity (keep_last), and operands that are not neighbors, or not items at all (tripwire). For
// host and device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {

/// The map x -> scale * x + offset over wrapping 32-bit words.
struct affine {
  std::uint32_t scale;
  std::uint32_t offset;
  bool operator==(affine const&) const = default;
};

/// Composition: the earlier map is applied first. Associative, does not commute.
struct compose {
  using value_type = affine;
  LIBSCAN_HOST_DEVICE static constexpr affine identity() { return {1, 0}; }
  LIBSCAN_HOST_DEVICE constexpr affine operator()(affine earlier, affine later) const {
    return {later.scale * earlier.scale, later.scale * earlier.offset + later.offset};
  }
};

/// A value, or nothing.
struct maybe {
  std::int32_t value;
  std::int32_t present;
  bool operator==(maybe const&) const = default;
};

/// The later of two present values. Only an exact identity keeps the earlier one.
struct keep_last {
  using value_type = maybe;
  LIBSCAN_HOST_DEVICE static constexpr maybe identity() { return {0, 0}; }
  LIBSCAN_HOST_DEVICE constexpr maybe operator()(maybe earlier, maybe later) const {
    return later.present != 0 ? later : earlier;
  }
};

/// The matrix (1 a c; 0 1 b; 0 0 1) over wrapping 32-bit words: 12 bytes.
struct shear {
  std::uint32_t a, b, c;
  bool operator==(shear const&) const = default;
};

/// Matrix product. Associative, does not commute.
struct join_shears {
  using value_type = shear;
  LIBSCAN_HOST_DEVICE static constexpr shear identity() { return {0, 0, 0}; }
  LIBSCAN_HOST_DEVICE constexpr shear operator()(shear earlier, shear later) const {
    return {earlier.a + later.a, earlier.b + later.b, earlier.c + later.c + earlier.a * later.b};
  }
};

/// A 3 x 3 matrix over wrapping 32-bit words, row by row: 36 bytes.
struct matrix {
  std::uint32_t at[9];
  bool operator==(matrix const&) const = default;
};

/// Matrix product. Associative, does not commute.
struct multiply {
  using value_type = matrix;
  LIBSCAN_HOST_DEVICE static constexpr matrix identity() { return {{1, 0, 0, 0, 1, 0, 0, 0, 1}}; }
  LIBSCAN_HOST_DEVICE constexpr matrix operator()(matrix earlier, matrix later) const {
    matrix product{};
    for (int i = 0; i < 9; ++i) {
      for (int k = 0; k < 3; ++k) {
        product.at[i] += earlier.at[i / 3 * 3 + k] * later.at[3 * k + i % 3];
      }
    }
    return product;
  }
};

/// The kinds of wrong operands that a tripwire operator detects.
enum class fault : std::uint32_t { none, uninitialized, unordered, overlapping, gap };

/// Positions [begin, end) of the items that a value sums, and the first fault among them. `begin` =
/// `end` = -1 is the identity. 16 bytes; positions up to 2^31.
struct interval {
  std::int32_t begin;
  std::int32_t end;
  std::uint32_t seal;  ///< `valid_seal`, unless the memory never held an interval
  fault found;
  bool operator==(interval const&) const = default;

  static constexpr std::uint32_t valid_seal = 0x5ea1ed01;

  LIBSCAN_HOST_DEVICE constexpr bool is_identity() const { return begin == -1 && end == -1; }

  /// Items [begin, end).
  LIBSCAN_HOST_DEVICE static constexpr interval over(index_t begin, index_t end) {
    return {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), valid_seal,
            fault::none};
  }
};

/// Joins neighbors, earlier first, and records anything else.
struct tripwire {
  using value_type = interval;
  LIBSCAN_HOST_DEVICE static constexpr interval identity() { return interval::over(-1, -1); }
  LIBSCAN_HOST_DEVICE constexpr interval operator()(interval earlier, interval later) const {
    if (earlier.seal != interval::valid_seal || later.seal != interval::valid_seal) {
      return {0, 0, interval::valid_seal, fault::uninitialized};
    }
    if (earlier.found != fault::none) return earlier;
    if (later.found != fault::none) return later;
    if (later.is_identity()) return earlier;
    if (earlier.is_identity()) return later;
    interval joined = interval::over(earlier.begin, later.end);
    if (later.begin < earlier.begin) {
      joined.found = fault::unordered;
    } else if (later.begin < earlier.end) {
      joined.found = fault::overlapping;
    } else if (later.begin > earlier.end) {
      joined.found = fault::gap;
    }
    return joined;
  }
};

/// In words, for the messages of tests.
inline std::string to_string(fault found) {
  switch (found) {
    case fault::none:
      return "no fault";
    case fault::uninitialized:
      return "uninitialized operand";
    case fault::unordered:
      return "operands in the wrong order";
    case fault::overlapping:
      return "operands overlap";
    case fault::gap:
      return "items left out between operands";
  }
  return "damaged interval";
}

/// n items for an operator over T: random bits or numbers for arithmetic types, suitable values for
/// the types above (affine: odd scales, so that nothing dies out; matrix: a determinant of 1, for
/// the same reason; maybe: one in four present; the k-th interval: [k, k + 1)).
template <class T>
std::vector<T> make_items(index_t n, std::uint64_t stream = 0) {
  if constexpr (std::is_arithmetic_v<T>) {
    return make_input<T>(pattern::random, n, stream);
  } else {
    random_words words(stream);
    std::vector<T> items;
    items.reserve(static_cast<std::size_t>(n));
    for (index_t k = 0; k < n; ++k) {
      auto const bits = words();
      if constexpr (std::is_same_v<T, affine>) {
        items.push_back(
            {static_cast<std::uint32_t>(bits) | 1U, static_cast<std::uint32_t>(bits >> 32)});
      } else if constexpr (std::is_same_v<T, maybe>) {
        bool const present = bits % 4 == 0;
        items.push_back({present ? static_cast<std::int32_t>(bits >> 32) : 0, present ? 1 : 0});
      } else if constexpr (std::is_same_v<T, shear>) {
        items.push_back({static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32),
                         static_cast<std::uint32_t>(words())});
      } else if constexpr (std::is_same_v<T, matrix>) {
        auto const x = static_cast<std::uint32_t>(bits);
        auto const y = static_cast<std::uint32_t>(bits >> 32);
        items.push_back(k % 2 == 0 ? matrix{{1, x, y, 0, 1, x ^ y, 0, 0, 1}}
                                   : matrix{{1, 0, 0, x, 1, 0, y, x + y, 1}});
      } else {
        static_assert(std::is_same_v<T, interval>);
        items.push_back(interval::over(k, k + 1));
      }
    }
    return items;
  }
}

}  // namespace libscan::test
