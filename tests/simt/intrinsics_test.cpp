// SPDX-License-Identifier: Apache-2.0
// Votes, matches, reductions and what a lane knows of itself, on both machines against a scalar
// model, for whole, partial and split warps.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <libscan/simt/simt.cuh>
#include <tests/simt/warp_shapes.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

namespace libscan::test {

namespace {

// ---- votes, matches, reductions ----------------------------------------------------------------

struct answers {
  unsigned ballot, any, all;
  unsigned match_few, match_many, match_wide, match_double;
  unsigned all_same, all_same_wide, all_different;
  unsigned sum, min_unsigned, max_unsigned, conjunction, disjunction, parity;
  int sum_signed, min_signed, max_signed;
  unsigned active;
};

__host__ __device__ inline bool predicate_of(int rank, int round) {
  if (round == 0) return true;
  if (round == 1) return false;
  if (round == 2) return rank % 32 == 5;
  return scramble(static_cast<unsigned>(rank * 31 + round)) % 3 == 0;
}

__host__ __device__ inline unsigned number_of(int rank, int round) {
  return scramble(static_cast<unsigned>(rank * 64 + round));
}

constexpr int rounds = 6;

struct collective_kernel {
  __device__ void operator()(split how, answers* out) const {
    int const rank = simt::thread_rank();
    int const mine = group_of(how, simt::lane_id());
    for (int round = 0; round < rounds; ++round) {
      answers& to = out[rank * rounds + round];
      for (int group = 0; group < max_groups; ++group) {
        if (group == mine) ask(mask_of(how, group), rank, round, to);
      }
    }
  }

  __device__ static void ask(unsigned mask, int rank, int round, answers& to) {
    bool const predicate = predicate_of(rank, round);
    unsigned const number = number_of(rank, round);
    to.ballot = simt::ballot(mask, predicate);
    to.any = simt::any(mask, predicate);
    to.all = simt::all(mask, predicate);
    to.match_few = simt::match_any(mask, number % 3);
    to.match_many = simt::match_any(mask, static_cast<int>(number % 50));
    to.match_wide = simt::match_any(mask, (number % 2 + 1ull) << 40);
    to.match_double = simt::match_any(mask, static_cast<double>(number % 4) / 3);
    to.all_same = simt::match_all(mask, 17u);
    to.all_same_wide = simt::match_all(mask, (1ull << 50) + static_cast<unsigned>(round));
    to.all_different = simt::match_all(mask, rank);
    to.sum = simt::reduce_add(mask, number);
    to.min_unsigned = simt::reduce_min(mask, number);
    to.max_unsigned = simt::reduce_max(mask, number);
    to.conjunction = simt::reduce_and(mask, number | 0x00ff0000u);
    to.disjunction = simt::reduce_or(mask, number & 0x11111111u);
    to.parity = simt::reduce_xor(mask, number);
    to.sum_signed = simt::reduce_add(mask, static_cast<int>(number));
    to.min_signed = simt::reduce_min(mask, static_cast<int>(number));
    to.max_signed = simt::reduce_max(mask, static_cast<int>(number));
    to.active = simt::active_mask();
    simt::sync_warp(mask);
  }
};

template <class Key>
unsigned lanes_alike(unsigned lanes, int warp_start, int lane, Key key) {
  unsigned alike = 0;
  for (int other = 0; other < 32; ++other) {
    bool const there = (lanes >> other & 1u) != 0;
    if (there && key(warp_start + other) == key(warp_start + lane)) alike |= 1u << other;
  }
  return alike;
}

/// What every lane must get, except `active`.
answers model(unsigned lanes, int rank, int round) {
  int const start = rank / 32 * 32;
  answers a{};
  a.all = 1;
  a.conjunction = ~0u;
  a.min_unsigned = ~0u;
  a.min_signed = INT32_MAX;
  a.max_signed = INT32_MIN;
  for (int lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1u) == 0) continue;
    bool const predicate = predicate_of(start + lane, round);
    unsigned const number = number_of(start + lane, round);
    int const as_signed = static_cast<int>(number);
    a.ballot |= static_cast<unsigned>(predicate) << lane;
    a.any |= static_cast<unsigned>(predicate);
    a.all &= static_cast<unsigned>(predicate);
    a.sum += number;
    a.min_unsigned = std::min(a.min_unsigned, number);
    a.max_unsigned = std::max(a.max_unsigned, number);
    a.conjunction &= number | 0x00ff0000u;
    a.disjunction |= number & 0x11111111u;
    a.parity ^= number;
    a.min_signed = std::min(a.min_signed, as_signed);
    a.max_signed = std::max(a.max_signed, as_signed);
  }
  a.sum_signed = static_cast<int>(a.sum);
  auto const alike = [&](unsigned modulus) {
    return lanes_alike(lanes, start, rank % 32,
                       [=](int other) { return number_of(other, round) % modulus; });
  };
  a.match_few = alike(3);
  a.match_many = alike(50);
  a.match_wide = alike(2);
  a.match_double = alike(4);
  a.all_same = a.all_same_wide = lanes;
  a.all_different = (lanes & (lanes - 1)) == 0 ? lanes : 0;
  return a;
}

void require_answers(block_shape shape, split how, std::vector<answers> const& all) {
  for (int rank = 0; rank < shape.size(); ++rank) {
    for (int round = 0; round < rounds; ++round) {
      unsigned const lanes = members(how, rank, shape.size());
      answers got = all[static_cast<std::size_t>(rank * rounds + round)];
      answers expected = model(lanes, rank, round);
      // Lanes that do not exist may be in the mask that a GPU hands back.
      got.all_same &= lanes;
      got.all_same_wide &= lanes;
      got.all_different &= lanes;
      unsigned const existing = members(split::none, rank, shape.size());
      bool const active_is_right =
          (got.active >> rank % 32 & 1u) != 0 && (got.active & ~existing) == 0;
      expected.active = got.active;
      if (active_is_right && std::memcmp(&got, &expected, sizeof got) == 0) continue;
      INFO(words(shape, how, rank) << ", round " << round);
      CHECK(got.ballot == expected.ballot);
      CHECK(got.any == expected.any);
      CHECK(got.all == expected.all);
      CHECK(got.match_few == expected.match_few);
      CHECK(got.match_many == expected.match_many);
      CHECK(got.match_wide == expected.match_wide);
      CHECK(got.match_double == expected.match_double);
      CHECK(got.all_same == expected.all_same);
      CHECK(got.all_same_wide == expected.all_same_wide);
      CHECK(got.all_different == expected.all_different);
      CHECK(got.sum == expected.sum);
      CHECK(got.sum_signed == expected.sum_signed);
      REQUIRE(active_is_right);
      REQUIRE(std::memcmp(&got, &expected, sizeof got) == 0);
    }
  }
}

// ---- one lane on its own ------------------------------------------------------------------------

struct lane_facts {
  int lane, popc, popc_wide, clz, ffs;
  unsigned lt, le, eq, ge, gt, brev;
};

struct lane_kernel {
  __device__ void operator()(unsigned const* numbers, lane_facts* out) const {
    int const rank = simt::thread_rank();
    unsigned const number = numbers[rank];
    out[rank] = {simt::lane_id(),
                 simt::popc(number),
                 simt::popc((static_cast<unsigned long long>(number) << 31) | 1u),
                 simt::clz(number),
                 simt::ffs(number),
                 simt::lanemask_lt(),
                 simt::lanemask_le(),
                 simt::lanemask_eq(),
                 simt::lanemask_ge(),
                 simt::lanemask_gt(),
                 simt::brev(number)};
  }
};

int bits_set(unsigned long long word) {
  int count = 0;
  for (; word != 0; word >>= 1) count += static_cast<int>(word & 1u);
  return count;
}

void require_facts(lane_facts const& got, int lane, unsigned number) {
  int highest = -1, lowest = -1;
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) {
    if ((number >> bit & 1u) == 0) continue;
    highest = bit;
    if (lowest < 0) lowest = bit;
    reversed += 1u << (31 - bit);
  }
  unsigned lower = 0;
  for (int other = 0; other < lane; ++other) lower += 1u << other;
  REQUIRE(got.lane == lane);
  REQUIRE(got.popc == bits_set(number));
  REQUIRE(got.popc_wide == bits_set(number) + 1);
  REQUIRE(got.clz == 31 - highest);
  REQUIRE(got.ffs == lowest + 1);
  REQUIRE(got.brev == reversed);
  REQUIRE(got.eq == 1u << lane);
  REQUIRE(got.lt == lower);
  REQUIRE(got.le == (lower | got.eq));
  REQUIRE(got.ge == ~lower);
  REQUIRE(got.gt == ~(lower | got.eq));
}

}  // namespace

TEST_CASE("votes, matches and reductions of whole, partial and split warps") {
  each_schedule(scaled(10, 3), [](std::string const& schedule) {
    INFO(schedule);
    for (block_shape const shape : shapes) {
      for (split const how : splits) {
        device_buffer<answers> const out(static_cast<std::size_t>(shape.size() * rounds));
        simt::launch<collective_kernel>({.blocks = 1, .threads = {shape.x, shape.y, shape.z}}, how,
                                        out.data());
        require_answers(shape, how, out.copy());
      }
    }
  });
}

TEST_CASE("lane masks and bit functions") {
  each_schedule(2, [](std::string const& schedule) {
    INFO(schedule);
    for (block_shape const shape : shapes) {
      std::vector<unsigned> numbers;
      for (int rank = 0; rank < shape.size(); ++rank) {
        numbers.push_back(rank == 0   ? 0u
                          : rank == 1 ? ~0u
                          : rank < 34 ? 1u << (rank - 2)
                                      : scramble(static_cast<unsigned>(rank)));
      }
      device_buffer<unsigned> const in(numbers);
      device_buffer<lane_facts> const out(numbers.size());
      simt::launch<lane_kernel>({.blocks = 1, .threads = {shape.x, shape.y, shape.z}},
                                static_cast<unsigned const*>(in.data()), out.data());
      auto const got = out.copy();
      for (int rank = 0; rank < shape.size(); ++rank) {
        auto const i = static_cast<std::size_t>(rank);
        require_facts(got[i], rank % 32, numbers[i]);
      }
    }
  });
}

}  // namespace libscan::test
