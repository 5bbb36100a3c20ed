// SPDX-License-Identifier: Apache-2.0
// Sorts once more, in the simplest way.
#include <apps/radix_sort/program/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>

#include <apps/common/verifiers.hpp>
#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

namespace {

/// Whether number `a` is below `b`; NaN is above all others.
template <class T>
bool below(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return false;
    if (std::isnan(b)) return true;
  }
  return a < b;
}

/// The bits, of the unsigned number that orders `key`, that a sort by bits regards; taken one at a
/// time from the highest.
template <class T>
std::uint64_t chosen_bits(T key, int first_bit, int end_bit) {
  constexpr int width = 8 * sizeof(T);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &key, sizeof key);
  bool const negative = (bits >> (width - 1) & 1) != 0;
  bool all_ones = false;
  bool invert = false;
  if constexpr (std::is_floating_point_v<T>) {
    all_ones = std::isnan(key);
    if (key == 0) bits = 0;
    invert = negative && key != 0;
  }
  std::uint64_t chosen = 0;
  for (int bit = end_bit - 1; bit >= first_bit; --bit) {
    bool one = (bits >> bit & 1) != 0;
    if (invert || (bit == width - 1 && std::is_signed_v<T>)) one = !one;
    chosen = chosen << 1 | (one || all_ones ? 1 : 0);
  }
  return chosen;
}

template <class T, class Less>
void stable_order(std::vector<index_t>& positions, std::span<T const> keys, bool descending,
                  Less less) {
  std::stable_sort(positions.begin(), positions.end(), [&](index_t a, index_t b) {
    T const x = keys[static_cast<std::size_t>(a)];
    T const y = keys[static_cast<std::size_t>(b)];
    return descending ? less(y, x) : less(x, y);
  });
}

std::string wrong_count(std::size_t got, std::size_t expected) {
  return std::to_string(got) + " items came out, expected " + std::to_string(expected);
}

}  // namespace

std::vector<index_t> expected_positions(array const& keys, sort_options const& options,
                                        bool unique) {
  std::vector<index_t> positions(keys.count());
  std::iota(positions.begin(), positions.end(), index_t{0});
  bool const descending = options.direction == sort_direction::descending;
  visit_item_type(keys.type, [&]<class T>(std::type_identity<T>) {
    auto const items = keys.values<T>();
    constexpr int width = 8 * sizeof(T);
    int const end = options.end_bit < 0 ? width : options.end_bit;
    if (options.first_bit == 0 && end == width) {
      stable_order(positions, items, descending, below<T>);
    } else {
      stable_order(positions, items, descending, [&](T a, T b) {
        return chosen_bits(a, options.first_bit, end) < chosen_bits(b, options.first_bit, end);
      });
    }
    if (!unique) return;
    auto const same = [&](index_t a, index_t b) {
      return items[static_cast<std::size_t>(a)] == items[static_cast<std::size_t>(b)];
    };
    positions.erase(std::unique(positions.begin(), positions.end(), same), positions.end());
  });
  return positions;
}

std::string verify_items(array const& items, std::span<index_t const> expected,
                         std::span<std::byte const> got, char const* what) {
  return visit_item_type(items.type, [&]<class T>(std::type_identity<T>) -> std::string {
    auto const in = items.values<T>();
    std::size_t const count = got.size() / sizeof(T);
    if (count != expected.size()) return wrong_count(count, expected.size());
    for (std::size_t j = 0; j < count; ++j) {
      T const wanted = in[static_cast<std::size_t>(expected[j])];
      T found;
      std::memcpy(&found, got.data() + j * sizeof(T), sizeof(T));
      if (!agree(wanted, found)) return wrong_item(j, found, wanted, what);
    }
    return "";
  });
}

std::string verify_positions(std::span<index_t const> expected, std::span<index_t const> got) {
  if (got.size() != expected.size()) return wrong_count(got.size(), expected.size());
  for (std::size_t j = 0; j < got.size(); ++j) {
    if (!agree(expected[j], got[j])) return wrong_item(j, got[j], expected[j], "position");
  }
  return "";
}

std::string difference_of(verifier by, array const& keys, sort_options const& options) {
  // The loop is std::stable_sort.
  if (by == verifier::standard) return "";
  std::vector<std::uint64_t> words(keys.count());
  int end_bit = 0;
  visit_item_type(keys.type, [&]<class T>(std::type_identity<T>) {
    sort_order<T> const order{options.direction, options.first_bit, options.end_bit};
    end_bit = order.end();
    auto const items = keys.values<T>();
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = order.word(items[i]);
  });
  // CUB takes neither no keys nor no bits.
  if (words.empty() || options.first_bit >= end_bit) return "";
  std::vector<index_t> positions;
  if constexpr (libscan::detail::has_cuda) {
    positions = by == verifier::cub ? positions_by_cub(words, options.first_bit, end_bit)
                                    : positions_by_thrust(words, options.first_bit, end_bit);
  } else {
    libscan::detail::refuse_cuda();
  }
  return verify_positions(expected_positions(keys, options, false), positions);
}

}  // namespace libscan::apps
