// SPDX-License-Identifier: Apache-2.0
// Passes the sorts of sort_by.hpp to their engines; the counting sort.
#include <apps/radix_sort/program/sort_by.hpp>

#include <algorithm>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/host/on_engine.hpp>
#include <libscan/split_by_key.hpp>

namespace libscan::apps {
namespace {

constexpr std::uint64_t max_counted_keys = 256;

/// A stable split by the compared bits, as numbers from the smallest of them on.
void counting_argsort(engine const& on, std::span<std::uint64_t const> words, int first_bit,
                      int end_bit, std::span<index_t> positions) {
  if (words.empty()) return;
  std::uint64_t const all = ~std::uint64_t{0};
  std::uint64_t const below_end = end_bit < 64 ? ~(all << end_bit) : all;
  auto const number = [&](std::uint64_t word) {
    return first_bit < 64 ? (word & below_end) >> first_bit : 0;
  };
  std::uint64_t smallest = all, largest = 0;
  for (std::uint64_t const word : words) {
    smallest = std::min(smallest, number(word));
    largest = std::max(largest, number(word));
  }
  if (largest - smallest >= max_counted_keys) {
    throw invalid_argument("--algorithm counting: the smallest and the largest key are " +
                           std::to_string(largest - smallest) +
                           " apart, as unsigned words; expected less than " +
                           std::to_string(max_counted_keys));
  }
  std::vector<std::uint8_t> keys(words.size()), grouped(words.size());
  std::vector<index_t> in_order(words.size()), offsets(largest - smallest + 2);
  for (std::size_t i = 0; i < words.size(); ++i) {
    keys[i] = static_cast<std::uint8_t>(number(words[i]) - smallest);
    in_order[i] = static_cast<index_t>(i);
  }
  split_by_key(on, keys, grouped, in_order, positions, offsets);
}

}  // namespace

void argsort_words(engine const& on, sort_algorithm which, std::span<std::uint64_t const> words,
                   int first_bit, int end_bit, std::span<index_t> positions) {
  if (which == sort_algorithm::counting) {
    return counting_argsort(on, words, first_bit, end_bit, positions);
  }
  libscan::detail::on_engine(
      on, static_cast<index_t>(words.size()),
      [&](auto device) {
        using machine = device_argsort<decltype(device)>;
        if (which == sort_algorithm::split) {
          machine::split(device, words, first_bit, end_bit, positions.data());
        } else {
          machine::block_radix(device, words, first_bit, end_bit, positions.data());
        }
      },
      [](int) {
        throw invalid_argument("argsort_words: the cpu engine; expected one that runs kernels");
      });
}

}  // namespace libscan::apps
