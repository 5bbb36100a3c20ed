// SPDX-License-Identifier: Apache-2.0
// The device sort of CUDA's own floats of 16 bits, which only nvcc knows.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tests/apps/radix_sort/sort_cases.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Sorts keys that CUDA knows as Key, and this library's own type of 16 bits as Bits.
template <class Key, class Bits>
void require_sorted_halves(index_t n) {
  INFO("n = " << n);
  auto const keys = make_keys<Bits>(variety::any, n);
  device_image<Bits> in(keys, 1), out(n, 3);
  device_image<std::uint32_t> positions(n);
  auto const* const from = reinterpret_cast<Key const*>(in.data());
  workspace ws;
  for (auto const direction : {sort_direction::ascending, sort_direction::descending}) {
    auto const expected = sorted_positions(keys, [&](Bits const& a, Bits const& b) {
      return direction == sort_direction::ascending ? plainly_less(a, b) : plainly_less(b, a);
    });
    sort_order<Key> const order{.direction = direction};
    sort_keys(ws, from, reinterpret_cast<Key*>(out.data()), n, order);
    REQUIRE(bit_difference(taken(keys, expected), out.read()) == "");
    argsort(ws, from, positions.data(), n, order);
    auto const got = positions.read();
    REQUIRE(difference(expected, std::vector<index_t>(got.begin(), got.end())) == "");
  }
  REQUIRE(in.damage() + out.damage() + positions.damage() == "");
}

}  // namespace

TEST_CASE("CUDA's own floats of 16 bits are sorted") {
  for (index_t const n : {0, 1, 1000, 20000, 300001}) {
    require_sorted_halves<__half, float16>(n);
    require_sorted_halves<__nv_bfloat16, bfloat16>(n);
  }
}
