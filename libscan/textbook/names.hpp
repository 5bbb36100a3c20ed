// SPDX-License-Identifier: Apache-2.0
// The scans of the literature by name, for programs that offer a choice: strategies of a whole
// device, and the block scans inside them. Plain C++; catalog.cuh turns a choice into a type.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <libscan/core/name_table.hpp>

namespace libscan::inline v1 {

/// How the blocks of a device share a scan. Each has a file of its name in this folder.
enum class scan_strategy : std::uint8_t {
  sequential,
  global_hillis_steele,
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

inline constexpr std::array<other_name, 9> other_scan_names{{
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

/// The names of the strategies.
inline constexpr name_table<scan_strategy, 9, 9> scan_strategy_names{
    "scan strategy",
    {"sequential", "global-hillis-steele", "one-block", "scan-then-fan", "scan-then-propagate",
     "reduce-then-scan", "chained-scan", "decoupled-look-back", "production"},
    detail::other_scan_names};

/// The names of the block scans.
inline constexpr name_table<block_algorithm, 9, 9> block_algorithm_names{
    "block scan",
    {"sequential", "quadratic", "hillis-steele", "kogge-stone", "kogge-stone-double-buffered",
     "blelloch", "blelloch-padded", "blelloch-fully-padded", "brent-kung"},
    detail::other_scan_names};

/// The name that this library uses for an algorithm that the literature also calls `name`, for
/// example "chained-scan" for "streamscan"; `name` itself if it is no such name.
constexpr std::string_view own_algorithm_name(std::string_view name) {
  return scan_strategy_names.own(name);
}

/// All strategies, in the order of their publication.
inline constexpr auto all_scan_strategies = scan_strategy_names.values();

/// All block scans, simplest first.
inline constexpr auto all_block_algorithms = block_algorithm_names.values();

/// The name of a strategy, as users write it: "scan-then-fan".
constexpr std::string_view strategy_name(scan_strategy which) {
  return scan_strategy_names.name(which);
}

/// The strategy of that name, or of the literature's name for it. Throws `invalid_argument`, which
/// lists the valid names.
inline scan_strategy strategy_from_name(std::string_view name) {
  return scan_strategy_names.named(name);
}

/// The name of a block scan, as users write it: "kogge-stone".
constexpr std::string_view block_algorithm_name(block_algorithm which) {
  return block_algorithm_names.name(which);
}

/// The number of items that each thread of a block scan has.
constexpr int items_per_thread(block_algorithm which) {
  return which < block_algorithm::blelloch ? 1 : 2;
}

/// Whether the blocks of a strategy run a textbook block scan.
constexpr bool runs_block_scan(scan_strategy which) {
  return which != scan_strategy::sequential && which != scan_strategy::global_hillis_steele &&
         which != scan_strategy::production;
}

/// The block scan of that name, or of the literature's name for it. Throws `invalid_argument`,
/// which lists the valid names.
inline block_algorithm block_algorithm_from_name(std::string_view name) {
  return block_algorithm_names.named(name);
}

}  // namespace libscan::inline v1
