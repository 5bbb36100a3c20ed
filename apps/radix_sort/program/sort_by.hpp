// SPDX-License-Identifier: Apache-2.0
// The sorts of scan-sort by a selected algorithm, in plain C++. Those that the host API does not
// have see keys as 64-bit words in the order of the sort, and find positions: so one compiled sort
// serves all types of keys, values and rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/name_table.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::apps {

/// The sorts. `onesweep`: production, on a GPU digit by digit. `split`: the textbook's, a split by
/// a binary scan for each bit. `block_radix`: the same in one block, of at most 1024 keys.
/// `counting`: counts of at most 256 different keys, a scan of the counts, and one move.
enum class sort_algorithm : std::uint8_t { onesweep, split, block_radix, counting };

/// Their names.
inline constexpr name_table<sort_algorithm, 4, 3> sort_algorithm_names{
    "algorithm of a sort",
    {"onesweep", "split", "block-radix", "counting"},
    {{{"split-radix", "split"}, {"intra-block", "block-radix"}, {"split-by-key", "counting"}}}};

/// Whether it is made of kernels only: all but the counting sort, which every engine has.
constexpr bool needs_kernels(std::optional<sort_algorithm> which) {
  return which && *which != sort_algorithm::counting;
}

/// positions[j] = the position of the word that comes j-th, by bits [first_bit, end_bit). Words
/// equal in those bits keep their order. `which` is not `onesweep`.
/// Throws: `invalid_argument` for more words than the executor or a block takes, for words of more
/// than 256 values to count, and for kernels on the cpu engine; `device_error`,
/// `engine_unavailable` or std::bad_alloc.
void argsort_words(engine const& on, sort_algorithm which, std::span<std::uint64_t const> words,
                   int first_bit, int end_bit, std::span<index_t> positions);

/// What `argsort_words` runs on a `cuda_device` or an `executor_run`.
template <class Machine>
struct device_argsort {
  static void split(Machine on, std::span<std::uint64_t const> words, int first_bit, int end_bit,
                    index_t* positions);
  static void block_radix(Machine on, std::span<std::uint64_t const> words, int first_bit,
                          int end_bit, index_t* positions);
};

/// `argsort` by `which`; none: the engine's own.
template <class Key>
void argsort_by(engine const& on, std::optional<sort_algorithm> which, std::span<Key const> keys,
                std::span<index_t> positions, sort_options const& options) {
  if (which.value_or(sort_algorithm::onesweep) == sort_algorithm::onesweep) {
    return argsort(on, keys, positions, options);
  }
  sort_order<Key> const order{options.direction, options.first_bit, options.end_bit};
  order.check_bits();
  std::vector<std::uint64_t> words(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) words[i] = order.word(keys[i]);
  argsort_words(on, *which, words, order.first_bit, order.end(), positions);
}

/// `sort_pairs` by `which`, and `sort_keys` if there are no values; none: the engine's own.
template <class Key, class Value = std::uint8_t>
void sort_by(engine const& on, std::optional<sort_algorithm> which, std::span<Key const> keys,
             std::span<Key> out, sort_options const& options, std::span<Value const> values = {},
             std::span<Value> values_out = {}) {
  if (which.value_or(sort_algorithm::onesweep) == sort_algorithm::onesweep) {
    if (values.empty()) return sort_keys(on, keys, out, options);
    return sort_pairs(on, keys, out, values, values_out, options);
  }
  std::vector<index_t> positions(keys.size());
  argsort_by(on, which, keys, std::span<index_t>(positions), options);
  for (std::size_t j = 0; j < keys.size(); ++j) {
    auto const i = static_cast<std::size_t>(positions[j]);
    out[j] = keys[i];
    if (!values.empty()) values_out[j] = values[i];
  }
}

}  // namespace libscan::apps
