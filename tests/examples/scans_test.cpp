// SPDX-License-Identifier: Apache-2.0
// The example kernels that scan: in warps, within segments, by tiles, and the textbook's scans,
// against sequential loops.
#include <cstdint>
#include <numeric>
#include <vector>

#include <examples/kernels/segments.cuh>
#include <examples/kernels/textbook.cuh>
#include <examples/kernels/tiles.cuh>
#include <examples/kernels/warp_scans.cuh>
#include <tests/examples/kernels.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace examples;
using namespace examples::test;

namespace {

/// The scan of every piece of `length` items by itself.
template <class Op, class T>
std::vector<T> piecewise_scan(scan_kind kind, std::vector<T> const& items, std::size_t length,
                              Op op) {
  std::vector<T> out;
  for (std::size_t w = 0; w < pieces(items, length); ++w) {
    auto const scanned = scan_oracle(kind, piece(items, w, length), op, op.identity()).out;
    out.insert(out.end(), scanned.begin(), scanned.end());
  }
  return out;
}

/// How many earlier items of each one's segment are odd; segments end every `length` items too.
std::vector<int> odd_ranks_oracle(std::vector<int> const& in,
                                  std::vector<unsigned char> const& heads, std::size_t length) {
  std::vector<int> ranks;
  int odd = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (heads[i] != 0 || i % length == 0) odd = 0;
    ranks.push_back(odd);
    odd += in[i] % 2 != 0 ? 1 : 0;
  }
  return ranks;
}

}  // namespace

TEST_CASE("scans of warps by shuffles, in shared memory, and bit by bit") {
  each_size(grid_sizes, [](index_t n) {
    auto const items = make_input<float>(pattern::special, n);
    auto const expected = piecewise_scan(scan_kind::inclusive, items, 32, maximum<float>{});
    device_image<float> in(items), by_shuffles(n), shared(n);
    simt::launch<running_maximum_kernel>(grid_for(n), input(in), n, by_shuffles.data());
    simt::launch<shared_running_maximum_kernel>(grid_for(n), input(in), n, shared.data());
    REQUIRE(difference(expected, take(by_shuffles)) == "");
    REQUIRE(difference(expected, take(shared)) == "");

    auto const lengths = numbers<unsigned>(n, 0, 15);
    device_image<unsigned> codes(lengths), starts(n), bits(ceil_div(n, index_t{256}) * 8);
    simt::launch<code_starts_kernel>(grid_for(n), input(codes), n, starts.data(), bits.data());
    REQUIRE(take(starts) == piecewise_scan(scan_kind::exclusive, lengths, 32, plus<unsigned>{}));
    auto const got = take(bits);
    for (std::size_t w = 0; w < pieces(lengths, 32); ++w) {
      auto const own = piece(lengths, w, 32);
      REQUIRE(got[w] == std::accumulate(own.begin(), own.end(), 0u));
    }
  });
}

TEST_CASE("segments of warps and blocks") {
  each_size(grid_sizes, [](index_t n) {
    for (int const one_in : {1, 3, 20, 1000}) {
      auto const in = numbers<int>(n, 1, 9);
      auto heads = numbers<unsigned char>(n, 0, 0);
      auto const draws = numbers<int>(n, 1, one_in, 1);
      for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = draws[i] == 1 ? 1 : 0;
      device_image<int> d_in(in), of_warp(n), of_block(n);
      device_image<unsigned char> d_heads(heads);
      simt::launch<odd_ranks_kernel>(grid_for(n), input(d_in), input(d_heads), n, of_warp.data());
      simt::launch<odd_ranks_of_block_kernel>(grid_for(n), input(d_in), input(d_heads), n,
                                              of_block.data());
      REQUIRE(take(of_warp) == odd_ranks_oracle(in, heads, 32));
      REQUIRE(take(of_block) == odd_ranks_oracle(in, heads, block_threads));

      std::vector<float> const values(in.begin(), in.end());
      std::vector<unsigned> words(pieces(heads, 32));
      for (std::size_t i = 0; i < heads.size(); ++i) words[i / 32] |= unsigned{heads[i]} << i % 32;
      device_image<float> d_values(values), shares(n);
      device_image<unsigned> d_words(words);
      simt::launch<shares_kernel>(grid_for(n), input(d_values), input(d_words), n, shares.data());
      std::vector<float> expected(values.size());
      for (std::size_t begin = 0; begin < values.size();) {
        std::size_t end = begin + 1;
        while (end < values.size() && heads[end] == 0 && end % 32 != 0) ++end;
        float const sum = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                          values.begin() + static_cast<std::ptrdiff_t>(end), 0.0f);
        for (; begin < end; ++begin) expected[begin] = values[begin] / sum;
      }
      REQUIRE(take(shares) == expected);
    }
  });
}

TEST_CASE("segments that run through many tiles") {
  each_size({0, 1, 255, 256, 257, 513, 3000}, [](index_t n) {
    for (int const one_in : {1, 2, 100, 5000}) {
      auto const in = numbers<int>(n, -9, 9);
      auto heads = numbers<unsigned char>(n, 0, 0);
      auto const draws = numbers<int>(n, 1, one_in, 1);
      std::vector<int> expected;
      for (std::size_t i = 0; i < heads.size(); ++i) {
        heads[i] = draws[i] == 1 ? 1 : 0;
        expected.push_back(in[i] + (heads[i] != 0 || i == 0 ? 0 : expected.back()));
      }
      device_image<int> d_in(in), out(n);
      device_image<unsigned char> d_heads(heads);
      simt::launch<running_sums_kernel>(one_block, input(d_in), input(d_heads), n, out.data());
      REQUIRE(take(out) == expected);
    }
  });
}

TEST_CASE("tiles of several items per thread") {
  each_size({1, 3, 4, 255, 1023, 1024, 1025, 5000}, [](index_t n) {
    auto const items = numbers<int>(n, -1000, 1000);
    device_image<int> in(items), out(n);
    simt::launch<tile_sums_kernel>(grid_for(n, tile_items), input(in), n, out.data());
    REQUIRE(take(out) == piecewise_scan(scan_kind::inclusive, items, tile_items, plus<int>{}));
  });
}

TEMPLATE_TEST_CASE("textbook scans by name", "", block::textbook::sequential,
                   block::textbook::quadratic, block::textbook::hillis_steele,
                   block::textbook::kogge_stone, block::textbook::kogge_stone_double_buffered,
                   block::textbook::blelloch<>,
                   block::textbook::blelloch<block::textbook::fully_padded<32>>,
                   block::textbook::brent_kung) {
  for (unsigned const threads : {1u, 31u, 100u, 256u}) {
    int const most = TestType::items_per_thread * static_cast<int>(threads);
    each_size({0, 1, most / 2, most}, [=](index_t n) {
      auto const items = numbers<int>(n, -1000, 1000);
      device_image<int> in(items), out(n);
      simt::launch<textbook_kernel<TestType>>({.blocks = 1, .threads = threads}, input(in),
                                              static_cast<int>(n), out.data());
      REQUIRE(take(out) == scan_oracle(scan_kind::inclusive, items, plus<int>{}, 0).out);
    });
  }
}
