// SPDX-License-Identifier: Apache-2.0
// Ranks in a warp from one instruction. A ballot gives every lane the predicates of all lanes as
// bits; each lane counts those before its own (Harris & Garland, 3.2.2.1).
#include <cstdlib>
#include <string>

#include <examples/uses/program.hpp>

namespace examples {

/// What the lanes of a warp learn.
struct ranks_of_lanes {
  std::vector<unsigned> ballots, ranks;
  friend bool operator==(ranks_of_lanes const&, ranks_of_lanes const&) = default;
};

/// Lane l's ballot, and how many lanes before it are true.
struct ballot_kernel {
  __device__ void operator()(std::uint8_t const* predicates, unsigned* ballots,
                             unsigned* ranks) const {
    unsigned const lane = simt::lane_id();
    unsigned const word = simt::ballot(simt::full_warp, predicates[lane] != 0);
    ballots[lane] = word;
    ranks[lane] = static_cast<unsigned>(simt::popc(word & simt::lanemask_lt()));
  }
};

/// For the 32 predicates of a warp.
inline ranks_of_lanes rank_lanes(device_engine& on, std::vector<std::uint8_t> const& predicates) {
  auto const in = on.array(predicates);
  auto const ballots = on.array(std::vector<unsigned>(32)),
             ranks = on.array(std::vector<unsigned>(32));
  simt::launch<ballot_kernel>({.blocks = 1, .threads = 32},
                              static_cast<std::uint8_t const*>(in.data()), ballots.data(),
                              ranks.data());
  return {ballots.copy(), ranks.copy()};
}

/// The loop.
inline ranks_of_lanes rank_lanes_by_loop(std::vector<std::uint8_t> const& predicates) {
  ranks_of_lanes all{{}, {}};
  unsigned word = 0, rank = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    all.ranks.push_back(rank);
    if (predicates[lane] != 0) word |= 1u << lane, ++rank;
  }
  all.ballots.assign(32, word);
  return all;
}

#ifndef __CUDACC__
/// The cpu engine has no lanes: it runs the loop.
inline ranks_of_lanes rank_lanes(cpu_engine&, std::vector<std::uint8_t> const& predicates) {
  return rank_lanes_by_loop(predicates);
}
#endif

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  return run(
      argc, argv,
      [](auto& on, words given) {
        std::vector<int> items{3, 1, 7, 0, 4, 1, 6, 3};
        if (!given.empty()) items.clear();
        for (auto const word : given) items.push_back(std::atoi(word));
        if (items.size() > 32) throw invalid_argument("ballot: at most 32 numbers expected");
        std::vector<std::uint8_t> odd(32);
        for (std::size_t i = 0; i < items.size(); ++i) odd[i] = items[i] % 2 != 0;
        auto const [ballots, ranks] = rank_lanes(on, odd);
        std::printf("lane  item  odd  ballot (lane 0 right)  bits before  rank\n");
        for (std::size_t i = 0; i < items.size(); ++i) {
          std::string all, before;
          for (std::size_t bit = items.size(); bit-- > 0;) {
            bool const set = (ballots[i] >> bit & 1) != 0;
            all += set ? '1' : '0';
            before += bit < i ? (set ? '1' : '0') : '.';
          }
          std::printf("%4d  %4d  %3d  %21s  %11s  %4u\n", static_cast<int>(i), items[i], odd[i],
                      all.c_str(), before.c_str(), ranks[i]);
        }
      },
      [](auto& on, index_t, random_numbers& random) {
        auto const predicates = random.vector<std::uint8_t>(32, 2);
        return rank_lanes(on, predicates) == rank_lanes_by_loop(predicates);
      });
}
