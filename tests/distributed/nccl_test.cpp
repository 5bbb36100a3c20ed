// SPDX-License-Identifier: Apache-2.0
// Exchanges and sorts over NCCL on all GPUs of this machine, against copies between them; on one
// GPU its single rank.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/distributed/device_sort.hpp>
#include <libscan/distributed/nccl.hpp>
#include <libscan/distributed/threads.hpp>
#include <tests/distributed/device_ranks.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using test::on_device;
using test::part_of;
using test::spread;

namespace {

/// Keys sorted over all GPUs; `wrap` makes the communicator of a rank from that of its thread.
template <class Wrap>
std::vector<std::uint64_t> sorted_on(std::vector<engine> const& gpus,
                                     std::vector<std::uint64_t> keys, Wrap const& wrap) {
  auto const n = static_cast<index_t>(keys.size());
  auto const ranks_of = static_cast<int>(gpus.size());
  auto const in = test::spread_out(spread::uneven, n, ranks_of);
  auto const out = distribution::even(n, ranks_of);
  std::vector<std::uint64_t> sorted(keys.size());
  thread_ranks(gpus).run([&](ranks const& control) {
    ranks const on{wrap(control), control.queue()};
    on_device<std::uint64_t> const mine(on, part_of(keys, in, on.rank()));
    on_device<std::uint64_t> const to(on, part_of(sorted, out, on.rank()));
    sort_keys(on, test::span_of(mine), test::span_of(to));
    to.download(part_of(sorted, out, on.rank()));
  });
  return sorted;
}

}  // namespace

TEST_CASE("sorts over NCCL have the results of sorts by copies between GPUs") {
  test::machines();  // ends the program without a GPU
  auto const gpus = all_gpus();
  test::random_words words(3);
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < 100000; ++i) keys.push_back(words.below(1 << 20));
  auto const by_copies = sorted_on(gpus, keys, [](ranks const& on) { return on.comm(); });
  std::ranges::sort(keys);
  CHECK(by_copies == keys);
  CHECK(sorted_on(gpus, keys, [](ranks const& on) {
          return nccl_communicator_of(on.comm(), on.local());
        }) == keys);

  std::vector<ncclComm_t> owned(gpus.size());
  std::vector<int> devices;
  for (engine const& one : gpus) devices.push_back(one.device());
  REQUIRE(ncclCommInitAll(owned.data(), static_cast<int>(owned.size()), devices.data()) ==
          ncclSuccess);
  CHECK(sorted_on(gpus, keys, [&](ranks const& on) {
          return communicator_of(on.comm(), owned[static_cast<std::size_t>(on.rank())]);
        }) == keys);
  for (ncclComm_t const one : owned) CHECK(ncclCommDestroy(one) == ncclSuccess);
}

TEST_CASE("NCCL needs a GPU on every rank") {
  auto const found = thread_ranks({engine::cpu(1)}).outcomes([](ranks const& on) {
    nccl_communicator_of(on.comm(), on.local());
  });
  REQUIRE_THROWS_WITH(std::rethrow_exception(found[0]),
                      "nccl_communicator_of: the engine is cpu, 1 thread; expected a GPU");
}
