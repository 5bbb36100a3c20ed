// SPDX-License-Identifier: Apache-2.0
// The memory that a sort of a file takes on CPU threads, in addition to what has been read.
#pragma once

#include <algorithm>
#include <cstdint>

namespace libscan::apps {

/// In bytes: what a sort of unordered keys needs at least, and what it may need, depending on the
/// keys.
struct memory_needs {
  std::uint64_t min_bytes = 0;
  std::uint64_t max_bytes = 0;

  void add(std::uint64_t bytes) {
    min_bytes += bytes;
    max_bytes += bytes;
  }
};

/// The input of a sort. Sizes in bytes.
struct sort_shape {
  std::uint64_t n = 0;
  std::uint64_t key = 0;
  std::uint64_t value = 0;  ///< 0: no values
  bool positions = false;   ///< of 8 bytes are wanted, instead of keys and values
  bool words = true;        ///< keys are sorted as words: they have no -0 and no NaN
  int threads = 1;
};

/// The memory of results and the sort's own memory. `sort_keys`, `sort_pairs` and `argsort` in
/// radix_sort.hpp specify it: most if many keys share bits.
inline memory_needs needs_of(sort_shape const& shape) {
  auto const together = [](std::uint64_t a, std::uint64_t b) { return 2 * std::max(a, b); };
  std::uint64_t const position = shape.n <= std::uint64_t{1} << 32 ? 4 : 8;
  std::uint64_t const result = shape.positions ? 8 : shape.key + shape.value;
  bool const carried = shape.value == 0 || shape.value == 4 || shape.value == 8;
  bool const by_positions = shape.positions || !carried || !shape.words;
  std::uint64_t item = shape.key, space = 0, more = shape.key;
  if (by_positions) {
    item = more = together(shape.key, position);
    // Positions are a result, and as long as short items.
    space = shape.positions && item == result ? 0 : item;
    if (!shape.positions) space += position;
  } else if (shape.value != 0) {
    item = together(shape.key, shape.value);
    bool const in_results = shape.key == shape.value;
    space = in_results ? 0 : item;
    more = in_results ? 2 * item : item;
  }
  constexpr std::uint64_t of_thread = 3u << 20;
  std::uint64_t const of_threads = static_cast<std::uint64_t>(shape.threads) * of_thread;
  memory_needs needs;
  needs.add(shape.n * (result + space));
  needs.max_bytes += shape.n * more + std::min(of_threads + shape.n * item / 4, 2 * shape.n * item);
  return needs;
}

}  // namespace libscan::apps
