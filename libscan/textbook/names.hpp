// SPDX-License-Identifier: Apache-2.0
// The scans of the literature by name, for programs that offer a choice: strategies of a whole
// device, and the block scans inside them. Plain C++; catalog.cuh turns a choice into a type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <libscan/core/error.hpp>

namespace libscan::inline v1 {

/// How the blocks of a device share a scan. Each has a file of its name in this folder.
enum class scan_strategy : std::uint8_t {
  sequential,
  one_block,
  scan_then_fan,
  scan_then_propagate,
  reduce_then_scan,
  chained_scan,
  decoupled_look_back,
  production
};

/// Which textbook scan the threads of a block run (libscan/textbook/block/).
enum class block_algorithm : std::uint8_t {
  sequential,
  quadratic,
  hillis_steele,
  kogge_stone,
  kogge_stone_double_buffered,
  blelloch,
  blelloch_padded,
  blelloch_fully_padded,
  brent_kung
};

namespace detail {

/// A name that the literature uses, and the one here.
struct other_name {
  std::string_view other, own;
};

inline constexpr std::array<other_name, 9> other_names{{
    {"naive", "hillis-steele"},         // Harris 2007
    {"work-efficient", "blelloch"},     // Harris 2007, Verona
    {"gpu-gems", "scan-then-fan"},      // Harris, Sengupta & Owens 2007
    {"hierarchical", "scan-then-fan"},  // the walkthrough, the lecture
    {"cudpp", "scan-then-propagate"},   // Sengupta, Harris, Zhang & Owens 2007
    {"merrill", "reduce-then-scan"},    // Merrill & Grimshaw 2009
    {"streamscan", "chained-scan"},     // Yan, Long & Zhang 2013
    {"merrill-garland", "decoupled-look-back"},
    {"look-back", "decoupled-look-back"},
}};

}  // namespace detail

/// The name that this library uses for an algorithm that the literature also calls `name`, for
/// example "chained-scan" for "streamscan"; `name` itself if it is no such name.
constexpr std::string_view own_algorithm_name(std::string_view name) {
  for (detail::other_name const& each : detail::other_names) {
    if (each.other == name) return each.own;
  }
  return name;
}

namespace detail {

inline constexpr std::array<std::string_view, 8> scan_strategy_names{
    "sequential",       "one-block",    "scan-then-fan",       "scan-then-propagate",
    "reduce-then-scan", "chained-scan", "decoupled-look-back", "production"};

inline constexpr std::array<std::string_view, 9> block_algorithm_names{
    "sequential",
    "quadratic",
    "hillis-steele",
    "kogge-stone",
    "kogge-stone-double-buffered",
    "blelloch",
    "blelloch-padded",
    "blelloch-fully-padded",
    "brent-kung"};

template <class Enum, std::size_t Count>
Enum from_name(std::array<std::string_view, Count> const& names, std::string_view name,
               char const* what) {
  std::string valid;
  std::string_view const own = own_algorithm_name(name);
  for (std::size_t i = 0; i < Count; ++i) {
    if (names[i] == own) return static_cast<Enum>(i);
    valid += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw invalid_argument(std::string(what) + " \"" + std::string(name) +
                         "\" is unknown; expected one of " + valid);
}

template <class Enum, std::size_t Count>
constexpr std::array<Enum, Count> all_values(std::array<std::string_view, Count> const&) {
  std::array<Enum, Count> all{};
  for (std::size_t i = 0; i < Count; ++i) all[i] = static_cast<Enum>(i);
  return all;
}

}  // namespace detail

/// All strategies, in the order of their publication.
inline constexpr auto all_scan_strategies =
    detail::all_values<scan_strategy>(detail::scan_strategy_names);

/// All block scans, simplest first.
inline constexpr auto all_block_algorithms =
    detail::all_values<block_algorithm>(detail::block_algorithm_names);

/// The name of a strategy, as users write it: "scan-then-fan".
constexpr std::string_view strategy_name(scan_strategy which) {
  return detail::scan_strategy_names[static_cast<std::size_t>(which)];
}

/// The strategy of that name, or of the literature's name for it. Throws `invalid_argument`, which
/// lists the valid names.
inline scan_strategy strategy_from_name(std::string_view name) {
  return detail::from_name<scan_strategy>(detail::scan_strategy_names, name, "scan strategy");
}

/// The name of a block scan, as users write it: "kogge-stone".
constexpr std::string_view block_algorithm_name(block_algorithm which) {
  return detail::block_algorithm_names[static_cast<std::size_t>(which)];
}

/// The block scan of that name, or of the literature's name for it. Throws `invalid_argument`,
/// which lists the valid names.
inline block_algorithm block_algorithm_from_name(std::string_view name) {
  return detail::from_name<block_algorithm>(detail::block_algorithm_names, name, "block scan");
}

}  // namespace libscan::inline v1
