// SPDX-License-Identifier: Apache-2.0
// Arrays spread over simulated ranks: how long the parts are, and what the ranks return.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/simulated_ranks.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {

/// How items are spread over ranks.
enum class spread : std::uint8_t { even, uneven, all_on_last, every_third };

inline std::vector<spread> all_spreads() {
  return {spread::even, spread::uneven, spread::all_on_last, spread::every_third};
}

/// `total` items over `ranks` ranks.
inline distribution spread_out(spread how, index_t total, int ranks) {
  if (how == spread::even) return distribution::even(total, ranks);
  std::vector<index_t> lengths(static_cast<std::size_t>(ranks));
  if (how == spread::all_on_last) lengths.back() = total;
  random_words words(static_cast<std::uint64_t>(total + ranks));
  index_t left = how == spread::all_on_last ? 0 : total;
  for (std::size_t r = 0; r < lengths.size() && left > 0; ++r) {
    if (how == spread::every_third && r % 3 != 1 && r + 1 < lengths.size()) continue;
    auto const bound = static_cast<std::uint64_t>(3 * total / ranks + 2);
    lengths[r] = std::min(left, static_cast<index_t>(words.below(bound)));
    left -= lengths[r];
  }
  lengths.back() += left;
  return distribution(lengths);
}

/// The part of `all` that a rank holds.
template <class T>
std::span<T> part_of(std::vector<T>& all, distribution const& d, int rank) {
  return std::span<T>(all).subspan(static_cast<std::size_t>(d.begin(rank)),
                                   static_cast<std::size_t>(d.size(rank)));
}

/// Whether two arrays have the same bits.
template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Calls body(comm) on `ranks` simulated ranks.
inline void on_ranks(int ranks, std::uint64_t seed,
                     std::function<void(communicator const&)> const& body) {
  simulated_ranks(ranks, seed).run(body);
}

}  // namespace libscan::test
