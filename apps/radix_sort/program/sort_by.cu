// SPDX-License-Identifier: Apache-2.0
// The sorts of sort_by.hpp on the machine that this file is compiled for.
#include <apps/radix_sort/device/block_argsort.cuh>
#include <apps/radix_sort/program/sort_by.hpp>
#include <libscan/core/error.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>
#include <libscan/split_sort.cuh>

namespace libscan::apps {
namespace {

/// A word with its position, as one key.
struct placed_word {
  std::uint64_t word;
  index_t position;
};

/// Their order.
struct by_word {
  LIBSCAN_HOST_DEVICE std::uint64_t operator()(placed_word const& key) const { return key.word; }
};

}  // namespace

template <class Machine>
void device_argsort<Machine>::split(Machine on, std::span<std::uint64_t const> words, int first_bit,
                                    int end_bit, index_t* positions) {
  device::on_machine const here(on);
  std::vector<placed_word> keys(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) keys[i] = {words[i], static_cast<index_t>(i)};
  device::transfer_buffer<placed_word> const d_keys{std::span<placed_word const>(keys)};
  workspace ws;
  sort_order<placed_word, by_word> order;
  order.first_bit = first_bit;
  order.end_bit = end_bit;
  split_sort(ws, d_keys.data(), d_keys.size(), order);
  d_keys.read_sync(keys.data(), d_keys.size());
  for (std::size_t i = 0; i < words.size(); ++i) positions[i] = keys[i].position;
}

template <class Machine>
void device_argsort<Machine>::block_radix(Machine on, std::span<std::uint64_t const> words,
                                          int first_bit, int end_bit, index_t* positions) {
  using kernel = device::block_argsort_kernel;
  if (words.size() > kernel::block_threads) {
    throw invalid_argument("--algorithm block-radix: " + std::to_string(words.size()) +
                           " keys; expected at most " + std::to_string(kernel::block_threads) +
                           ", one for each thread of a block");
  }
  device::on_machine const here(on);
  auto const n = static_cast<index_t>(words.size());
  device::transfer_buffer<std::uint64_t> const d_words(words);
  device::transfer_buffer<index_t> const d_positions(n);
  simt::launch<kernel>({.blocks = 1, .threads = kernel::block_threads},
                       static_cast<std::uint64_t const*>(d_words.data()), static_cast<int>(n),
                       first_bit, end_bit, d_positions.data());
  d_positions.read_sync(positions, n);
}

template struct device_argsort<device::this_machine>;

}  // namespace libscan::apps
