// SPDX-License-Identifier: Apache-2.0
// What tests of the textbook scans share: all algorithms by name, a kernel that scans with any of
// them, and the first pass of a scan across blocks.
#pragma once

#include <iterator>
#include <vector>

#include <libscan/textbook/block/catalog.cuh>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {

namespace textbook = block::textbook;

template <class... Algorithms>
struct algorithm_list {};

using all_algorithms =
    algorithm_list<textbook::sequential, textbook::quadratic, textbook::hillis_steele,
                   textbook::kogge_stone, textbook::kogge_stone_double_buffered,
                   textbook::blelloch<textbook::dense>, textbook::blelloch<textbook::padded<16>>,
                   textbook::blelloch<textbook::padded<32>>,
                   textbook::blelloch<textbook::fully_padded<16>>,
                   textbook::blelloch<textbook::fully_padded<32>>, textbook::brent_kung>;

/// Calls body(name, Algorithm{}) for each of the list.
template <class Body, class... Algorithms>
void each_algorithm(algorithm_list<Algorithms...>, Body body) {
  static char const* const names[] = {"sequential",
                                      "quadratic",
                                      "Hillis-Steele",
                                      "Kogge-Stone",
                                      "Kogge-Stone, double-buffered",
                                      "Blelloch",
                                      "Blelloch, padded for 16 banks",
                                      "Blelloch, padded for 32 banks",
                                      "Blelloch, fully padded for 16 banks",
                                      "Blelloch, fully padded for 32 banks",
                                      "Brent-Kung"};
  static_assert(sizeof...(Algorithms) == std::size(names));
  auto const* name = names;
  (body(*name++, Algorithms{}), ...);
}

/// Scans three times n items with one storage, which must be reusable at once: the rounds are
/// inclusive, exclusive, inclusive. What lies after a round's n items is the identity.
template <class Algorithm, class Op, int MaxThreads>
struct textbook_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MaxThreads;
  static constexpr int rounds = 3;
  using shared_storage = typename Algorithm::template storage<T, MaxThreads>;

  __device__ void operator()(shared_storage& shared, T const* in, int n, T* out, T* totals) const {
    int const threads = static_cast<int>(blockDim.x);
    int const thread = static_cast<int>(threadIdx.x);
    constexpr int per_thread = Algorithm::items_per_thread;
    for (int round = 0; round < rounds; ++round) {
      T items[per_thread];
      for (int k = 0; k < per_thread; ++k) {
        int const i = k * threads + thread;
        items[k] = i < n ? in[round * n + i] : Op::identity();
      }
      T const total =
          round == 1 ? textbook::scan_tile<scan_kind::exclusive, Algorithm>(shared, items, Op{})
                     : textbook::scan_tile<scan_kind::inclusive, Algorithm>(shared, items, Op{});
      totals[round * threads + thread] = total;
      for (int k = 0; k < per_thread; ++k) {
        int const i = k * threads + thread;
        if (i < n) out[round * n + i] = items[k];
      }
    }
  }
};

/// The inclusive or the exclusive scan of up to 10 integers, by any algorithm.
template <class Algorithm>
std::vector<int> scan_few(scan_kind kind, std::vector<int> const& items) {
  using kernel = textbook_kernel<Algorithm, plus<int>, 10>;
  int const n = static_cast<int>(items.size());
  int const threads = ceil_div(n, Algorithm::items_per_thread);
  std::vector<int> rounds;
  for (int round = 0; round < kernel::rounds; ++round) {
    rounds.insert(rounds.end(), items.begin(), items.end());
  }
  device_image<int> in(rounds), out(kernel::rounds * n), totals(kernel::rounds * threads);
  simt::launch<kernel>({.blocks = 1, .threads = static_cast<unsigned>(threads)},
                       static_cast<int const*>(in.data()), n, out.data(), totals.data());
  auto const got = out.read();
  int const first = kind == scan_kind::exclusive ? n : 0;
  return {got.begin() + first, got.begin() + first + n};
}

/// How item i of a block scan across blocks is loaded; the last two are the mistakes that the
/// lecture warns of.
enum class loading { in_place, shifted, shifted_identity_per_block, shifted_by_thread };

template <loading How, class Op, class T>
__device__ T load(T const* in, int i, Op op) {
  if (How == loading::in_place) return in[i];
  if (How == loading::shifted_identity_per_block && threadIdx.x == 0) return op.identity();
  // Each thread's items shifted by their number, not by one.
  if (How == loading::shifted_by_thread) return i < 2 ? op.identity() : in[i - 2];
  return textbook::load_shifted(in, i, op);
}

/// The first pass of the hierarchical scan: every block scans its piece and writes the piece's sum.
template <class Algorithm, class Op, loading How>
struct piece_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = 64;
  using shared_storage = typename Algorithm::template storage<T, block_threads>;

  __device__ void operator()(shared_storage& shared, T const* in, int n, T* pieces, T* sums) const {
    constexpr int per_thread = Algorithm::items_per_thread;
    int const threads = static_cast<int>(blockDim.x);
    int const base =
        static_cast<int>(blockIdx.x) * threads * per_thread + static_cast<int>(threadIdx.x);
    T items[per_thread];
    for (int k = 0; k < per_thread; ++k) {
      int const i = base + k * threads;
      items[k] = i < n ? load<How>(in, i, Op{}) : Op::identity();
    }
    T const sum = textbook::scan_tile<scan_kind::inclusive, Algorithm>(shared, items, Op{});
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    for (int k = 0; k < per_thread; ++k) {
      int const i = base + k * threads;
      if (i < n) pieces[i] = items[k];
    }
  }
};

/// What the first pass leaves: each piece's own scan, and the pieces' sums.
template <class T>
struct pieces {
  std::vector<T> scanned;
  std::vector<T> sums;
};

template <class Algorithm, class Op, loading How>
pieces<typename Op::value_type> scan_pieces(std::vector<typename Op::value_type> const& items,
                                            int piece) {
  using T = typename Op::value_type;
  int const n = static_cast<int>(items.size());
  int const blocks = ceil_div(n, piece);
  device_image<T> in(items), out(n), sums(blocks);
  simt::launch<piece_kernel<Algorithm, Op, How>>(
      {.blocks = static_cast<unsigned>(blocks),
       .threads = static_cast<unsigned>(piece / Algorithm::items_per_thread)},
      static_cast<T const*>(in.data()), n, out.data(), sums.data());
  return {out.read(), sums.read()};
}

/// The last pass: what the pieces before sum up to comes before each item.
template <class Op, class T>
std::vector<T> add_sums(pieces<T> const& scanned, int piece, Op op) {
  auto const carries = scan_oracle(scan_kind::exclusive, scanned.sums, op, Op::identity()).out;
  auto result = scanned.scanned;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = op(carries[i / static_cast<std::size_t>(piece)], result[i]);
  }
  return result;
}

}  // namespace libscan::test
